// Copies of a history in use, and the way back.

import CLinux
import ChatCore
import Glibc
import Testing

@testable import Storage

@Suite("Backups")
struct BackupTests {
    @Test("are complete while messages are being written, and open like a history")
    func whileWriting() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for number in 0..<50 { try await database.say("before \(number)", to: bob) }
        async let writing: Void = {
            for number in 0..<50 { try await database.say("during \(number)", to: bob) }
        }()
        try await database.backUp(to: folder.path + "/copy")
        try await writing
        var status = stat()
        #expect(stat(folder.path + "/copy", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(folder.names().filter { $0.hasPrefix("copy") } == ["copy"])
        let copy = try await HistoryDatabase.open(at: folder.path + "/copy")
        let texts = try await copy.page(of: bob, .newest, limit: 200).map(\.text)
        #expect(texts.starts(with: (0..<50).map { "before \($0)" }))
        #expect(texts.dropFirst(50).elementsEqual((0..<(texts.count - 50)).map { "during \($0)" }))
        #expect(try await copy.texts("before").count == 50)
        await copy.close()
        await database.close()
    }

    @Test("replace no file, and leave nothing behind when they fail")
    func failures() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        try overwrite(folder.path + "/mine", with: [1, 2, 3])
        await #expect(throws: StoreError.fileExists(path: folder.path + "/mine")) {
            try await database.backUp(to: folder.path + "/mine")
        }
        #expect(try contents(of: folder.path + "/mine") == [1, 2, 3])
        await #expect(throws: StoreError.self) { try await database.backUp(to: "/nowhere/at/all") }
        await database.close()
        // A damaged history gives no copy that looks sound.
        let again = try await folder.open()
        let bob = try await again.contact("bob")
        for number in 0..<300 { try await again.say("text \(number)", to: bob) }
        await again.close()
        let size = try contents(of: folder.database).count
        try overwrite(folder.database, at: size / 8192 * 4096, with: [UInt8](repeating: 0xA5, count: 4000))
        let damaged = try await HistoryDatabase.open(at: folder.database, evenIfDamaged: true)
        await #expect(throws: StoreError.self) { try await damaged.backUp(to: folder.path + "/copy") }
        await damaged.close()
        #expect(!folder.names().contains { $0.hasPrefix("copy") })
    }

    @Test("come back in the place of the history, which is kept")
    func restore() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("old", to: bob)
        try await database.backUp(to: folder.path + "/copy")
        try await database.say("new", to: bob)
        await database.close()
        let (kept, summary) = try await HistoryDatabase.restore(from: folder.path + "/copy", to: folder.database)
        #expect(summary == HistoryDatabase.BackupSummary(messages: 1, contacts: 1))
        let restored = try await folder.open()
        #expect(try await restored.page(of: bob, .newest, limit: 9).map(\.text) == ["old"])
        // What waited when the copy was made goes out; its id is the same, so the peer stores it once.
        #expect(try await restored.outbox(for: bob, limit: 9).count == 1)
        await restored.close()
        let path = try #require(kept)
        let former = try await HistoryDatabase.open(at: path)
        #expect(try await former.page(of: bob, .newest, limit: 9).map(\.text) == ["old", "new"])
        await former.close()
        // The copy is still there, for the next time.
        #expect(access(folder.path + "/copy", F_OK) == 0)
    }

    @Test("take nothing from a log that was left of another history, and neither do new histories")
    func strayLog() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("saved", to: bob)
        try await database.backUp(to: folder.path + "/copy")
        try await database.say("later", to: bob)
        let log = try contents(of: folder.database + "-wal")
        await database.close()
        // Who deletes a history mostly knows nothing of its log.
        unlink(folder.database)
        try overwrite(folder.database + "-wal", at: 0, with: log)
        _ = try await HistoryDatabase.restore(from: folder.path + "/copy", to: folder.database)
        let restored = try await folder.open()
        #expect(try await restored.page(of: bob, .newest, limit: 9).map(\.text) == ["saved"])
        await restored.close()

        unlink(folder.database)
        try overwrite(folder.database + "-wal", at: 0, with: log)
        let anew = try await folder.open()
        #expect(try await anew.contacts().isEmpty)
        await anew.close()
    }

    @Test("that cannot be used change nothing", arguments: ["garbage", "newer", "damaged", "foreign", "absent"])
    func refused(_ kind: String) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for number in 0..<300 { try await database.say("text \(number)", to: bob) }
        try await database.backUp(to: folder.path + "/copy")
        await database.close()
        let before = try contents(of: folder.database)
        switch kind {
        case "garbage": try overwrite(folder.path + "/copy", with: [UInt8](repeating: 7, count: 9000))
        case "newer": try overwrite(folder.path + "/copy", at: 60, with: [0, 0, 0, 99])
        case "damaged": try overwrite(folder.path + "/copy", at: 20_480, with: [UInt8](repeating: 0xA5, count: 4000))
        case "foreign": try overwrite(folder.path + "/copy", at: 68, with: [1, 2, 3, 4])
        default: unlink(folder.path + "/copy")
        }
        let error = await #expect(throws: StoreError.self) {
            try await HistoryDatabase.restore(from: folder.path + "/copy", to: folder.database)
        }
        if case .cannotOpen(let path, _)? = error { #expect(path == folder.path + "/copy") }
        #expect(try contents(of: folder.database) == before)
        #expect(!folder.names().contains { $0.contains(".old-") || $0.contains(".restored") })
    }

    /// How far a restore, or a recovery, had come when it was cut off.
    enum Cut: CaseIterable {
        case beforeMoving, logMoved, moved
    }

    @Test("are put in place by the next start when a restore was cut off in between", arguments: Cut.allCases)
    func interrupted(cut: Cut) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("saved", to: bob)
        try await database.backUp(to: folder.database + ".restored")
        try await database.say("later", to: bob)
        // As a crash leaves it: with its log.
        func place(_ bytes: [UInt8], at path: String) throws {
            unlink(path)
            try overwrite(path, at: 0, with: bytes)
        }
        let old = try contents(of: folder.database)
        let log = try contents(of: folder.database + "-wal")
        await database.close()
        let kept = folder.database + ".old-1"
        try place(old, at: cut == .moved ? kept : folder.database)
        try place(log, at: cut == .beforeMoving ? folder.database + "-wal" : kept + "-wal")
        if cut == .moved { #expect(unlink(folder.database) == 0) }
        let reopened = try await folder.open()
        #expect(try await reopened.page(of: bob, .newest, limit: 9).map(\.text) == ["saved"])
        await reopened.close()
        // What was there is whole, beside it; nothing else is left.
        #expect(!folder.names().contains { $0.hasSuffix(".restored") })
        #expect(try contents(of: kept) == old)
        #expect(try contents(of: kept + "-wal") == log)
    }
}
