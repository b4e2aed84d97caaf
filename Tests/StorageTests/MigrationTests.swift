// Files of the first version: brought to the present one, with a copy kept, whatever happens in between.

import CLinux
import ChatCore
import Glibc
import Testing

@testable import Storage

@Suite("Migration")
struct MigrationTests {
    /// A history as version 1 wrote it.
    private func makeFirstVersion(_ folder: TestFolder) throws {
        try overwrite(folder.database, with: [])
        let connection = try SQLiteConnection(path: folder.database, mode: .readWrite)
        _ = try connection.first("PRAGMA journal_mode = WAL") { row in row.text(0) }
        try connection.executeScript(Schema.migrations[0])
        try connection.executeScript(
            """
            INSERT INTO contacts(id, name, folded_name, addresses, trust, added) VALUES (1, 'bob', 'bob', '', 'verified', 1);
            INSERT INTO conversations(contact, last_message, message_count, unread, next_sequence) VALUES (1, 2, 2, 1, 2);
            INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, text) VALUES
                (1, 1, 1, '00000000-0000-7000-8000-000000000001', 1, 1000, 1000, 3, 'the old build'),
                (2, 1, 0, '00000000-0000-7000-8000-000000000002', 1, 2000, 2000, 3, '昨日の天気');
            INSERT INTO words(rowid, text) VALUES (1, 'the old build'), (2, '昨日の天気');
            INSERT INTO trigrams(rowid, text) VALUES (1, 'the old build'), (2, '昨日の天気');
            PRAGMA user_version = 1; PRAGMA application_id = \(Schema.applicationID);
            """)
    }

