// How a connection ends, and what becomes of those who wait.

extension TCPConnection {
    /// Ends the connection for `reason`; the first reason counts. All callers that wait get the reason; where it was
    /// not us who ended it, readers first get the bytes that had arrived. `isPolite`: the bytes that the kernel has are
    /// still delivered, and TLS says goodbye.
    func endConnection(_ reason: NetError, isPolite: Bool) {
        guard end == nil else {
            // Closed by the peer before: nobody wants the bytes that it has left any more.
            if reason == .closedLocally { forgetInput() }
            return
        }
        end = reason
        connector?.assumeIsolated { $0.cancel() }
        connector = nil
        readiness?.cancel()
        readiness = nil
        timer?.timer.cancel()
        timer = nil
        if let socket, isPolite { sayGoodbye(on: socket) }
        socket = nil
        output = ByteQueue()
        let (writes, upgrades) = (writes, upgrades)
        self.writes = []
        self.upgrades = []
        for operation in writes { operation.finish(.failure(reason)) }
        for upgrade in upgrades { upgrade.waiter.resume(returning: .failure(reason)) }
        switch reason {
        case .closedByPeer, .posix, .tls: serveReads()
        default: forgetInput()
        }
        tls = nil
        tellWaiters()
    }

    private func forgetInput() {
        input = ByteQueue()
        isInputEnded = false
        serveReads()
    }

    private func sayGoodbye(on socket: Socket) {
        if let tls, tls.isEstablished {
            // After a write that was cut off, a goodbye would be a lie.
            if writes.first.map({ $0.taken == 0 }) ?? true { tls.closeNotify() }
            _ = tls.nextOutgoing(into: &output)
        }
        SocketFarewell.say(on: socket, remaining: output, loop: loop)
    }

    /// Closes if that was to happen after what is done now.
    func closeIfDue() {
        guard let closesAfter, end == nil else { return }
        let isDone =
            switch closesAfter {
            case .reads: reads.isEmpty
            case .writes: writes.isEmpty
            case .both: reads.isEmpty && writes.isEmpty
            }
        if isDone { endConnection(.closedLocally, isPolite: true) }
    }

    // MARK: Time

    /// Fails what is over, and says when to look again.
    func expire(now: MonotonicTime) {
        var position = 0
        while position < reads.count {
            guard let due = reads[position].clock.due, due <= now else {
                position += 1
                continue
            }
            let operation = reads.remove(at: position)
            let bytesDone = position == 0 ? operation.bytesDone(of: input) : 0
            operation.finish(
                .failure(.readTimedOut(elapsed: now - operation.clock.startedAt, bytesDone: bytesDone)))
        }
        expireWrites(now: now)
        for upgrade in upgrades {
            guard let due = upgrade.clock.due, due <= now else { continue }
            let error = NetError.handshakeTimedOut(elapsed: now - upgrade.clock.startedAt)
            abandonUpgrade(upgrade.number, error, end: error)
        }
    }

    private func expireWrites(now: MonotonicTime) {
        var position = 0
        while position < writes.count {
            guard let due = writes[position].clock.due, due <= now else {
                position += 1
                continue
            }
            let operation = writes.remove(at: position)
            let error = NetError.writeTimedOut(elapsed: now - operation.clock.startedAt, bytesDone: operation.sent)
            operation.finish(.failure(error))
            if operation.taken > 0 { endConnection(error, isPolite: false) }
        }
    }

    /// When something will be over.
    var nextDeadline: MonotonicTime? {
        var next: MonotonicTime?
        for due in [
            reads.compactMap(\.clock.due).min(), writes.compactMap(\.clock.due).min(),
            upgrades.compactMap(\.clock.due).min(),
        ] {
            guard let due else { continue }
            next = next.map { min($0, due) } ?? due
        }
        return next
    }
}
