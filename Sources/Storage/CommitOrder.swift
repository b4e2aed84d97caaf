// The order of commits, for whoever shows what they have changed: from HistoryDatabase's writes to the front ends.

public import ChatCore
internal import Synchronization

/// Reports changes of messages in the order in which their transactions were committed.
///
/// Who waits for a write goes on at any time after its commit, so what they report by themselves overtakes: a message
/// that was delivered could be shown as sent again (RELIABILITY D6). A write takes its place while the writer works on
/// it, and its changes are reported when everything before that place is done.
final class CommitOrder: Sendable {
    /// One write.
    struct Ticket: Sendable { fileprivate let number: UInt64 }

    private struct State {
        var nextTicket: UInt64 = 0
        var nextPlace: UInt64 = 0
        /// The oldest place that is not done.
        var firstOpen: UInt64 = 0
        /// The places of the writes that are under way; those that have not begun yet have none.
        var places: [UInt64: UInt64] = [:]
        /// The changes of the places that are done, from `firstOpen` on.
        var done: [UInt64: [HistoryChange]] = [:]
        var report: (@Sendable (HistoryChange) -> Void)?
    }
    private let state = Mutex(State())

    /// From now on `report` is called with each change, one after the other, on any thread; it must be brief.
    func watch(_ report: @escaping @Sendable (HistoryChange) -> Void) {
        state.withLock { $0.report = report }
    }

    /// Before a write.
    func begin() -> Ticket {
        state.withLock { state in
            state.nextTicket += 1
            return Ticket(number: state.nextTicket)
        }
    }

    /// The writer works on it, inside of its transaction. When it is done once more, after a failure, the last time
    /// counts.
    func takePlace(_ ticket: Ticket) {
        state.withLock { state in
            if let given = state.places[ticket.number] { state.done[given] = [] }
            state.places[ticket.number] = state.nextPlace
            state.nextPlace += 1
        }
    }

    /// The write is over, with these changes committed (none when it failed).
    func end(_ ticket: Ticket, _ changes: [HistoryChange]) {
        state.withLock { state in
            guard let place = state.places.removeValue(forKey: ticket.number) else { return }
            state.done[place] = changes
            while let changes = state.done.removeValue(forKey: state.firstOpen) {
                state.firstOpen += 1
                for change in changes { state.report?(change) }
            }
        }
    }
}

extension HistoryDatabase {
    public func watchChanges(_ report: @escaping @Sendable (HistoryChange) -> Void) {
        commitOrder.watch(report)
    }

    /// A write whose `changes` are reported in their place among those of all others.
    func write<Value: Sendable>(
        reporting changes: (Value) -> [HistoryChange],
        orFind find: (@Sendable (SQLiteConnection) throws(StoreError) -> Value?)? = nil,
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let ticket = commitOrder.begin()
        do throws(StoreError) {
            let value = try await writer.write(orFind: find) { [commitOrder] connection throws(StoreError) in
                commitOrder.takePlace(ticket)
                return try body(connection)
            }
            commitOrder.end(ticket, changes(value))
            return value
        } catch {
            commitOrder.end(ticket, [])
            throw error
        }
    }
}
