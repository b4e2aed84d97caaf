// The order of one sender's operations: holding back, gaps, filling in, counting anew (RELIABILITY D5).

import ChatCore
import TestSupport
import Testing

@testable import Storage

@Suite("D5: a sender's numbers") struct SequenceOrderTests {
    @Test("the next one, one that has overtaken, one that was given up, and a new count are told apart")
    func places() {
        let order = SequenceOrder(expected: 5)
        #expect(order.place(of: 5, isMissing: false) == .next)
        #expect(order.place(of: 6, isMissing: false) == .ahead(missing: 1))
        #expect(order.place(of: 10_005, isMissing: false) == .ahead(missing: 10_000))
        #expect(order.place(of: 10_006, isMissing: false) == .anew)
        #expect(order.place(of: 3, isMissing: true) == .missing)
        #expect(order.place(of: 3, isMissing: false) == .anew)
        #expect(order.place(of: .max, isMissing: false) == .anew)
        let first = SequenceOrder(expected: 1)
        #expect(first.place(of: 65, isMissing: false) == .ahead(missing: 64))
        #expect(first.place(of: 66, isMissing: false) == .anew)
    }

    @Test("the largest number does not overflow, and nothing goes back by itself")
    func edges() {
        var order = SequenceOrder(expected: 5)
        order.entered(3)
        #expect(order.expected == 5)
        order.entered(5)
        #expect(order.expected == 6)
        order.begunAnew(at: 1)
        #expect(order.expected == 2)
        order.begunAnew(at: .max)
        #expect(order.expected == .max)
    }
}

@Suite("D5: what overtook others") struct ArrivalOrderTests {
    private func id(_ number: Int64) -> MessageID { MessageID(at: Timestamp(milliseconds: number)) }

    private func message(
        _ sequence: Int64, _ content: IncomingMessage.Content? = nil, from contact: ContactID, id: MessageID? = nil
    ) -> IncomingMessage {
        IncomingMessage(
            id: id ?? MessageID(at: Timestamp(milliseconds: 1000 + sequence)), contact: contact, sequence: sequence,
            sent: Timestamp(milliseconds: sequence), received: Timestamp(milliseconds: 5000),
            content: content ?? .text("\(sequence)"))
    }

    /// Texts with what is missing before them: `["1", "(2) 4"]`.
    private func shown(_ database: HistoryDatabase, _ contact: ContactID) async throws -> [String] {
        try await database.page(of: contact, .newest, limit: 1000).map {
            ($0.missingBefore > 0 ? "(\($0.missingBefore)) " : "") + $0.text
        }
    }