    @Test("keeps messages, makes the search index anew, and keeps a private copy of the old file")
    func fromFirstVersion() async throws {
        let folder = try TestFolder()
        try makeFirstVersion(folder)
        let database = try await folder.open()
        let bob = ContactID(1)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == ["the old build", "昨日の天気"])
        #expect(try await database.texts("build") == ["the old build"])
        #expect(try await database.texts("uil") == ["the old build"])
        #expect(try await database.texts("天") == ["昨日の天気"])
        // The next message of the peer is not waited for behind numbers that are there.
        #expect(
            try await database.appendIncoming(
                IncomingMessage(
                    id: MessageID(at: .init(milliseconds: 3_000)), contact: bob, sequence: 2,
                    sent: .init(milliseconds: 3_000), received: .init(milliseconds: 3_000), content: .text("next"))
            ).inserted != nil)
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
        var status = stat()
        #expect(stat(folder.database + ".v1.bak", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let copy = try SQLiteConnection(path: folder.database + ".v1.bak", mode: .readOnly)
        #expect(try copy.first("SELECT count(*) FROM messages") { row in row.integer(0) } == 2)
        #expect(try copy.first("PRAGMA user_version") { row in row.integer(0) } == 1)
    }

    @Test("keeps the order of what waits to be sent, what waits to be indexed, and what waits to be read")
    func fromFourthVersion() async throws {
        let folder = try TestFolder()
        try makeFirstVersion(folder)
        let steps = Array(Schema.migrations.prefix(4))
        let old = try await HistoryDatabase.open(at: folder.database, readOnly: false, steps: steps)
        let late = "00000000-0000-7000-8000-000000000003"
        try await old.writer.perform { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, text) VALUES
                    (3, 1, 1, '\(late)', 2, 3000, 3000, 0, 'waits');
                UPDATE conversations SET last_message = 3, message_count = 3, next_sequence = 4;
                INSERT INTO unindexed VALUES (3);
                INSERT INTO operations(number, contact, outgoing, id, numbering, sequence, sent, stored, state, kind, target)
                    VALUES (1, 1, 1, '00000000-0000-7000-8000-000000000004', 0, 3, 1, 1, 0, 'react', '\(late)');
                INSERT INTO outbox(id, contact, position) VALUES (5, 1, 3);
                INSERT INTO outbox(id, contact, operation) VALUES (6, 1, 1);
                INSERT INTO outbox(id, contact, transfer, transfer_state) VALUES (7, 1, '\(late)', 'accepted');
                """)
        }
        await old.close()
        let database = try await folder.open()
        let bob = ContactID(1)
        let id = try #require(MessageID(late))
        #expect(try await database.outbox(for: bob, limit: 9).map(\.id) == [5, 6, 7])
        #expect(try await database.texts("waits") == ["waits"])
        #expect(try await database.markOutgoingRead(contact: bob, upTo: id)?.count == 2)
        #expect(try await database.outbox(for: bob, limit: 9).map(\.id) == [6, 7])
        try await database.say("next", to: bob)
        #expect(try await database.outbox(for: bob, limit: 9).map(\.id) == [6, 7, 8])
        #expect(try await database.texts("next") == ["next"])
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
    }

    @Test("a key that had changed before others were written down stays changed, and can be written down now")
    func fromSeventhVersion() async throws {
        let folder = try TestFolder()
        try makeFirstVersion(folder)
        let old = try await HistoryDatabase.open(
            at: folder.database, readOnly: false, steps: Array(Schema.migrations.prefix(7)))
        try await old.writer.perform { connection throws(StoreError) in
            try connection.executeScript("UPDATE contacts SET trust = 'keyChanged', muted_until = 5")
        }
        await old.close()
        let database = try await folder.open()
        var bob = try #require(try await database.contacts().first)
        #expect(bob.trust == .keyChanged && bob.newPeerID == nil && bob.formerPeerIDs.isEmpty)
        #expect(bob.mutedUntil == Timestamp(milliseconds: 5))
        bob.newPeerID = peerID(7)
        let changed = bob
        try await database.updateContact(changed)
        #expect(try await database.contacts() == [changed])
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
    }

    @Test("what is spelled in another way than it is searched is indexed anew, and nothing else is")
    func fromTenthVersion() async throws {
        let folder = try TestFolder()
        let old = try await HistoryDatabase.open(
            at: folder.database, readOnly: false, steps: Array(Schema.migrations.prefix(10)))
        try await old.writer.write { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO contacts(id, name, folded_name, addresses, trust, added) VALUES (1, 'bob', 'bob', '', 'verified', 1);
                INSERT INTO conversations(contact, last_message, message_count, next_sequence) VALUES (1, 4, 4, 5);
                INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, text, retracted) VALUES
                    (1, 1, 1, '00000000-0000-7000-8000-000000000001', 1, 1, 1, 3, 'и\u{306}огурт', 0),
                    (2, 1, 1, '00000000-0000-7000-8000-000000000002', 2, 2, 2, 3, 'йогурт', 0),
                    (3, 1, 1, '00000000-0000-7000-8000-000000000003', 3, 3, 3, 3, 'か\u{3099}', 0),
                    (4, 1, 1, '00000000-0000-7000-8000-000000000004', 4, 4, 4, 3, 'e\u{301}tude', 0);
                """)
            for position in 1...3 as ClosedRange<Int64> { try SearchIndex.add(position, in: connection) }
            try connection.executeScript("UPDATE indexed SET position = 3")
        }
        await old.reader.close()
        await old.writer.close()
        let database = try await folder.open()
        #expect(try await database.texts("йогурт").count == 2)
        #expect(try await database.texts("が") == ["か\u{3099}"])
        #expect(try await database.texts("étude").count == 1)
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
    }

    @Test("reasons that were sentences become codes; what is not known stays word for word")
    func reasons() async throws {
        let folder = try TestFolder()
        let old = try await HistoryDatabase.open(
            at: folder.database, readOnly: false, steps: Array(Schema.migrations.prefix(12)))
        try await old.writer.write { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO contacts(id, name, folded_name, addresses, trust, added) VALUES (1, 'bob', 'bob', '', 'verified', 1);
                INSERT INTO conversations(contact, last_message, message_count, next_sequence) VALUES (1, 5, 5, 6);
                INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, reason, text, retracted)
                VALUES (1, 1, 1, '00000000-0000-7000-8000-000000000001', 1, 1, 1, 2, 'sent again', 'a', 0),
                    (2, 1, 1, '00000000-0000-7000-8000-000000000002', 2, 2, 2, 2, 'they were rude', 'b', 0),
                    (3, 1, 1, '00000000-0000-7000-8000-000000000003', 3, 3, 3, 3, NULL, 'c', 0),
                    (4, 1, 1, '00000000-0000-7000-8000-000000000004', 4, 4, 4, 3, NULL, NULL, 0),
                    (5, 1, 1, '00000000-0000-7000-8000-000000000005', 5, 5, 5, 3, NULL, NULL, 0);
                INSERT INTO transfers(number, position, id, contact, outgoing, name, size, modified, content_type, caption,
                    state, reason, transferred, offered)
                VALUES (1, 4, '00000000-0000-7000-8000-000000000004', 1, 1, 'f', 1, 1, 't', '', 'failed',
                        'the file is no longer there (it has to be sent again)', 0, 1),
                    (2, 5, '00000000-0000-7000-8000-000000000005', 1, 1, 'g', 1, 1, 't', '', 'paused',
                        'not enough space: 2 kB needed, 1 kB free in /x', 0, 1);
                """)
        }
        await old.reader.close()
        await old.writer.close()
        let database = try await folder.open()
        #expect(folder.names().contains("history.sqlite.v12.bak"))
        let contact = ContactID(1)
        let states = try await database.page(of: contact, .newest, limit: 9).map(\.state)
        #expect(states.contains(.sentAgain) && states.contains(.failed(reason: .other("they were rude"))))
        let reasons = try await database.transfers(unfinishedOnly: false, limit: 9).map(\.reason)
        #expect(reasons.contains(.sourceGone))
        #expect(reasons.contains(.other("not enough space: 2 kB needed, 1 kB free in /x")))
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
    }

    @Test("does not take half a copy for a copy")
    func interruptedCopy() async throws {
        let folder = try TestFolder()
        try makeFirstVersion(folder)
        // What a process leaves that was killed while it copied.
        try overwrite(folder.database + ".v1.bak.part", with: [1, 2, 3])
        let database = try await folder.open()
        await database.close()
        #expect(!folder.names().contains("history.sqlite.v1.bak.part"))
        let copy = try SQLiteConnection(path: folder.database + ".v1.bak", mode: .readOnly)
        #expect(try copy.first("PRAGMA integrity_check") { row in row.text(0) } == "ok")
    }

    @Test("leaves the file as it is when the copy cannot be made")
    func noCopyNoMigration() async throws {
        let folder = try TestFolder()
        try makeFirstVersion(folder)
        // Something is in the way of the copy.
        mkdir(folder.database + ".v1.bak.part", 0o700)
        defer { rmdir(folder.database + ".v1.bak.part") }
        await #expect(throws: StoreError.self) { try await folder.open() }
        #expect(FileSystem.userVersionInHeader(folder.database) == 1)
    }
}
