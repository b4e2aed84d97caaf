// Commits that wait for no sync: what they cost, what they may lose, and what they must not take with them.

import ChatCore
import TestSupport
import Testing

@testable import Storage

@Suite("Commits that wait for no sync")
struct AsynchronousCommitTests {
    private let disk = FaultyDisk.shared

    /// What the log begins with: another one each time it begins anew.
    private func salt(_ folder: TestFolder) throws -> [UInt8] {
        Array(try contents(of: folder.database + "-wal")[16..<24])
    }

    /// A history with one message, which is on the disk.
    private func begun(
        indexed: Bool = true
    ) async throws -> (folder: TestFolder, database: HistoryDatabase, first: ChatMessage) {
        let folder = try TestFolder()
        let database = try await folder.open()
        let first = try await database.say("first", to: try await database.contact("bob"))
        if indexed { try await database.index() }
        return (folder, database, first)
    }

    @Test("are those of 'sent' and of the indexes; 'delivered' waits for the disk as a send does")
    func whichOnes() async throws {
        let (folder, database, message) = try await begun(indexed: false)
        let bob = message.contact
        // Whoever would ask this disk for a sync would hear of it.
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync)
        let sent = try await database.advanceState(of: message.id, in: bob, to: .sent, commit: .asynchronous)
        #expect(sent?.state == .sent)
        try await database.index()
        #expect(disk.failures(of: folder.path) == 0)
        await #expect(throws: StoreError.self) {
            try await database.advanceState(of: message.id, in: bob, to: .delivered)
        }
        await #expect(throws: StoreError.self) { try await database.say("another", to: bob) }
        disk.heal(folder.path)
        #expect(try await database.message(message.id)?.state == .sent)
        await database.close()
    }

    @Test("wait nevertheless when they share their commit with a message")
    func shared() async throws {
        let (folder, database, first) = try await begun()
        let bob = first.contact
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync)
        let results = try await together(2, in: database) { number -> Bool in
            guard number == 0 else { return try await database.say("second", to: bob).state == .pending }
            return try await database.advanceState(of: first.id, in: bob, to: .sent, commit: .asynchronous) != nil
        }
        // Nobody calls a message stored that only the memory has.
        #expect(throws: StoreError.self) { try results[1].get() }
        disk.heal(folder.path)
        try await database.say("third", to: bob)
        #expect(try await folder.textsAfterCrash(of: bob) == ["first", "third"])
        await database.close()
    }

    @Test("lie before a sync that fails: the log begins anew, since what follows a gap is not read after a crash")
    func gap() async throws {
        let (folder, database, first) = try await begun()
        let bob = first.contact
        let before = try salt(folder)
        _ = try await database.advanceState(of: first.id, in: bob, to: .sent, commit: .asynchronous)
        #expect(try salt(folder) == before)
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync, failing: 1)
        try await database.say("second", to: bob)
        #expect(disk.failures(of: folder.path) == 1)
        disk.heal(folder.path)
        #expect(try salt(folder) != before)
        #expect(try await folder.textsAfterCrash(of: bob) == ["first", "second"])
        #expect(try await database.message(first.id)?.state == .sent)
        await database.close()
    }
}
