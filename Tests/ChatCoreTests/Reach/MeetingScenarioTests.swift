// Two installations that meet by spoken words: in one network, through a real strelaysrv, and with somebody between them.

import BLIPNet
import Testing

import class TestSupport.RelayProgram
import func TestSupport.eventuallyGet

@testable import ChatCore

/// What both suites need.
private struct Meeting {
    let neighbourhood = TestNeighbourhood()

    /// Somebody in the network.
    func neighbour(
        _ name: String, configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> TestPeer {
        let peer = try await TestPeer(name, neighbours: neighbourhood.member()) {
            $0.limits.network.privateRoutes = 1
            configure(&$0)
        }
        try await peer.start()
        try await eventually("\(name) looks around") {
            try await peer.client.ask(.nearby()).state == .looking
        }
        return peer
    }

    func said(_ invitation: Invitation, at place: MeetPlace? = nil) throws -> SpokenInvitation {
        let spoken = try #require(invitation.spoken)
        var said = try #require(SpokenInvitation(spoken.words))
        said.place = place
        return said
    }

    func failure(of call: () async throws -> Peer) async -> ChatError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? ChatError
        }
    }

    func waitUntilLinked(_ one: TestPeer, _ other: TestPeer) async throws {
        try await eventually("both are online") {
            guard try await one.isOnline(other.name) else { return false }
            return try await other.isOnline(one.name)
        }
    }
}

