// Looks into the history of a home without disturbing whoever writes it.

import ChatCore
import Storage

enum HistoryFile {
    /// Calls `body` with the history, open for reading beside any instance; `nil` while there is none. What can be read
    /// of a damaged one is read, and `damaged` hears of it first.
    static func read<Value>(
        _ paths: HomePaths, damaged: ((CommandError) -> Void)? = nil,
        _ body: (HistoryDatabase) async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value? {
        try await read(paths, damaged: damaged) { store throws(CommandError) in
            try await about(paths) { () throws(StoreError) in try await body(store) }
        }
    }

    /// The same for a body that does more than to read.
    static func read<Value>(
        _ paths: HomePaths, damaged: ((CommandError) -> Void)? = nil,
        _ body: (HistoryDatabase) async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value? {
        guard try SmallFile.isThere(paths.history) else { return nil }
        await bringUpToDate(paths)
        let (store, lock) = try await open(paths, damaged: damaged)
        defer { withExtendedLifetime(lock) {} }
        do throws(CommandError) {
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    /// An earlier version's history is opened for writing once, as any start does, unless an instance has it open.
    private static func bringUpToDate(_ paths: HomePaths) async {
        guard HistoryDatabase.isOlder(at: paths.history) else { return }
        do {
            let lock = try InstanceLock(path: paths.lock)
            try await HistoryDatabase.open(at: paths.history).close()
            _ = consume lock
        } catch {
            // Who reads it is told what is wrong.
        }
    }

    /// The history, and the lock of the home where it can only be read while nobody else does.
    private static func open(
        _ paths: HomePaths, damaged: ((CommandError) -> Void)?
    ) async throws(CommandError) -> (HistoryDatabase, HeldLock?) {
        do throws(StoreError) {
            return (try await HistoryDatabase.open(at: paths.history, readOnly: true), nil)
        } catch {
            if error == .diskFull { return try await openAlone(paths) }
            guard let damaged, case .damaged = error else { throw CommandError(error, path: paths.history) }
            damaged(CommandError(error, path: paths.history))
        }
        let store = try await about(paths) { () throws(StoreError) in
            try await HistoryDatabase.open(at: paths.history, evenIfDamaged: true)
        }
        return (store, nil)
    }

    /// On a full disk there is no room for what processes share to read beside each other; one alone needs none.
    private static func openAlone(_ paths: HomePaths) async throws(CommandError) -> (HistoryDatabase, HeldLock?) {
        guard let lock = try? HeldLock(InstanceLock(path: paths.lock)) else {
            throw CommandError(StoreError.diskFull, path: paths.history)
        }
        let store = try await about(paths) { () throws(StoreError) in
            try await HistoryDatabase.openAlone(at: paths.history)
        }
        return (store, lock)
    }

    /// Calls the store; its errors become sentences about the file.
    static func about<Value>(
        _ paths: HomePaths, _ call: () async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(StoreError) {
            return try await call()
        } catch {
            throw CommandError(error, path: paths.history)
        }
    }
}

extension CommandRunner {
    /// Reads the history, a damaged one as far as it goes: then one sentence on standard error says so.
    func readHistory<Value>(
        _ paths: HomePaths, _ body: (HistoryDatabase) async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value? {
        try await HistoryFile.read(paths, damaged: warnOfDamage, body)
    }

    func readHistory<Value>(
        _ paths: HomePaths, _ body: (HistoryDatabase) async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value? {
        try await HistoryFile.read(paths, damaged: warnOfDamage, body)
    }

    private func warnOfDamage(_ error: CommandError) {
        streams.note("blipchat: \(error.subject): \(error.reason); showing what can be read")
    }
}
