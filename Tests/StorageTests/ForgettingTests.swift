// Deletion: what is gone from the tables is gone from the bytes of the files as well, also after a crash.

import ChatCore
import Glibc
import Testing

@testable import Storage

@Suite("Forgetting")
struct ForgettingTests {
    /// A word for the index of words, and characters whose trigram nothing else has.
    private static let secret = "zanzibarquux ꙮꙮꙮ"

    /// Whether the bytes of the secret are in any file of the folder.
    private func isOnDisk(_ folder: TestFolder) throws -> Bool {
        for name in folder.names() {
            let bytes = try contents(of: "\(folder.path)/\(name)")
            for needle in ["zanzibarquux", "ꙮꙮꙮ"] where bytes.contains(Array(needle.utf8)) { return true }
        }
        return false
    }

    /// A history in which other messages surround the secret one.
    private func history(_ folder: TestFolder) async throws -> (HistoryDatabase, ContactID, ChatMessage) {
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for number in 0..<40 { try await database.say("line \(number) of the plan", to: bob, at: Int64(number)) }
        let message = try #require(try await database.hear(Self.secret, from: bob, at: 100).inserted)
        for number in 0..<40 { try await database.hear("answer \(number)", from: bob, at: 200 + Int64(number)) }
        try await database.index()
        return (database, bob, message)
    }

    @Test("takes a message out of the tables, the indexes, the free pages and the log")
    func deletesMessage() async throws {
        let folder = try TestFolder()
        let (database, bob, message) = try await history(folder)
        #expect(try isOnDisk(folder))
        #expect(try await database.deleteMessages([message.key], of: bob) == 1)
        // This is what the purge is for: the index keeps deleted words until its pieces are merged.
        #expect(try isOnDisk(folder))
        try await database.purge()
        #expect(try !isOnDisk(folder))
        #expect(try await database.message(message.id) == nil)
        #expect(try await database.texts("zanzibarquux").isEmpty)
        #expect(try await database.texts("plan").count == 40)
        #expect(try await database.deleteMessages([message.key], of: bob) == 0)
        await database.close()
        #expect(try !isOnDisk(folder))
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
    }

    @Test("finishes after a crash what a deletion has begun")
    func resumesPurge() async throws {
        let folder = try TestFolder()
        let (database, bob, message) = try await history(folder)
        _ = try await database.deleteMessages([message.key], of: bob)
        await database.close()
        #expect(try isOnDisk(folder))
        let findings = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(findings.contains { $0.kind == .purge && $0.verdict == .warning })
        let again = try await folder.open()
        try await again.purge()
        #expect(try !isOnDisk(folder))
        #expect(try await again.setting(HistoryDatabase.purgeKey) == nil)
        await again.close()
    }