@Suite("Meeting in one network", .timeLimit(.minutes(5))) struct NearbyMeetingTests {
    private let meeting = Meeting()

    @Test("words alone make two contacts at once, without a relay and without a request; once")
    func words() async throws {
        let alice = try await meeting.neighbour("alice")
        let bob = try await meeting.neighbour("bob")
        let carol = try await meeting.neighbour("carol")
        let invitation = try await alice.client.ask(.invite(seconds: nil))
        #expect(invitation.spoken?.isNear == true && invitation.spoken?.place == nil)
        let said = try meeting.said(invitation)
        let met = try await bob.client.ask(.meet(said, name: nil))
        #expect(met.name == "alice" && met.peerID == alice.id && met.metAt != nil && met.trust == .unverified)
        try await meeting.waitUntilLinked(bob, alice)
        #expect(try await alice.contact("bob").metAt != nil)
        #expect(try await alice.client.ask(.contactRequests).isEmpty)
        try await bob.say("hello", to: "alice")
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["hello"] }
        // The words are used: nobody waits with them any more.
        let failure = await meeting.failure { try await carol.client.ask(.meet(said, name: nil)) }
        #expect(failure == .notMet(.nobody))
        #expect(try await carol.client.ask(.conversations).isEmpty)
        for peer in [alice, bob, carol] { await peer.stop() }
    }

    @Test("wrong words, our own words and a taken name lead to nobody")
    func wrong() async throws {
        let alice = try await meeting.neighbour("alice")
        let bob = try await meeting.neighbour("bob")
        let said = try meeting.said(try await alice.client.ask(.invite(seconds: nil)))
        let wrong = try #require(SpokenInvitation("zoo zoo zoo zoo"))
        #expect(await meeting.failure { try await bob.client.ask(.meet(wrong, name: nil)) } == .notMet(.nobody))
        #expect(await meeting.failure { try await alice.client.ask(.meet(said, name: nil)) } == .ownAddress)
        let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: PeerID(try TLSIdentity.generate().fingerprint))
        _ = try await bob.client.ask(.addContact(nowhere, name: "anna"))
        let taken = await meeting.failure { try await bob.client.ask(.meet(said, name: "Anna")) }
        #expect(taken == .store(.nameTaken("anna")))
        let met = try await bob.client.ask(.meet(said, name: "ally"))
        #expect(met.name == "ally")
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("whoever stands between has other exporters: the guest adds nobody, and three tries end the words")
    func between() async throws {
        let alice = try await meeting.neighbour("alice")
        let bob = try await meeting.neighbour("bob")
        let said = try meeting.said(try await alice.client.ask(.invite(seconds: nil)))
        // Mallory shows the same mark, and the true host is not seen any more.
        let shown = try #require(meeting.neighbourhood.services.first { $0.texts.contains { $0.hasPrefix("m=") } })
        let mallory = try Between(host: try await alice.address)
        var copied = shown
        copied.port = mallory.port
        let network = TestNeighbourhood()
        network.member().show(copied)
        let victim = try await TestPeer("victim", neighbours: network.member()) { $0.limits.network.privateRoutes = 1 }
        try await victim.start()
        for _ in 0..<OpenInvitations.wrongProofs {
            #expect(
                await meeting.failure { try await victim.client.ask(.meet(said, name: nil)) } == .notMet(.unproved))
        }
        #expect(try await victim.client.ask(.conversations).isEmpty)
        try await eventually("alice hears that her words are over") {
            alice.log.contains { if case .notice(.wordsEnded) = $0 { true } else { false } }
        }
        #expect(await meeting.failure { try await bob.client.ask(.meet(said, name: nil)) } == .notMet(.nobody))
        #expect(try await alice.client.ask(.conversations).isEmpty)
        mallory.stop()
        for peer in [alice, bob, victim] { await peer.stop() }
    }

    @Test("contacts recognise each other in the network and are called there; who is seen by name can be added")
    func recognised() async throws {
        let alice = try await meeting.neighbour("alice")
        let bob = try await meeting.neighbour("bob")
        try await eventually("alice sees that somebody is there, and not who") {
            let nearby = try await alice.client.ask(.nearby())
            return nearby.neighbours.isEmpty && nearby.strangers == 1 && nearby.shownUntil == nil
        }
        #expect(try await bob.client.ask(.nearby(showSeconds: 600)).shownUntil != nil)
        let shown = try await eventuallyGet("bob is seen by name") {
            try await alice.client.ask(.nearby()).neighbours.first
        }
        #expect(shown.name == "bob" && shown.contact == nil && shown.address.peerID == bob.id)

        // They know each other's keys, and no address leads anywhere.
        for (one, other) in [(alice, bob), (bob, alice)] {
            let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: other.id)
            _ = try await one.client.ask(.addContact(nowhere, name: other.name))
        }
        try await meeting.waitUntilLinked(alice, bob)
        let routes = try await alice.client.ask(.routes(of: try await alice.contactID("bob")))
        #expect(routes.first?.address.origin == .seen)
        #expect(try await alice.client.ask(.nearby()).neighbours.first?.contact == alice.contactID("bob"))
        // Where somebody was seen is not stored.
        #expect(try await alice.store.conversations().map(\.peer).first?.addresses.map(\.port) == [1])
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("nothing that neighbours see of one hour is there in another one")
    func hours() async throws {
        let alice = try await meeting.neighbour("alice")
        let before = try #require(meeting.neighbourhood.services.first)
        #expect(!before.texts.contains { $0.contains("alice") || $0.contains(alice.id.text) })
        alice.wallClock.advance(days: 1)
        // Whoever asks for it is shown for no time at all: that looks at the clock.
        _ = try await alice.client.ask(.nearby(showSeconds: 0))
        let after = try #require(meeting.neighbourhood.services.first)
        #expect(after.instance != before.instance)
        #expect(Set(after.texts).intersection(before.texts) == ["v=1"])
        await alice.stop()
    }

    @Test("with a proxy, or when our user does not want it, nobody is looked for and nothing is shown")
    func off() async throws {
        for isProxied in [false, true] {
            let network = TestNeighbourhood()
            let peer = try await TestPeer("alice", neighbours: network.member()) {
                $0.limits.network.privateRoutes = 1
                if isProxied { $0.proxy = .environment } else { $0.reach.findsNeighbours = false }
            }
            try await peer.start()
            var configuration = peer.configuration
            await peer.client.reconfigure(configuration)
            #expect(try await peer.client.ask(.nearby(showSeconds: 60)).state == .off)
            #expect(network.services.isEmpty)
            configuration.proxy = .direct
            configuration.reach.findsNeighbours = true
            await peer.client.reconfigure(configuration)
            #expect(network.services.count == 1)
            configuration.reach.findsNeighbours = false
            await peer.client.reconfigure(configuration)
            #expect(network.services.isEmpty)
            await peer.stop()
        }
    }
}

@Suite(
    "Meeting at a relay", .enabled(if: RelayProgram.isInstalled, "\(RelayProgram.missing)"), .timeLimit(.minutes(5)))
struct RelayedMeetingTests {
    private let meeting = Meeting()

    private func host(_ name: String, at relay: RelayProgram) async throws -> TestPeer {
        let relays = try RelaySetting.list(relay.uri)
        return try await TestPeer(name) { $0.relays = relays }.start()
    }

    private func guest(_ name: String) async throws -> TestPeer {
        try await TestPeer(name) {
            $0.hidesAddress = true
            $0.limits.network.privateRoutes = 1
        }.start()
    }

