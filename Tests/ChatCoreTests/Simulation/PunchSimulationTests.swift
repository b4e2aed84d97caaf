// Two people behind routers that take no calls, in simulated time (REACH 4, 7).

import Testing

@testable import BLIPNet
@testable import ChatCore

@Suite("REACH 4: both call at the same moment") struct PunchSimulationTests {
    /// Alice and Bob reach each other by a relay alone. `seed`: even ones give Alice the smaller id.
    private func simulation(
        seed: UInt64, configure: @escaping (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> Simulation {
        let simulation = try await Simulation(seed: seed) { configuration in
            configuration.reach.observer = OutsideObserver(
                host: "192.0.2.1", port: 8443, id: RelayID(ofCertificate: [2]))
            configuration.limits.network.privateRoutes = 1
            configure(&configuration)
        }
        let mailbox = simulation.network.openMailbox(of: .host("bob", port: 1))
        try await simulation.alice.client.ask(.addRoute(mailbox, to: simulation.alice.contact))
        simulation.network.setDirectDown(true)
        return simulation
    }

    private func isRelayed(_ peer: SimulatedPeer) async -> Bool? {
        guard case .online(let details) = await peer.client.linkState(of: peer.contact) else { return nil }
        return details.isRelayed
    }

    private func wait(_ simulation: Simulation, relayed: Bool, within limit: Duration) async throws {
        try await simulation.eventually(relayed ? "by the relay" : "direct", within: limit) {
            let (first, second) = (await isRelayed(simulation.alice), await isRelayed(simulation.bob))
            return first == relayed && second == relayed
        }
    }

    @Test("a link by a relay becomes a direct one, and what both write meanwhile is there once", arguments: [40, 41])
    func direct(seed: UInt64) async throws {
        let simulation = try await simulation(seed: seed)
        let (alice, bob, network) = (simulation.alice, simulation.bob, simulation.network)
        try await simulation.start()
        try await wait(simulation, relayed: true, within: .seconds(10))
        var said: [String] = []
        for number in 0..<20 {
            said.append("line \(number)")
            try await (number.isMultiple(of: 2) ? alice : bob).say(said[number])
            await simulation.clock.advance(by: .milliseconds(300))
        }
        try await wait(simulation, relayed: false, within: .seconds(10))
        try await simulation.eventually("everything has come") {
            let (first, second) = (try await alice.waiting(), try await bob.waiting())
            return first == 0 && second == 0
        }
        #expect(try await alice.texts().sorted() == said.sorted())
        #expect(try await bob.texts().sorted() == said.sorted())
        let (asking, asked) = alice.id < bob.id ? (alice, bob) : (bob, alice)
        #expect(network.requests("punch", from: asking.id) == 1 && network.requests("punch", from: asked.id) == 0)
        // A direct link asks for nothing more.
        await simulation.clock.advance(by: .seconds(3600))
        #expect(network.requests("punch", from: asking.id) == 1)
        await simulation.stop()
    }

    @Test("where a router gives each call another port it stays on the relay: three rounds, and again after a minute")
    func mixedPorts() async throws {
        let simulation = try await simulation(seed: 42)
        let (alice, network) = (simulation.alice, simulation.network)
        network.setRoutersMixPorts(true)
        try await simulation.start()
        try await wait(simulation, relayed: true, within: .seconds(10))
        await simulation.clock.advance(by: .seconds(30))
        #expect(network.requests("punch", from: alice.id) == 3)
        await simulation.clock.advance(by: .seconds(50))
        #expect(network.requests("punch", from: alice.id) == 6)
        #expect(await isRelayed(alice) == true)
        network.setRoutersMixPorts(false)
        try await wait(simulation, relayed: false, within: .seconds(400))
        await simulation.stop()
    }

    @Test(
        "nobody asks where it is switched off, our address is hidden, a proxy is used, or nobody knows where we come out",
        arguments: ["off", "hidden", "proxy", "no observer"])
    func unwanted(why: String) async throws {
        let simulation = try await simulation(seed: 44) { configuration in
            switch why {
            case "off": configuration.reach.punches = false
            case "hidden": configuration.hidesAddress = true
            case "proxy": configuration.proxy = .environment
            default: configuration.reach.observer = nil
            }
        }
        try await simulation.start()
        try await wait(simulation, relayed: true, within: .seconds(10))
        await simulation.clock.advance(by: .seconds(100))
        #expect(simulation.network.requests("punch", from: simulation.alice.id) == 0)
        #expect(await isRelayed(simulation.bob) == true)
        await simulation.stop()
    }

    @Test("a contact cannot have us call when they like: the larger id is not heard, and nobody begins all the time")
    func aimed() async throws {
        let simulation = try await simulation(seed: 46)
        let (alice, bob, network) = (simulation.alice, simulation.bob, simulation.network)
        network.setRoutersMixPorts(true)
        try await simulation.start()
        try await wait(simulation, relayed: true, within: .seconds(10))
        await simulation.clock.advance(by: .seconds(30))
        let link = try #require(await alice.client.links[alice.contact]?.link)
        let before = network.holes
        for _ in 0..<20 {
            let place = Endpoint.host("198.51.100.9", port: 25)
            let pending = link.connection.submit(
                PunchRequest(round: 1, candidates: [place]).encoded(), bodySink: nil)
            await simulation.clock.advance(by: .milliseconds(200))
            _ = pending
        }
        #expect(network.holes - before <= 1)
        let theirs = try #require(await bob.client.links[bob.contact]?.link)
        let opened = network.holes
        let pending = theirs.connection.submit(
            PunchRequest(round: 1, candidates: [.host("198.51.100.9", port: 25)]).encoded(), bodySink: nil)
        await simulation.clock.advance(by: .seconds(1))
        let answer = try await pending.value()
        #expect(try PunchReply(decoding: answer).candidates.isEmpty)
        #expect(network.holes == opened)
        await simulation.stop()
    }
}
