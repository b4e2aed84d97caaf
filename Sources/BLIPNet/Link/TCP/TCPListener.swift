// Waits for callers and hands them out as connections.

internal import Glibc

/// Where and for whom a listener listens.
public struct ListenOptions: Sendable, Equatable {
    /// Only these addresses of ours: `eth0`, `192.168.4.35`, `lo:8082` (as in `ConnectOptions.localInterface`).
    public var interface: String?
    public var addressPolicy = AddressPolicy()
    /// Whether other users of this machine may call at a UNIX-domain socket. Without it only our own user and root may.
    public var allowsOtherUsers = false
    /// The options of accepted connections.
    public var stream = StreamOptions()
    /// How many accepted connections wait to be taken; further callers wait in the kernel.
    var maxWaiting = 16

    public init() {}
}

/// Accepts connections until it is closed or nobody refers to it any more. Open connections stay.
///
///     for await connection in try TCPListener.listen(on: .host("localhost", port: 8082)) { ... }
public final class TCPListener: AsyncSequence, Sendable {
    /// Where callers reach it, the chosen port filled in.
    public let localEndpoint: Endpoint
    private let entrance: Entrance

    /// Begins to listen. `localhost` means the loopback addresses of both families, `::` and `*` all addresses of both;
    /// port 0 any free port. A UNIX-domain socket gets mode 0600; a file that is there is replaced only if it is a
    /// socket at which nobody listens any more. May block for the resolver when the host is another name.
    public static func listen(
        on endpoint: Endpoint = .host("localhost", port: 0), options: ListenOptions = ListenOptions()
    ) throws(NetError) -> TCPListener {
        let sockets = try ListeningSockets.open(endpoint, interface: options.interface, policy: options.addressPolicy)
        return TCPListener(sockets, options)
    }

    /// Takes over a listening socket, for example of systemd. When this throws, it is still the caller's.
    public convenience init(adopting descriptor: Int32, options: ListenOptions = ListenOptions()) throws(NetError) {
        let socket = try Socket(adoptingListening: descriptor)
        let endpoint = socket.localAddress?.endpoint ?? .unix(path: "")
        self.init(ListeningSockets(sockets: [socket], endpoint: endpoint, file: nil), options)
    }

    private init(_ sockets: ListeningSockets, _ options: ListenOptions) {
        localEndpoint = sockets.endpoint
        let entrance = Entrance(sockets, options)
        self.entrance = entrance
        entrance.loop.execute { entrance.assumeIsolated { $0.open() } }
    }

    deinit { close() }

    /// Stops listening: the address is free and the socket file is gone when this returns. Iterations end.
    public func close() { entrance.shut() }

    public func makeAsyncIterator() -> Iterator { Iterator(listener: self, entrance: entrance) }

    /// Hands out callers; several iterators share them.
    public struct Iterator: AsyncIteratorProtocol {
        /// Kept, so that it continues to listen while somebody iterates.
        fileprivate let listener: TCPListener
        fileprivate let entrance: Entrance

        /// The next caller; `nil` when the listener is closed or the task is cancelled.
        public mutating func next() async -> TCPConnection? { await entrance.next() }
    }
}

/// The part of a listener that lives on its event loop.
private actor Entrance {
    nonisolated let loop = EventLoop.next()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let sockets: ListeningSockets
    private let options: ListenOptions
    private var callers: AcceptLoop?
    private var accepted: [TCPConnection] = []
    private var takers: [(number: UInt64, waiter: CheckedContinuation<TCPConnection?, Never>)] = []
    private var lastNumber: UInt64 = 0
    private var isShut = false

    init(_ sockets: ListeningSockets, _ options: ListenOptions) {
        self.sockets = sockets
        self.options = options
    }

    func open() {
        guard !isShut else { return }
        let callers = AcceptLoop(
            sockets, loop: loop,
            wantsMore: { [weak self] in self?.assumeIsolated { $0.hasRoom } ?? false },
            admit: { [weak self] socket in self?.assumeIsolated { $0.admit(socket) } })
        self.callers = callers
        callers.start()
    }

    nonisolated func shut() {
        AcceptLoop.endListening(sockets)
        loop.execute { self.assumeIsolated { $0.stop() } }
    }

    private func stop() {
        isShut = true
        callers?.stop()
        accepted = []
        for taker in takers { taker.waiter.resume(returning: nil) }
        takers = []
    }

    /// Whether one more may wait to be taken.
    private var hasRoom: Bool { accepted.count < options.maxWaiting }

    func next() async -> TCPConnection? {
        lastNumber += 1
        let number = lastNumber
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if isShut || Task.isCancelled {
                    waiter.resume(returning: nil)
                } else if accepted.isEmpty {
                    takers.append((number, waiter))
                } else {
                    waiter.resume(returning: accepted.removeFirst())
                    callers?.update()
                }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.cancel(number) } }
        }
    }

    private func cancel(_ number: UInt64) {
        guard let index = takers.firstIndex(where: { $0.number == number }) else { return }
        takers.remove(at: index).waiter.resume(returning: nil)
    }

    private func admit(_ socket: Socket) {
        // Gone again already, if it has no address any more.
        guard let remote = socket.remoteAddress else { return }
        if remote.family == AF_UNIX, !options.allowsOtherUsers {
            guard let user = socket.peerUser, user == geteuid() || user == 0 else { return }
        }
        socket.apply(options.stream, for: remote)
        let connection = TCPConnection(accepted: socket, options: options.stream)
        if takers.isEmpty {
            accepted.append(connection)
        } else {
            takers.removeFirst().waiter.resume(returning: connection)
        }
    }
}
