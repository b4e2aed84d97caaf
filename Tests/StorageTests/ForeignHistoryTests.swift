// Histories from elsewhere: tables that this program has not made are neither run nor read, and rows lead to no file.

import ChatCore
import Testing

@testable import Storage

@Suite("Histories from elsewhere")
struct ForeignHistoryTests {
    /// A history with a message, changed by `sql` with a hand that does not ask.
    private func history(_ folder: TestFolder, changedBy sql: String) async throws {
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.hear("hello", from: bob)
        await database.close()
        let connection = try SQLiteConnection(path: folder.database, mode: .readWrite)
        try SearchIndex.install(in: connection)
        try connection.executeScript(sql)
    }

    private static let copier = """
        CREATE TRIGGER copier AFTER INSERT ON messages BEGIN
            INSERT INTO drafts(contact, text) VALUES (new.contact, new.text);
        END
        """

    @Test(
        "foreign triggers, views, tables, indexes and columns are found at the start, by doctor and at a restore",
        arguments: [
            (copier, "trigger copier"),
            ("CREATE VIEW extra AS SELECT * FROM messages", "view extra"),
            ("CREATE TABLE extra(x)", "table extra"),
            ("CREATE UNIQUE INDEX extra ON messages(text)", "index extra"),
            ("ALTER TABLE messages ADD COLUMN extra TEXT DEFAULT 'x'", "table messages"),
            // An expression that is run with every row. As a default it cannot be added to a table with rows.
            ("ALTER TABLE messages ADD COLUMN extra TEXT AS (upper(text)) VIRTUAL", "table messages"),
            ("DROP VIEW waiting; CREATE VIEW waiting(position) AS SELECT position FROM messages", "view waiting"),
            ("DROP INDEX messages_pinned", "index messages_pinned is missing"),
        ])
    func found(sql: String, words: String) async throws {
        let folder = try TestFolder()
        try await history(folder, changedBy: sql)
        func expectDamage(_ error: (any Error)?) {
            guard case StoreError.damaged(_, let reason)? = error else {
                Issue.record("not refused: \(String(describing: error))")
                return
            }
            #expect(reason.contains(words), "\(reason)")
        }
        let file = folder.database
        for readOnly in [false, true] {
            expectDamage(await #expect(throws: StoreError.self) { try await folder.open(readOnly: readOnly) })
        }
        let findings = await HistoryInspection.run(at: file, isInUse: false)
        #expect(findings.contains { $0.kind == .integrity && $0.verdict == .error && $0.text.contains(words) })
        let other = try TestFolder()
        expectDamage(
            await #expect(throws: StoreError.self) { try await HistoryDatabase.restore(from: file, to: other.database) }
        )
        #expect(other.names().isEmpty)
        // The rows can be saved, without what was beside them.
        _ = try await HistoryRecovery.recover(at: file)
        let database = try await folder.open()
        #expect(try await database.page(of: ContactID(1), .newest, limit: 9).map(\.text) == ["hello"])
        await database.close()
    }

    @Test("a trigger in a file of an earlier version does not run when that is brought up to date")
    func beforeMigration() async throws {
        let folder = try TestFolder()
        let steps = Array(Schema.migrations.dropLast())
        let old = try await HistoryDatabase.open(at: folder.database, readOnly: false, steps: steps)
        await old.close()
        let connection = try SQLiteConnection(path: folder.database, mode: .readWrite)
        try connection.executeScript(Self.copier)
        await #expect(throws: StoreError.self) { try await folder.open() }
        #expect(try connection.first("PRAGMA user_version") { row in row.integer(0) } == Int64(steps.count))
    }

    @Test("the schema is compared by what it says, not by blanks and comments")
    func tokens() {
        #expect(
            SQLTokens.of("CREATE TABLE a(x INTEGER, -- note\n  y TEXT /* more */ DEFAULT 'a -- b')")
                == SQLTokens.of("CREATE  TABLE a (x INTEGER,y TEXT DEFAULT 'a -- b')"))
        #expect(SQLTokens.of("'a'  'b'") != SQLTokens.of("'a b'"))
        #expect(SQLTokens.of("x/*") == ["x"])
        #expect(SQLTokens.of("'open") == ["'open"])
        #expect(SQLTokens.of("a--") == ["a"])
    }

    @Test("a restore gives no file to anybody and goes on with none; what was complete stays to be seen")
    func restoredFiles() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        func offer(_ name: String) async throws -> MessageID {
            let file = NewOutgoingFile(
                path: "/etc/\(name)", name: name, size: 4, modified: Timestamp(milliseconds: 1), contentType: "",
                caption: "")
            return try await database.enqueueFileOffer(to: bob, file: file, at: Timestamp(milliseconds: 9)).id
        }
        let open = try await offer("passwd")
        let content = IncomingMessage.Content.file(
            name: "in", size: 9, modified: Timestamp(milliseconds: 1), contentType: "", caption: "", place: nil)
        let coming = try #require(try await database.appendIncoming(incoming(content, from: bob)).inserted)
        let done = try #require(
            try await database.appendIncoming(
                IncomingMessage(
                    id: MessageID(at: Timestamp(milliseconds: 20)), contact: bob, sequence: 2,
                    sent: Timestamp(milliseconds: 20), received: Timestamp(milliseconds: 20), content: content)
            ).inserted)
        var row = try #require(try await database.transfer(coming.id))
        row.state = .running
        row.path = "/root/.bashrc"
        row.transferred = 5
        try await database.updateTransfer(row, reporting: false)
        row = try #require(try await database.transfer(done.id))
        row.state = .complete
        row.path = "/root/.profile"
        try await database.updateTransfer(row, reporting: false)
        let copy = folder.path + "/copy.sqlite"
        try await database.backUp(to: copy)
        await database.close()

        let other = try TestFolder()
        _ = try await HistoryDatabase.restore(from: copy, to: other.database)
        let restored = try await other.open()
        let outgoing = try #require(try await restored.transfer(open))
        #expect(outgoing.state == .failed && outgoing.reason == .historyRestored)
        let back = try #require(try await restored.transfer(coming.id))
        #expect(back.state == .offered && back.path == nil && back.transferred == 0)
        let news = try await restored.outbox(for: bob, limit: 9).map(\.operation)
        #expect(news.contains(.fileStatus(transfer: open, state: .failed, reason: .historyRestored)))
        #expect(try await restored.transfer(done.id)?.path == "/root/.profile")
        let rules = RetentionRules(standard: .days(1))
        #expect(try await restored.expiredFiles(rules, now: Timestamp(milliseconds: 1 << 40)).isEmpty)
        await restored.close()
        #expect(await HistoryInspection.run(at: other.database, isInUse: false).allSatisfy { $0.verdict == .ok })
        // Here it was ours.
        let present = try await folder.open()
        #expect(try await present.expiredFiles(rules, now: Timestamp(milliseconds: 1 << 40)).map(\.id) == [done.id])
        await present.close()
    }

    @Test("doctor names the contact whose messages are the most")
    func largest() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let (bob, mallory) = (try await database.contact("bob"), try await database.contact("mallory"))
        try await database.hear("short", from: bob)
        try await database.hear(String(repeating: "x", count: 30_000), from: mallory)
        await database.close()
        let findings = await HistoryInspection.run(at: folder.database, isInUse: false)
        let share = try #require(findings.first { $0.kind == .share })
        #expect(share.verdict == .ok && share.text.contains("mallory: 29 KiB in 1 messages"), "\(share.text)")
    }
}
