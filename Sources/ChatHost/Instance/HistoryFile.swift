// Looks into the history of a home without disturbing whoever writes it.

package import ChatCore
package import ChatSettings
import ChatWords
package import Storage

package enum HistoryFile {
    /// Calls `body` with the history, open for reading beside any instance; `nil` while there is none. It reads what it
    /// can of a damaged one, and `damaged` hears of that first.
    package static func read<Value>(
        _ paths: HomePaths, damaged: ((CommandError) -> Void)? = nil,
        _ body: (HistoryDatabase) async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value? {
        try await read(paths, damaged: damaged) { store throws(CommandError) in
            try await about(paths) { () throws(StoreError) in try await body(store) }
        }
    }

    /// The same for a body that does more than to read.
    package static func read<Value>(
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
            // The reading that follows reports what is wrong.
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

    /// The contacts on the disk, those of a damaged history as far as they can be read.
    package static func contacts(_ paths: HomePaths) async throws(CommandError) -> ContactDirectory {
        let peers = try await read(paths, damaged: { _ in }) { store throws(StoreError) in
            try await store.contacts()
        }
        return ContactDirectory(peers ?? [])
    }

    /// Calls the store; its errors become sentences about the file.
    package static func about<Value>(
        _ paths: HomePaths, _ call: () async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(StoreError) {
            return try await call()
        } catch {
            throw CommandError(error, path: paths.history)
        }
    }
}

extension CommandError {
    /// `path` is the history file, or the file named in the request when the error is about that.
    package init(_ error: StoreError, path: String) {
        let reason = Sentences.reason(of: error)
        switch error {
        // They may be about a copy.
        case .fileExists(let file):
            self.init(.localIO, file, "the file already exists", advice: "give another name")
        case .cannotOpen(let file, let reason):
            self.init(
                .localIO, file, "cannot be opened: \(reason)", advice: "check the path, its folder and the permissions")
        case .nameTaken: self.init(.usage, path, reason)
        case .notFound: self.init(.notFound, path, reason)
        case .diskFull: self.init(.localIO, path, reason)
        case .locked, .failed: self.init(.store, path, reason)
        // Their reasons name the file.
        case .damaged, .newerVersion, .replaced: self.init(.store, "history", reason)
        }
    }
}
