// Damaged files: what can be read is read, and saved.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite("Recovery")
struct RecoveryTests {
    private static let count = 300

    /// A history with everything in it; closed, or left as a killed process leaves it (`withLog`).
    private func history(_ folder: TestFolder, withLog: Bool = false) async throws -> HistoryDatabase? {
        let database = try await folder.open()
        let bob = try await database.contact("bob", key: 3)
        let carol = try await database.contact("carol")
        for number in 0..<Self.count {
            try await database.say(
                "message \(number) to everybody who reads this line of text", to: number % 3 == 0 ? carol : bob)
        }
        // These are in the file, and with `withLog` the next ones in its log.
        try await database.writer.perform { connection throws(StoreError) in
            _ = try connection.first("PRAGMA wal_checkpoint") { _ in true }
        }
        // One whose text needs overflow pages, a file, and an edit.
        try await database.say(String(repeating: "long ", count: 5_000), to: bob)
        let edited = try await database.say("before", to: carol)
        _ = try await database.enqueueOperation(
            .edit(text: "after"), on: edited.id, .outgoing, to: carol, at: .init(milliseconds: 5_000))
        _ = try await database.enqueueFileOffer(
            to: bob,
            file: NewOutgoingFile(
                path: "/x/photo.jpg", name: "photo.jpg", size: 1, modified: .init(milliseconds: 0),
                contentType: "image/jpeg", caption: "nice"), at: .init(milliseconds: 7_000))
        try await database.setDraft("half a line", for: carol)
        if withLog { return database }
        await database.close()
        return nil
    }

    private func texts(_ folder: TestFolder) async throws -> (Set<String>, [String]) {
        let database = try await folder.open()
        var texts: Set<String> = []
        let peers = try await database.contacts()
        for peer in peers {
            texts.formUnion(try await database.page(of: peer.id, .newest, limit: 10_000).map(\.text))
        }
        await database.close()
        return (texts, peers.map(\.name))
    }

    private func isSound(_ folder: TestFolder) async -> Bool {
        let findings = await HistoryInspection.run(at: folder.database, isInUse: false)
        return findings.allSatisfy { $0.verdict != .error }
    }

