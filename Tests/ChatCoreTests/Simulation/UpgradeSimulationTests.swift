// Links that change their way while people write, in simulated time (REACH 4, 7).

import BLIPNet
import Glibc
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("REACH 4: better ways take the place of worse ones")
struct UpgradeSimulationTests {
    /// Alice and Bob, whom she also reaches by a relay.
    /// `hiding`: Bob is told no address, so that all calls are hers.
    private func simulation(
        seed: UInt64, hiding: Bool = false, configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> Simulation {
        let simulation = try await Simulation(seed: seed) {
            $0.hidesAddress = hiding
            configure(&$0)
        }
        let mailbox = simulation.network.openMailbox(of: .host("bob", port: 1))
        try await simulation.alice.client.ask(.addRoute(mailbox, to: simulation.alice.contact))
        return simulation
    }

    private func isRelayed(_ peer: SimulatedPeer) async -> Bool? {
        guard case .online(let details) = await peer.client.linkState(of: peer.contact) else { return nil }
        return details.isRelayed
    }

    private func wait(_ simulation: Simulation, relayed: Bool, within limit: Duration = .seconds(120)) async throws {
        try await simulation.eventually(relayed ? "by the relay" : "direct", within: limit) {
            let (first, second) = (await isRelayed(simulation.alice), await isRelayed(simulation.bob))
            return first == relayed && second == relayed
        }
    }

    @Test("as long as the link takes a relay, direct ways are tried after 1, 5, then each 15 minutes")
    func schedule() async throws {
        let simulation = try await simulation(seed: 30)
        let (alice, network) = (simulation.alice, simulation.network)
        network.setDirectDown(true)
        try await simulation.bob.listenOnly()
        try await alice.client.start()
        try await wait(simulation, relayed: true)
        let start = simulation.clock.now
        await simulation.clock.advance(by: .seconds(3600))
        let tries = network.calls.filter { $0.caller == alice.id && $0.routeClass == .direct && $0.time > start }
            .map { Int(($0.time - start) / .seconds(1)) }
        #expect(tries.count == 5, "\(tries)")
        for (time, wanted) in zip(tries, [60, 360, 1260, 2160, 3060]) {
            #expect(abs(time - wanted) <= 2, "\(tries)")
        }
        #expect(network.calls.count { $0.routeClass == .relay } == 1)
        // There is a way again: the next try finds it.
        network.setDirectDown(false)
        try await wait(simulation, relayed: false, within: .seconds(1000))
        let calls = network.calls.count
        await simulation.clock.advance(by: .seconds(3600))
        #expect(network.calls.count == calls, "a direct link looks for nothing better")
        await simulation.stop()
    }

    @Test("a new network of ours is tried at once; a link that is silent then is over after 5 s")
    func newNetwork() async throws {
        let simulation = try await simulation(seed: 31, hiding: true)
        let (alice, network) = (simulation.alice, simulation.network)
        network.setDirectDown(true)
        try await simulation.bob.listenOnly()
        try await alice.client.start()
        try await wait(simulation, relayed: true)
        await simulation.clock.advance(by: .seconds(120))
        network.setDirectDown(false)
        network.tell(.pathFound, to: alice.id)
        try await wait(simulation, relayed: false, within: .seconds(2))
        await simulation.clock.advance(by: .seconds(120))

        network.silenceAll()
        let start = simulation.clock.now
        network.tell(.pathFound, to: alice.id)
        try await simulation.eventually("she calls anew", within: .seconds(20)) {
            network.calls.contains { $0.caller == alice.id && $0.time > start }
        }
        #expect(simulation.clock.now - start >= .seconds(5))
        try await wait(simulation, relayed: false, within: .seconds(5))
        // One that answers stays.
        await simulation.clock.advance(by: .seconds(60))
        let calls = network.calls.count
        network.tell(.pathFound, to: alice.id)
        await simulation.clock.advance(by: .seconds(30))
        #expect(network.calls.count == calls)
        await simulation.stop()
    }

    @Test("a way along which links break soon is left alone for 15 minutes where there is another one")
    func rests() async throws {
        let simulation = try await simulation(seed: 32, hiding: true)
        let (alice, network) = (simulation.alice, simulation.network)
        try await simulation.bob.listenOnly()
        try await alice.client.start()
        for _ in 0..<2 {
            try await wait(simulation, relayed: false)
            await simulation.clock.advance(by: .seconds(5))
            network.cutAll()
            await simulation.clock.advance(by: .milliseconds(100))
        }
        try await wait(simulation, relayed: true)
        let start = simulation.clock.now
        await simulation.clock.advance(by: .seconds(800))
        #expect(!network.calls.contains { $0.routeClass == .direct && $0.time > start })
        try await wait(simulation, relayed: false, within: .seconds(1000))
        await simulation.stop()
    }

    /// How often the way changes; `BLIPCHAT_ROUTE_CHANGES` sets it (REACH 7: 500 during 1,000 messages and 1 GB).
    private static let changes =
        getenv("BLIPCHAT_ROUTE_CHANGES").flatMap { Int(String(cString: $0)) }.map { max(2, $0) } ?? 40

    /// For each change so much of a file crosses, which takes half of the time between two changes.
    private static let bytesPerChange = 2 << 20

    @Test("D1 to D10: the way changes again and again beside lines and a file; all is there once and in order")
    func changes() async throws {
        let simulation = try await simulation(seed: 33) { $0.acceptsFilesUpTo = .max }
        let (alice, bob, network) = (simulation.alice, simulation.bob, simulation.network)
        network.setRate(Self.bytesPerChange / 16)
        try await simulation.start()
        try await wait(simulation, relayed: false)
        let source = try TemporaryDirectory()
        let path = source.path + "/large.bin"
        try TestFile.generate(path, size: Self.changes * Self.bytesPerChange)
        let digest = try sha256(of: path)
        let file = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contact))
        var said = [alice.name: ["large.bin"]]
        var crossed: Set<Int> = []
        func say() async throws {
            for peer in [alice, bob] {
                said[peer.name, default: []].append("\(peer.name) \(said[peer.name]?.count ?? 0)")
                try await peer.say(said[peer.name]?.last ?? "")
            }
        }
        for change in 0..<Self.changes {
            let isDown = change.isMultiple(of: 2)
            try await say()
            if let row = try await bob.database.transfer(file.id), row.state == .running { crossed.insert(change) }
            // What is under way is cut off, or finds a new link beside the old one.
            await simulation.clock.advance(by: .milliseconds(10))
            network.setDirectDown(isDown)
            if !isDown { network.tell(.pathFound, to: alice.id) }
            try await wait(simulation, relayed: isDown)
            if !isDown { await simulation.clock.advance(by: .seconds(31)) }
        }
        try await simulation.eventually("everything is delivered") {
            let (first, second) = (try await alice.waiting(), try await bob.waiting())
            return first + second == 0
        }
        try await simulation.eventually("the file is there", within: .seconds(100_000), step: .seconds(1)) {
            let (given, taken) = (try await alice.database.transfer(file.id), try await bob.database.transfer(file.id))
            return given?.state == .complete && taken?.state == .complete
        }
        let row = try #require(try await bob.database.transfer(file.id))
        #expect(row.sha256 == digest)
        #expect(try sha256(of: bob.folder.path + "/downloads/large.bin") == digest)
        #expect(names(in: bob.folder.path + "/downloads") == ["large.bin"])
        #expect(crossed.count > Self.changes / 3, "the file came beside \(crossed.count) changes")
        await simulation.clock.advance(by: .seconds(6))
        for (sender, receiver) in [(alice, bob), (bob, alice)] {
            #expect(try await receiver.texts(.incoming) == said[sender.name])
            #expect(try await sender.history.filter { $0.direction == .outgoing }.allSatisfy { $0.state == .delivered })
        }
        await simulation.stop()
    }
}
