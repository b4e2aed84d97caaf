// At least once on the wire, exactly once in the history (RELIABILITY D3, D4), in simulated time.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("D3 and D4: at least once on the wire, once in the history")
struct OnceTests {
    @Test("D3: a message whose id the other side knows with another text is shown as failed; the first one stays")
    func conflict() async throws {
        let simulation = try await Simulation(seed: 4)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await alice.client.start()
        let message = try await alice.say("mine")
        let other = IncomingMessage(
            id: message.id, contact: bob.contact, sequence: 1, sent: message.sent, received: message.sent,
            content: .text("other"))
        _ = try await bob.database.appendIncoming(other)
        try await alice.say("after it")
        try await bob.client.start()
        try await simulation.eventually("nothing waits") { try await alice.waiting() == 0 }
        let states = try await alice.history.map(\.state)
        #expect(states == [.failed(reason: .idTaken), .delivered])
        #expect(try await bob.texts() == ["other", "after it"])
        #expect(alice.log.states(of: message.id).last?.rank == DeliveryState.failedRank)
        #expect(await bob.irregularities.refused == 1)
        await simulation.stop()
    }

    @Test("what waits for somebody who is called goes right behind our hello: two round trips with its answer")
    func behindHello() async throws {
        let simulation = try await Simulation(seed: 3)
        let (alice, bob) = (simulation.alice, simulation.bob)
        // All calls are hers: in one of his she would hear his answer sooner.
        try await bob.listenOnly()
        simulation.network.setLatency(500)
        let message = try await alice.say("first words")
        let begun = simulation.clock.now
        try await alice.client.start()
        try await simulation.eventually("delivered", step: .milliseconds(10)) {
            try await alice.history.first { $0.id == message.id }?.state == .delivered
        }
        let trips = (simulation.clock.now - begun) / .seconds(1)
        // One is the handshake, which is more than one in a real network.
        #expect(trips < 2.9, "\(trips) round trips")
        #expect(try await bob.texts() == ["first words"])
        #expect(simulation.network.requests("message", from: alice.id) == 1)
        await simulation.stop()
    }

    @Test("D4: the connection is cut at each delivery of a session in turn: all is there once, in order")
    func cutEverywhere() async throws {
        var count = 1
        var isOver = false
        while !isOver {
            let simulation = try await Simulation(seed: UInt64(count))
            let (alice, bob) = (simulation.alice, simulation.bob)
            for number in 1...3 {
                try await alice.say("a\(number)")
                try await bob.say("b\(number)")
            }
            let first = try #require(try await alice.history.first)
            _ = try await alice.client.ask(.edit(first, to: "a1 edited"))
            simulation.network.cut(atDelivery: count)
            try await simulation.start()
            try await simulation.eventually("nothing waits, cut at \(count)") {
                let left = try await alice.waiting()
                return try await left + bob.waiting() == 0
            }
            #expect(try await alice.texts(.incoming) == ["b1", "b2", "b3"], "cut at \(count)")
            #expect(try await bob.texts(.incoming) == ["a1 edited", "a2", "a3"], "cut at \(count)")
            #expect(try await alice.texts(.outgoing) == ["a1 edited", "a2", "a3"], "cut at \(count)")
            isOver = !simulation.network.hasCut
            count += 1
            await simulation.stop()
        }
        #expect(count > 12)
    }

    @Test(
        "D4: both dial at once: one connection stays, nothing is lost or double",
        arguments: 1...6 as ClosedRange<UInt64>)
    func simultaneous(seed: UInt64) async throws {
        let simulation = try await Simulation(seed: seed)
        let (alice, bob) = (simulation.alice, simulation.bob)
        for number in 1...5 {
            try await alice.say("a\(number)")
            try await bob.say("b\(number)")
        }
        let clients = (alice.client, bob.client)
        async let first: Void = clients.0.start()
        async let second: Void = clients.1.start()
        _ = try await (first, second)
        try await simulation.eventually("nothing waits, and one link is left") {
            let left = try await alice.waiting() + bob.waiting()
            let areOnline = try await [alice.isOnline, bob.isOnline]
            return left == 0 && areOnline == [true, true] && simulation.network.openPairs.count == 1
        }
        #expect(try await alice.texts(.incoming) == (1...5).map { "b\($0)" })
        #expect(try await bob.texts(.incoming) == (1...5).map { "a\($0)" })
        // Who hears of the end of their own call before the other one reaches them may call once more. From now on nobody
        // does: both have kept the same link.
        let calls = simulation.network.calls
        #expect((2...4).contains(calls.count), "\(calls)")
        await simulation.clock.advance(by: .seconds(60))
        #expect(simulation.network.openPairs.count == 1)
        #expect(simulation.network.calls.count == calls.count, "\(simulation.network.calls)")
        await simulation.stop()
    }

    @Test("D6: a state never goes back: late answers, repeated and foreign ones change nothing")
    func forwardOnly() async throws {
        let simulation = try await Simulation(seed: 9)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        let message = try await alice.say("hello")
        try await simulation.eventually("it is delivered") {
            try await alice.history.first?.state == .delivered
        }
        let position = try #require(try await bob.history.first?.position)
        try await bob.client.ask(.markSeen(bob.contact, upTo: position))
        try await simulation.eventually("it is read") { try await alice.history.first?.state == .read }
        let late: [DeliveryState] = [.pending, .sent, .delivered, .failed(reason: .unreadable)]
        for state in late {
            _ = try await alice.database.advanceState(of: message.id, in: message.contact, to: state)
            #expect(try await alice.history.first?.state == .read)
        }
        let ranks = alice.log.states(of: message.id).map(\.rank)
        #expect(ranks == ranks.sorted() && ranks.last == DeliveryState.read.rank)
        try await alice.crash()
        #expect(try await alice.history.first?.state == .read)
        await simulation.stop()
    }
}
