// What users say of themselves (name, away) and ask of a link (ping, traffic, no more of it), and the contact's presence.

import BLIPNet

extension ChatClient {
    // MARK: Ourselves

    package func setOwnName(_ name: String) throws(ChatError) {
        configuration.name = try ContactNames.checked(name)
        hub.publish(.identityChanged(identity))
    }

    package func setAway(_ reason: String?) throws(ChatError) {
        let bytes = reason?.utf8.count ?? 0
        guard bytes <= WireLimit.away else { throw .textTooLong(bytes: bytes, limit: WireLimit.away) }
        guard reason != away else { return }
        away = reason
        hub.publish(.identityChanged(identity))
        for contact in links.contacts { tellPresence(to: contact) }
    }

    /// Says whether we are away to a contact who is linked.
    func tellPresence(to contact: ContactID) {
        guard maySend(to: contact), let link = links[contact]?.sendingLink else { return }
        link.connection.submitNoReply(PresenceRequest(away: away).encoded())
    }

    // MARK: Links

    package func disconnect(_ contact: ContactID?) {
        for contact in contact.map({ [$0] }) ?? links.contacts {
            links[contact]?.isPutOff = true
            links[contact]?.link?.close(reason: "")
            publishLinkState(of: contact)
        }
    }

    /// Any answer counts, also that of a program that does not know the question: it has come all the way.
    package func ping(_ contact: ContactID) async throws(ChatError) -> Duration {
        guard let session = links[contact] else { throw .noSuchContact }
        guard let link = session.link, link.isOnline else { throw .notOnline }
        let start = clock.now()
        let pending = link.connection.submit(BLIPRequest(profile: "ping", urgent: true), bodySink: nil)
        do throws(LinkError) { _ = try await pending.value() } catch { throw .notOnline }
        return clock.now() - start
    }

    package func traffic(with contact: ContactID) async -> LinkTraffic? {
        guard let link = links[contact]?.link else { return nil }
        let age = clock.now() - link.opened
        let roundTrip = await link.connection.roundTrip
        let counters = await link.connection.counters
        var traffic = LinkTraffic(age: age, roundTrip: roundTrip)
        traffic.queued = links[contact]?.queuedCount ?? 0
        traffic.waiting = links[contact]?.outbox.count ?? 0
        traffic.framesSent = counters.framesSent
        traffic.framesReceived = counters.framesReceived
        traffic.bytesSent = counters.bytesSent
        traffic.bytesReceived = counters.bytesReceived
        traffic.bytesSavedSent = counters.bytesSavedSent
        traffic.bytesSavedReceived = counters.bytesSavedReceived
        return traffic
    }
}
