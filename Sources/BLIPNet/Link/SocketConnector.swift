// Makes an outgoing connection: resolves the name, tries the addresses with a stagger, hands over the first socket
// that connects. Used by `TCPConnection` and `PeerLink`.

internal import Glibc

/// Where to connect.
enum ConnectTarget: Sendable {
    case endpoint(Endpoint)
    case addresses([SocketAddress])
}

/// One attempt to reach a place (Happy Eyeballs, RFC 8305: all addresses, families in turn, the next one is tried after
/// a delay or as soon as one fails, and all continue until one has won). Used once.
actor SocketConnector {
    typealias Outcome = Result<Socket, NetError>
    /// Answers with addresses on some thread, at some time.
    typealias Resolver =
        @Sendable (
            _ host: String, _ port: UInt16,
            _ completion: @escaping @Sendable (Result<[SocketAddress], NetError>) -> Void
        ) -> Void

    private struct Attempt {
        let socket: Socket
        let readiness: SocketReadiness
    }

    /// Where the socket is to live.
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let resolver: Resolver
    private var options = ConnectOptions()
    private var interface: LocalInterface?
    private var completion: (@Sendable (Outcome) -> Void)?
    private var outcome: Outcome?
    private var untried: [SocketAddress] = []
    private var attempts: [Int: Attempt] = [:]
    private var attemptsStarted = 0
    private var failure: NetError?
    private var timers: [LoopTimer] = []

    init(loop: EventLoop, resolver: @escaping Resolver = NameResolver.resolve) {
        self.loop = loop
        self.resolver = resolver
    }

    /// Connects within `options.timeout`, which covers the resolver. Ends with `.cancelled` when the task is
    /// cancelled.
    func connect(to endpoint: Endpoint, options: ConnectOptions) async throws(NetError) -> Socket {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(.endpoint(endpoint), options: options) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.cancel() } }
        }
        return try outcome.get()
    }

    /// Begins to connect; `completion` is called once, on the loop.
    func begin(_ target: ConnectTarget, options: ConnectOptions, completion: @escaping @Sendable (Outcome) -> Void) {
        if let outcome {
            completion(outcome)
            return
        }
        self.options = options
        self.completion = completion
        let start = MonotonicTime.now()
        after(options.timeout) { $0.finish(.failure(.connectTimedOut(elapsed: .now() - start))) }
        do throws(NetError) {
            interface = try LocalInterface(options.localInterface, port: options.localPort)
        } catch {
            finish(.failure(error))
            return
        }
        switch target {
        case .addresses(let addresses): attempt(addresses, of: "the given addresses")
        case .endpoint(.unix(let path)):
            guard let address = SocketAddress(unixPath: path) else {
                finish(.failure(.posix(call: "connect", errno: ENAMETOOLONG)))
                return
            }
            attempt([address], of: path)
        case .endpoint(.host(let host, let port)):
            if let numeric = NameResolver.numeric(host: host, port: port) {
                attempt(numeric, of: host)
                return
            }
            resolver(host, port) { [weak self] answer in
                self?.loop.execute { [weak self] in self?.assumeIsolated { $0.resolved(host, answer) } }
            }
        }
    }

    /// Gives up.
    func cancel() { finish(.failure(.cancelled)) }

    private func resolved(_ host: String, _ answer: Result<[SocketAddress], NetError>) {
        guard outcome == nil else { return }
        switch answer {
        case .success(let addresses): attempt(addresses, of: host)
        case .failure(let error): finish(.failure(error))
        }
    }

    private func attempt(_ addresses: [SocketAddress], of host: String) {
        untried = NameResolver.interleaved(addresses, options.addressPolicy)
        guard !untried.isEmpty else {
            finish(.failure(.dns(host: host, reason: "no address that may be called")))
            return
        }
        tryNext()
    }

    /// Starts the next attempt, and arranges for the one after it.
    private func tryNext() {
        guard outcome == nil else { return }
        guard !untried.isEmpty else {
            if attempts.isEmpty { finish(.failure(failure ?? .posix(call: "connect", errno: EHOSTUNREACH))) }
            return
        }
        let address = untried.removeFirst()
        let number = attemptsStarted
        attemptsStarted += 1
        do throws(NetError) {
            let socket = try open(for: address)
            switch socket.connect(to: address) {
            case 0: finish(.success(socket))
            case EINPROGRESS: watch(socket, number: number)
            case let number: note(.posix(call: "connect", errno: number))
            }
        } catch {
            note(error)
        }
    }

    /// A socket that is bound where the options want it.
    private func open(for remote: SocketAddress) throws(NetError) -> Socket {
        let socket = try Socket.open(family: remote.family)
        socket.apply(options.stream, for: remote)
        guard let source = try interface?.source(for: remote) else { return socket }
        if source.port != 0 { _ = socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1) }
        guard source.withSockaddr({ bind(socket.descriptor, $0, $1) }) == 0 else {
            throw .posix(call: "bind", errno: errno)
        }
        return socket
    }

    private func watch(_ socket: Socket, number: Int) {
        let readiness = SocketReadiness(
            socket: socket, loop: loop, readable: {},
            writable: { [weak self] in self?.assumeIsolated { $0.decided(number) } })
        attempts[number] = Attempt(socket: socket, readiness: readiness)
        readiness.wantWrites(true)
        guard !untried.isEmpty else { return }
        // RFC 8305 section 5: the delay must not be under 10 ms.
        after(max(options.addressPolicy.attemptDelay, .milliseconds(10))) {
            if $0.attemptsStarted == number + 1 { $0.tryNext() }
        }
    }

    private func after(_ delay: Duration, _ work: @escaping @Sendable (isolated SocketConnector) -> Void) {
        timers.append(loop.schedule(at: .now() + delay) { [weak self] in self?.assumeIsolated { work($0) } })
    }

    /// The kernel knows how attempt `number` went.
    private func decided(_ number: Int) {
        guard let attempt = attempts.removeValue(forKey: number) else { return }
        attempt.readiness.cancel()
        switch attempt.socket.takeError() {
        case 0: finish(.success(attempt.socket))
        case let error: note(.posix(call: "connect", errno: error))
        }
    }

    /// One address failed: tries the next. Of several failures the most telling one is kept: "refused" says more about
    /// the peer than "this machine has no IPv6".
    private func note(_ error: NetError) {
        let dull: [Int32] = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]
        if case .posix(_, let number) = error, dull.contains(number), failure != nil {
            // Keeps the first.
        } else {
            failure = error
        }
        tryNext()
    }

    private func finish(_ result: Outcome) {
        guard outcome == nil else { return }
        outcome = result
        for timer in timers { timer.cancel() }
        timers.removeAll()
        for attempt in attempts.values { attempt.readiness.cancel() }
        attempts.removeAll()
        untried.removeAll()
        completion.take()?(result)
    }
}
