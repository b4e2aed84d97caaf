// Makes an outgoing connection: resolves the name, tries the addresses with a stagger, hands over the first socket
// that connects. `PeerLink.connect` is its only caller.

internal import Glibc

/// One attempt to reach an endpoint (a simple Happy Eyeballs, RFC 8305: all addresses, families in turn, the next
/// one is tried after 250 ms or as soon as one fails, and all go on until one has won). Used once.
actor SocketConnector {
    /// RFC 8305 section 5, "Connection Attempt Delay".
    static let attemptDelay: Duration = .milliseconds(250)

    private struct Attempt {
        let socket: Socket
        let readiness: SocketReadiness
    }

    /// Where the socket is to live.
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var waiter: CheckedContinuation<Result<Socket, LinkError>, Never>?
    private var outcome: Result<Socket, LinkError>?
    private var untried: [SocketAddress] = []
    private var attempts: [Int: Attempt] = [:]
    private var attemptsStarted = 0
    private var failure: LinkError?
    private var timers: [LoopTimer] = []

    init(loop: EventLoop) { self.loop = loop }

    /// Connects within `timeout`, which covers the resolver. Ends with `.closedLocally` when the task is cancelled.
    func connect(to endpoint: Endpoint, timeout: Duration) async throws(LinkError) -> Socket {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let outcome {
                    continuation.resume(returning: outcome)
                } else {
                    waiter = continuation
                    begin(endpoint, timeout: timeout)
                }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.finish(.failure(.closedLocally)) } }
        }
        return try result.get()
    }

    private func begin(_ endpoint: Endpoint, timeout: Duration) {
        after(timeout) { $0.finish(.failure(.timedOut("connect"))) }
        switch endpoint {
        case .unix(let path):
            guard let address = SocketAddress(unixPath: path) else {
                finish(.failure(.transport(call: "connect", errno: ENAMETOOLONG)))
                return
            }
            start([address])
        case .host(let host, let port):
            if let numeric = NameResolver.numeric(host: host, port: port) {
                start(numeric)
                return
            }
            NameResolver.resolve(host: host, port: port) { [weak self] answer in
                self?.loop.execute { [weak self] in self?.assumeIsolated { $0.resolved(answer) } }
            }
        }
    }

    private func resolved(_ answer: Result<[SocketAddress], LinkError>) {
        guard outcome == nil else { return }
        switch answer {
        case .success(let addresses): start(addresses)
        case .failure(let error): finish(.failure(error))
        }
    }

    private func start(_ addresses: [SocketAddress]) {
        untried = NameResolver.interleaved(addresses)
        tryNext()
    }

    /// Starts the next attempt, and arranges for the one after it.
    private func tryNext() {
        guard outcome == nil else { return }
        guard !untried.isEmpty else {
            if attempts.isEmpty { finish(.failure(failure ?? .transport(call: "connect", errno: EHOSTUNREACH))) }
            return
        }
        let address = untried.removeFirst()
        let number = attemptsStarted
        attemptsStarted += 1
        do throws(LinkError) {
            let socket = try Socket.open(family: address.family)
            socket.applyLinkOptions(for: address)
            switch socket.connect(to: address) {
            case 0: finish(.success(socket))
            case EINPROGRESS: watch(socket, number: number)
            case let number: note(.transport(call: "connect", errno: number))
            }
        } catch {
            note(error)
        }
    }

    private func watch(_ socket: Socket, number: Int) {
        let readiness = SocketReadiness(
            socket: socket, loop: loop, readable: {},
            writable: { [weak self] in self?.assumeIsolated { $0.decided(number) } })
        attempts[number] = Attempt(socket: socket, readiness: readiness)
        readiness.wantWrites(true)
        guard !untried.isEmpty else { return }
        after(Self.attemptDelay) { if $0.attemptsStarted == number + 1 { $0.tryNext() } }
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
        case let error: note(.transport(call: "connect", errno: error))
        }
    }

    /// One address failed: goes on with the next. Of several failures the most telling one is kept: "refused" says
    /// more about the peer than "this machine has no IPv6".
    private func note(_ error: LinkError) {
        let dull: [Int32] = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]
        if case .transport(_, let number) = error, dull.contains(number), failure != nil {
            // Keeps the first.
        } else {
            failure = error
        }
        tryNext()
    }

    private func finish(_ result: Result<Socket, LinkError>) {
        guard outcome == nil else { return }
        outcome = result
        for timer in timers { timer.cancel() }
        timers.removeAll()
        for attempt in attempts.values { attempt.readiness.cancel() }
        attempts.removeAll()
        untried.removeAll()
        waiter?.resume(returning: result)
        waiter = nil
    }
}
