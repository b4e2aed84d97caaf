// The settings that can change while the chat runs: /set and a reload of config.toml.

extension ChatClient {
    /// Takes over the settings that may change now: what we tell contacts, what we accept, where files go, how long
    /// things are kept, how fast files move, our name (peers learn it with the next link). Listener, limits and the
    /// rules of calling stay until the next start.
    package func reconfigure(_ wanted: ChatConfiguration) async {
        let old = core.configuration
        if wanted.name != old.name {
            core.configuration.name = wanted.name
            core.hub.publish(.identityChanged(identity))
        }
        core.configuration.downloadsFolder = wanted.downloadsFolder
        core.configuration.acceptsFilesUpTo = wanted.acceptsFilesUpTo
        core.configuration.uploadLimit = wanted.uploadLimit
        core.configuration.downloadLimit = wanted.downloadLimit
        core.configuration.partialKeepDays = wanted.partialKeepDays
        core.configuration.retention = wanted.retention
        core.configuration.deletesFiles = wanted.deletesFiles
        core.configuration.sendsReceipts = wanted.sendsReceipts
        core.configuration.sendsTyping = wanted.sendsTyping
        core.configuration.requiresVerified = wanted.requiresVerified
        core.configuration.proxy = wanted.proxy
        core.configuration.reach = wanted.reach
        core.configuration.reach.tor = old.reach.tor
        core.configuration.reach.torControl = old.reach.torControl
        core.configuration.contactRules = wanted.contactRules
        core.configuration.privateFiles = wanted.privateFiles
        // A limit that was set for this run stays unless the file has a new one.
        if wanted.uploadLimit != old.uploadLimit { pacing.setLimit(wanted.uploadLimit, of: .all(.outgoing)) }
        if wanted.downloadLimit != old.downloadLimit { pacing.setLimit(wanted.downloadLimit, of: .all(.incoming)) }
        pacing.setLimit(wanted.reach.relayLimit, of: .relayed)
        if wanted.downloadsFolder != old.downloadsFolder {
            places.use(wanted.downloadsFolder)
            core.tasks.spawn { _ = try? await $0.places.downloads(within: nil) }
        }
        guard core.isRunning else { return }
        core.hub.publish(.notice(.settingsChanged))
        if wanted.proxy != old.proxy {
            // Contacts that the old way did not reach are called by the new one now.
            for contact in core.links.contacts {
                core.links[contact]?.resetBackoff()
                dialling.dial(contact)
            }
        }
        if wanted.relays != old.relays || wanted.proxy != old.proxy {
            relays.reconfigured(isNewWay: wanted.proxy != old.proxy)
        }
        reach.neighbours.begin()
        if wanted.reach.mapping != old.reach.mapping || wanted.hidesAddress != old.hidesAddress
            || wanted.proxy != old.proxy
        {
            reach.mapping.begin()
        }
        if old.requiresVerified, !wanted.requiresVerified {
            for contact in core.links.contacts { tellWhatWaits(to: contact) }
        }
        if wanted.retention != old.retention || wanted.deletesFiles != old.deletesFiles {
            await keeping.deleteExpired()
        }
    }

    /// The configuration's rules for how long messages are kept.
    package var retentionRules: RetentionRules { core.configuration.retention }
}

extension ChatConfiguration {
    /// Exceptions by contact come first.
    func sendsReceipts(to peer: Peer?) -> Bool { rule(of: peer).sendsReceipts ?? sendsReceipts }

    func sendsTyping(to peer: Peer?) -> Bool { rule(of: peer).sendsTyping ?? sendsTyping }

    /// Whether a file of so many bytes, or a folder with so many, is taken without asking.
    func accepts(_ size: UInt64, from peer: Peer?) -> Bool {
        guard acceptsFilesByRule, peer?.room == nil else { return false }
        // A limit set on the screen is newer than the file.
        if let limit = peer?.acceptsFilesUpTo ?? rule(of: peer).acceptsFilesUpTo {
            return limit > 0 && size <= limit
        }
        return acceptsFilesUpTo.map { size <= $0 } ?? false
    }

    private func rule(of peer: Peer?) -> ContactRules.Rule {
        peer.map { contactRules.rule(named: $0.name) } ?? ContactRules.Rule()
    }
}
