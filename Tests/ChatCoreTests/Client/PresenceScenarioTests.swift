// Away and back, links that are put off, pings, and decisions about single contacts, between real clients.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Presence and links on request") struct PresenceScenarioTests {
    /// Two contacts who are online with each other.
    private func pair() async throws -> (alice: TestPeer, bob: TestPeer, bobsID: ContactID, alicesID: ContactID) {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        return (alice, bob, try await alice.contactID("bob"), try await bob.contactID("alice"))
    }

    private func away(_ peer: TestPeer, _ contact: ContactID) async -> String? {
        guard case .online(let details) = await peer.client.linkState(of: contact) else { return nil }
        return details.away
    }

    @Test("what was said over a link does not count for the one that takes its place")
    func replacedLink() async throws {
        let (alice, bob, _, alicesID) = try await pair()
        var session = try #require(await bob.client.links[alicesID])
        let link = try #require(session.link)
        session.peerAway = "lunch"
        session.isRefusing = true
        let next = ActiveLink(
            number: LinkNumber(rawValue: 99), connection: link.connection, router: link.router, peerID: link.peerID,
            opened: link.opened)
        _ = session.adopt(next, own: bob.id, now: link.opened)
        #expect(session.link?.number == next.number)
        #expect(session.peerAway == nil)
        #expect(!session.isRefusing)
        await alice.stop()
        await bob.stop()
        // A call that is answered while the program ends gets no link: nobody would close it.
        await bob.client.adopt(next, for: alicesID)
        #expect(await bob.client.links[alicesID]?.link == nil)
    }

    @Test("operations go before the answer to our hello only to who says that they take them, and behind our hello")
    func operationsBehindHello() async throws {
        let (alice, bob, _, _) = try await pair()
        let present = try await bob.openLink()
        #expect(present.features.contains(.early))
        var link = present
        link.isAdmittedByPeer = false
        #expect(link.takesOperations && !link.isOnline)
        for withdraw in [
            { $0.features = [.bundles, .routes, .lanes] }, { $0.hasSaidHello = false }, { $0.admitsPeer = false },
        ] as [(inout ActiveLink) -> Void] {
            var link = link
            withdraw(&link)
            #expect(!link.takesOperations)
            link.isAdmittedByPeer = true
            #expect(link.takesOperations == link.admitsPeer)
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("who is accepted at their first call, writes and leaves, is heard to the end")
    func firstCall() async throws {
        let alice = try await TestPeer("alice") {
            $0.acceptsRequests = true
            $0.limits.operationBurst = 1
            $0.limits.operationsPerSecond = 5
        }.start()
        let bob = try await TestPeer("bob").start()
        let address = try #require(await alice.client.identity.address)
        _ = try await bob.client.ask(.addContact(address, name: "alice"))
        let texts = (1...5).map { "line \($0)" }
        var last: ChatMessage?
        for text in texts { last = try await bob.say(text, to: "alice") }
        let id = try #require(last?.id)
        try await eventually("all are on their way") { try await bob.state(of: id) != .pending }
        await bob.stop()
        try await eventually("all are heard") { try await alice.texts(with: "bob") == texts }
        await alice.stop()
    }

    @Test("away reaches contacts who are linked, and those who link later; back takes it back")
    func awayAndBack() async throws {
        let (alice, bob, bobsID, alicesID) = try await pair()
        try await alice.client.ask(.setAway("lunch"))
        #expect(await alice.client.identity.away == "lunch")
        try await eventually("bob sees it") { await away(bob, alicesID) == "lunch" }
        #expect(
            bob.log.contains { if case .linkChanged(_, .online(let link)) = $0 { link.away == "lunch" } else { false } }
        )
        try await bob.client.ask(.disconnect(alicesID))
        try await eventually("alice is alone") { await !alice.client.linkState(of: bobsID).isOnline }
        try await bob.client.ask(.reconnect(alicesID))
        try await eventually("bob sees it again") { await away(bob, alicesID) == "lunch" }
        try await alice.client.ask(.setAway(nil))
        try await eventually("alice is back") {
            guard case .online(let details) = await bob.client.linkState(of: alicesID) else { return false }
            return details.away == nil
        }
        await #expect(throws: ChatError.textTooLong(bytes: 300, limit: 256)) {
            try await alice.client.ask(.setAway(String(repeating: "x", count: 300)))
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("a contact that is put off is neither called nor heard until the user reconnects; what is written waits")
    func puttingOff() async throws {
        let (alice, bob, bobsID, alicesID) = try await pair()
        try await alice.client.ask(.disconnect(bobsID))
        let off = LinkState.offline(reason: LinkReason.putOff)
        try await eventually("alice has no link") { await alice.client.linkState(of: bobsID) == off }
        try await eventually("bob has none") { await !bob.client.linkState(of: alicesID).isOnline }
        try await bob.client.ask(.reconnect(alicesID))
        try await alice.say("later", to: "bob")
        #expect(await alice.client.linkState(of: bobsID) == off)
        #expect(try await alice.history(with: "bob").last?.state == .pending)
        try await alice.client.ask(.reconnect(nil))
        try await eventually("the line arrives") { try await bob.texts(with: "alice") == ["later"] }
        await alice.stop()
        await bob.stop()
    }

    @Test("who calls everybody leaves alone whom they have put off")
    func reconnectingOthers() async throws {
        let (alice, bob, bobsID, _) = try await pair()
        let carol = try await TestPeer("carol").start()
        try await ChatClient.befriend(alice, carol)
        try await alice.client.ask(.disconnect(bobsID))
        try await alice.client.ask(.reconnect(nil))
        try await ChatClient.waitOnline(alice, carol)
        let off = LinkState.offline(reason: LinkReason.putOff)
        try await eventually("bob stays put off") { await alice.client.linkState(of: bobsID) == off }
        await alice.stop()
        await bob.stop()
        await carol.stop()
    }

    @Test("a ping takes as long as the way there and back; without a link there is none")
    func ping() async throws {
        let (alice, bob, bobsID, _) = try await pair()
        let time = try await alice.client.ask(.ping(bobsID))
        #expect(time > .zero && time < .seconds(60))
        // Texts of more than some lines are compressed.
        try await alice.say(String(repeating: "the same again, ", count: 200), to: "bob")
        try await eventually("it is delivered") { try await alice.history(with: "bob").last?.state == .delivered }
        let traffic = try #require(try await alice.client.ask(.traffic(with: bobsID)))
        #expect(traffic.bytesSavedSent > 2_000)
        #expect(traffic.framesSent > 0 && traffic.bytesReceived > 0)
        try await alice.client.ask(.disconnect(nil))
        try await eventually("the link is gone") { await !alice.client.linkState(of: bobsID).isOnline }
        await #expect(throws: ChatError.notOnline) { try await alice.client.ask(.ping(bobsID)) }
        await alice.stop()
        await bob.stop()
    }

    @Test("offers of one contact are accepted as far as was said for them, whatever holds for others")
    func automaticAcceptance() async throws {
        let pair = try await TransferPair(accepting: nil)
        let sender = try await pair.bob.contactID("alice")
        try await pair.bob.client.ask(.setAutomaticAcceptance(1000, from: sender))
        let big = try await pair.offer(pair.alice.makeFile("big", size: 1001))
        let small = try await pair.offer(pair.alice.makeFile("small", size: 1000))
        try await pair.bob.waitForState(.complete, of: small)
        #expect(try await pair.bob.row(big).state == .offered)
        try await pair.bob.client.ask(.setAutomaticAcceptance(0, from: sender))
        let asked = try await pair.offer(pair.alice.makeFile("asked", size: 0))
        try await pair.alice.say("that is all", to: "bob")
        try await eventually("everything is here") { try await pair.bob.texts(with: "alice") == ["that is all"] }
        #expect(try await pair.bob.row(asked).state == .offered)
        await pair.stop()
    }

    @Test("muting and the day of verification are stored")
    func stored() async throws {
        let (alice, bob, bobsID, _) = try await pair()
        try await alice.client.ask(.setMuted(bobsID, until: .endless))
        try await alice.client.ask(.setVerified(bobsID))
        let peer = try #require(try await alice.store.contacts().first)
        #expect(peer.isMuted(at: Timestamp(milliseconds: .max - 1)) && peer.verifiedAt != nil)
        try await alice.client.ask(.setMuted(bobsID, until: Timestamp(milliseconds: 5)))
        let later = try #require(try await alice.store.contacts().first)
        #expect(later.isMuted(at: Timestamp(milliseconds: 4)) && !later.isMuted(at: Timestamp(milliseconds: 5)))
        await alice.stop()
        await bob.stop()
    }

    @Test("a new name is in the address at once; a bad one is refused")
    func ownName() async throws {
        let alice = try await TestPeer("alice").start()
        try await alice.client.ask(.setOwnName("  Alice B.  "))
        #expect(await alice.client.identity.name == "Alice B.")
        #expect(await alice.client.identity.address?.name == "Alice B.")
        await #expect(throws: ChatError.badName("")) { try await alice.client.ask(.setOwnName("")) }
        await alice.stop()
    }
}
