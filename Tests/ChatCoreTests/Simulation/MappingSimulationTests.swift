// A port of the router through its life, in simulated time (REACH 5).

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore

@Suite("A port of the router")
struct MappingSimulationTests {
    private func simulation(
        seed: UInt64, _ configure: @escaping (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> Simulation {
        try await Simulation(seed: seed) {
            if $0.name == "alice" {
                $0.listen = .host("0.0.0.0", port: 4985)
                $0.reach.mapping = .auto
                configure(&$0)
            }
        }
    }

    private func state(_ peer: SimulatedPeer) async throws -> MappingState {
        try await peer.client.ask(.reach).mapping
    }

    private let route = Route.direct(host: "203.0.113.7", port: 4985)

    @Test("it is asked for, told to contacts, renewed at half its time, and given back at the end")
    func life() async throws {
        let simulation = try await simulation(seed: 34)
        let (alice, bob, router) = (simulation.alice, simulation.bob, simulation.network.router)
        router.host = "203.0.113.7"
        try await bob.listenOnly()
        try await alice.client.start()
        try await simulation.waitOnline()
        try await simulation.eventually("Bob hears of it", within: .seconds(10)) {
            try await bob.client.ask(.routes(of: bob.contact)).contains { $0.address.route == route }
        }
        guard case .mapped(let place, let until) = try await state(alice) else {
            Issue.record("it is not mapped")
            return
        }
        #expect(place == MappedPlace(host: "203.0.113.7", port: 4985, way: .pcp))
        #expect(try await alice.client.ask(.reach).isReachable)
        #expect(await alice.client.identity.address?.via == [route])
        await simulation.clock.advance(by: .seconds(3600))
        let times = router.asked.map(\.time)
        #expect(times.count >= 2 && times[1] - times[0] >= .seconds(1799) && times[1] - times[0] <= .seconds(1802))
        #expect(router.asked[1].earlier?.port == 4985)
        guard case .mapped(_, let later) = try await state(alice) else {
            Issue.record("it is not mapped any more")
            return
        }
        #expect(later > until)
        await simulation.stop()
        #expect(router.givenBack.map(\.port) == [4985])
    }

    @Test("a router that gives none is asked again after a quarter of an hour, and when our network changes")
    func silent() async throws {
        let simulation = try await simulation(seed: 35)
        let (alice, router) = (simulation.alice, simulation.network.router)
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(10))
        #expect(try await state(alice) == .failed(.silent))
        await simulation.clock.advance(by: .seconds(880))
        #expect(router.asked.count == 1)
        await simulation.clock.advance(by: .seconds(20))
        #expect(router.asked.count == 2)
        router.host = "203.0.113.7"
        simulation.network.tell(.pathFound, to: alice.id)
        try await simulation.eventually("it is mapped", within: .seconds(2)) { try await state(alice).isMapped }
        #expect(await alice.client.identity.address?.via == [route])
        await simulation.stop()
    }

    @Test("a router that falls silent keeps what it has given until that is over")
    func lapses() async throws {
        let simulation = try await simulation(seed: 36)
        let (alice, router) = (simulation.alice, simulation.network.router)
        router.host = "203.0.113.7"
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(10))
        router.host = nil
        await simulation.clock.advance(by: .seconds(3000))
        #expect(try await state(alice).isMapped)
        await simulation.clock.advance(by: .seconds(700))
        #expect(try await state(alice) == .failed(.silent))
        #expect(await alice.client.identity.address?.via == [])
        await simulation.stop()
        #expect(router.givenBack.isEmpty)
    }

    @Test(
        "nobody asks where it would lead nobody here, or where our user hides; switched off, it is given back",
        arguments: ["loopback", "hidden", "proxy", "off"])
    func notWanted(why: String) async throws {
        let simulation = try await simulation(seed: 37) { configuration in
            switch why {
            case "loopback": configuration.listen = .host("127.0.0.1", port: 4985)
            case "hidden": configuration.hidesAddress = true
            case "proxy": configuration.proxy = HTTPProxy("http://192.0.2.1:3128").map(ProxyChoice.proxy) ?? .direct
            default: break
            }
        }
        let (alice, router) = (simulation.alice, simulation.network.router)
        router.host = "203.0.113.7"
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(10))
        if why == "off" {
            #expect(try await state(alice).isMapped)
            var configuration = ChatConfiguration(
                name: "alice", listen: .host("0.0.0.0", port: 4985), downloadsFolder: alice.folder.path)
            configuration.reach.mapping = .off
            await alice.client.reconfigure(configuration)
            try await simulation.eventually("it is given back", within: .seconds(2)) { router.givenBack.count == 1 }
        } else {
            #expect(router.asked.isEmpty)
        }
        #expect(try await state(alice) == .off)
        #expect(await alice.client.identity.address?.via == [])
        await simulation.stop()
    }
}