    @Test("words lead through the host's relay, which the guest knows by its name alone; once, and not with wrong ones")
    func words() async throws {
        let relay = try await RelayProgram()
        let place = MeetPlace(host: "127.0.0.1", port: relay.port)
        let alice = try await host("alice", at: relay)
        let (bob, carol) = (try await guest("bob"), try await guest("carol"))
        let invitation = try await alice.client.ask(.invite(seconds: nil))
        #expect(invitation.spoken?.place == place && invitation.spoken?.trouble == nil)
        let wrong = try #require(SpokenInvitation("zoo-zoo-zoo-zoo@\(place)"))
        #expect(await meeting.failure { try await bob.client.ask(.meet(wrong, name: nil)) } == .notMet(.nobody))
        let said = try meeting.said(invitation, at: place)
        let met = try await bob.client.ask(.meet(said, name: nil))
        #expect(met.peerID == alice.id && met.name == "alice")
        try await meeting.waitUntilLinked(bob, alice)
        try await bob.say("hello", to: "alice")
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["hello"] }
        #expect(try await alice.client.ask(.contactRequests).isEmpty)
        #expect(await meeting.failure { try await carol.client.ask(.meet(said, name: nil)) } == .notMet(.used))
        // The way by the host's own mailbox is known by now.
        try await eventually("bob has heard of alice's relay") {
            try await bob.contact("alice").addresses.map(\.origin) == [.told, .told]
        }
        for peer in [alice, bob, carol] { await peer.stop() }
    }

    @Test("a host without a relay waits at that of the guest; without any place there are no words")
    func guestsRelay() async throws {
        let relay = try await RelayProgram()
        let place = MeetPlace(host: "127.0.0.1", port: relay.port)
        let alice = try await TestPeer("alice").start()
        let bob = try await host("bob", at: relay)
        #expect(try await alice.client.ask(.invite(seconds: nil)).spoken == nil)
        let invitation = try await alice.client.ask(.invite(seconds: nil, at: place))
        let said = try meeting.said(invitation)
        _ = try await bob.client.ask(.meet(said, name: nil))
        try await meeting.waitUntilLinked(bob, alice)
        let carol = try await TestPeer("carol").start()
        #expect(await meeting.failure { try await carol.client.ask(.meet(said, name: nil)) } == .notMet(.nowhere))
        for peer in [alice, bob, carol] { await peer.stop() }
    }

    @Test("a relay that does not answer is named: to the host at once, and to the guest")
    func noRelay() async throws {
        let relay = try await RelayProgram()
        try await relay.stop()
        let place = MeetPlace(host: "127.0.0.1", port: relay.port)
        let alice = try await TestPeer("alice").start()
        let invitation = try await alice.client.ask(.invite(seconds: nil, at: place))
        guard case .relay(_, .silent)? = invitation.spoken?.trouble else {
            Issue.record("\(String(describing: invitation.spoken))")
            return
        }
        let bob = try await guest("bob")
        let said = try meeting.said(invitation, at: place)
        guard
            case .notMet(.failed(.relay(_, .silent)))? = await meeting.failure(of: {
                try await bob.client.ask(.meet(said, name: nil))
            })
        else {
            Issue.record("bob hears nothing of the relay")
            return
        }
        for peer in [alice, bob] { await peer.stop() }
    }
}

/// Somebody who is called in the host's place, and passes on what both say as well as they can: the best that a relay could do
/// which ends TLS itself.
private final class Between {
    private let listener: any PeerListening

    var port: UInt16 { if case .host(_, let port) = listener.localEndpoint { port } else { 0 } }

    /// `host`: where the true host listens.
    init(host: PeerAddress) throws {
        let connecting = LinkConnecting(identity: try TLSIdentity.generate())
        listener = try connecting.listen(on: .host("127.0.0.1", port: 0)) { Guest($0, connecting, host) }
    }

    func stop() { listener.close() }

    /// A guest's hello goes on to the host; what they have proved comes back to them.
    private final class Guest: PeerRequestHandler {
        private let guest: any PeerConnection
        private let connecting: LinkConnecting
        private let host: PeerAddress

        init(_ guest: any PeerConnection, _ connecting: LinkConnecting, _ host: PeerAddress) {
            self.guest = guest
            self.connecting = connecting
            self.host = host
        }

        func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? {
            let (guest, connecting, host) = (guest, connecting, host)
            let (properties, number) = (request.properties, request.number)
            Task {
                let link = try? await connecting.connect(
                    to: host.endpoint, expecting: nil, through: .direct, handler: Silent())
                let hello = BLIPRequest(profile: "hello", properties: properties, urgent: true)
                _ = try? await link?.submit(hello, bodySink: nil).value()
                link?.close(code: 1000, reason: "")
                var reply: BLIPProperties = ["Contact": "accepted"]
                if let proof = properties["Meet"] { reply["Meet"] = proof }
                guest.respond(to: number, with: BLIPResponse(properties: reply))
                guest.submitNoReply(hello)
            }
            return nil
        }
    }

    private final class Silent: PeerRequestHandler {
        func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? { .failure(.notFound, "") }
    }
}
