// TLS in mid stream: a handshake that waits for all reads and writes before it, then holds up all later ones.

extension TCPConnection {
    /// Starts TLS after the reads and writes that wait now; later ones are encrypted. Bytes that have arrived by then
    /// and were not read belong to the handshake: plain bytes that somebody has put there end it (RFC 3207 section 6).
    ///
    /// A failure closes the connection. `host` of `connect` is the name of the server unless `configuration` has one.
    public func upgradeToTLS(
        _ configuration: TLSConfiguration, role: TLSRole = .client, deadline: MonotonicTime? = nil
    ) async throws(NetError) {
        guard !isOutputClosing, closesAfter == nil || end != nil else { throw .closing }
        let clock = OperationClock(deadline: deadline, idle: nil)
        let number = nextNumber()
        try await wait { (connection: isolated TCPConnection, waiter: Waiter<Void>) in
            if let failure = connection.end ?? connection.writeFailure {
                waiter.resume(returning: .failure(failure))
                return
            }
            connection.upgrades.append(
                TLSUpgrade(number: number, configuration: configuration, role: role, clock: clock, waiter: waiter))
            // Its own limit is the only one that counts.
            let unlimited = OperationClock(deadline: nil, idle: nil)
            connection.reads.append(ReadOperation(number: number, goal: .upgrade(number), clock: unlimited))
            connection.writes.append(WriteOperation(number: number, content: .upgrade(number), clock: unlimited))
            connection.turn()
        } cancel: {
            $0.abandonUpgrade(number, .cancelled, end: .closedLocally)
        }
    }

    var isShakingHands: Bool { upgrades.first?.isRunning == true }

    /// Continues the handshake whose turn it is; `true` when one is over and others may continue.
    func stepUpgrade() -> Bool {
        guard let upgrade = upgrades.first, socket != nil, end == nil, writeFailure == nil else { return false }
        if !upgrade.isRunning {
            guard reads.first?.goal == .upgrade(upgrade.number), case .upgrade(upgrade.number)? = writes.first?.content,
                output.isEmpty
            else { return false }
            guard begin(upgrade) else { return true }
        }
        return continueHandshake()
    }

    /// `false` when the upgrade is over already.
    private func begin(_ upgrade: TLSUpgrade) -> Bool {
        guard tls == nil else {
            finishUpgrade(.failure(.badConfiguration(reason: "the connection is encrypted already")))
            return false
        }
        upgrades[0].isRunning = true
        let early = input.takeAll()
        do throws(TLSError) {
            let session = try TLSSession(role: upgrade.role, configuration: upgrade.configuration, host: callee?.host)
            tls = session
            let taken = early.withUnsafeBytes { bytes in Result { () throws(TLSError) in try session.receive(bytes) } }
            try taken.get()
        } catch {
            tlsFailed(error)
        }
        return true
    }

    private func continueHandshake() -> Bool {
        guard let tls, !upgrades.isEmpty, end == nil else { return false }
        serveWrites()
        guard end == nil else { return false }
        if let question = tls.trustQuestion { ask(question) }
        guard tls.isEstablished else { return false }
        info?.tls = tls.details
        finishUpgrade(.success(()))
        return true
    }

    private func finishUpgrade(_ result: Result<Void, NetError>) {
        let upgrade = upgrades.removeFirst()
        reads.removeFirst()
        writes.removeFirst()
        upgrade.waiter.resume(returning: result)
    }

    // MARK: Trust

    /// Passes the question on; the answer may come at any time, from anywhere.
    private func ask(_ question: CertificateChain) {
        guard !upgrades[0].hasAsked, case .custom(let decide) = upgrades[0].configuration.trust else { return }
        upgrades[0].hasAsked = true
        let number = upgrades[0].number
        Task.detached { [weak self] in
            let isTrusted = await decide(question)
            await self?.answer(isTrusted, to: number)
        }
    }

    private func answer(_ isTrusted: Bool, to number: UInt64) {
        guard let tls, end == nil, upgrades.first?.number == number else { return }
        do throws(TLSError) { try tls.answerTrust(isTrusted) } catch { tlsFailed(error) }
        turn()
    }

    // MARK: The end

    /// TLS is broken: the peer gets the alert, if there is one.
    func tlsFailed(_ error: TLSError) {
        if let tls, let socket, tls.nextOutgoing(into: &output) {
            _ = output.withUnsafeBytes { socket.write($0) }
        }
        output = ByteQueue()
        endConnection(NetError(error), isPolite: false)
    }

    /// Somebody does not want to wait any longer. A handshake that has begun cannot be undone.
    func abandonUpgrade(_ number: UInt64, _ reason: NetError, end: NetError) {
        guard let index = upgrades.firstIndex(where: { $0.number == number }) else { return }
        let upgrade = upgrades.remove(at: index)
        reads.removeAll { $0.number == number }
        writes.removeAll { $0.number == number }
        upgrade.waiter.resume(returning: .failure(reason))
        if upgrade.isRunning { endConnection(end, isPolite: false) }
        turn()
    }
}
