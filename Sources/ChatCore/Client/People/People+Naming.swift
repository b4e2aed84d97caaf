// The names of contacts. Every change of a name comes through here, so that the settings for the name go along.

extension People {
    func renameContact(_ contact: ContactID, to name: String) async throws(ChatError) {
        let name = try ContactNames.checked(name)
        await turns.take(contact)
        defer { turns.give(contact) }
        try await renameInTurn(contact, to: name)
    }

    /// They introduce themselves, and our user has given them no name: they are called so from now on.
    func takeName(_ introduced: String, of contact: ContactID) async {
        guard core.links[contact]?.peer.isNameProvisional == true else { return }
        await turns.take(contact)
        defer { turns.give(contact) }
        // Our user may have named them meanwhile.
        guard let peer = core.links[contact]?.peer, peer.isNameProvisional else { return }
        let own = ContactNames.cleaned(introduced, fallback: "")
        guard !own.isEmpty else { return }
        let others = core.links.peers.filter { $0.id != contact }.map(\.name)
        // A name that cannot be written now is tried again with the next link.
        try? await renameInTurn(contact, to: ContactNames.unique(own, among: others))
    }

    /// First the settings have the new name, too, then the contact has it, then the old one is dropped.
    private func renameInTurn(_ contact: ContactID, to name: String) async throws(ChatError) {
        let old = try core.session(with: contact).peer.name
        // Names are compared as people see them: "ann" and "Ann" have the same settings.
        let isOther = ContactNames.folded(old) != ContactNames.folded(name)
        var hasSettings = false
        if isOther {
            try core.links.checkFree(name) { $0.id == contact }
            do throws(NamedSettingsError) {
                hasSettings = try await namedSettings?.copy(old, to: name) ?? false
            } catch {
                throw .cannotKeepSettings(reason: error.reason)
            }
            core.configuration.copySettings(of: old, to: name)
        }
        do throws(ChatError) {
            try await changeInTurn(contact) {
                $0.name = name
                $0.isNameProvisional = false
            }
        } catch {
            if isOther { await forgetSettings(of: name) }
            throw error
        }
        guard isOther else { return }
        await forgetSettings(of: old)
        if hasSettings { core.hub.publish(.notice(.settingsChanged)) }
    }

    /// Nobody is called so any more.
    func forgetSettings(of name: String) async {
        core.configuration.forgetSettings(of: name)
        await namedSettings?.remove(name)
    }
}

extension ChatConfiguration {
    /// Makes the settings of one name hold for another one as well.
    fileprivate mutating func copySettings(of old: String, to new: String) {
        retention.copy(old, to: new)
        contactRules.copy(old, to: new)
    }

    fileprivate mutating func forgetSettings(of name: String) {
        retention.remove(name)
        contactRules.remove(name)
    }
}
