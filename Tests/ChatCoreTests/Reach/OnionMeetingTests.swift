// Installations that meet by spoken words and Tor, with a tor that the test plays.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Meeting by Tor", .timeLimit(.minutes(5))) struct OnionMeetingTests {
    private func peers(_ names: [String], _ setting: TorSetting = .only) async throws -> (
        tor: TestTor, peers: [TestPeer]
    ) {
        let identities = try names.map { _ in try TLSIdentity.generate() }
        let tor = try TestTor(for: identities)
        var peers: [TestPeer] = []
        for (name, identity) in zip(names, identities) {
            peers.append(try await TestPeer(name, identity: identity, tor: tor) { $0.reach.tor = setting })
        }
        return (tor, peers)
    }

    private func startAnnounced(_ peers: [TestPeer]) async throws {
        for peer in peers { try await peer.start() }
        for peer in peers {
            try await eventually("\(peer.name) is announced") {
                try await peer.client.ask(.reach).onion?.state == .announced
            }
        }
    }

    /// The service that follows from words.
    private func service(of said: SpokenInvitation) throws -> String {
        let secret = try #require(MeetSecret(said.words))
        return try #require(OnionService(seed: secret.onionSeed)).id
    }

    /// Words that work by Tor, and the service to which they lead.
    private func invite(_ host: TestPeer) async throws -> (said: SpokenInvitation, service: String) {
        let spoken = try #require(try await host.client.ask(.invite(seconds: nil)).spoken)
        #expect(spoken.place == nil && spoken.trouble == nil && spoken.onion == .announced)
        let said = try #require(SpokenInvitation(spoken.words))
        return (said, try service(of: said))
    }

    private func failure<Value>(of call: () async throws -> Value) async -> ChatError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? ChatError
        }
    }

    private func isByOnion(_ peer: TestPeer, _ name: String) async throws -> Bool {
        guard case .online(let details) = await peer.client.linkState(of: try await peer.contactID(name)) else {
            return false
        }
        return details.isOnion
    }

    @Test("words alone make two contacts at once, by a service of their own, which goes with the guest; once")
    func words() async throws {
        let (tor, peers) = try await peers(["alice", "bob", "carol"])
        let (alice, bob, carol) = (peers[0], peers[1], peers[2])
        try await startAnnounced([alice])
        let (said, service) = try await invite(alice)
        let own = try #require(alice.identity.onionService(generation: 0)).id
        #expect(tor.services == [service, own])
        // The tor of a guest who has just come starts first.
        try await bob.start()
        let met = try await bob.client.ask(.meet(said, name: nil))
        #expect(met.name == "alice" && met.peerID == alice.id && met.metAt != nil && met.trust == .unverified)
        try await ChatClient.waitOnline(bob, alice)
        #expect(try await isByOnion(bob, "alice"))
        #expect(try await isByOnion(alice, "bob"))
        #expect(try await alice.contact("bob").metAt != nil)
        #expect(try await alice.client.ask(.contactRequests).isEmpty)
        try await bob.say("hello", to: "alice")
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["hello"] }

        try await carol.start()
        #expect(await failure { try await carol.client.ask(.meet(said, name: nil)) } == .notMet(.used))
        #expect(try await carol.client.ask(.conversations).isEmpty)
        // Each of them by circuits of their own.
        #expect(tor.names[service]?.count == 2)
        await bob.stop()
        try await eventually("the service is gone") { !tor.services.contains(service) }
        #expect(tor.services.contains(own))
        #expect(await failure { try await carol.client.ask(.meet(said, name: nil)) } == .notMet(.nobody))
        for peer in [alice, carol] { await peer.stop() }
    }

    @Test("those who have met find each other by what they have said of themselves, though tor is on this machine")
    func again() async throws {
        let (_, peers) = try await peers(["alice", "bob"])
        let (alice, bob) = (peers[0], peers[1])
        // Nobody aims us at addresses inside.
        #expect(alice.configuration.limits.network.privateRoutes == 0)
        try await startAnnounced(peers)
        _ = try await bob.client.ask(.meet(try await invite(alice).said, name: nil))
        try await ChatClient.waitOnline(bob, alice)
        try await alice.restart()
        try await ChatClient.waitOnline(bob, alice)
        #expect(try await isByOnion(bob, "alice"))
        for peer in peers { await peer.stop() }
    }

    /// Nobody asks a guesser anything.
    private final class NoRequests: BLIPRequestHandler {
        func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { nil }
    }

    /// Somebody who has found the service, and does not know the words. Returns what their hello is answered with.
    private func guess(_ proof: [UInt8]?, at service: String, through tor: TestTor) async throws -> BLIPErrorCode? {
        var options = LinkOptions(identity: try TLSIdentity.generate())
        options.application = LinkConnecting.application
        let link = try await PeerLink.connect(
            toOnion: service + ".onion", port: TorCommand.port, through: tor.place, as: .random(), options: options,
            handler: NoRequests())
        var hello = HelloRequest(name: "mallory", client: "x", listenPort: nil)
        hello.proof = proof
        let response = try await link.submit(hello.encoded(), bodySink: nil).value()
        link.close(code: 1000, reason: "")
        return response.error
    }

    @Test("wrong words lead to nobody, and no relay is asked; three wrong proofs end the words, and their service")
    func wrong() async throws {
        let (tor, peers) = try await peers(["alice", "bob"])
        let (alice, bob) = (peers[0], peers[1])
        try await startAnnounced([alice, bob])
        let (said, service) = try await invite(alice)
        let wrong = try #require(SpokenInvitation("zoo-zoo-zoo-zoo@127.0.0.1:1"))
        #expect(await failure { try await bob.client.ask(.meet(wrong, name: nil)) } == .notMet(.nobody))
        #expect(await failure { try await alice.client.ask(.meet(said, name: nil)) } == .ownAddress)
        // To say nothing is to know nothing.
        for proof in [nil, [1], [UInt8](repeating: 1, count: 32)] as [[UInt8]?] {
            #expect(tor.services.contains(service))
            #expect(try await guess(proof, at: service, through: tor) == .forbidden)
        }
        try await eventually("the service is gone") { !tor.services.contains(service) }
        try await eventually("alice hears that her words are over") {
            alice.log.contains { if case .notice(.wordsEnded) = $0 { true } else { false } }
        }
        #expect(await failure { try await bob.client.ask(.meet(said, name: nil)) } == .notMet(.nobody))
        for peer in [alice, bob] {
            #expect(try await peer.client.ask(.conversations).isEmpty)
            await peer.stop()
        }
    }

    @Test("the service goes with its words: when their time is over, and when there are too many")
    func over() async throws {
        let (tor, peers) = try await peers(["alice"])
        let alice = peers[0]
        try await startAnnounced([alice])
        let short = try #require(try await alice.client.ask(.invite(seconds: 1)).spoken)
        let first = try service(of: try #require(SpokenInvitation(short.words)))
        try await eventually("their time is over") { !tor.services.contains(first) }
        var services: [String] = []
        for _ in 0...OpenInvitations.mostSpoken { services.append(try await invite(alice).service) }
        try await eventually("the oldest words have given way") { !tor.services.contains(services[0]) }
        #expect(tor.services.isSuperset(of: services.dropFirst()))
        await alice.stop()
        try await eventually("all services are gone") { tor.services.isEmpty }
    }

    @Test("words that somebody has used in this network are not waited for by Tor any more")
    func near() async throws {
        let (network, identity) = (TestNeighbourhood(), try TLSIdentity.generate())
        let tor = try TestTor(for: [identity])
        let alice = try await TestPeer("alice", identity: identity, neighbours: network.member(), tor: tor) {
            $0.limits.network.privateRoutes = 1
            $0.reach.tor = .on
        }
        let bob = try await TestPeer("bob", neighbours: network.member()) { $0.limits.network.privateRoutes = 1 }
        try await startAnnounced([alice])
        try await bob.start()
        for peer in [alice, bob] {
            try await eventually("\(peer.name) looks around") {
                try await peer.client.ask(.nearby()).state == .looking
            }
        }
        let (said, service) = try await invite(alice)
        _ = try await bob.client.ask(.meet(said, name: nil))
        try await eventually("the service is gone") { !tor.services.contains(service) }
        try await ChatClient.waitOnline(bob, alice)
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("a tor that starts: the host hears how far it is, and the words work when it has come so far")
    func starting() async throws {
        let (tor, peers) = try await peers(["alice", "bob"])
        let (alice, bob) = (peers[0], peers[1])
        tor.starts(at: 45)
        try await alice.start()
        try await eventually("her tor is on its way") {
            try await alice.client.ask(.reach).onion?.state == .starting(percent: 45)
        }
        let spoken = try #require(try await alice.client.ask(.invite(seconds: nil)).spoken)
        #expect(spoken.onion == .starting(percent: 45) && spoken.place == nil && !spoken.isNear)
        let said = try #require(SpokenInvitation(spoken.words))
        let service = try service(of: said)
        #expect(!tor.services.contains(service))
        tor.starts(at: 100)
        tor.drop()
        try await eventually("the words are waited for") { tor.services.contains(service) }
        // Another tor has no service of the one before.
        tor.drop()
        try await eventually("nobody waits") { !tor.services.contains(service) }
        try await eventually("they are waited for again") { tor.services.contains(service) }
        try await bob.start()
        _ = try await bob.client.ask(.meet(said, name: nil))
        try await ChatClient.waitOnline(bob, alice)
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("where the program is missing, nobody waits by Tor, and the guest hears why")
    func missing() async throws {
        let peer = try await TestPeer("alice") { $0.reach.tor = .only }.start()
        try await eventually("it is known") {
            try await peer.client.ask(.reach).onion?.state == .failed(.onion(.notInstalled))
        }
        #expect(await failure { try await peer.client.ask(.invite(seconds: nil)) } == .notReachable)
        let said = try #require(SpokenInvitation("zoo-zoo-zoo-zoo"))
        let why = await failure { try await peer.client.ask(.meet(said, name: nil)) }
        #expect(why == .notMet(.failed(.onion(.notInstalled))))
        await peer.stop()
    }
}
