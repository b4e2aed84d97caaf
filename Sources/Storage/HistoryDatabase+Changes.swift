// What was committed, for whoever shows it: from HistoryDatabase's writes to the front ends.

public import ChatCore
internal import Synchronization

extension HistoryDatabase {
    public func watchChanges(_ report: @escaping @Sendable (HistoryChange) -> Void) {
        watcher.withLock { $0 = report }
    }

    /// A write whose `changes` are reported in the order of the commits. Who waits for a write goes on at any time after
    /// its commit, so what they would report by themselves overtakes: a message that was delivered could be shown as sent
    /// again (RELIABILITY D6).
    func write<Value: Sendable>(
        reporting changes: @escaping @Sendable (Value) -> [HistoryChange],
        orFind find: (@Sendable (SQLiteConnection) throws(StoreError) -> Value?)? = nil,
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await writer.write(
            orFind: find,
            committed: { [self] value in
                guard let report = watcher.withLock({ $0 }) else { return }
                for change in changes(value) { report(change) }
            }, body)
    }
}
