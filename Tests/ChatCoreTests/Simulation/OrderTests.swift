// One sender's messages show in their order, whatever overtakes whatever, and clocks order nothing (RELIABILITY D5).

import BLIPNet
import Synchronization
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("D5: order, gaps and clocks")
struct OrderTests {
    @Test("what overtook a message that could not be stored waits for it, up to five seconds")
    func overtaking() async throws {
        let simulation = try await Simulation(seed: 3)
        try await simulation.start()
        try await simulation.waitOnline()
        let bob = simulation.bob
        try await simulation.alice.say("0")
        try await simulation.eventually("the first one is there") { try await bob.texts() == ["0"] }
        // The first of three meets a full disk; then there is room again. Three that share a commit are stored one by one
        // when that has failed, and nothing is held back: then it is the next three's turn.
        var texts = ["0"]
        while await bob.irregularities.heldBack == 0, texts.count < 300 {
            FaultyDisk.shared.fail(.write, of: bob.folder.path, with: FaultyDisk.full, failing: 1)
            let before = texts
            for _ in 1...3 {
                texts.append("\(texts.count)")
                try await simulation.alice.say(texts[texts.count - 1])
            }
            try await simulation.eventually("two are held back, or all are stored") {
                if await bob.irregularities.heldBack == 2 { return true }
                return try await bob.texts() == texts
            }
            #expect(FaultyDisk.shared.failures(of: bob.folder.path) == 1)
            FaultyDisk.shared.heal(bob.folder.path)
            if await bob.irregularities.heldBack > 0 { #expect(try await bob.texts() == before) }
        }
        #expect(await bob.irregularities.heldBack == 2)
        // The sender tries again after four seconds, before the five are over.
        try await simulation.eventually("all are shown", within: .seconds(5)) {
            try await bob.texts() == texts
        }
        #expect(try await bob.history.allSatisfy { $0.missingBefore == 0 })
        let shown = bob.log.events.compactMap { event in
            if case .messageAdded(let message) = event { message.plainText } else { nil }
        }
        #expect(shown == texts)
        await simulation.stop()
    }

    @Test("a gap is shown for five seconds at most; then the later ones with what is missing, filled in when it comes")
    func gap() async throws {
        let simulation = try await Simulation(seed: 5)
        try await simulation.start()
        try await simulation.waitOnline()
        let bob = simulation.bob
        #expect(try await simulation.ask(simulation.message(1, "one")).error == nil)
        #expect(try await simulation.ask(simulation.message(3, "three")).error == nil)
        let begun = simulation.clock.now
        #expect(try await bob.texts() == ["one"])
        await simulation.clock.advance(by: .milliseconds(4_800))
        #expect(try await bob.texts() == ["one"])
        try await simulation.eventually("it is shown", within: .seconds(1)) {
            try await bob.texts() == ["one", "three"]
        }
        #expect(simulation.clock.now - begun <= .milliseconds(5_200))
        #expect(try await bob.history.map(\.missingBefore) == [0, 1])
        let own = try await bob.say("mine")
        // Later ones do not wait for what was given up.
        _ = try await simulation.ask(simulation.message(4, "four"))
        #expect(try await bob.texts() == ["one", "three", "mine", "four"])
        let before = try await bob.history

        _ = try await simulation.ask(simulation.message(2, "two"))
        #expect(try await bob.texts() == ["one", "two", "three", "mine", "four"])
        #expect(try await bob.history.map(\.missingBefore) == [0, 0, 0, 0, 0])
        for row in before { #expect(try await bob.database.message(row.id)?.position == row.position) }
        let news = bob.log.events.suffix(8).compactMap { event -> String? in
            switch event {
            case .messageAdded(let message): "added \(message.plainText)"
            case .messageChanged(let message): "changed \(message.plainText) \(message.missingBefore)"
            default: nil
            }
        }
        #expect(news.suffix(2) == ["added two", "changed three 0"])
        #expect(own.direction == .outgoing)
        await simulation.stop()
    }

    @Test("what was deleted before it went out leaves no gap over there, and nobody waits for it")
    func deletedUnsent() async throws {
        let simulation = try await Simulation(seed: 30)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await alice.client.start()
        try await alice.say("oops")
        let message = try #require(try await alice.history.first)
        #expect(try await alice.client.ask(.deleteMessages([message.key], of: alice.contact)) == 1)
        try await alice.say("hello")
        try await bob.client.start()
        try await simulation.eventually("it arrives") { try await bob.texts() == ["hello"] }
        try await simulation.eventually("nothing waits") { try await alice.waiting() == 0 }
        #expect(await bob.irregularities.heldBack == 0)
        #expect(try await bob.history.map(\.missingBefore) == [0])
        await simulation.stop()
    }

    @Test("what was held back when the program was killed is shown at the next start")
    func crashWhileHolding() async throws {
        let simulation = try await Simulation(seed: 6)
        try await simulation.start()
        try await simulation.waitOnline()
        _ = try await simulation.ask(simulation.message(1, "one"))
        _ = try await simulation.ask(simulation.message(3, "three"))
        #expect(try await simulation.bob.texts() == ["one"])
        try await simulation.bob.crash()
        #expect(try await simulation.bob.texts() == ["one", "three"])
        #expect(try await simulation.bob.history.last?.missingBefore == 1)
        await simulation.stop()
    }

    @Test("what is held back cannot be marked as read by what is shown")
    func readWhileHolding() async throws {
        let simulation = try await Simulation(seed: 7)
        try await simulation.start()
        try await simulation.waitOnline()
        let bob = simulation.bob
        _ = try await simulation.ask(simulation.message(1, "one"))
        _ = try await simulation.ask(simulation.message(3, "three"))
        let own = try await bob.say("mine")
        try await bob.client.ask(.markSeen(bob.contact, upTo: own.position))
        await simulation.clock.advance(by: .seconds(6))
        let three = try #require(try await bob.history.last)
        #expect(three.plainText == "three" && three.state == .delivered)
        #expect(try await bob.client.ask(.conversations).first?.unreadCount == 1)
        await simulation.stop()
    }

    @Test("two sides: the order of arrival counts, whatever the clocks say; times are clamped and marked")
    func clocks() async throws {
        let simulation = try await Simulation(seed: 8)
        let (alice, bob) = (simulation.alice, simulation.bob)
        alice.clockError = .seconds(7_200)
        try await alice.crash(starting: false)
        try await simulation.start()
        try await simulation.waitOnline()
        for number in 1...3 {
            try await alice.say("a\(number)")
            try await simulation.eventually("a\(number) is there") { try await bob.texts(.incoming).count == number }
            try await bob.say("b\(number)")
            try await simulation.eventually("b\(number) is there") { try await alice.texts(.incoming).count == number }
        }
        let wanted = ["a1", "b1", "a2", "b2", "a3", "b3"]
        #expect(try await alice.texts() == wanted)
        #expect(try await bob.texts() == wanted)
        for message in try await bob.history where message.direction == .incoming {
            #expect(message.isTimeOff && message.shownTime == message.stored)
        }
        // From Alice's side it is Bob who is two hours late.
        for message in try await alice.history where message.direction == .incoming {
            #expect(message.isTimeOff && message.shownTime == message.sent)
        }
        await simulation.stop()
    }

    @Test("a time is off beyond five minutes, and clamped to what can be true")
    func clamping() {
        func message(sent: Int64, stored: Int64) -> ChatMessage {
            ChatMessage(
                id: MessageID(at: Timestamp(milliseconds: 1)), position: HistoryPosition(1), contact: ContactID(1),
                direction: .incoming, sequence: 1, sent: Timestamp(milliseconds: sent),
                stored: Timestamp(milliseconds: stored), state: .delivered, content: .text("x"))
        }
        let now: Int64 = 1_795_000_000_000
        let minutes: Int64 = 60_000
        #expect(!message(sent: now - 5 * minutes, stored: now).isTimeOff)
        #expect(message(sent: now - 5 * minutes - 1, stored: now).isTimeOff)
        #expect(!message(sent: now + 5 * minutes, stored: now).isTimeOff)
        #expect(message(sent: now + 5 * minutes + 1, stored: now).isTimeOff)
        #expect(message(sent: now - minutes, stored: now).shownTime.milliseconds == now - minutes)
        #expect(message(sent: now + minutes, stored: now).shownTime.milliseconds == now)
        #expect(message(sent: 0, stored: now).shownTime.milliseconds == now)
        for sent in [Int64.min, .max] {
            #expect(message(sent: sent, stored: now).isTimeOff)
            #expect(message(sent: sent, stored: now).shownTime.milliseconds == now)
        }
    }
}

extension Simulation {
    /// A request as a peer's program might send it, over alice's present link; returns bob's answer.
    func ask(_ request: BLIPRequest) async throws -> BLIPResponse {
        let link = try #require(await alice.client.links.sessions.values.first?.link)
        let pending = link.connection.submit(request, bodySink: nil)
        let answer = Mutex<Result<BLIPResponse, any Error>?>(nil)
        let waiting = Task {
            let result: Result<BLIPResponse, any Error>
            do { result = .success(try await pending.value()) } catch { result = .failure(error) }
            answer.withLock { $0 = result }
        }
        defer { waiting.cancel() }
        // Time goes on until it is there, however long the disk of the other side takes.
        try await eventually("the answer") { answer.withLock { $0 != nil } }
        return try #require(answer.withLock { $0 }).get()
    }

    func message(_ sequence: Int64, _ text: String, id: MessageID? = nil) -> BLIPRequest {
        let time = Timestamp(milliseconds: 1_795_000_000_000 + clock.milliseconds)
        return MessageRequest(StoredHead(id: id ?? MessageID(at: time), sequence: sequence, sent: time), text: text)
            .encoded()
    }
}
