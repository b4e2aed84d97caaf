// Sending, receiving, states, pages and read marks.

import ChatCore
import Storage
import Testing

@Suite("Messages")
struct MessagesTests {
    @Test("are in the history and in the outbox in the order of entering, numbered from 1")
    func enqueues() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        for (text, contact) in [("a", bob), ("b", carol), ("c", bob)] { try await database.say(text, to: contact) }
        let entries = try await database.outbox(for: bob, limit: 10)
        let messages = try await database.page(of: bob, .newest, limit: 10)
        #expect(entries.map(\.operation) == messages.map { .message($0) })
        #expect(messages.map(\.text) == ["a", "c"])
        #expect(messages.map(\.sequence) == [1, 2])
        #expect(messages.allSatisfy { $0.state == .pending && $0.direction == .outgoing })
        #expect(try await database.outbox(for: bob, limit: 1).count == 1)
    }

    @Test("to nobody are refused and leave nothing behind")
    func refusesUnknownContact() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        await #expect(throws: StoreError.notFound) { try await database.say("hm", to: ContactID(77)) }
        #expect(try await database.search(SearchQuery(text: "hm")).searched == 0)
    }

    @Test("only move forward, and leave the outbox when they are delivered")
    func statesMoveForward() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("x", to: bob)
        func advance(_ state: DeliveryState) async throws -> DeliveryState? {
            try await database.advanceState(of: message.id, in: message.contact, to: state)?.state
        }
        #expect(try await advance(.sent) == .sent)
        #expect(try await advance(.pending) == .sent)
        #expect(try await database.outbox(for: bob, limit: 9).count == 1)
        #expect(try await advance(.delivered) == .delivered)
        #expect(try await database.outbox(for: bob, limit: 9).isEmpty)
        #expect(try await advance(.failed(reason: .unreadable)) == .delivered)
        #expect(try await advance(.read) == .read)
        #expect(try await advance(.delivered) == .read)
        #expect(try await database.advanceState(of: MessageID(at: .init(milliseconds: 1)), in: bob, to: .read) == nil)
    }

    @Test("that failed stay failed with their reason")
    func failureIsFinal() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("x", to: bob)
        _ = try await database.advanceState(of: message.id, in: message.contact, to: .failed(reason: .idTaken))
        #expect(
            try await database.advanceState(of: message.id, in: message.contact, to: .delivered)?.state
                == .failed(reason: .idTaken))
        #expect(try await database.outbox(for: bob, limit: 9).isEmpty)
    }

    @Test("that come twice are stored once; the same id with another text is a conflict")
    func storesOnce() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        let first = try #require(try await database.hear("caf\u{E9}", from: bob).inserted)
        #expect(try await database.hear("caf\u{E9}", from: bob, id: first.id) == .duplicate)
        // Canonically equivalent is not the same bytes.
        #expect(try await database.hear("cafe\u{301}", from: bob, id: first.id) == .conflict)
        #expect(try await database.hear("other", from: bob, id: first.id) == .conflict)
        // The key is (peer, direction, id): somebody else's id is another message.
        #expect(try await database.hear("other", from: carol, id: first.id).inserted != nil)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == ["caf\u{E9}"])
        #expect(try await database.conversations().map(\.unreadCount) == [1, 1])
    }

    @Test("keep any text: empty, NUL, 64 KiB, any scalar")
    func keepsText() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let texts = [
            "", "a\0b", String(repeating: "ä", count: 32_768), "\u{1F468}\u{200D}\u{1F469}\u{202E}\u{FFFD}\n'\";--",
        ]
        for text in texts { try await database.hear(text, from: bob) }
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == texts)
    }

    @Test("come in pages from any anchor, oldest first")
    func pages() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        for number in 0..<100 {
            try await database.say("\(number)", to: bob)
            if number % 3 == 0 { try await database.say("noise", to: carol) }
        }
        func numbers(_ anchor: PageAnchor, _ limit: Int) async throws -> [Int] {
            try await database.page(of: bob, anchor, limit: limit).compactMap { Int($0.text) }
        }
        let all = try await database.page(of: bob, .newest, limit: 1_000)
        #expect(all.count == 100)
        #expect(try await numbers(.newest, 3) == [97, 98, 99])
        #expect(try await numbers(.before(all[97].position), 4) == [93, 94, 95, 96])
        #expect(try await numbers(.after(all[50].position), 2) == [51, 52])
        #expect(try await numbers(.around(all[10].position), 6) == [7, 8, 9, 10, 11, 12])
        #expect(try await numbers(.before(all[0].position), 5) == [])
        #expect(try await numbers(.newest, 0) == [])
        #expect(try await numbers(.newest, -1) == [])
    }

    @Test("count as unread until they are seen; the watermark never moves back")
    func marksSeen() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        var heard: [ChatMessage] = []
        for text in ["1", "2", "3"] { heard.append(try #require(try await database.hear(text, from: bob).inserted)) }
        #expect(heard.allSatisfy { $0.state == .delivered })
        #expect(try await database.markSeen(contact: bob, upTo: heard[1].position) == heard[1].id)
        #expect(try await database.markSeen(contact: bob, upTo: heard[0].position) == nil)
        var conversation = try #require(try await database.conversations().first)
        #expect(conversation.unreadCount == 1)
        #expect(conversation.readUpTo == heard[1].position)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.state) == [.read, .read, .delivered])
        // A receipt is due until the peer has confirmed it.
        #expect(try await database.unsentReadReceipt(for: bob) == heard[1].id)
        try await database.confirmReadReceipt(contact: bob, upTo: heard[1].id)
        #expect(try await database.unsentReadReceipt(for: bob) == nil)
        // Seeing an own message behind it also sees everything before.
        let own = try await database.say("mine", to: bob)
        #expect(try await database.markSeen(contact: bob, upTo: own.position) == heard[2].id)
        conversation = try #require(try await database.conversations().first)
        #expect(conversation.unreadCount == 0)
        #expect(conversation.lastMessage?.id == own.id)
        #expect(conversation.queuedCount == 1)
    }

    @Test("are read up to the peer's mark, and only messages of ours to that peer")
    func marksOutgoingRead() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        let first = try await database.say("1", to: bob)
        let between = try #require(try await database.hear("theirs, in between", from: bob).inserted)
        let second = try await database.say("2", to: bob)
        let third = try await database.say("3", to: bob)
        for message in [first, second, third] {
            _ = try await database.advanceState(of: message.id, in: message.contact, to: .delivered)
        }
        #expect(try await database.markOutgoingRead(contact: carol, upTo: second.id) == nil)
        #expect(try await database.markOutgoingRead(contact: bob, upTo: second.id)?.map(\.id) == [first.id, second.id])
        #expect(try await database.markOutgoingRead(contact: bob, upTo: first.id) == [])
        let shown = try await database.page(of: bob, .newest, limit: 9)
        #expect(shown.filter { $0.direction == .outgoing }.map(\.state) == [.read, .read, .delivered])
        // What they say of our messages is nothing about theirs.
        #expect(shown.first { $0.direction == .incoming } == between)
        let heard = try #require(try await database.hear("theirs", from: bob).inserted)
        #expect(try await database.markOutgoingRead(contact: bob, upTo: heard.id) == nil)
    }

    @Test("that arrive late are read with the next mark, whatever was read before them")
    func marksLateOnes() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        var ids: [MessageID] = []
        for number in 1...4 { ids.append(try await database.say("\(number)", to: bob).id) }
        func deliver(_ number: Int) async throws {
            _ = try await database.advanceState(of: ids[number], in: bob, to: .delivered)
        }
        func read(_ number: Int) async throws -> [MessageID]? {
            try await database.markOutgoingRead(contact: bob, upTo: ids[number])?.map(\.id)
        }
        try await deliver(0)
        try await deliver(2)
        #expect(try await read(2) == [ids[0], ids[2]])
        #expect(try await read(2) == [])
        try await deliver(1)
        #expect(try await read(2) == [ids[1]])
        // The receipt proves that the message has arrived: nothing more is sent.
        #expect(try await read(3) == [ids[3]])
        #expect(try await database.outbox(for: bob, limit: 9).isEmpty)
        #expect(try await database.page(of: bob, .newest, limit: 9).allSatisfy { $0.state == .read })
    }

    @Test("keep drafts and settings until they are emptied")
    func keepsSmallThings() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        #expect(try await database.draft(for: bob) == "")
        try await database.setDraft("half a\nsentence", for: bob)
        try await database.setDraft("whole", for: bob)
        #expect(try await database.draft(for: bob) == "whole")
        try await database.setDraft("", for: bob)
        #expect(try await database.draft(for: bob) == "")
        try await database.setSetting("k", to: "v")
        #expect(try await database.setting("k") == "v")
        try await database.setSetting("k", to: nil)
        #expect(try await database.setting("k") == nil)
    }
}
