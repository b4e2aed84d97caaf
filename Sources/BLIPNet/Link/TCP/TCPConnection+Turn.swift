// What sets a connection going: the socket is up, readable or writable, somebody wants something, time has passed.
// Whatever it was, one turn serves reads, writes and a handshake, closes if that is due, and waits for what comes next.

extension TCPConnection {
    /// Begins to connect.
    func dial(_ target: ConnectTarget, _ options: ConnectOptions) {
        guard end == nil else { return }
        let connector = SocketConnector(loop: loop)
        self.connector = connector
        connector.assumeIsolated {
            $0.begin(target, options: options) { [weak self] outcome in
                self?.loop.execute { [weak self] in self?.assumeIsolated { $0.dialled(outcome) } }
            }
        }
    }

    private func dialled(_ outcome: SocketConnector.Outcome) {
        connector = nil
        switch outcome {
        case .success(let socket): connected(socket)
        case .failure(let error): endConnection(error, isPolite: false)
        }
    }

    /// The connection is up.
    func connected(_ socket: Socket) {
        guard end == nil else { return }
        self.socket = socket
        info = ConnectionInfo(socket, isOutgoing: callee != nil, called: callee?.endpoint)
        readiness = SocketReadiness(
            socket: socket, loop: loop,
            readable: { [weak self] in self?.assumeIsolated { $0.readable() } },
            writable: { [weak self] in self?.assumeIsolated { $0.turn() } })
        tellWaiters()
        turn()
    }

    /// One round of work, whatever the reason.
    func turn() {
        repeat {
            serveReads()
            serveWrites()
        } while stepUpgrade()
        closeIfDue()
        readiness?.wantReads(wantsInput)
        scheduleTimer()
    }

    /// Sets the timer for the next deadline. It is moved only when it would fire too late: deadlines mostly move away
    /// with every byte, and a timer that fires early just sets itself again.
    private func scheduleTimer() {
        guard let next = nextDeadline else { return }
        if let timer, timer.fires <= next { return }
        timer?.timer.cancel()
        let scheduled = loop.schedule(at: next) { [weak self] in
            self?.assumeIsolated { connection in
                connection.timer = nil
                connection.expire(now: .now())
                connection.turn()
            }
        }
        timer = (scheduled, next)
    }
}
