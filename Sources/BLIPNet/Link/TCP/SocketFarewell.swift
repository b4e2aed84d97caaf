// The end of a socket that we close: what is left is sent, then we wait a little for the peer's end.

internal import Glibc

/// Closes a socket without harming what is on its way. Closing it at once, with bytes of the peer unread, would make
/// the kernel reset the connection, and the peer could lose what we have sent last (RFC 1122 section 4.2.2.13).
actor SocketFarewell {
    /// How long the descriptor lives on at most.
    static let limit = Duration.seconds(2)

    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var socket: Socket?
    private var remaining: ByteQueue
    private var readiness: SocketReadiness?
    private var timer: LoopTimer?
    private var hasShutDown = false

    /// Sends `remaining`, half-closes, and closes when the peer has ended too or the time is over.
    static func say(on socket: Socket, remaining: ByteQueue, loop: EventLoop) {
        let farewell = SocketFarewell(socket, remaining, loop)
        loop.execute { farewell.assumeIsolated { $0.begin() } }
    }

    private init(_ socket: Socket, _ remaining: ByteQueue, _ loop: EventLoop) {
        self.socket = socket
        self.remaining = remaining
        self.loop = loop
    }

    private func begin() {
        guard let socket else { return }
        // The timer keeps the farewell alive.
        timer = loop.schedule(at: .after(Self.limit)) { self.assumeIsolated { $0.finish() } }
        let readiness = SocketReadiness(
            socket: socket, loop: loop,
            readable: { [weak self] in self?.assumeIsolated { $0.readable() } },
            writable: { [weak self] in self?.assumeIsolated { $0.writable() } })
        self.readiness = readiness
        writable()
        self.readiness?.wantReads(true)
    }

    private func writable() {
        guard let socket else { return }
        while !remaining.isEmpty {
            switch remaining.withUnsafeBytes({ socket.write($0) }) {
            case .bytes(let count): remaining.consume(count)
            case .noRoom:
                readiness?.wantWrites(true)
                return
            case .failed:
                finish()
                return
            }
        }
        readiness?.wantWrites(false)
        guard !hasShutDown else { return }
        hasShutDown = true
        socket.shutdownWrites()
    }

    /// Reads and drops the bytes that the peer still sends.
    private func readable() {
        guard let socket else { return }
        let outcome = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { socket.read(into: $0) }
        switch outcome {
        case .bytes, .nothingYet: break
        case .end, .failed: finish()
        }
    }

    private func finish() {
        timer?.cancel()
        timer = nil
        readiness?.cancel()
        readiness = nil
        socket = nil
    }
}
