// Two installations that reach each other by onion services alone, with a tor that the test plays.

import BLIPNet
import Synchronization
import Testing

import func TestSupport.eventuallyGet

@testable import ChatCore

@Suite("Contacts by Tor", .timeLimit(.minutes(5))) struct OnionScenarioTests {
    private func peers(
        _ names: [String], _ setting: TorSetting = .on, configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> (tor: TestTor, peers: [TestPeer]) {
        let identities = try names.map { _ in try TLSIdentity.generate() }
        let tor = try TestTor(for: identities)
        var peers: [TestPeer] = []
        for (name, identity) in zip(names, identities) {
            let peer = try await TestPeer(name, identity: identity, tor: tor) {
                $0.reach.tor = setting
                configure(&$0)
            }
            peers.append(peer)
        }
        return (tor, peers)
    }

    private func waitUntilAnnounced(_ peer: TestPeer) async throws {
        try await eventually("\(peer.name) is announced") {
            try await peer.client.ask(.reach).onion?.state == .announced
        }
    }

    /// The address with its onion service alone.
    private func onion(_ peer: TestPeer) async throws -> PeerAddress {
        let address = try await peer.address
        var onion = address
        onion.route = try #require(address.places.first { $0.route.routeClass == .onion }?.route)
        onion.via = []
        return onion
    }

    private func details(_ peer: TestPeer, of name: String) async throws -> LinkDetails? {
        guard case .online(let details) = await peer.client.linkState(of: try await peer.contactID(name)) else {
            return nil
        }
        return details
    }

    @Test(
        "the first message comes by Tor; each contact has a way of its own; routes are told, and are of the last class")
    func first() async throws {
        let (tor, peers) = try await peers(["alice", "bob", "carol"])
        let (alice, bob, carol) = (peers[0], peers[1], peers[2])
        for peer in peers { try await peer.start() }
        for peer in peers { try await waitUntilAnnounced(peer) }
        let report = try await alice.client.ask(.reach)
        #expect(report.isReachable && report.onion?.host == alice.identity.onionService(generation: 0)?.host)
        for (peer, name) in [(bob, "bob"), (carol, "carol")] {
            // The other ways of alice lead nowhere.
            _ = try await alice.client.ask(
                .addContact(PeerAddress(host: "127.0.0.1", port: 1, peerID: peer.id), name: name))
            _ = try await peer.client.ask(.addContact(try await onion(alice), name: "alice"))
            try await ChatClient.waitOnline(peer, alice)
        }
        #expect(try await details(bob, of: "alice")?.isOnion == true)
        #expect(try await details(alice, of: "bob")?.isOnion == true)
        try await bob.say("through Tor", to: "alice")
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["through Tor"] }
        let id = try #require(alice.identity.onionService(generation: 0)).id
        #expect(tor.names[id]?.count == 2)
        try await eventually("alice has heard how bob is reached") {
            try await alice.contact("bob").addresses.contains { $0.route.routeClass == .onion }
        }
        let routes = try await bob.client.ask(.routes(of: bob.contactID("alice")))
        #expect(routes.last?.address.route.routeClass == .onion)
        #expect(routes.contains { $0.standing == .inUse && $0.address.route.routeClass == .onion })
    }

    @Test("a service that is gone, a tor that ends and comes back, and what is said of both")
    func trouble() async throws {
        let (tor, peers) = try await peers(["alice", "bob"])
        let (alice, bob) = (peers[0], peers[1])
        for peer in peers { try await peer.start() }
        for peer in peers { try await waitUntilAnnounced(peer) }
        let address = try await onion(alice)
        await alice.stop()
        try await eventually("her service is gone") {
            !tor.services.contains(address.route.host.replacing(".onion", with: ""))
        }
        _ = try await bob.client.ask(.addContact(address, name: "alice"))
        try await eventually("he hears that she is not there") {
            let state = await bob.client.linkState(of: try await bob.contactID("alice"))
            return state == .offline(reason: .onion(.notThere))
        }
        tor.starts(at: 45)
        tor.drop()
        try await eventually("his tor is on its way") {
            try await bob.client.ask(.reach).onion?.state == .starting(percent: 45)
        }
        try await eventually("and that is why she cannot be called") {
            let state = await bob.client.linkState(of: try await bob.contactID("alice"))
            return state == .offline(reason: .onion(.starting(percent: 45)))
        }
        tor.starts(at: 100)
        tor.drop()
        try await waitUntilAnnounced(bob)
    }

    @Test("a new service takes the place of the old one")
    func renewed() async throws {
        let (tor, peers) = try await peers(["alice"])
        let alice = try await peers[0].start()
        try await waitUntilAnnounced(alice)
        let old = try #require(try await alice.client.ask(.reach).onion?.host)
        _ = try await alice.client.ask(.renewReach)
        try await eventually("only the new one is there") {
            tor.services == [alice.identity.onionService(generation: 1)?.id ?? ""]
        }
        try await waitUntilAnnounced(alice)
        #expect(try await alice.client.ask(.reach).onion?.host != old)
    }

    // MARK: Nothing but Tor

    /// Counts what is asked of the network, and does nothing.
    private final class CountingNetwork: PeerConnecting, RoomConnecting, NeighbourFinding {
        private let calls = Mutex<[String]>([])
        var asked: [String] { calls.withLock { $0 } }
        private func note(_ what: String) { calls.withLock { $0.append(what) } }

        func connect(
            to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice,
            handler: any PeerRequestHandler
        ) async throws(LinkError) -> any PeerConnection {
            note("call")
            throw .disconnected
        }
        func connect(
            along route: Route, isPublic: Bool, expecting expected: PeerID?, through proxy: ProxyChoice,
            handler: any PeerRequestHandler
        ) async throws(LinkError) -> any PeerConnection {
            note("\(route.routeClass)")
            throw .disconnected
        }
        func openLane(
            to endpoint: Endpoint, expecting expected: PeerID, handler: any PeerRequestHandler
        ) async throws(LinkError) -> any PeerConnection {
            note("lane")
            throw .disconnected
        }
        func listen(
            on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
        ) throws(LinkError) -> any PeerListening {
            note("door")
            throw .disconnected
        }
        func identity(of relay: RelayServer, through proxy: ProxyChoice) async throws(LinkError) -> RelayID {
            note("relay looked up")
            throw .disconnected
        }
        func mailbox(at place: MailboxPlace) -> RelayID? { RelayID(ofCertificate: [1]) }
        func beReached(
            at relay: RelayServer, in place: MailboxPlace, token: String, through proxy: ProxyChoice,
            joined: @escaping @Sendable (RelayJoined) -> Void,
            accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
        ) async -> LinkError {
            note("relay joined")
            return .disconnected
        }
        func mapPort(
            _ port: UInt16, earlier: MappedPort?, usesUPnP: Bool
        ) async throws(MappingFailure) -> MappedPort {
            note("router")
            throw .silent
        }
        func giveBack(_ mapped: MappedPort) async { note("router") }
        func serveOnion(
            generation: UInt32?, control: Endpoint?, news: @escaping @Sendable (OnionNews) -> Void,
            accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
        ) async -> LinkError {
            note("tor")
            return .onionFailed(.notInstalled)
        }
        func serveOnion(
            ofWords seed: [UInt8], number: Int, news: @escaping @Sendable (OnionNews) -> Void,
            accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
        ) async -> LinkError {
            note("words by tor")
            return .onionFailed(.notInstalled)
        }
        func networkChanges() -> AsyncStream<NetworkChange> { AsyncStream { $0.finish() } }
        func connect(to room: RoomURL, through proxy: ProxyChoice) -> any RoomConnection {
            note("room")
            return NoRooms().connect(to: room, through: proxy)
        }
        func look() -> AsyncStream<NeighbourNews> {
            note("neighbours")
            return NoNeighbours().look()
        }
        func show(_ service: NeighbourService?) { note("shown to neighbours") }
    }

    /// Asks for everything that there is, by way of the wall. Returns what came through.
    private func everything(_ setting: TorSetting) async throws -> [String] {
        let network = CountingNetwork()
        let walled = AllowedConnecting(base: network, setting: setting)
        let router = RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 0))
        let id = PeerID(try TLSIdentity.generate().fingerprint)
        let relay = RelayServer(host: "relay.example.org", port: 1, id: nil)
        let place = MailboxPlace.spoken(seed: [])
        let routes = [
            "203.0.113.7:1", "bob.example.org:1", "r.example.org:1/\(id)/\(id)",
            "rkeohxlubhyzl7ks3mwtzos5olfgocn7dwkbeg7toseadnapn5optfad.onion:1",
        ]
        for text in routes {
            let route = try #require(Route(text))
            _ = try? await walled.connect(
                along: route, isPublic: false, expecting: nil, through: .direct, handler: router)
        }
        let endpoint = Endpoint.host("203.0.113.7", port: 1)
        _ = try? await walled.connect(to: endpoint, expecting: nil, through: .direct, handler: router)
        _ = try? await walled.openLane(to: endpoint, expecting: id, handler: router)
        _ = try? walled.listen(on: endpoint) { _ in nil }
        _ = try? await walled.identity(of: relay, through: .direct)
        _ = await walled.beReached(
            at: relay, in: place, token: "", through: .direct, joined: { _ in }, accept: { _ in nil })
        _ = try? await walled.mapPort(1, earlier: nil, usesUPnP: true)
        await walled.giveBack(MappedPort(way: .pcp, host: "203.0.113.7", port: 1, inside: 1, lifetime: .seconds(1)))
        _ = await walled.serveOnion(generation: 0, control: nil, news: { _ in }, accept: { _ in nil })
        _ = await walled.serveOnion(ofWords: [], number: 1, news: { _ in }, accept: { _ in nil })
        _ = AllowedRooms(base: network, setting: setting).connect(
            to: RoomURL(host: "chat.example.org"), through: .direct)
        let neighbours = AllowedNeighbours(base: network, setting: setting)
        _ = neighbours.look()
        neighbours.show(nil)
        return network.asked
    }

    @Test("the wall: with `only` nothing comes through but Tor, with `off` everything but Tor")
    func wall() async throws {
        let all = try await everything(.on)
        let tor = ["onion", "tor", "words by tor"]
        #expect(all.count == 16, "\(all)")
        #expect(try await everything(.only) == all.filter { tor.contains($0) })
        #expect(try await everything(.off) == all.filter { !tor.contains($0) })
        for means in TorSetting.Means.allCases {
            #expect(TorSetting.on.allows(means))
            #expect(TorSetting.only.allows(means) == (means == .onion))
            #expect(TorSetting.off.allows(means) == (means != .onion))
        }
    }

    @Test("a chat that uses nothing but Tor has no door, asks nobody else, and is reached all the same")
    func only() async throws {
        let (_, peers) = try await peers(["alice", "bob"], .only) {
            $0.reach.mapping = .on
            $0.relays = [RelaySetting(host: "127.0.0.1", port: 1)]
        }
        let (alice, bob) = (peers[0], peers[1])
        for peer in peers { try await peer.start() }
        for peer in peers { try await waitUntilAnnounced(peer) }
        let report = try await alice.client.ask(.reach)
        #expect(report.listening == nil && report.mapping == .off && report.neighbours == .off)
        #expect(report.relays.allSatisfy { $0.state == .off } && report.onion?.isOnly == true && report.isReachable)
        // Contacts are told one way, and nobody hears of another one.
        let address = try await alice.address
        #expect(address.places.map(\.route.routeClass) == [.onion])
        var other = address
        other.via = [.direct(host: "127.0.0.1", port: 1)]
        _ = try await alice.client.ask(
            .addContact(PeerAddress(host: "127.0.0.1", port: 1, peerID: bob.id), name: "bob"))
        _ = try await bob.client.ask(.addContact(other, name: "alice"))
        try await ChatClient.waitOnline(bob, alice)
        try await bob.say("only by Tor", to: "alice")
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["only by Tor"] }
        try await eventually("alice has heard one way to bob") {
            try await alice.contact("bob").addresses.filter { $0.origin == .told }.map(\.route.routeClass) == [.onion]
        }
        // The settings of a running chat change nothing of it.
        var wanted = alice.configuration
        wanted.reach.tor = .off
        await alice.client.reconfigure(wanted)
        #expect(await alice.client.configuration.reach.tor == .only)
    }
}
