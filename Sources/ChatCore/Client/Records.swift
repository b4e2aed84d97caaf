// The store as errands use it.

/// A failure of the store becomes an error of the chat where a user waits for the result, and a notice where nobody
/// does.
struct Records: Sendable {
    let store: any HistoryStore
    let hub: EventHub

    /// Runs a store operation on behalf of a user.
    func stored<Value: Sendable>(
        _ operation: () async throws(StoreError) -> Value
    ) async throws(ChatError) -> Value {
        do throws(StoreError) { return try await operation() } catch { throw .store(error) }
    }

    /// Runs a store operation that nobody waits for; a failure becomes a notice and `nil`.
    func quietly<Value: Sendable>(_ operation: () async throws(StoreError) -> Value) async -> Value? {
        do throws(StoreError) {
            return try await operation()
        } catch {
            hub.publish(.notice(.storeFailed(error)))
            return nil
        }
    }
}