    @Test("saves everything from a file that only its header is lost of")
    func lostHeader() async throws {
        let folder = try TestFolder()
        _ = try await history(folder)
        let (all, _) = try await texts(folder)
        let damaged = try contents(of: folder.database)
        try overwrite(folder.database, with: [UInt8](repeating: 0, count: 4096))
        let (kept, summary) = try await HistoryRecovery.recover(at: folder.database)
        #expect(summary.messages == Self.count + 3)
        #expect(summary.namelessContacts == 0)
        let (saved, names) = try await texts(folder)
        #expect(saved == all)
        #expect(names == ["bob", "carol"])
        #expect(await isSound(folder))
        let database = try await folder.open()
        #expect(try await database.texts("everybody").count == 50)
        #expect(try await database.texts("after").count == 1)
        let carol = try #require(try await database.contacts().last)
        #expect(try await database.draft(for: carol.id) == "half a line")
        #expect(try await database.operations(of: carol.id).count == 1)
        // What waited still waits, and the next number is behind all that were used.
        #expect(try await database.outbox(for: carol.id, limit: 1_000).count == Self.count / 3 + 2)
        let next = try await database.say("next", to: carol.id)
        #expect(
            try await database.page(of: carol.id, .newest, limit: 9_999).allSatisfy {
                $0.id == next.id || $0.sequence < next.sequence
            })
        await database.close()
        // The damaged one is as it was.
        let path = try #require(kept)
        #expect(try contents(of: path).dropFirst(4096).elementsEqual(damaged.dropFirst(4096)))
    }

    @Test("saves all but what stood on the pages that are lost", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func lostPages(_ seed: UInt64) async throws {
        let folder = try TestFolder()
        _ = try await history(folder)
        let (all, _) = try await texts(folder)
        let pages = try contents(of: folder.database).count / 4096
        var random = SeededGenerator(seed: seed)
        // One page in ten, and always the roots of the first tables.
        for page in [2, 4, 7] + (0..<(pages / 10)).map({ _ in Int.random(in: 1..<pages, using: &random) }) {
            let garbage = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
            try overwrite(folder.database, at: page * 4096, with: garbage)
        }
        await #expect(throws: StoreError.self) { try await folder.open() }
        let (_, summary) = try await HistoryRecovery.recover(at: folder.database)
        let (saved, _) = try await texts(folder)
        // Nothing is invented, except a word for files whose row is lost.
        #expect(saved.subtracting(all).allSatisfy { $0.hasPrefix("(a file") })
        #expect(saved.count > all.count / 3, "\(saved.count) of \(all.count)")
        #expect(summary.messages >= saved.count)
        #expect(await isSound(folder))
    }

    @Test("saves what is only in the write-ahead log")
    func log() async throws {
        let folder = try TestFolder()
        let database = try #require(try await history(folder, withLog: true))
        let other = try TestFolder()
        for suffix in ["", "-wal"] {
            try overwrite(other.database + suffix, with: contents(of: folder.database + suffix))
        }
        await database.close()
        let (all, _) = try await texts(folder)
        try overwrite(other.database, with: [UInt8](repeating: 0, count: 100))
        _ = try await HistoryRecovery.recover(at: other.database)
        #expect(try await texts(other).0 == all)
    }

    @Test("does not fall for a log that is cut off or damaged")
    func damagedLog() async throws {
        let folder = try TestFolder()
        let database = try #require(try await history(folder, withLog: true))
        let other = try TestFolder()
        try overwrite(other.database, with: contents(of: folder.database))
        var log = try contents(of: folder.database + "-wal")
        await database.close()
        log.removeLast(log.count / 3)
        // Other words in every frame: the checksums do not hold. Other in all letters: they are sums, and in one layout of
        // 64 they do not see the same bit changed in every row of a page.
        let word = Array("everybody".utf8)
        let otherWord = Array("EVERYBODY".utf8)
        var index = 0
        while index + word.count < log.count {
            if log[index] == word[0], log[index..<(index + word.count)].elementsEqual(word) {
                log.replaceSubrange(index..<(index + word.count), with: otherWord)
                index += word.count
            } else {
                index += 1
            }
        }
        try overwrite(other.database + "-wal", with: log)
        let (all, _) = try await texts(folder)
        _ = try await HistoryRecovery.recover(at: other.database)
        let (saved, _) = try await texts(other)
        #expect(!saved.isEmpty)
        #expect(saved.subtracting(all).isEmpty)
        #expect(await isSound(other))
    }

    @Test("makes contacts up whose rows are lost, so that what they said is not")
    func lostContacts() async throws {
        let folder = try TestFolder()
        _ = try await history(folder)
        let connection = try SQLiteConnection(path: folder.database, mode: .readWrite)
        try connection.executeScript("PRAGMA foreign_keys = OFF; DELETE FROM contacts; DELETE FROM conversations")
        let (_, summary) = try await HistoryRecovery.recover(at: folder.database)
        #expect(summary.namelessContacts == 2)
        let (saved, names) = try await texts(folder)
        #expect(names == ["recovered 1", "recovered 2"])
        #expect(saved.count >= Self.count)
        #expect(await isSound(folder))
    }

    @Test("survives any bytes", arguments: [0, 1, 99, 4096, 40_000])
    func garbage(_ size: Int) async throws {
        let folder = try TestFolder()
        var random = SeededGenerator(seed: UInt64(size))
        for round in 0..<4 {
            var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Pages that claim to be leaves of tables, with random cells.
            if round > 1 { for page in stride(from: 0, to: size, by: 4096) { bytes[page] = 0x0D } }
            unlink(folder.database)
            try overwrite(folder.database, with: bytes)
            let (_, summary) = try await HistoryRecovery.recover(at: folder.database)
            #expect(summary.messages == 0)
            #expect(await isSound(folder))
        }
    }

    @Test("shows what can be read of a damaged history without changing it")
    func readsDamaged() async throws {
        let folder = try TestFolder()
        _ = try await history(folder)
        // The pages of the search index are broken, those of the messages are not.
        let connection = try SQLiteConnection(path: folder.database, mode: .readOnly)
        let root = try #require(
            try connection.first("SELECT rootpage FROM sqlite_schema WHERE name = 'words_data'") { row in row.integer(0)
            })
        try overwrite(folder.database, at: Int(root - 1) * 4096, with: [UInt8](repeating: 0xA5, count: 4096))
        let before = try contents(of: folder.database)
        await #expect {
            try await folder.open(readOnly: true)
        } throws: { error in
            if case StoreError.damaged = error { true } else { false }
        }
        let database = try await HistoryDatabase.open(at: folder.database, evenIfDamaged: true)
        let bob = try #require(try await database.contacts().first)
        #expect(try await database.page(of: bob.id, .newest, limit: 100).count == 100)
        await #expect(throws: StoreError.self) { try await database.say("no", to: bob.id) }
        await database.close()
        #expect(try contents(of: folder.database) == before)
    }
}
