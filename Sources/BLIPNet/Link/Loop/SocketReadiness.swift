// Tells the owner of a socket when it may read or write, on the owner's event loop.

/// The events that the owner of one socket wants to see, level-triggered: a callback comes again as long as its
/// condition holds and it is wanted. To be used on the loop only; letting go of it is fine anywhere.
final class SocketReadiness: Sendable {
    private struct State {
        /// The socket's number at the loop; `nil` before the first wish and after `cancel`.
        var number: UInt64?
        var wanted: SocketStates = []
        /// The states that we have asked the kernel to report.
        var interest: SocketStates = []
        var isCancelled = false
    }

    private let socket: Socket
    private let loop: EventLoop
    private let readable: @Sendable () -> Void
    private let writable: @Sendable () -> Void
    private nonisolated(unsafe) var state = State()

    /// How long to wait until the kernel is asked again, when it had no room.
    private static let retryDelay = Duration.milliseconds(20)

    init(
        socket: Socket, loop: EventLoop, readable: @escaping @Sendable () -> Void,
        writable: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.loop = loop
        self.readable = readable
        self.writable = writable
    }

    deinit {
        guard let number = state.number else { return }
        let interest = state.interest
        if loop.isCurrent {
            loop.forget(number, socket, interest: interest)
        } else {
            loop.execute { [loop, socket] in loop.forget(number, socket, interest: interest) }
        }
    }

    /// Whether `readable` is to be called.
    func wantReads(_ wanted: Bool) { want(.readable, wanted) }

    /// Whether `writable` is to be called. A socket with room is writable all the time, so this is switched on only
    /// after a write found no room.
    func wantWrites(_ wanted: Bool) { want(.writable, wanted) }

    /// Ends both: no callback comes after this.
    func cancel() {
        loop.checkIsolated()
        state.isCancelled = true
        guard let number = state.number else { return }
        state.number = nil
        loop.forget(number, socket, interest: state.interest)
    }

    private func want(_ what: SocketStates, _ isWanted: Bool) {
        guard !state.isCancelled, state.wanted.contains(what) != isWanted else { return }
        if isWanted { state.wanted.insert(what) } else { state.wanted.remove(what) }
        update()
    }

    private func update() {
        loop.checkIsolated()
        guard !state.isCancelled, state.interest != state.wanted else { return }
        let number = state.number ?? loop.watch { [weak self] ready in self?.became(ready) }
        state.number = number
        if loop.setInterest(number, socket, from: state.interest, to: state.wanted) {
            state.interest = state.wanted
        } else {
            _ = loop.schedule(at: .now() + Self.retryDelay) { [weak self] in self?.update() }
        }
    }

    private func became(_ ready: SocketStates) {
        if state.wanted.contains(.readable), ready.contains(.readable) { readable() }
        if !state.isCancelled, state.wanted.contains(.writable), ready.contains(.writable) { writable() }
    }
}
