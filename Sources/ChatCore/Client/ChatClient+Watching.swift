// Links that carry nothing any more though nobody has ended them: a lost NAT mapping, a network that has gone.

import BLIPNet

extension ChatClient {
    /// How soon we look at a link on which something waits for an answer, and how often at first.
    private static let firstLook = Duration.milliseconds(250)
    /// Looks are this often for so long, then rarer and rarer.
    private static let closeWatch = Duration.seconds(3)

    /// Runs while something that we have sent waits for its answer. Asks for a sign of life when that takes too long (D8),
    /// and calls once more beside a link on which the peer's kernel does not answer ours: the link itself would end by a
    /// time-out of 20 s. A link on which nothing waits costs nothing.
    func watchReplies(of contact: ContactID, on link: ActiveLink) async {
        let patience = core.configuration.limits.replyPatience
        var pause = Self.firstLook
        while core.links.isPresent(link.number, of: contact) {
            guard core.links[contact]?.outbox.oldest != nil else {
                core.links[contact]?.outbox.endWatch()
                return
            }
            do { try await core.clock.wait(pause) } catch { return }
            guard core.links.isPresent(link.number, of: contact), let oldest = core.links[contact]?.outbox.oldest else {
                continue
            }
            let age = core.clock.now() - oldest
            if age > patience { link.connection.ping() }
            if age >= Self.firstLook, await link.connection.isStalled { await callBeside(link, of: contact) }
            pause = age < Self.closeWatch ? Self.firstLook : min(pause * 2, patience / 3)
        }
    }

    /// Calls a contact to whom a link seems to live. A peer that answers with the contact's key gets what waits, over
    /// the new link, which takes the place of the old one on both sides.
    private func callBeside(_ silent: ActiveLink, of contact: ContactID) async {
        guard core.configuration.callsContacts,
            core.links[contact]?.mayCallBeside(now: core.clock.now()) == true
        else { return }
        for address in core.links[contact]?.places ?? [] {
            let router = RequestRouter(limits: core.configuration.limits, memory: waitingMemory)
            // A failure of this call is no news: the link tells how it ends.
            guard
                let connection = try? await connecting.connect(
                    along: address.route, isPublic: core.configuration.limits.network.callsOnlyPublicly(address),
                    expecting: silent.peerID,
                    through: core.configuration.proxy, handler: router)
            else { continue }
            guard core.links.isPresent(silent.number, of: contact), await silent.connection.isStalled else {
                connection.close(code: 1001, reason: "not needed any more")
                return
            }
            if await answered(contact, connection, router, along: address.route) == nil { return }
        }
    }
}
