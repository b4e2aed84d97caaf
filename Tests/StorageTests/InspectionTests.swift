// What doctor finds in a history, and what it can put right.

import ChatCore
import Testing

@testable import Storage

@Suite("Inspection")
struct InspectionTests {
    private func history(_ folder: TestFolder) async throws {
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for number in 0..<20 {
            try await database.say("line \(number)", to: bob)
            try await database.hear("answer \(number)", from: bob, at: Int64(number))
        }
        await database.close()
    }

    private func run(_ sql: String, in folder: TestFolder) throws {
        let connection = try SQLiteConnection(path: folder.database, mode: .readWrite)
        try SearchIndex.install(in: connection)
        try connection.executeScript("PRAGMA foreign_keys = OFF")
        try connection.executeScript(sql)
    }

    @Test("finds damage in an earlier version's history, which can be recovered; a sound one is only older")
    func olderVersion() async throws {
        let folder = try TestFolder()
        let steps = Array(Schema.migrations.dropLast())
        let old = try await HistoryDatabase.open(at: folder.database, readOnly: false, steps: steps)
        let bob = ContactID(1)
        try await old.writer.perform { connection throws(StoreError) in
            // With the columns that it has: the present calls write those of the last step, too.
            try connection.executeScript(
                """
                INSERT INTO contacts(id, name, folded_name, addresses, trust, added)
                    VALUES (1, 'bob', 'bob', 'blip://127.0.0.1:4985', 'unverified', 1);
                INSERT INTO conversations(contact) VALUES (1);
                """)
            for number in 1...200 {
                try connection.run(
                    "INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, text) VALUES (?, 0, ?, ?, 1, 1, 3, 'old')",
                    .integer(bob.rawValue), .text(MessageID(at: .init(milliseconds: 1)).text), .integer(Int64(number)))
            }
        }
        await old.close()
        #expect(HistoryDatabase.isOlder(at: folder.database))
        let sound = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(sound.map(\.kind) == [.version] && sound.map(\.verdict) == [.warning])
        let connection = try SQLiteConnection(path: folder.database, mode: .readOnly)
        let root = try connection.first("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_by_conversation'") {
            row in Int(row.integer(0))
        }
        try overwrite(
            folder.database, at: (try #require(root) - 1) * 4096, with: [UInt8](repeating: 0xA5, count: 4096))
        let damaged = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(damaged.contains { $0.kind == .integrity && $0.verdict == .error })
        let (_, summary) = try await HistoryRecovery.recover(at: folder.database)
        #expect(summary.messages == 200 && summary.contacts == 1)
        #expect(!HistoryDatabase.isOlder(at: folder.database))
    }

    @Test(
        "values that cannot be read are found with their rows, and made readable; everything else stays",
        arguments: [
            ("UPDATE contacts SET trust = 'unverifked'", "contacts row 1"),
            ("UPDATE contacts SET peer_id = 'zz' WHERE id = 1", "contacts row 1"),
            ("UPDATE messages SET id = '' WHERE position = 4", "messages row 4"),
            ("UPDATE messages SET state = 77 WHERE position = 3", "messages row 3"),
            ("UPDATE messages SET text = NULL WHERE position = 5", "messages row 5"),
            ("UPDATE messages SET outgoing = 5, state = 99 WHERE position = 3", "messages row 3"),
            ("UPDATE conversations SET seen = 9223372036854775807", "conversations row 1"),
            ("UPDATE outbox SET contact = 2 WHERE position = 1", "outbox row"),
            (
                "INSERT INTO held(contact, id, sequence, sent, stored, kind, text) VALUES (1, '01a214f0-4758-78bb-9ff9-e0a3028d0000', 9223372036854775807, 1, 1, 'text', 'x')",
                "held row 1"
            ),
            ("UPDATE transfers SET id = 'x'", "transfers row 1"),
            ("UPDATE transfers SET state = 'xyz', size = -5", "transfers row 1"),
            ("UPDATE transfers SET folder_set = 'x', folder = 'y'", "transfers row 1"),
            ("UPDATE operations SET kind = 'sing'", "operations row 1"),
            ("UPDATE conversations SET next_sequence = 9223372036854775807", "conversations row 1"),
            ("INSERT INTO outbox(contact, transfer, transfer_state) VALUES (1, 'x', 'y')", "outbox row"),
            (
                "INSERT INTO contact_requests(peer_id, name, origin, received) VALUES ('x', 'y', 'z', 1)",
                "requests row 1"
            ),
            (
                "INSERT INTO held(contact, id, sequence, sent, stored, kind) VALUES (1, 'x', 9, 1, 1, 'text')",
                "held row 1"
            ),
        ])
    func values(damage: String, named: String) async throws {
        let folder = try TestFolder()
        try await history(folder)
        let before = try await folder.open()
        let bob = try #require(try await before.conversations().first).peer.id
        _ = try await before.contact("carol")
        let file = NewOutgoingFile(
            path: "/x/a.bin", name: "a.bin", size: 10, modified: Timestamp(milliseconds: 1), contentType: "x/y",
            caption: "")
        _ = try await before.enqueueFileOffer(to: bob, file: file, at: Timestamp(milliseconds: 5))
        let first = try #require(try await before.page(of: bob, .newest, limit: 100).first)
        _ = try await before.enqueueOperation(
            .react(emoji: "👍"), on: first.id, first.direction, to: bob, at: Timestamp(milliseconds: 9))
        await before.close()
        try run(damage, in: folder)
        let findings = await HistoryInspection.run(at: folder.database, isInUse: false)
        let values = try #require(findings.first { $0.kind == .values })
        #expect(values.verdict == .error && values.text.contains(named), "\(values.text)")
        try await HistoryInspection.repair(at: folder.database)
        let mended = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(mended.allSatisfy { $0.verdict == .ok }, "\(mended)")
        let after = try await folder.open()
        let messages = try await after.page(of: bob, .newest, limit: 100)
        #expect(messages.count == 41)
        #expect(
            messages.filter {
                if case .text(let text) = $0.content {
                    text.hasPrefix("line") || text.hasPrefix("answer")
                } else {
                    false
                }
            }.count >= 39)
        #expect(try await after.transfers(unfinishedOnly: false, limit: 9).map(\.name) == ["a.bin"])
        #expect(try await after.contactRequests().isEmpty)
        #expect(try await after.conversations().first?.peer.trust == .unverified)
        let number = try await after.say("one more", to: bob).sequence
        #expect(number > 20 && number < 1000)
        await after.close()
    }

    @Test("finds a sound history sound, and says how much is in it")
    func sound() async throws {
        let folder = try TestFolder()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).map(\.verdict) == [.ok])
        try await history(folder)
        let findings = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(findings.map(\.kind) == [.file, .integrity, .values, .orphans, .figures, .search, .share])
        #expect(findings.allSatisfy { $0.verdict == .ok })
        #expect(findings[0].text.hasPrefix("40 messages"))
        // Beside a running instance, too.
        let database = try await folder.open()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: true).allSatisfy { $0.verdict == .ok })
        await database.close()
    }

    @Test(
        "finds what does not agree with the messages, and puts it right",
        arguments: [
            (HistoryFinding.Kind.search, "DELETE FROM words WHERE rowid = 3"),
            (.search, "INSERT INTO trigrams(rowid, text) VALUES (999, 'left over')"),
            (.search, "INSERT INTO words(words) VALUES ('delete-all')"),
            (.search, "UPDATE messages SET text = 'changed behind its back' WHERE position = 5"),
            (.figures, "UPDATE conversations SET message_count = 7"),
            (.figures, "UPDATE conversations SET unread = unread + 1"),
            (.figures, "UPDATE conversations SET last_message = 3"),
            (.orphans, "DELETE FROM contacts"),
            (.orphans, "INSERT INTO outbox(contact, position) VALUES (1, 4711)"),
            (.orphans, "INSERT INTO drafts(contact, text) VALUES (4711, 'x')"),
        ])
    func repairs(_ kind: HistoryFinding.Kind, _ sql: String) async throws {
        let folder = try TestFolder()
        try await history(folder)
        try run(sql, in: folder)
        let broken = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(broken.contains { $0.kind == kind && $0.verdict == .error && $0.isRepairable }, "\(broken)")
        try await HistoryInspection.repair(at: folder.database)
        let repaired = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(repaired.allSatisfy { $0.verdict == .ok }, "\(repaired)")
    }

    @Test("messages whose contact is gone are kept, and so is a conversation that is gone")
    func adopted() async throws {
        for damage in [
            "DELETE FROM contacts", "UPDATE contacts SET id = 77", "UPDATE conversations SET contact = 99",
            "UPDATE messages SET contact = 99 WHERE position = 10", "DELETE FROM conversations",
        ] {
            let folder = try TestFolder()
            try await history(folder)
            try run(damage, in: folder)
            let broken = await HistoryInspection.run(at: folder.database, isInUse: false)
            #expect(broken.contains { $0.verdict == .error && $0.isRepairable }, "\(damage): \(broken)")
            try await HistoryInspection.repair(at: folder.database)
            let repaired = await HistoryInspection.run(at: folder.database, isInUse: false)
            #expect(repaired.allSatisfy { $0.verdict == .ok }, "\(damage): \(repaired)")
            let database = try await folder.open()
            var count = 0
            for conversation in try await database.conversations() {
                count += try await database.page(of: conversation.peer.id, .newest, limit: 100).count
            }
            #expect(count == 40, "\(damage)")
            await database.close()
        }
    }

    @Test("an entry of the outbox that names somebody else sends nothing to them")
    func misledOutbox() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        try await database.say("for bob", to: bob)
        try await database.writer.perform { connection throws(StoreError) in
            try connection.run("UPDATE outbox SET contact = ?", .integer(carol.rawValue))
        }
        #expect(try await database.outbox(for: carol, limit: 9).isEmpty)
        await database.close()
        try await HistoryInspection.repair(at: folder.database)
        let mended = try await folder.open()
        #expect(try await mended.outbox(for: bob, limit: 9).count == 1)
        await mended.close()
    }

    @Test("what looks as if it were on its way and stands in no queue has failed, and nothing is sent by itself")
    func unqueued() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for text in ["one", "two", "three"] { try await database.say(text, to: bob) }
        // Its entry leads nowhere any more.
        try await database.writer.perform { connection throws(StoreError) in
            try connection.run("UPDATE outbox SET position = 4711 WHERE position = 2")
        }
        await database.close()
        let broken = await HistoryInspection.run(at: folder.database, isInUse: false)
        let words = broken.filter { $0.verdict == .error }.map(\.text)
        #expect(words == ["1 queued messages that do not exist, 1 messages on their way but not queued"])
        try await HistoryInspection.repair(at: folder.database)
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
        let mended = try await folder.open()
        let states = try await mended.page(of: bob, .newest, limit: 9).map(\.state)
        #expect(states == [.pending, .failed(reason: .placeLost), .pending])
        #expect(try await mended.outbox(for: bob, limit: 9).count == 2)
        await mended.close()
    }

    @Test("finds missing messages in the index of a history in use without holding it up")
    func inUse() async throws {
        let folder = try TestFolder()
        try await history(folder)
        try run("DELETE FROM words WHERE rowid = 3", in: folder)
        let database = try await folder.open()
        let findings = await HistoryInspection.run(at: folder.database, isInUse: true)
        #expect(findings.contains { $0.kind == .search && $0.verdict == .error })
        await database.close()
    }

    @Test("says of damage, and of a newer file, that it is there")
    func damage() async throws {
        let folder = try TestFolder()
        try await history(folder)
        let size = try contents(of: folder.database).count
        for offset in stride(from: 8192, to: size, by: 8192) {
            try overwrite(folder.database, at: offset, with: [UInt8](repeating: 0xA5, count: 2000))
        }
        let damaged = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(damaged.contains { $0.kind == .integrity && $0.verdict == .error })
        try overwrite(folder.database, at: 60, with: [0, 0, 0, 99])
        let newer = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(newer.map(\.kind) == [.version])
        #expect(newer.map(\.verdict) == [.error])
    }
}
