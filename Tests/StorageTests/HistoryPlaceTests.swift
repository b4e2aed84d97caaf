// A history whose file is taken away under a running chat: what cannot be found again is not taken for stored.

import ChatCore
import Glibc
import Synchronization
import Testing

@testable import Storage

@Suite("The place of the history")
struct HistoryPlaceTests {
    /// What a person would hear of.
    private final class Troubles: Sendable {
        let all = Mutex<[StoreTrouble]>([])
    }

    /// The texts that the next start would find, without the end of this one.
    private func found(_ folder: TestFolder, of contact: ContactID) async throws -> [String] {
        try await folder.textsAfterCrash(of: contact)
    }

    @Test(
        "removed or moved away: it is put back with everything, and says so",
        arguments: ["removed", "moved", "file only"])
    func putBack(how: String) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let troubles = Troubles()
        database.watchTrouble { trouble in troubles.all.withLock { $0.append(trouble) } }
        let bob = try await database.contact("bob")
        try await database.say("before", to: bob)
        for suffix in how == "file only" ? [""] : ["", "-wal", "-shm"] {
            if how == "moved" {
                #expect(rename(folder.database + suffix, folder.path + "/aside" + suffix) == 0)
            } else {
                #expect(unlink(folder.database + suffix) == 0)
            }
        }
        try await database.say("after", to: bob)
        #expect(try await found(folder, of: bob) == ["before", "after"])
        #expect(troubles.all.withLock { $0 } == [.putBack(path: folder.database)])
        // It is an ordinary history again, for readers and writers.
        try await database.say("and on", to: bob)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == ["before", "after", "and on"])
        #expect(try await found(folder, of: bob) == ["before", "after", "and on"])
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
    }

    @Test("the log alone is removed: nothing that was stored depends on it", arguments: [true, false])
    func logRemoved(together: Bool) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("before", to: bob)
        for suffix in together ? ["-wal", "-shm"] : ["-wal"] { #expect(unlink(folder.database + suffix) == 0) }
        try await database.say("after", to: bob)
        #expect(try await found(folder, of: bob) == ["before", "after"])
        try await database.say("and on", to: bob)
        #expect(try await found(folder, of: bob) == ["before", "after", "and on"])
        #expect(try await database.page(of: bob, .newest, limit: 9).count == 3)
        await database.close()
    }

    @Test("replaced by another file: nothing is taken for stored, and what was is kept beside it")
    func replaced() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("before", to: bob)
        let other = folder.path + "/other.sqlite"
        let foreign = try await HistoryDatabase.open(at: other)
        let dave = try await foreign.contact("dave")
        try await foreign.say("of the other file", to: dave)
        await foreign.close()
        #expect(rename(other, folder.database) == 0)
        let kept = folder.database + ".old-1"
        for _ in 1...2 {
            await #expect(throws: StoreError.replaced(path: folder.database, kept: kept)) {
                try await database.say("after", to: bob)
            }
            await #expect(throws: StoreError.replaced(path: folder.database, kept: kept)) {
                try await database.hear("for us", from: bob)
            }
        }
        await database.close()
        // Nothing of ours was mixed into the other file.
        let next = try await folder.open()
        #expect(try await next.contacts().map(\.name) == ["dave"])
        #expect(try await next.page(of: dave, .newest, limit: 9).map(\.text) == ["of the other file"])
        await next.close()
        let ours = try await HistoryDatabase.open(at: kept)
        #expect(try await ours.page(of: bob, .newest, limit: 9).map(\.text).first == "before")
        await ours.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
    }

    @Test("moved away with its folder: refused, and goes on when it is back")
    func movedWithFolder() async throws {
        let folder = try TestFolder()
        let home = folder.path + "/home"
        #expect(mkdir(home, 0o700) == 0)
        let database = try await HistoryDatabase.open(at: home + "/history.sqlite")
        let bob = try await database.contact("bob")
        try await database.say("before", to: bob)
        let elsewhere = folder.path + "/elsewhere"
        #expect(rename(home, elsewhere) == 0)
        for _ in 1...2 { await #expect(throws: StoreError.self) { try await database.say("nowhere", to: bob) } }
        #expect(rename(elsewhere, home) == 0)
        try await database.say("again", to: bob)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text).last == "again")
        await database.close()
        for name in ["history.sqlite"] { unlink("\(home)/\(name)") }
        rmdir(home)
    }

    @Test("many writers at once see one file put back once, and each message once")
    func group() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("0", to: bob)
        for suffix in ["", "-wal", "-shm"] { unlink(folder.database + suffix) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...50 { group.addTask { try await database.say("\(number)", to: bob) } }
            try await group.waitForAll()
        }
        #expect(Set(try await found(folder, of: bob)) == Set((0...50).map { "\($0)" }))
        #expect(try await found(folder, of: bob).count == 51)
        await database.close()
    }
}
