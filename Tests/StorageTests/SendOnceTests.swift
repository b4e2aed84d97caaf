// A message under an id that its sender's command has made: stored once, however often it is asked for.

import ChatCore
import Synchronization
import Testing

@testable import Storage

@Suite("Sent once") struct SendOnceTests {
    private let now = Timestamp(milliseconds: 7_000)

    @Test("the same id again stores nothing, tells nothing and returns what is there; the outbox has it once")
    func again() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let ann = try await database.contact("ann")
        let changes = ChangeCounter()
        database.watchChanges { _ in changes.add() }
        let id = MessageID(at: now)
        guard case .stored(let first) = try await database.enqueueMessage(id, to: bob, text: "one", at: now) else {
            Issue.record("it is not stored")
            return
        }
        #expect(first.id == id && first.state == .pending)
        #expect(try await database.advanceState(of: id, in: bob, to: .delivered)?.state == .delivered)
        let before = changes.count
        guard case .known(let second) = try await database.enqueueMessage(id, to: bob, text: "two", at: now) else {
            Issue.record("it is not known")
            return
        }
        #expect(second.id == id && second.state == .delivered && second.content == .text("one"))
        #expect(changes.count == before)
        #expect(try await database.page(of: bob, .newest, limit: 10).count == 1)
        #expect(try await database.outbox(for: bob, limit: 10).isEmpty)
        // Of another contact it is another message.
        guard case .stored(let other) = try await database.enqueueMessage(id, to: ann, text: "one", at: now) else {
            Issue.record("it is another message")
            return
        }
        #expect(other.contact == ann)
        await database.close()
    }

    @Test("an id of theirs is not taken for one of ours")
    func theirs() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let id = MessageID(at: now)
        _ = try await database.appendIncoming(
            IncomingMessage(
                id: id, contact: bob, sequence: 1, sent: now, received: now, content: .text("theirs")))
        #expect(try await database.enqueueMessage(id, to: bob, text: "ours", at: now) == .taken)
        #expect(try await database.outbox(for: bob, limit: 10).isEmpty)
        await database.close()
    }

    @Test("what is too old for how long a conversation is kept is counted before it goes")
    func expiring() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let ann = try await database.contact("ann")
        for contact in [bob, ann] {
            for day in [1, 5, 20] as [Int64] {
                _ = try await database.enqueueMessage(
                    to: contact, text: "x", replyTo: nil, at: Timestamp(milliseconds: day * 86_400_000))
            }
        }
        try await database.setRetention(.forever, of: ann)
        let rules = RetentionRules(standard: .days(10))
        let expiring = try await database.expiring(rules, now: Timestamp(milliseconds: 21 * 86_400_000))
        #expect(expiring.map(\.name) == ["bob"] && expiring.map(\.messages) == [2])
        #expect(try await database.expiring(RetentionRules(), now: Timestamp(milliseconds: .max / 2)).isEmpty)
        await database.close()
    }
}

private final class ChangeCounter: Sendable {
    private let state = Mutex(0)
    func add() { state.withLock { $0 += 1 } }
    var count: Int { state.withLock { $0 } }
}
