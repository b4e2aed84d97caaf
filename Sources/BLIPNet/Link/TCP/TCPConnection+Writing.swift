// Outgoing bytes: from the writes in their order (through TLS) to the socket, as fast as it takes them.

extension TCPConnection {
    /// How much is encrypted before it is offered to the socket.
    private static var encryptedAtOnce: Int { 65_536 }
    /// How many bytes are written before others get their turn on the loop.
    private static var bytesPerTurn: Int { 1 << 20 }

    /// Queues a write and waits until the kernel has its bytes.
    func perform(
        _ content: WriteOperation.Content, _ deadline: MonotonicTime?, _ idle: Duration?, _ meter: ProgressMeter?
    ) async throws(NetError) {
        guard !isOutputClosing, closesAfter == nil || end != nil else { throw .closing }
        defer { meter?.finish() }
        let clock = OperationClock(deadline: deadline, idle: idle)
        let number = nextNumber()
        try await wait { (connection: isolated TCPConnection, waiter: Waiter<Void>) in
            if let failure = connection.end ?? connection.writeFailure {
                waiter.resume(returning: .failure(failure))
                return
            }
            connection.writes.append(
                WriteOperation(number: number, content: content, clock: clock, meter: meter, waiter: waiter))
            connection.turn()
        } cancel: {
            $0.cancelWrite(number)
        }
    }

    private func cancelWrite(_ number: UInt64) {
        guard let index = writes.firstIndex(where: { $0.number == number }) else { return }
        let operation = writes.remove(at: index)
        operation.finish(.failure(.cancelled))
        if operation.taken > 0 { endConnection(.closedLocally, isPolite: false) }
        turn()
    }

    // MARK: To the socket

    /// Writes as long as the socket has room.
    func serveWrites() {
        guard let socket, end == nil, writeFailure == nil else { return }
        var written = 0
        while true {
            if let tls { _ = tls.nextOutgoing(into: &output) }
            guard flush(socket) else { return }
            guard !isShakingHands else { break }
            noteSent()
            guard !writes.isEmpty else { break }
            if case .upgrade = writes[0].content { break }
            writes[0].clock.begin(now: .now())
            switch writes[0].content {
            case .upgrade: break
            case .end: endOutput(socket)
            case .bytes(let bytes) where writes[0].taken == bytes.count: writes.removeFirst().finish(.success(()))
            case .bytes(let bytes):
                guard let count = send(bytes, from: writes[0].taken, to: socket) else { return }
                written += count
                if written >= Self.bytesPerTurn {
                    continueLater()
                    return
                }
            }
        }
        readiness?.wantWrites(false)
    }

    /// Gives the next piece of a write to TLS or to the socket; `nil` when there is no room or a failure.
    private func send(_ bytes: [UInt8], from start: Int, to socket: Socket) -> Int? {
        if let tls {
            let piece = min(bytes.count - start, Self.encryptedAtOnce)
            let result = bytes.withUnsafeBytes { all in
                Result { () throws(TLSError) in
                    try tls.write(UnsafeRawBufferPointer(rebasing: all[start..<(start + piece)]), into: &output)
                }
            }
            if case .failure(let error) = result {
                tlsFailed(error)
                return nil
            }
            writes[0].taken += piece
            return piece
        }
        let outcome = bytes.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        switch outcome {
        case .bytes(let count):
            writes[0].taken += count
            return count
        case .noRoom:
            readiness?.wantWrites(true)
            return nil
        case .failed(let number):
            outputBroke(.posix(call: "write", errno: number))
            return nil
        }
    }

    /// Sends encrypted bytes that wait; `false` when not all of them went out.
    private func flush(_ socket: Socket) -> Bool {
        while !output.isEmpty {
            switch output.withUnsafeBytes({ socket.write($0) }) {
            case .bytes(let count): output.consume(count)
            case .noRoom:
                readiness?.wantWrites(true)
                return false
            case .failed(let number):
                outputBroke(.posix(call: "write", errno: number))
                return false
            }
        }
        return true
    }

    /// Nothing waits any more: the kernel has all that was taken of the write whose turn it is.
    private func noteSent() {
        guard !writes.isEmpty, writes[0].sent < writes[0].taken else { return }
        writes[0].sent = writes[0].taken
        writes[0].clock.moved(now: .now())
        let progress = TransferProgress(bytesDone: writes[0].sent, total: writes[0].byteCount)
        writes[0].meter?.report(progress, on: loop)
    }

    /// Ends our direction.
    private func endOutput(_ socket: Socket) {
        if let tls {
            tls.closeNotify()
            if tls.nextOutgoing(into: &output), !flush(socket) {
                // The rest goes out with the next turn, and this again.
                return
            }
        }
        socket.shutdownWrites()
        hasHalfClosed = true
        writes.removeFirst().finish(.success(()))
        if isInputEnded { endConnection(.closedByPeer, isPolite: false) }
    }

    /// The peer takes nothing more. The bytes that it sent before can still be read; the end comes from the reads.
    private func outputBroke(_ error: NetError) {
        writeFailure = error
        output = ByteQueue()
        readiness?.wantWrites(false)
        let failed = writes
        writes = []
        for operation in failed { operation.finish(.failure(error)) }
        if isInputEnded || isShakingHands { endConnection(error, isPolite: false) }
    }

    private func continueLater() {
        guard !isTurnScheduled else { return }
        isTurnScheduled = true
        readiness?.wantWrites(false)
        loop.execute { [weak self] in
            self?.assumeIsolated { connection in
                connection.isTurnScheduled = false
                connection.turn()
            }
        }
    }
}
