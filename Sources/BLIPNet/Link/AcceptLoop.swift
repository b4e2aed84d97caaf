// The accept loop of every listener: takes callers from the kernel, a few at a time, as long as their listener wants
// more. Used by `ListenerDoor` and `TCPListener`.

internal import Glibc

/// The listening sockets of one listener, watched on its event loop. To be used there only, but for `endListening`.
final class AcceptLoop: Sendable {
    private let sockets: ListeningSockets
    private let loop: EventLoop
    private let wantsMore: @Sendable () -> Bool
    private let admit: @Sendable (Socket) -> Void
    private nonisolated(unsafe) var readiness: [SocketReadiness] = []
    private nonisolated(unsafe) var isStopped = false

    /// How many callers are taken before others on the event loop get their turn.
    private static let callersPerTurn = 16
    /// How long nothing is accepted after the process has run out of descriptors or memory.
    private static let pause: Duration = .milliseconds(200)

    /// Both closures are called on the event loop: `admit` with each caller, while `wantsMore` says so.
    init(
        _ sockets: ListeningSockets, loop: EventLoop, wantsMore: @escaping @Sendable () -> Bool,
        admit: @escaping @Sendable (Socket) -> Void
    ) {
        self.sockets = sockets
        self.loop = loop
        self.wantsMore = wantsMore
        self.admit = admit
    }

    /// Ends the kernel's listening: the address is free when this returns. From any thread.
    static func endListening(_ sockets: ListeningSockets) {
        for socket in sockets.sockets { _ = shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
        sockets.removeFile()
    }

    func start() {
        guard !isStopped else { return }
        readiness = sockets.sockets.enumerated().map { index, socket in
            SocketReadiness(
                socket: socket, loop: loop, readable: { [weak self] in self?.callersWait(at: index) }, writable: {})
        }
        update()
    }

    /// To be called when `wantsMore` may have changed.
    func update() {
        guard !isStopped else { return }
        let wanted = wantsMore()
        for source in readiness { source.wantReads(wanted) }
    }

    func stop() {
        isStopped = true
        for source in readiness { source.cancel() }
        readiness = []
    }

    private func callersWait(at index: Int) {
        for _ in 0..<Self.callersPerTurn {
            guard !isStopped, wantsMore() else { break }
            switch sockets.sockets[index].accept() {
            case .connection(let socket): admit(socket)
            case .nothingYet: return
            case .failed:
                rest(index)
                return
            }
        }
        update()
    }

    /// Out of descriptors or memory: the caller stays in the kernel's queue, and asking again at once would only
    /// keep the processor busy.
    private func rest(_ index: Int) {
        readiness[index].wantReads(false)
        _ = loop.schedule(at: .after(Self.pause)) { [weak self] in self?.update() }
    }
}
