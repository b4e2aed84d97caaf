// What of the configuration can change while the chat runs: /set and a reload of config.toml.

extension ChatClient {
    /// Takes over what may change now: what is told to contacts, what is accepted, where files go, how long things are
    /// kept, how fast files move, our name (peers learn it with the next link). Listener, limits and the rules of calling
    /// stay until the next start.
    package func reconfigure(_ wanted: ChatConfiguration) async {
        let old = configuration
        if wanted.name != old.name {
            configuration.name = wanted.name
            hub.publish(.identityChanged(identity))
        }
        configuration.downloadsFolder = wanted.downloadsFolder
        configuration.acceptsFilesUpTo = wanted.acceptsFilesUpTo
        configuration.uploadLimit = wanted.uploadLimit
        configuration.downloadLimit = wanted.downloadLimit
        configuration.partialKeepDays = wanted.partialKeepDays
        configuration.retention = wanted.retention
        configuration.deletesFiles = wanted.deletesFiles
        configuration.sendsReceipts = wanted.sendsReceipts
        configuration.sendsTyping = wanted.sendsTyping
        configuration.requiresVerified = wanted.requiresVerified
        configuration.hidesAddress = wanted.hidesAddress
        configuration.proxy = wanted.proxy
        configuration.contactRules = wanted.contactRules
        configuration.privateFiles = wanted.privateFiles
        // A limit that was set for this run stays unless the file has a new one.
        if wanted.uploadLimit != old.uploadLimit { pacing.setLimit(wanted.uploadLimit, of: .all(.outgoing)) }
        if wanted.downloadLimit != old.downloadLimit { pacing.setLimit(wanted.downloadLimit, of: .all(.incoming)) }
        if wanted.downloadsFolder != old.downloadsFolder {
            places.use(wanted.downloadsFolder)
            spawn { _ = try? await $0.places.downloads(within: nil) }
        }
        guard phase == .running else { return }
        hub.publish(.notice(.settingsChanged))
        if wanted.proxy != old.proxy {
            // Whom the old way did not reach is tried by the new one now.
            for contact in links.contacts {
                links[contact]?.resetBackoff()
                dial(contact)
            }
        }
        if old.requiresVerified, !wanted.requiresVerified {
            for contact in links.contacts { tellWhatWaits(to: contact) }
        }
        if wanted.retention != old.retention || wanted.deletesFiles != old.deletesFiles { await deleteExpired() }
    }

    /// Whether what our user writes may go to a contact: where only verified ones are written to, it waits.
    package func maySend(to contact: ContactID) -> Bool {
        !configuration.requiresVerified || links[contact]?.peer.trust == .verified
    }
}

extension ChatConfiguration {
    /// Exceptions by contact come first.
    func sendsReceipts(to peer: Peer?) -> Bool { rule(of: peer).sendsReceipts ?? sendsReceipts }

    func sendsTyping(to peer: Peer?) -> Bool { rule(of: peer).sendsTyping ?? sendsTyping }

    /// Whether a file of this size is taken without asking.
    func accepts(_ transfer: FileTransfer, from peer: Peer?) -> Bool {
        guard acceptsFilesByRule else { return false }
        // What was said on the screen is newer than the file.
        if let limit = peer?.acceptsFilesUpTo ?? rule(of: peer).acceptsFilesUpTo {
            return limit > 0 && transfer.size <= limit
        }
        return acceptsFilesUpTo.map { transfer.size <= $0 } ?? false
    }

    private func rule(of peer: Peer?) -> ContactRules.Rule {
        peer.map { contactRules.rule(named: $0.name) } ?? ContactRules.Rule()
    }
}
