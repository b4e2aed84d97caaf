// The readers of a client's events and changes.

internal import Synchronization

/// The open sequences of one client.
final class SocketIOReaders: Sendable {
    private struct Weak {
        weak var inbox: SocketIOInbox?
    }

    private struct State {
        var inboxes: [Weak] = []
        var changes: [UInt64: AsyncStream<SocketIOChange>.Continuation] = [:]
        var lastNumber: UInt64 = 0
    }

    /// How many changes a slow reader has at most.
    private static let maxChanges = 256

    private let state = Mutex(State())

    func add(_ inbox: SocketIOInbox) {
        state.withLock { state in
            state.inboxes.removeAll { $0.inbox == nil }
            state.inboxes.append(Weak(inbox: inbox))
        }
    }

    func changes() -> AsyncStream<SocketIOChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SocketIOChange.self, bufferingPolicy: .bufferingNewest(Self.maxChanges))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.changes[state.lastNumber] = continuation
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.changes.removeValue(forKey: number) }
        }
        return stream
    }

    private var inboxes: [SocketIOInbox] { state.withLock { $0.inboxes.compactMap(\.inbox) } }

    func put(_ event: SocketIOEvent) {
        for inbox in inboxes { inbox.put(event) }
    }

    func put(_ change: SocketIOChange) {
        let continuations = state.withLock { Array($0.changes.values) }
        for continuation in continuations { continuation.yield(change) }
    }

    /// Whether somebody has so many events to take that no more should come.
    var areFull: Bool { inboxes.contains { $0.isFull } }

    /// The client is gone.
    func finish() {
        for inbox in inboxes { inbox.finish() }
        let continuations = state.withLock { Array($0.changes.values) }
        for continuation in continuations { continuation.finish() }
    }
}
