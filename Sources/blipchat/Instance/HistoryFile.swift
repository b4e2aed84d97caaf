// Looks into the history of a home without disturbing whoever writes it.

import ChatCore
import Storage

enum HistoryFile {
    /// Calls `body` with the history, open for reading beside any instance; `nil` while there is none.
    static func read<Value>(
        _ paths: HomePaths, _ body: (any HistoryStore) async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value? {
        try await read(paths) { store throws(CommandError) in
            try await about(paths) { () throws(StoreError) in try await body(store) }
        }
    }

    /// The same for a body that does more than to read.
    static func read<Value>(
        _ paths: HomePaths, _ body: (any HistoryStore) async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value? {
        guard SmallFile.exists(paths.history) else { return nil }
        let store = try await about(paths) { () throws(StoreError) in
            try await HistoryDatabase.open(at: paths.history, readOnly: true)
        }
        do throws(CommandError) {
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
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
