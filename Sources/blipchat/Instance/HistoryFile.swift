// Looks into the history of a home without disturbing whoever writes it.

import ChatCore
import Storage

enum HistoryFile {
    /// Calls `body` with the history, open for reading beside any instance; `nil` while there is none.
    static func read<Value>(
        _ paths: HomePaths, _ body: (any HistoryStore) async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value? {
        guard SmallFile.exists(paths.history) else { return nil }
        do throws(StoreError) {
            let store = try await HistoryDatabase.open(at: paths.history, readOnly: true)
            do throws(StoreError) {
                let value = try await body(store)
                await store.close()
                return value
            } catch {
                await store.close()
                throw error
            }
        } catch {
            throw CommandError(error, path: paths.history)
        }
    }
}
