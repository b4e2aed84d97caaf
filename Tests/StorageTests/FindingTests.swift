// Single messages: by number and id, their earlier texts, pins, and what is marked unread again.

import ChatCore
import Testing

@testable import Storage

@Suite("Finding and marking messages") struct FindingTests {
    private let now = Timestamp(milliseconds: 7_000)

    private func incoming(_ text: String, _ number: Int64, from contact: ContactID) -> IncomingMessage {
        IncomingMessage(
            id: MessageID(at: Timestamp(milliseconds: number)), contact: contact, sequence: number,
            sent: Timestamp(milliseconds: number), received: now, content: .text(text))
    }

    @Test(
        "the Nth last of a kind, the end of an id and a whole id lead to messages; what was taken back is not counted")
    func references() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let ann = try await database.contact("ann")
        let one = try await database.say("one", to: bob)
        let two = try #require(try await database.appendIncoming(incoming("two", 1, from: bob)).inserted)
        let three = try await database.say("three", to: bob)
        let other = try await database.say("elsewhere", to: ann)
        func text(_ reference: MessageReference) async throws -> String? {
            try await database.message(reference, of: bob)?.text
        }
        #expect(try await text(.last(1, .any)) == "three")
        #expect(try await text(.last(2, .any)) == "two")
        #expect(try await text(.last(2, .own)) == "one")
        #expect(try await text(.last(1, .incoming)) == "two")
        #expect(try await text(.last(4, .any)) == nil)
        #expect(try await text(.last(1, .failed)) == nil)
        #expect(try await text(.id(two.id)) == "two")
        #expect(try await text(.shortID(one.id.short)) == "one")
        #expect(try await text(.shortID("00000000")) == nil)
        #expect(try await text(.id(other.id)) == nil)
        _ = try await database.enqueueOperation(.retract, on: three.id, .outgoing, to: bob, at: now)
        #expect(try await text(.last(1, .any)) == "two")
        let both = try await database.messages([one.id, two.id, other.id], of: bob)
        #expect(Set(both.map(\.text)) == ["one", "two"])
        await database.close()
    }

    @Test("what failed is the last failed message until it was sent again; nothing else can be marked so")
    func sentAgain() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        var failed: [ChatMessage] = []
        for text in ["one", "two", "three"] {
            let message = try await database.say(text, to: bob)
            failed.append(message)
            if text != "three" {
                _ = try await database.advanceState(of: message.id, in: bob, to: .failed(reason: .unreadable))
            }
        }
        func last(_ number: Int) async throws -> String? {
            try await database.message(.last(number, .failed), of: bob)?.text
        }
        #expect(try await last(1) == "two")
        #expect(try await last(2) == "one")
        #expect(try await database.markSentAgain(failed[1].id, in: bob)?.state == .sentAgain)
        #expect(try await last(1) == "one")
        #expect(try await last(2) == nil)
        #expect(try await database.markSentAgain(failed[2].id, in: bob)?.state == .pending)
        #expect(try await database.markSentAgain(MessageID(at: now), in: bob) == nil)
        await database.close()
    }

    @Test("all texts of an edited message are kept in their order; of one that was taken back nothing is told")
    func versions() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("frist", to: bob)
        #expect(try await database.versions(of: message).map(\.text) == ["frist"])
        for (time, text) in [(8_000, "first"), (9_000, "first!")] as [(Int64, String)] {
            _ = try await database.enqueueOperation(
                .edit(text: text), on: message.id, .outgoing, to: bob, at: Timestamp(milliseconds: time))
        }
        let versions = try await database.versions(of: message)
        #expect(versions.map(\.text) == ["frist", "first", "first!"])
        #expect(versions.map(\.written.milliseconds) == [message.sent.milliseconds, 8_000, 9_000])
        _ = try await database.enqueueOperation(.retract, on: message.id, .outgoing, to: bob, at: now)
        #expect(try await database.versions(of: message).isEmpty)
        await database.close()
    }

    @Test("pins survive a restart, the last one stands first, and go with the message")
    func pins() async throws {
        let folder = try TestFolder()
        var database = try await folder.open()
        let bob = try await database.contact("bob")
        let one = try await database.say("one", to: bob)
        let two = try await database.say("two", to: bob)
        #expect(try await database.setPinned(two, at: Timestamp(milliseconds: 1)).pinned?.milliseconds == 1)
        _ = try await database.setPinned(one, at: Timestamp(milliseconds: 2))
        await database.close()
        database = try await folder.open()
        #expect(try await database.pinnedMessages(of: bob).map(\.text) == ["one", "two"])
        #expect(try await database.page(of: bob, .newest, limit: 9).map { $0.pinned?.milliseconds } == [2, 1])
        _ = try await database.setPinned(one, at: nil)
        _ = try await database.enqueueOperation(.retract, on: two.id, .outgoing, to: bob, at: now)
        #expect(try await database.pinnedMessages(of: bob).isEmpty)
        #expect(try await database.deleteMessages([one.key], of: bob) == 1)
        await #expect(throws: StoreError.notFound) { try await database.setPinned(one, at: now) }
        await database.close()
    }

    @Test("what is marked unread is counted again, and seeing it again tells the peer nothing new")
    func unread() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        var stored: [ChatMessage] = []
        for number in 1...3 as ClosedRange<Int64> {
            stored.append(
                try #require(try await database.appendIncoming(incoming("\(number)", number, from: bob)).inserted))
        }
        let receipt = try #require(try await database.markSeen(contact: bob, upTo: stored[2].position))
        try await database.confirmReadReceipt(contact: bob, upTo: receipt)
        try await database.markUnread(contact: bob, from: stored[1].position)
        #expect(try await database.conversations().first?.unreadCount == 2)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.state) == [.read, .delivered, .delivered])
        // It never marks anything as seen.
        try await database.markUnread(contact: bob, from: HistoryPosition(100))
        #expect(try await database.conversations().first?.unreadCount == 2)
        #expect(try await database.markSeen(contact: bob, upTo: stored[2].position) == nil)
        #expect(try await database.conversations().first?.unreadCount == 0)
        await database.close()
    }
}
