// Reading a history from the command line, whoever wrote it.

import ChatCore
import TestSupport
import Testing

@testable import ChatHost
@testable import ChatSettings
@testable import Storage

@Suite("The history of a home, from the command line") struct HistoryFileTests {
    /// A home as an earlier version has left it.
    private func olderHome() async throws -> (TemporaryDirectory, HomePaths) {
        let folder = try TemporaryDirectory()
        let paths = HomePaths(home: folder.path)
        let steps = Array(Schema.migrations.dropLast())
        let old = try await HistoryDatabase.open(at: paths.history, readOnly: false, steps: steps)
        await old.close()
        return (folder, paths)
    }

    @Test("of an earlier version is brought to the present one before it is read")
    func older() async throws {
        let (folder, paths) = try await olderHome()
        let contacts = try await HistoryFile.read(paths) { store throws(StoreError) in try await store.contacts() }
        #expect(contacts == [])
        #expect(!HistoryDatabase.isOlder(at: paths.history))
        withExtendedLifetime(folder) {}
    }

    @Test("of an earlier version that still runs is left alone")
    func inUse() async throws {
        let (folder, paths) = try await olderHome()
        let lock = try InstanceLock(path: paths.lock)
        await #expect(throws: CommandError.self) {
            try await HistoryFile.read(paths) { store throws(StoreError) in try await store.contacts() }
        }
        #expect(HistoryDatabase.isOlder(at: paths.history))
        _ = consume lock
        withExtendedLifetime(folder) {}
    }
}