    @Test("waits, and is shown in order as soon as what was missing comes")
    func waits() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        _ = try await database.appendIncoming(message(1, from: bob))
        #expect(try await database.appendIncoming(message(3, from: bob)) == .held)
        #expect(try await database.appendIncoming(message(4, from: bob)) == .held)
        #expect(try await shown(database, bob) == ["1"])
        #expect(try await database.conversations().first?.unreadCount == 1)
        guard case .stored(let changes) = try await database.appendIncoming(message(2, from: bob)) else {
            Issue.record("the second one was not stored")
            return
        }
        #expect(changes.map(\.message.text) == ["2", "3", "4"])
        #expect(try await shown(database, bob) == ["1", "2", "3", "4"])
        #expect(try await database.releaseHeld(for: bob).isEmpty)
        await database.close()
    }

    @Test("is shown with what is missing when it is given up, and what comes late is filled in at its place")
    func givesUp() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        _ = try await database.appendIncoming(message(1, from: bob))
        for sequence in [6, 4, 7] as [Int64] {
            #expect(try await database.appendIncoming(message(sequence, from: bob)) == .held)
        }
        let own = try await database.say("mine", to: bob)
        let changes = try await database.releaseHeld(for: bob)
        #expect(changes.map(\.message.text) == ["4", "6", "7"])
        #expect(changes.map(\.message.missingBefore) == [2, 1, 0])
        #expect(try await shown(database, bob) == ["1", "mine", "(2) 4", "(1) 6", "7"])
        let before = try await database.page(of: bob, .newest, limit: 100)

        guard case .stored(let filled) = try await database.appendIncoming(message(3, from: bob)) else {
            Issue.record("the late one was not stored")
            return
        }
        #expect(filled.map(\.message.text) == ["3", "4"])
        #expect(filled.map(\.message.missingBefore) == [1, 0])
        #expect(try await shown(database, bob) == ["1", "mine", "(1) 3", "4", "(1) 6", "7"])
        _ = try await database.appendIncoming(message(2, from: bob))
        #expect(try await shown(database, bob) == ["1", "mine", "2", "3", "4", "(1) 6", "7"])
        _ = try await database.appendIncoming(message(5, from: bob))
        #expect(try await shown(database, bob) == ["1", "mine", "2", "3", "4", "5", "6", "7"])
        // What was shown has not moved.
        let after = try await database.page(of: bob, .newest, limit: 100)
        for row in before { #expect(after.first { $0.id == row.id }?.position == row.position) }
        #expect(own.position < (changes.first?.message.position ?? own.position))
        // The count goes on.
        #expect(try await database.appendIncoming(message(8, from: bob)).inserted?.text == "8")
        await database.close()
    }

    @Test("is known by its id while it waits: a duplicate is one, other content is a conflict")
    func duplicates() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        _ = try await database.appendIncoming(message(1, from: bob))
        let early = message(3, from: bob)
        #expect(try await database.appendIncoming(early) == .held)
        #expect(try await database.appendIncoming(early) == .duplicate)
        #expect(try await database.appendIncoming(message(3, .text("other"), from: bob, id: early.id)) == .conflict)
        #expect(
            try await database.appendIncoming(message(2, .retract, on: early.id, from: bob, id: early.id)) == .conflict)
        _ = try await database.releaseHeld(for: bob)
        #expect(try await database.appendIncoming(early) == .duplicate)
        #expect(try await shown(database, bob) == ["1", "(1) 3"])
        await database.close()
    }

    @Test("survives the end of the program, whatever it is")
    func survives() async throws {
        let folder = try TestFolder()
        var database = try await folder.open()
        let bob = try await database.contact("bob")
        let file = IncomingMessage.Content.file(
            name: "a b", size: 7, modified: Timestamp(milliseconds: 3), contentType: "x/y", caption: "look")
        _ = try await database.appendIncoming(message(1, from: bob))
        let target = id(1)
        let held = [
            message(3, from: bob), message(4, file, from: bob), message(5, .edit(text: "new"), on: target, from: bob),
            message(6, .retract, on: target, from: bob), message(7, .react(emoji: "👍"), on: target, from: bob),
            message(8, .react(emoji: nil), on: target, from: bob),
        ]
        for early in held { #expect(try await database.appendIncoming(early) == .held) }
        await database.close()
        database = try await folder.open()
        for early in held { #expect(try await database.appendIncoming(early) == .duplicate) }
        _ = try await database.releaseHeld(for: bob)
        #expect(try await shown(database, bob) == ["1", "(1) 3", "a b"])
        let actions = try await database.operations(of: bob).map(\.action)
        #expect(actions == [.edit(text: "new"), .retract, .react(emoji: "👍"), .react(emoji: nil)])
        await database.close()
    }

    @Test("before the first message of a conversation nothing is said to be missing")
    func firstMessages() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        #expect(try await database.appendIncoming(message(2, from: bob)) == .held)
        _ = try await database.releaseHeld(for: bob)
        #expect(try await shown(database, bob) == ["2"])
        _ = try await database.appendIncoming(message(1, from: bob))
        #expect(try await shown(database, bob) == ["1", "2"])
        // Somebody whose history with us is old is shown at once.
        let carol = try await database.contact("carol")
        #expect(try await database.appendIncoming(message(5_000, from: carol)).inserted != nil)
        #expect(try await database.appendIncoming(message(5_001, from: carol)).inserted != nil)
        await database.close()
    }

    @Test("a sender who counts anew is shown at once, and gaps are seen again")
    func countsAnew() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for sequence in 1...5 as ClosedRange<Int64> {
            _ = try await database.appendIncoming(message(sequence, from: bob))
        }
        let again = message(1, .text("anew"), from: bob, id: id(99))
        #expect(try await database.appendIncoming(again).inserted?.text == "anew")
        #expect(try await database.appendIncoming(message(3, .text("third"), from: bob, id: id(98))) == .held)
        _ = try await database.releaseHeld(for: bob)
        #expect(try await shown(database, bob) == ["1", "2", "3", "4", "5", "anew", "(1) third"])
        await database.close()
    }

    @Test("a place that something else has taken is no reason to refuse what comes late")
    func takenPlace() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        _ = try await database.appendIncoming(message(1, from: bob))
        #expect(try await database.appendIncoming(message(3, from: bob)) == .held)
        #expect(try await database.contactsWithHeld() == [bob])
        _ = try await database.releaseHeld(for: bob)
        #expect(try await database.contactsWithHeld().isEmpty)
        let three = try #require(try await database.page(of: bob, .newest, limit: 1).first)
        try await database.writer.write { connection throws(StoreError) in
            try connection.run(
                """
                INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, text)
                VALUES (?, ?, 1, '019aa0c0-0000-7000-8000-000000000009', 9, 1, 1, 3, 'imported')
                """,
                .integer(three.position.rawValue - 1), .integer(bob.rawValue))
        }
        _ = try await database.appendIncoming(message(2, from: bob))
        #expect(try await shown(database, bob) == ["1", "imported", "3", "2"])
        await database.close()
    }

    @Test("absurd numbers harm nobody", arguments: [Int64.max, Int64.max - 1, 1 << 40])
    func absurd(number: Int64) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        _ = try await database.appendIncoming(message(1, from: bob))
        for (index, sequence) in [number, number, 1, number, 2].enumerated() {
            let message = message(sequence, .text("\(index)"), from: bob, id: id(Int64(50 + index)))
            _ = try await database.appendIncoming(message)
        }
        _ = try await database.releaseHeld(for: bob)
        #expect(try await database.page(of: bob, .newest, limit: 100).count == 6)
        await database.close()
    }

    @Test(
        "any order of arrival, any moments of giving up: each once, in order, gaps exactly where something is missing")
    func anyOrder() async throws {
        for seed in 0..<12 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let folder = try TestFolder()
            let database = try await folder.open()
            let bob = try await database.contact("bob")
            _ = try await database.appendIncoming(message(1, from: bob))
            var left = (2...20 as ClosedRange<Int64>).filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
            var arrived: Set<Int64> = [1]
            left.shuffle(using: &generator)
            var isReleased = true
            var highest: Int64 = 1
            for sequence in left {
                let outcome = try await database.appendIncoming(message(sequence, from: bob))
                arrived.insert(sequence)
                if outcome == .held { isReleased = false } else { highest = max(highest, sequence) }
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    _ = try await database.releaseHeld(for: bob)
                    isReleased = true
                }
            }
            if !isReleased { _ = try await database.releaseHeld(for: bob) }
            let page = try await database.page(of: bob, .newest, limit: 100)
            let sorted = arrived.sorted()
            #expect(page.map(\.sequence) == sorted, "seed \(seed)")
            let gaps = zip(sorted, [0] + sorted).map { Int($0 - $1 - 1) }
            #expect(page.map(\.missingBefore) == gaps, "seed \(seed)")
            #expect(try await database.conversations().first?.unreadCount == sorted.count, "seed \(seed)")
            await database.close()
        }
    }
}

extension ArrivalOrderTests {
    private func message(
        _ sequence: Int64, _ action: ChatOperation.Action, on target: MessageID, from contact: ContactID,
        id: MessageID? = nil
    ) -> IncomingMessage {
        message(sequence, .operation(action, target: target), from: contact, id: id)
    }
}
