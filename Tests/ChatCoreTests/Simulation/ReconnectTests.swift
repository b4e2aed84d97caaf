// When a link is made again, and what goes over it (RELIABILITY D8), in simulated time.

import BLIPNet
import Dispatch
import Testing

@testable import ChatCore
@testable import Storage

@Suite("D8: reconnecting")
struct ReconnectTests {
    /// The times between the calls of one side, in seconds.
    private func pauses(_ network: SimulatedNetwork, of caller: PeerID, from start: MonotonicTime) -> [Double] {
        let times = [start] + network.calls.filter { $0.caller == caller && $0.time >= start }.map(\.time)
        return zip(times.dropFirst(), times).map { ($0 - $1) / .seconds(1) }
    }

    @Test("waits are random in [0, min(60 s, 0.5 s * 2^n)], for an hour, and there is no end of trying")
    func backoff() async throws {
        let simulation = try await Simulation(seed: 18)
        let alice = simulation.alice
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(3600))
        let pauses = pauses(simulation.network, of: alice.id, from: MonotonicTime(nanoseconds: 0))
        for (number, pause) in pauses.dropFirst().enumerated() {
            #expect(pause <= min(60, 0.5 * Double(1 << min(number, 10))) + 0.1, "wait \(number)")
        }
        #expect(pauses.count > 60)
        #expect(Set(pauses.suffix(20).map { Int($0) }).count > 3)
        await simulation.stop()
    }

    @Test("whoever has been away for a day is called a few times an hour, also soon after the series has begun anew")
    func longAway() async throws {
        let simulation = try await Simulation(seed: 25)
        let alice = simulation.alice
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(86_400))
        func calls(in hours: Int) async -> Int {
            let start = simulation.clock.now
            await simulation.clock.advance(by: .seconds(3600 * hours))
            return pauses(simulation.network, of: alice.id, from: start).count
        }
        let rare = await calls(in: 10)
        #expect(rare >= 40 && rare <= 120, "\(rare) in ten hours")
        try await alice.client.ask(.reconnect(nil))
        let anew = await calls(in: 1)
        #expect(anew >= 10 && anew <= 30, "\(anew) in the hour after F5")
        await simulation.stop()
    }

    @Test("a link that has lasted 30 s begins the series anew; a shorter one does not", arguments: [31, 20])
    func stable(seconds: Int) async throws {
        let simulation = try await Simulation(seed: 19)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(1807))
        try await bob.listenOnly()
        try await simulation.waitOnline()
        await simulation.clock.advance(by: .seconds(seconds))
        simulation.network.setDown(true)
        let start = simulation.clock.now
        await simulation.clock.advance(by: .seconds(600))
        let pauses = pauses(simulation.network, of: alice.id, from: start)
        // Begun anew, five waits are together at most 0.5 + 1 + 2 + 4 + 8 s; else they are random up to a minute each, and
        // so short by a chance of one in a hundred thousand.
        let five = pauses.prefix(5).reduce(0, +)
        #expect(pauses.count >= 5 && (five <= 16) == (seconds > 30), "\(pauses.prefix(5))")
        await simulation.stop()
    }

    @Test("a line that waits for a broken path goes out within 2 s of its return; only then we call so often")
    func outage() async throws {
        let simulation = try await Simulation(seed: 24)
        let (alice, network) = (simulation.alice, simulation.network)
        try await simulation.start()
        try await simulation.waitOnline()
        await simulation.clock.advance(by: .seconds(60))
        network.setDown(true)
        try await alice.say("waits")
        await simulation.clock.advance(by: .seconds(180))
        network.setDown(false)
        try await simulation.eventually("it arrives", within: .seconds(2)) {
            try await simulation.bob.texts() == ["waits"]
        }
        try await simulation.eventually("nothing waits") { try await alice.waiting() == 0 }
        await simulation.clock.advance(by: .seconds(60))
        // Nothing waits: calls become rare.
        network.setDown(true)
        await simulation.clock.advance(by: .seconds(400))
        let quiet = simulation.clock.now
        await simulation.clock.advance(by: .seconds(501))
        #expect(pauses(network, of: alice.id, from: quiet).count < 60)
        // After a quarter of an hour nobody expects the path back.
        try await alice.say("waits, too")
        await simulation.clock.advance(by: .seconds(120))
        let late = simulation.clock.now
        await simulation.clock.advance(by: .seconds(300))
        #expect(pauses(network, of: alice.id, from: late).count < 40)
        // Bob's program has ended: that is no broken path.
        network.setDown(false)
        try await simulation.waitOnline()
        await simulation.clock.advance(by: .seconds(60))
        await simulation.bob.client.stop()
        try await alice.say("for later")
        await simulation.clock.advance(by: .seconds(120))
        let gone = simulation.clock.now
        await simulation.clock.advance(by: .seconds(120))
        #expect(pauses(network, of: alice.id, from: gone).count < 25)
        await simulation.stop()
    }

    @Test("a key of the user, a line, F5 or an incoming call: at once, not at the end of the wait")
    func atOnce() async throws {
        let simulation = try await Simulation(seed: 20)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(1807))
        func calls() -> Int { simulation.network.calls.count { $0.caller == alice.id } }
        let actions: [() async throws -> Void] = [
            { try await alice.client.ask(.setTyping(true, to: alice.contact)) }, { try await alice.say("hello") },
            { try await alice.client.ask(.reconnect(nil)) },
        ]
        for action in actions {
            let before = calls()
            let time = simulation.clock.now
            try await action()
            try await eventually("she calls") { calls() > before }
            #expect(simulation.clock.now == time)
            await simulation.clock.advance(by: .seconds(1807))
        }
        // Bob comes and calls: what waits goes out over his call.
        let before = calls()
        try await bob.client.start()
        try await simulation.eventually("it arrives", within: .seconds(1)) { try await bob.texts() == ["hello"] }
        #expect(calls() == before)
        await simulation.stop()
    }

    @Test("a new address or route: whoever is away is called at once, but no more often than that helps")
    func pathFound() async throws {
        let simulation = try await Simulation(seed: 26)
        let alice = simulation.alice
        try await alice.client.start()
        await simulation.clock.advance(by: .seconds(1807))
        func calls() -> Int { simulation.network.calls.count { $0.caller == alice.id } }
        let before = calls()
        simulation.network.tell(.pathFound, to: alice.id)
        try await simulation.eventually("she calls", within: .seconds(1)) { calls() > before }
        // An interface that comes and goes for ten minutes: with every change everybody would be called 600 times.
        for _ in 0..<300 {
            simulation.network.tell(.pathFound, to: alice.id)
            await simulation.clock.advance(by: .seconds(2))
        }
        #expect(calls() - before < 400)
        await simulation.stop()
    }

    @Test("when an address of ours has gone, its links are over at once, and what waits goes over another one")
    func addressGone() async throws {
        let simulation = try await Simulation(seed: 27)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await bob.listenOnly()
        try await alice.client.start()
        try await simulation.waitOnline()
        await simulation.clock.advance(by: .seconds(60))
        simulation.network.silenceAll()
        try await alice.say("hello")
        await simulation.clock.advance(by: .seconds(1))
        #expect(try await bob.texts().isEmpty)
        simulation.network.tell(.addressGone(host: "elsewhere"), to: alice.id)
        await simulation.clock.advance(by: .seconds(1))
        #expect(try await bob.texts().isEmpty, "another address says nothing about this link")
        simulation.network.tell(.addressGone(host: "here"), to: alice.id)
        try await simulation.eventually("it arrives", within: .seconds(2)) { try await bob.texts() == ["hello"] }
        await simulation.stop()
    }

    @Test("a client that calls nobody does so whatever is done, until it is told to call")
    func callsNobody() async throws {
        let simulation = try await Simulation(seed: 25) { $0.callsContacts = false }
        let (alice, bob) = (simulation.alice, simulation.bob)
        for peer in [alice, bob] { try await peer.client.start() }
        try await alice.say("hello")
        try await alice.client.ask(.setBlocked(alice.contact, true))
        try await alice.client.ask(.setBlocked(alice.contact, false))
        try await alice.client.ask(.reconnect(nil))
        await simulation.clock.advance(by: .seconds(3600))
        #expect(simulation.network.calls.isEmpty)
        await alice.client.callContacts()
        try await simulation.waitOnline()
        try await simulation.eventually("it arrives", within: .seconds(1)) { try await bob.texts() == ["hello"] }
        await simulation.stop()
    }

    @Test("whom the user has sent away or blocked while calling them is not linked", arguments: [true, false])
    func changedMind(blocks: Bool) async throws {
        let simulation = try await Simulation(seed: 24)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await bob.listenOnly()
        try await alice.client.start()
        await simulation.clock.advance(by: .milliseconds(20))
        try await eventually("she calls") { !simulation.network.calls.isEmpty }
        // A handshake takes its time, and time stands still.
        if blocks {
            try await alice.client.ask(.setBlocked(alice.contact, true))
        } else {
            try await alice.client.ask(.disconnect(alice.contact))
        }
        await simulation.clock.advance(by: .seconds(60))
        #expect(simulation.network.openPairs.isEmpty)
        #expect(simulation.network.calls.count { $0.caller == alice.id } == 1)
        #expect(simulation.network.requests("hello", from: alice.id) == 0)
        // And when they are wanted again, they are called.
        if blocks {
            try await alice.client.ask(.setBlocked(alice.contact, false))
        } else {
            try await alice.client.ask(.reconnect(alice.contact))
        }
        try await simulation.waitOnline()
        await simulation.stop()
    }

    @Test("the time that a handshake has taken is missing for hello", arguments: [nil, .seconds(9)] as [Duration?])
    func handshakeCounts(taken: Duration?) async throws {
        let simulation = try await Simulation(seed: 19)
        let (bob, network) = (simulation.bob, simulation.network)
        if let taken { network.setHandshakes(took: taken) }
        try await simulation.start()
        while await bob.client.links[bob.contact]?.link == nil {
            await simulation.clock.advance(by: .milliseconds(1))
        }
        network.setUnreachable(true)
        network.silenceAll()
        let pair = try #require(network.openPairs.first)
        await simulation.clock.advance(by: .seconds(2))
        #expect(pair.isOpen == (taken == nil))
        await simulation.clock.advance(by: .seconds(9))
        #expect(!pair.isOpen)
        await simulation.stop()
    }

    @Test("a silent link: after 30 s without a reply a ping, after 20 s without a byte a new link; all arrives once")
    func silence() async throws {
        let simulation = try await Simulation(seed: 21)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        try await alice.say("one")
        try await simulation.eventually("it arrives") { try await alice.history.first?.state == .delivered }
        let pair = try #require(simulation.network.openPairs.first)
        let pings = pair.pings
        pair.silence()
        try await alice.say("two")
        let start = simulation.clock.now
        await simulation.clock.advance(by: .seconds(29))
        #expect(pair.pings == pings && pair.isOpen)
        await simulation.clock.advance(by: .seconds(12))
        #expect(pair.pings > pings && pair.isOpen)
        try await simulation.eventually("it arrives") { try await bob.texts() == ["one", "two"] }
        #expect(!pair.isOpen)
        #expect(simulation.clock.now - start < .seconds(75))
        await simulation.stop()
    }

    @Test("beside a link on which the peer's kernel is silent we call once more, and what waits goes over the new one")
    func callBeside() async throws {
        let simulation = try await Simulation(seed: 28)
        let (alice, bob, network) = (simulation.alice, simulation.bob, simulation.network)
        network.tellsStalls = true
        try await bob.listenOnly()
        try await alice.client.start()
        try await simulation.waitOnline()
        await simulation.clock.advance(by: .seconds(60))
        let old = try #require(network.openPairs.first)
        old.silence()
        await simulation.clock.advance(by: .seconds(10))
        #expect(network.calls.count == 1, "where nothing waits nobody calls")
        try await alice.say("hello")
        try await simulation.eventually("it arrives", within: .seconds(1)) { try await bob.texts() == ["hello"] }
        try await simulation.eventually("it is told", within: .seconds(1)) {
            try await alice.history.first?.state == .delivered
        }
        #expect(!old.isOpen && network.openPairs.count == 1)
        // Where nobody answers, calls are few.
        network.setUnreachable(true)
        network.silenceAll()
        let calls = network.calls.count
        try await alice.say("again")
        await simulation.clock.advance(by: .seconds(14))
        #expect(1...3 ~= network.calls.count - calls)
        network.setUnreachable(false)
        try await simulation.eventually("it arrives", within: .seconds(90)) {
            try await bob.texts() == ["hello", "again"]
        }
        await simulation.stop()
    }

    @Test("on a live link nothing is sent twice, however long the answer takes")
    func notTwice() async throws {
        let simulation = try await Simulation(seed: 22)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        try await alice.say("0")
        try await simulation.eventually("it arrives") { try await bob.texts() == ["0"] }
        // Bob's program takes the messages, and its disk takes two minutes.
        simulation.clock.settling = { await alice.settle() }
        let gate = bob.blockWriter()
        for number in 1...5 { try await alice.say("\(number)") }
        await simulation.clock.advance(by: .seconds(120))
        #expect(simulation.network.requests("message", from: alice.id) == 6)
        gate.signal()
        try await simulation.eventually("all are delivered") { try await alice.waiting() == 0 }
        #expect(simulation.network.requests("message", from: alice.id) == 6)
        #expect(try await bob.texts() == ["0", "1", "2", "3", "4", "5"])
        await simulation.stop()
    }

    @Test("nothing expires: after a year away it goes out")
    func noExpiry() async throws {
        let simulation = try await Simulation(seed: 23) {
            $0.reconnect = ReconnectPolicy(maximum: .seconds(864_000))
            // Something that happens each hour makes a year long.
            $0.reach.findsNeighbours = false
        }
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await alice.client.start()
        try await alice.say("happy new year")
        await simulation.clock.advance(by: .seconds(86_400 * 365))
        #expect(try await alice.history.map(\.state) == [.pending])
        try await bob.client.start()
        try await simulation.eventually("it arrives", within: .seconds(5)) {
            try await bob.texts() == ["happy new year"]
        }
        #expect(try await bob.history.first?.isTimeOff == true)
        await simulation.stop()
    }
}

extension SimulatedPeer {
    /// The history cannot be written before the semaphore is signalled.
    fileprivate func blockWriter() -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        let database = database
        Task { try await database.writer.perform { _ in gate.wait() } }
        return gate
    }

    /// Starts without calling anybody.
    func listenOnly() async throws {
        guard var peer = try await database.contacts().first else { return }
        peer.addresses = []
        try await database.updateContact(peer)
        try await client.start()
    }
}
