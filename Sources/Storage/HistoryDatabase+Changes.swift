// Committed changes, for anyone who shows them: from HistoryDatabase's writes to the front ends.

package import ChatCore
internal import Synchronization

extension HistoryDatabase {
    /// Hears what was committed, on the writer's thread.
    ///
    /// A function that is kept in a generic container by itself is wrapped in another one each time that the container
    /// gives it out and takes it back: after some thousand commits the stack would not be deep enough. Inside of a
    /// struct it stays as it is.
    struct Watcher: Sendable {
        var report: (@Sendable (HistoryChange) -> Void)?
    }

    package func watchChanges(_ report: @escaping @Sendable (HistoryChange) -> Void) {
        watcher.withLock { $0.report = report }
    }

    package func watchTrouble(_ report: @escaping @Sendable (StoreTrouble) -> Void) { place.watch(report) }

    /// A write whose `changes` are reported in the order of the commits. A caller that waits for a write resumes at any
    /// time after its commit, so its own reports would overtake others: a message that was delivered could be shown as
    /// sent again (RELIABILITY D6).
    func write<Value: Sendable>(
        _ commit: CommitDurability = .synchronous,
        reporting changes: @escaping @Sendable (Value) -> [HistoryChange],
        orFind find: (@Sendable (SQLiteConnection) throws(StoreError) -> Value?)? = nil,
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await writer.write(
            commit, orFind: find,
            committed: { [self] value in
                guard let report = watcher.withLock({ $0.report }) else { return }
                for change in changes(value) { report(change) }
            }, body)
    }
}