    @Test("takes every text of an edited message with it")
    func deletesEdits() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("zanzibarquux first", to: bob)
        _ = try await database.enqueueOperation(
            .edit(text: Self.secret), on: message.id, .outgoing, to: bob, at: .init(milliseconds: 2_000))
        _ = try await database.enqueueOperation(
            .edit(text: "harmless"), on: message.id, .outgoing, to: bob, at: .init(milliseconds: 3_000))
        _ = try await database.deleteMessages([message.key], of: bob)
        try await database.purge()
        #expect(try !isOnDisk(folder))
        // Only the numbers are left, which bob would miss otherwise.
        let left = try await database.operations(of: bob)
        #expect(Set(left.map(\.sequence)) == [1, 2, 3] && left.allSatisfy { $0.action == .retract })
        #expect(try await database.outbox(for: bob, limit: 9).count == 3)
        await database.close()
    }

    @Test("takes a conversation or a contact with everything, and leaves the others alone")
    func deletesConversations() async throws {
        let folder = try TestFolder()
        let (database, bob, _) = try await history(folder)
        let carol = try await database.contact("carol")
        try await database.hear("for carol", from: carol)
        try await database.hear(Self.secret, from: carol)
        #expect(try await database.deleteMessages(of: bob, storedBefore: nil) == 81)
        try await database.purge()
        #expect(try isOnDisk(folder))
        let lists = try await database.conversations()
        #expect(lists.map(\.unreadCount) == [0, 2])
        #expect(lists[0].lastMessage == nil)
        try await database.setDraft("draft of zanzibarquux", for: carol)
        try await database.removeContact(carol)
        try await database.purge()
        #expect(try !isOnDisk(folder))
        #expect(try await database.conversations().map(\.peer.name) == ["bob"])
        // The conversation goes on.
        try await database.say("still here", to: bob)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == ["still here"])
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
    }

    @Test("leaves no copy from a migration behind that still says it")
    func deletesOldCopies() async throws {
        let folder = try TestFolder()
        let (database, bob, message) = try await history(folder)
        await database.close()
        let newer = Schema.migrations + ["ALTER TABLE contacts ADD COLUMN colour TEXT"]
        let migrated = try await HistoryDatabase.open(at: folder.database, readOnly: false, steps: newer)
        #expect(folder.names().contains { $0.hasSuffix(".bak") })
        _ = try await migrated.deleteMessages([message.key], of: bob)
        try await migrated.purge()
        #expect(!folder.names().contains { $0.hasSuffix(".bak") })
        #expect(try !isOnDisk(folder))
        await migrated.close()
    }

    @Test("deletes what is older than a conversation keeps, and nothing else")
    func retention() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let day: Int64 = 86_400_000
        var ids: [String: ContactID] = [:]
        for name in ["standard", "Named", "own", "forever"] {
            let contact = try await database.contact(name)
            ids[name] = contact
            // Before what came later: by its place, too, it is that old.
            if name == "standard" { try await database.say("standard waits", to: contact, at: 900 * day) }
            for age in [100, 10, 1] {
                try await database.hear("\(name) \(age)", from: contact, at: (1_000 - Int64(age)) * day)
            }
        }
        try await database.setRetention(.days(5), of: #require(ids["own"]))
        try await database.setRetention(.forever, of: #require(ids["forever"]))
        let rules = RetentionRules(standard: .days(50), byName: ["nAMED": .days(200)])
        let now = Timestamp(milliseconds: 1_000 * day)
        #expect(
            try await database.deleteExpired(rules, now: now) == Set([ids["standard"], ids["own"]].compactMap { $0 }))
        #expect(try await database.deleteExpired(rules, now: now).isEmpty)
        var left: [String] = []
        for name in ["standard", "Named", "own", "forever"] {
            left += try await database.page(of: #require(ids[name]), .newest, limit: 9).map(\.text)
        }
        #expect(
            left == [
                "standard waits", "standard 10", "standard 1", "Named 100", "Named 10", "Named 1", "own 1",
                "forever 100", "forever 10", "forever 1",
            ])
        #expect(try await database.outbox(for: #require(ids["standard"]), limit: 9).count == 1)
        // Without limits nothing is ever deleted: only the conversation with one of its own loses something.
        #expect(
            try await database.deleteExpired(RetentionRules(), now: .init(milliseconds: .max)) == [#require(ids["own"])]
        )
        #expect(try await database.retention(of: #require(ids["own"])) == .days(5))
        try await database.setRetention(nil, of: #require(ids["own"]))
        #expect(try await database.retention(of: #require(ids["own"])) == nil)
        await database.close()
    }

    @Test("keeps what is still to be done to an old message over there, and the message with it")
    func keepsWaitingOperations() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let day: Int64 = 86_400_000
        let rules = RetentionRules(standard: .days(1), byName: [:])
        let (edited, unsent) = (try await database.say("regrettable", to: bob), try await database.say("oops", to: bob))
        _ = try await database.advanceState(of: edited.id, in: bob, to: .delivered)
        for (message, action) in [(edited, ChatOperation.Action.edit(text: "kind")), (unsent, .retract)] {
            _ = try await database.enqueueOperation(
                action, on: message.id, .outgoing, to: bob, at: Timestamp(milliseconds: 10 * day))
        }
        let now = Timestamp(milliseconds: 100 * day)
        #expect(try await database.deleteExpired(rules, now: now).isEmpty)
        let waiting = try await database.outbox(for: bob, limit: 9)
        #expect(waiting.count == 2)
        for entry in waiting {
            guard case .operation(let operation) = entry.operation else { return #expect(Bool(false), "\(entry)") }
            _ = try await database.advanceOperation(operation.id, in: bob, to: .delivered)
        }
        #expect(try await database.deleteExpired(rules, now: now) == [bob])
        #expect(try await database.page(of: bob, .newest, limit: 9).isEmpty)
        #expect(try await database.operations(of: bob).isEmpty)
        await database.close()
    }

    @Test("leaves the number of what was never sent to a retraction, so that nothing is missing over there")
    func deletesUnsent() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let (first, second) = (try await database.say("oops", to: bob), try await database.say("hello", to: bob))
        #expect(try await database.deleteMessages([first.key], of: bob) == 1)
        let waiting = try await database.outbox(for: bob, limit: 9)
        try #require(waiting.count == 2)
        guard case .operation(let retraction) = waiting[0].operation, case .message(let message) = waiting[1].operation
        else { return #expect(Bool(false), "\(waiting)") }
        #expect(retraction.action == .retract && retraction.target == first.id)
        #expect(retraction.sequence == first.sequence && message.id == second.id)
        try await database.purge()
        #expect(try !contents(of: folder.database).contains(Array("oops".utf8)))
        // Delivered, it is forgotten with the rest.
        _ = try await database.advanceOperation(retraction.id, in: bob, to: .delivered)
        _ = try await database.deleteMessages(of: bob, storedBefore: nil)
        #expect(try await database.operations(of: bob).map(\.target) == [second.id])
        await database.close()
    }

    @Test("leaves the number of an edit that waits to a reaction that changes nothing, and keeps reactions that wait")
    func deletesEdited() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("regrettable", to: bob)
        _ = try await database.advanceState(of: message.id, in: bob, to: .delivered)
        for action in [ChatOperation.Action.react(emoji: "😀"), .edit(text: Self.secret), .react(emoji: "🎉")] {
            _ = try await database.enqueueOperation(
                action, on: message.id, .outgoing, to: bob, at: Timestamp(milliseconds: 2_000))
        }
        #expect(try await database.deleteMessages([message.key], of: bob) == 1)
        let waiting = try await database.outbox(for: bob, limit: 9).compactMap { entry in
            if case .operation(let operation) = entry.operation { operation } else { nil }
        }
        #expect(waiting.map(\.sequence) == [1, 2, 3].map { message.sequence + $0 })
        #expect(waiting.map(\.action) == [.react(emoji: "😀"), .react(emoji: "🎉"), .react(emoji: "🎉")])
        #expect(waiting.allSatisfy { $0.target == message.id })
        try await database.purge()
        #expect(try !isOnDisk(folder))
        await database.close()
    }

    @Test("takes edits of messages that are gone, by age and when everything is forgotten", arguments: [true, false])
    func strayOperations(byAge: Bool) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try #require(try await database.hear("first", from: bob).inserted)
        #expect(try await database.deleteMessages([message.key], of: bob) == 1)
        let edit = IncomingMessage.Content.operation(.edit(text: Self.secret), target: message.id)
        _ = try await database.appendIncoming(incoming(edit, from: bob, at: 2_000))
        #expect(try await database.operations(of: bob).count == 1)
        if byAge {
            _ = try await database.deleteExpired(
                RetentionRules(standard: .days(1), byName: [:]), now: Timestamp(milliseconds: 1_000))
            #expect(try await database.operations(of: bob).count == 1)
            _ = try await database.deleteExpired(
                RetentionRules(standard: .days(1), byName: [:]), now: Timestamp(milliseconds: 1 << 40))
        } else {
            _ = try await database.deleteMessages(of: bob, storedBefore: nil)
        }
        #expect(try await database.operations(of: bob).isEmpty)
        try await database.purge()
        #expect(try !isOnDisk(folder))
        await database.close()
    }

    @Test("names the files of what it deletes next, however many there are")
    func expiredFiles() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for number in 0..<1_100 as Range<Int64> {
            let file = IncomingMessage.Content.file(
                name: "f\(number)", size: 1, modified: .init(milliseconds: 1), contentType: "x/y", caption: "")
            let message = try #require(
                try await database.appendIncoming(incoming(file, from: bob, at: 1_000 + number)).inserted)
            guard case .file(var transfer) = message.content else { return #expect(Bool(false), "\(message)") }
            transfer.state = .complete
            transfer.path = "/downloads/f\(number)"
            try await database.updateTransfer(transfer, reporting: false)
        }
        let rules = RetentionRules(standard: .days(1), byName: [:])
        // The newest hundred are kept.
        let now = Timestamp(milliseconds: 86_400_000 + 2_005)
        var paths: [String] = []
        while true {
            paths += try await database.expiredFiles(rules, now: now).compactMap(\.path)
            if try await database.deleteExpired(rules, now: now).isEmpty { break }
        }
        #expect(paths == (0..<1_000).map { "/downloads/f\($0)" })
        #expect(try await database.page(of: bob, .newest, limit: 200).count == 100)
        await database.close()
    }

    @Test("reads limits strictly")
    func parsesLimits() {
        #expect(Retention("forever") == .forever)
        #expect(Retention("Forever") == .forever)
        #expect(Retention("30") == .days(30))
        for text in ["0", "-1", "+5", "5d", "", "36501", "99999999999999999999"] {
            #expect(Retention(text) == nil, "\(text)")
        }
        #expect(Retention.days(2).limit(at: .init(milliseconds: 172_800_001)) == .init(milliseconds: 1))
        #expect(Retention.days(2).limit(at: .init(milliseconds: .min)) == nil)
        // From a database that was damaged.
        #expect(
            Retention.days(.max).limit(at: .init(milliseconds: 0))
                == Retention.days(36_500).limit(at: .init(milliseconds: 0)))
        #expect(Retention.forever.limit(at: .init(milliseconds: 0)) == nil)
    }
}

extension [UInt8] {
    /// Whether `needle` is a part of these bytes.
    func contains(_ needle: [UInt8]) -> Bool {
        guard let first = needle.first else { return true }
        return withUnsafeBytes { bytes in
            needle.withUnsafeBytes { needle in
                guard let base = bytes.baseAddress, let wanted = needle.baseAddress else { return false }
                var offset = 0
                while bytes.count - offset >= needle.count,
                    let found = memchr(base + offset, Int32(first), bytes.count - offset - needle.count + 1)
                {
                    if memcmp(found, wanted, needle.count) == 0 { return true }
                    offset = UnsafeRawPointer(found) - base + 1
                }
                return false
            }
        }
    }
}
