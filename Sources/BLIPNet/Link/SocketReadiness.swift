// Tells the owner of a socket when it may read or write, on the owner's queue.

internal import Dispatch
internal import Synchronization

/// What the owner of one socket wants to know, level-triggered: a callback comes again as long as its condition holds
/// and it is wanted.
final class SocketReadiness: Sendable {
    private struct State {
        var number: UInt64?
        var wanted: SocketStates = []
        /// The kernel knows the socket.
        var isRegistered = false
        /// News have been asked for and have not come.
        var armed: SocketStates = []
        var isCancelled = false
    }

    private let socket: Socket
    private let queue: DispatchQueue
    private let readable: @Sendable () -> Void
    private let writable: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        socket: Socket, queue: DispatchQueue, readable: @escaping @Sendable () -> Void,
        writable: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.queue = queue
        self.readable = readable
        self.writable = writable
    }

    deinit { cancel() }

    /// Whether `readable` is to be called.
    func wantReads(_ wanted: Bool) { want(.readable, wanted) }

    /// Whether `writable` is to be called. A socket with room is writable all the time, so this is switched on only
    /// after a write found no room.
    func wantWrites(_ wanted: Bool) { want(.writable, wanted) }

    /// Ends both. No callback comes after this when it is called on the queue.
    func cancel() {
        let number = state.withLock { state -> UInt64? in
            state.isCancelled = true
            defer { state.number = nil }
            return state.number
        }
        if let number { SocketPoller.shared.remove(number, socket) }
    }

    private func want(_ what: SocketStates, _ isWanted: Bool) {
        state.withLock { state in
            guard !state.isCancelled, state.wanted.contains(what) != isWanted else { return }
            if isWanted { state.wanted.insert(what) } else { state.wanted.remove(what) }
            // A wish that is withdrawn stays armed: should it come true, nobody is called.
            if !state.armed.isSuperset(of: state.wanted) { arm(&state) }
        }
    }

    /// Asks the poller for the next news.
    private func arm(_ state: inout State) {
        let poller = SocketPoller.shared
        let number = state.number ?? poller.add(queue: queue) { [weak self] ready in self?.became(ready) }
        state.number = number
        if poller.arm(number, socket, isNew: !state.isRegistered, state.wanted) {
            state.isRegistered = true
        } else {
            // The kernel has no room for it: the owner tries every now and then.
            queue.asyncAfter(deadline: .after(.milliseconds(20))) { [weak self] in self?.became(.all) }
        }
        state.armed = state.wanted
    }

    /// The socket is ready. On the queue.
    private func became(_ ready: SocketStates) {
        state.withLock { $0.armed = [] }
        if isWanted(.readable), ready.contains(.readable) { readable() }
        if isWanted(.writable), ready.contains(.writable) { writable() }
        state.withLock { state in
            if !state.isCancelled, !state.armed.isSuperset(of: state.wanted) { arm(&state) }
        }
    }

    private func isWanted(_ what: SocketStates) -> Bool {
        state.withLock { !$0.isCancelled && $0.wanted.contains(what) }
    }
}
