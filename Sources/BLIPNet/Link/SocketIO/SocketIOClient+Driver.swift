// Joins the session of a client with its connection and its clock, and decides when to connect again.

extension SocketIOClient {
    // MARK: The line

    /// Connects, unless that is under way.
    func dial() {
        switch line {
        case .up:
            if future == .ends || session.status == .closed { future = .isReplaced }
            return
        case .waiting(let timer):
            timer.cancel()
            line = .down
        case .down: break
        }
        let connection = SocketIOConnection(options, loop: loop, tracer: tracer) { [weak self] report in
            self?.assumeIsolated { $0.receive(report) }
        }
        line = .up(connection)
        note(.connecting(attempt: backoff.failures + 1))
        session.open(now: .now())
        work()
    }

    private func receive(_ report: SocketIOConnection.Report) {
        switch report {
        case .input(let input, let failure):
            inputFailure = failure
            session.receive(input, now: .now())
            work()
            inputFailure = nil
        case .hasRoom: work()
        case .gone: connectionIsGone()
        }
    }

    /// Closes the connection in order. Nothing follows it, unless somebody connects meanwhile.
    func close() {
        wish = .nothing
        future = .ends
        session.close(now: .now())
    }

    /// Nothing of the connection is left: another one may be made.
    private func connectionIsGone() {
        line = .down
        let isReplaced = future == .isReplaced
        future = .stays
        if isReplaced, wish != .nothing {
            // A close that was meant for the old connection must not touch the new one.
            calls.ended()
            return dial()
        }
        guard wish == .always, options.reconnection.isEnabled, !session.joined.isEmpty,
            let delay = backoff.nextDelay(now: .now(), random: random)
        else { return stopped(lastEnd) }
        note(.waiting(delay))
        let timer = loop.schedule(at: .now() + delay) { [weak self] in
            self?.assumeIsolated { client in
                guard case .waiting = client.line else { return }
                client.dial()
            }
        }
        line = .waiting(timer)
    }

    /// No attempt will follow. Tells everyone who waits for one why.
    func stopped(_ error: SocketIOError) {
        wish = .nothing
        backoff = SocketIOBackoff(options.reconnection)
        calls.endJoins(nil, .failure(error))
        calls.endEmits(error)
        session.close(now: .now())
        work()
        note(.stopped)
        calls.ended()
    }

    // MARK: The session

    /// Carries out what the session wants, and hands on what it says, until it has nothing more.
    func work() {
        // The functions below call this one again; the outer call finishes the work.
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        var isMoving = true
        while isMoving {
            isMoving = false
            while mayAct, let action = session.nextAction(now: .now()) {
                isMoving = true
                perform(action)
            }
            while let event = session.nextEvent() {
                isMoving = true
                handle(event)
            }
        }
        pauseIfFull()
        scheduleTimer()
    }

    /// A WebSocket without room takes nothing but the end.
    private var mayAct: Bool {
        guard case .up(let connection) = line, session.status != .closed else { return true }
        return connection.assumeIsolated { $0.hasRoom }
    }

    private func perform(_ action: EngineIOAction) {
        guard case .up(let connection) = line else { return }
        connection.assumeIsolated { $0.perform(action) }
    }

    private func handle(_ event: SocketIOSessionEvent) {
        switch event {
        case .opened(let handshake, let revision):
            backoff.opened(now: .now())
            if case .open(let transport, _) = session.status {
                note(.opened(transport, revision, maxPayload: handshake.maxPayload))
            }
        case .authWanted(let namespace): authenticate(namespace)
        case .connected(let namespace, _):
            if wish == .once { wish = .always }
            note(.joined(namespace: namespace))
            calls.endJoins(namespace, .success(()))
        case .ended(let namespace, let error): ended(namespace, endReasons.removeValue(forKey: namespace) ?? error)
        case .event(let event): readers.put(event)
        case .emitted(let ticket): calls.emitted(ticket)
        case .acknowledged(let ticket, let values): calls.endEmit(ticket, .success(values))
        case .failed(let ticket, let error): calls.endEmit(ticket, .failure(error))
        case .upgraded: note(.upgraded)
        case .upgradeFailed(let error): note(.upgradeFailed(known(error)))
        case .heartbeat: note(.heartbeat)
        case .ignored(let fault): tracer?.note(.ignored(fault))
        case .closed(let error):
            lastEnd = known(error)
            note(.closed(lastEnd))
        }
    }

    /// The error itself, where the session has only its words.
    private func known(_ error: SocketIOError) -> SocketIOError {
        guard case .transport = error else { return error }
        return inputFailure ?? error
    }

    private func ended(_ namespace: String, _ error: SocketIOError) {
        note(.left(namespace: namespace, error))
        calls.endJoins(namespace, .failure(error))
        // Nothing is wanted of this server any more.
        guard session.joined.isEmpty, session.status != .closed else { return }
        close()
    }

    private func note(_ change: SocketIOChange) {
        tracer?.note(.change(change))
        readers.put(change)
    }

    // MARK: Authentication

    private func authenticate(_ namespace: String) {
        guard let auth = options.auth else { return authenticate(namespace, .success(nil)) }
        Task { [weak self] in
            let result = await Self.ask(auth, namespace)
            await self?.authenticateAndWork(namespace, result)
        }
    }

    private static func ask(
        _ auth: SocketIOOptions.Auth, _ namespace: String
    ) async -> Result<SocketIOValue?, SocketIOError> {
        do { return .success(try await auth(namespace)) } catch { return .failure(.invalid("auth")) }
    }

    private func authenticateAndWork(_ namespace: String, _ result: Result<SocketIOValue?, SocketIOError>) {
        authenticate(namespace, result)
        work()
    }

    private func authenticate(_ namespace: String, _ result: Result<SocketIOValue?, SocketIOError>) {
        do throws(SocketIOError) {
            try session.authenticate(namespace, auth: try result.get(), now: .now())
        } catch {
            endReasons[namespace] = error
            session.leave(namespace)
        }
    }

    // MARK: Readers and time

    /// Somebody has taken events.
    nonisolated func readersHaveRoom() {
        loop.execute { [weak self] in self?.assumeIsolated { $0.pauseIfFull() } }
    }

    private func pauseIfFull() {
        guard case .up(let connection) = line else { return }
        let isFull = readers.areFull
        connection.assumeIsolated { $0.pause(isFull) }
    }

    /// Sets the timer for the session's next deadline; one that fires early just sets itself again.
    private func scheduleTimer() {
        guard let next = session.deadline else { return }
        if let timer, timer.fires <= next { return }
        timer?.timer.cancel()
        let scheduled = loop.schedule(at: next) { [weak self] in
            self?.assumeIsolated { client in
                client.timer = nil
                client.session.handleTimeout(now: .now())
                client.work()
            }
        }
        timer = (scheduled, next)
    }
}
