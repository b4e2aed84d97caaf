// Opening: what is made, what is refused, and what a crash leaves behind.

import CLinux
import CSQLite
import ChatCore
import Glibc
import Testing

@testable import Storage

@Suite("Opening a history")
struct HistoryDatabaseTests {
    @Test("D1, D3: the tables themselves take nothing twice under the same key")
    func keys() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        var keys: [String: Set<String>] = [:]
        for table in ["messages", "operations", "held", "transfers", "contacts", "contact_requests"] {
            let found = try await database.reader.perform { connection throws(StoreError) in
                try connection.all(
                    """
                    SELECT (SELECT group_concat(name) FROM pragma_index_info(l.name))
                    FROM pragma_index_list(?) l WHERE l."unique" = 1
                    """, [.text(table)]
                ) { row in row.text(0) }
            }
            keys[table] = Set(found)
        }
        #expect(
            keys == [
                "messages": ["contact,outgoing,id"], "operations": ["contact,outgoing,id"], "held": ["contact,id"],
                "transfers": ["position", "id"], "contacts": ["peer_id", "folded_name"],
                "contact_requests": ["peer_id"],
            ])
        // One of them by the deed: whatever forgets to look first gets an error (SQLITE_CONSTRAINT_UNIQUE), and no row.
        let bob = try await database.contact("bob")
        _ = try await database.hear("once", from: bob)
        do {
            try await database.writer.write { connection throws(StoreError) in
                try connection.run(
                    """
                    INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, text)
                    SELECT contact, outgoing, id, sequence + 1, sent, stored, state, 'twice' FROM messages
                    """)
            }
            Issue.record("stored twice")
        } catch {
            guard case .failed(let code, _) = error else { throw error }
            #expect(code == 2067)
        }
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == ["once"])
        await database.close()
    }

    @Test("makes the file readable by its owner only and marks it as ours")
    func createsPrivately() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        await database.close()
        var status = stat()
        #expect(stat(folder.database, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try contents(of: folder.database)[68..<72].elementsEqual("BLIP".utf8))
    }

    @Test("has a first page from its first moment, so that an empty file is one that has lost everything")
    func isNeverEmpty() async throws {
        let folder = try TestFolder()
        // What a start has left that was killed.
        try overwrite(folder.database + ".new", with: [1, 2, 3])
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("first", to: bob)
        await database.close()
        #expect(folder.names() == ["history.sqlite"])
        #expect(truncate(folder.database, 0) == 0)
        for readOnly in [false, true] {
            let error = await #expect(throws: StoreError.self) { try await folder.open(readOnly: readOnly) }
            let isDamaged = if case .damaged? = error { true } else { false }
            #expect(isDamaged, "\(String(describing: error))")
        }
        #expect(try contents(of: folder.database).isEmpty)
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).map(\.kind) == [.integrity])
    }

    @Test("commits with synchronous=FULL in WAL mode")
    func isDurable() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let pragmas = try await database.writer.perform { connection throws(StoreError) in
            [
                try connection.first("PRAGMA journal_mode") { $0.text(0) },
                try connection.first("PRAGMA synchronous") { $0.text(0) },
                try connection.first("PRAGMA foreign_keys") { $0.text(0) },
            ]
        }
        #expect(pragmas == ["wal", "2", "1"])
    }

    @Test("finds everything that was committed when the process died without closing")
    func survivesCrash() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("first", to: bob)
        // What a killed process leaves: the file and its WAL, copied while the first one is still open.
        for suffix in ["", "-wal"] {
            try overwrite(folder.database + ".copy" + suffix, with: contents(of: folder.database + suffix))
        }
        let reopened = try await HistoryDatabase.open(at: folder.database + ".copy")
        #expect(try await reopened.page(of: bob, .newest, limit: 10).map(\.text) == ["first"])
        #expect(try await reopened.outbox(for: bob, limit: 10).count == 1)
        await reopened.close()
    }

    @Test("lets a reader look while a writer has the file open")
    func readsBesideWriter() async throws {
        let folder = try TestFolder()
        let writer = try await folder.open()
        let bob = try await writer.contact("bob")
        let reader = try await folder.open(readOnly: true)
        try await writer.say("hello", to: bob)
        #expect(try await reader.page(of: bob, .newest, limit: 10).map(\.text) == ["hello"])
        await #expect(throws: StoreError.self) { try await reader.say("no", to: bob) }
    }

    @Test("says that there is no history when a reader comes first")
    func refusesAbsentFile() async throws {
        let folder = try TestFolder()
        await #expect(throws: StoreError.cannotOpen(path: folder.database, reason: "there is no history yet")) {
            try await folder.open(readOnly: true)
        }
        #expect(access(folder.database, F_OK) != 0)
    }

    @Test("refuses a file that is no database, and leaves it as it is")
    func refusesForeignFile() async throws {
        let folder = try TestFolder()
        let text = Array(String(repeating: "Dear diary, ", count: 400).utf8)
        try overwrite(folder.database, with: text)
        await #expect {
            try await folder.open()
        } throws: { error in
            if case StoreError.damaged(let path, _) = error { path == folder.database } else { false }
        }
        #expect(try contents(of: folder.database) == text)
    }

    @Test("finds pages that were overwritten")
    func findsDamage() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for number in 0..<200 { try await database.say("message \(number) of many", to: bob) }
        await database.close()
        let size = try contents(of: folder.database).count
        for offset in stride(from: 8192, to: size, by: 4096) {
            try overwrite(folder.database, at: offset, with: [UInt8](repeating: 0xA5, count: 2048))
        }
        await #expect {
            try await folder.open()
        } throws: { error in
            if case StoreError.damaged = error { true } else { false }
        }
    }

    @Test("finds a damaged page that nothing looks at in the beginning")
    func findsHiddenDamage() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for number in 0..<300 { try await database.say("message \(number) of many", to: bob) }
        await database.close()
        let text = Array("message 100 of many".utf8)
        let bytes = try contents(of: folder.database)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
        try overwrite(folder.database, at: place / 4096 * 4096, with: [UInt8](repeating: 0xA5, count: 8))
        await #expect {
            try await folder.open()
        } throws: { error in
            if case StoreError.damaged = error { true } else { false }
        }
    }

    @Test("refuses a folder in the place of the file")
    func refusesFolder() async throws {
        let folder = try TestFolder()
        mkdir(folder.database, 0o700)
        await #expect {
            try await folder.open()
        } throws: { error in
            if case StoreError.cannotOpen(let path, _) = error { path == folder.database } else { false }
        }
    }

    @Test("leaves a newer file untouched, byte for byte")
    func refusesNewerFile() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        try await database.writer.perform { connection throws(StoreError) in
            try connection.executeScript("PRAGMA user_version = 99")
        }
        await database.close()
        let before = try contents(of: folder.database)
        for readOnly in [false, true] {
            await #expect(
                throws: StoreError.newerVersion(path: folder.database, found: 99, supported: Schema.migrations.count)
            ) {
                try await folder.open(readOnly: readOnly)
            }
        }
        #expect(try contents(of: folder.database) == before)
        #expect(access(folder.database + "-wal", F_OK) != 0)
    }

    @Test("migrates an older file and keeps a copy of it")
    func migrates() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("kept", to: bob)
        await database.close()
        let newer = Schema.migrations + ["ALTER TABLE contacts ADD COLUMN colour TEXT"]
        let migrated = try await HistoryDatabase.open(at: folder.database, readOnly: false, steps: newer)
        #expect(try await migrated.page(of: bob, .newest, limit: 10).map(\.text) == ["kept"])
        await migrated.close()
        try overwrite(
            folder.database + ".copy", with: contents(of: folder.database + ".v\(Schema.migrations.count).bak"))
        let copy = try await HistoryDatabase.open(at: folder.database + ".copy")
        #expect(try await copy.page(of: bob, .newest, limit: 10).map(\.text) == ["kept"])
        await copy.close()
    }

    @Test("leaves the version before a step that fails")
    func undoesFailedMigration() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        await database.close()
        let broken =
            Schema.migrations + ["ALTER TABLE contacts ADD COLUMN colour TEXT; ALTER TABLE nowhere ADD COLUMN x"]
        await #expect(throws: StoreError.self) {
            try await HistoryDatabase.open(at: folder.database, readOnly: false, steps: broken)
        }
        let again = try await folder.open()
        #expect(try await again.contacts().map(\.id) == [bob])
        await again.close()
    }

    @Test("D2: of a write that ends in an error nothing is left, whatever it had done by then")
    func undoesFailedWrite() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        await #expect(throws: StoreError.notFound) {
            try await database.writer.write { connection throws(StoreError) in
                try connection.run("INSERT INTO settings(key, value) VALUES ('half', 'done')")
                throw StoreError.notFound
            }
        }
        #expect(try await database.setting("half") == nil)
        #expect(try await folder.open(readOnly: true).setting("half") == nil)
        await database.close()
    }

    @Test("looks after an I/O error whether the write is there, on a new connection")
    func decidesUnknownOutcome() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let failure = StoreError.failed(code: 1034, reason: "disk I/O error")  // SQLITE_IOERR_FSYNC
        // A temporary table belongs to one connection.
        try await database.writer.perform { connection throws(StoreError) in
            try connection.executeScript("CREATE TEMP TABLE first(x)")
        }
        let found = try await database.writer.write { connection throws(StoreError) -> Int? in
            let isFirst = try connection.first("SELECT 1 FROM sqlite_temp_schema") { _ in true } ?? false
            return isFirst ? 0 : 7
        } _: { _ throws(StoreError) -> Int in
            throw failure
        }
        #expect(found == 7)
        await #expect(throws: failure) {
            try await database.writer.write { _ throws(StoreError) -> Int? in
                nil
            } _: { _ throws(StoreError) -> Int in
                throw failure
            }
        }
        // The replaced connection works.
        _ = try await database.contact("bob")
    }

    @Test("fails clearly after it was closed")
    func failsAfterClose() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        await database.close()
        await #expect(throws: StoreError.failed(code: 21, reason: "the history is closed")) {
            try await database.contacts()
        }
    }
}
