// Incoming bytes: from the socket (and TLS) into the input queue, from there to the reads in their order.

extension TCPConnection {
    /// How much is read with one system call.
    private static var readSize: Int { 65_536 }
    /// How many bytes are read before others get their turn on the loop.
    private static var bytesPerTurn: Int { 1 << 20 }

    /// Queues a read and waits for its bytes.
    func perform(
        _ goal: ReadOperation.Goal, _ deadline: MonotonicTime?, _ idle: Duration?, _ meter: ProgressMeter?
    ) async throws(NetError) -> [UInt8] {
        guard closesAfter == nil || end != nil else { throw .closing }
        defer { meter?.finish() }
        let clock = OperationClock(deadline: deadline, idle: idle)
        let number = nextNumber()
        return try await wait { connection, waiter in
            connection.reads.append(
                ReadOperation(number: number, goal: goal, clock: clock, meter: meter, waiter: waiter))
            connection.turn()
        } cancel: {
            $0.cancelRead(number)
        }
    }

    private func cancelRead(_ number: UInt64) {
        guard let index = reads.firstIndex(where: { $0.number == number }) else { return }
        reads.remove(at: index).finish(.failure(.cancelled))
        turn()
    }

    // MARK: From the socket

    /// Whether more is to be taken from the kernel: for the read whose turn it is, for a handshake, and a little ahead.
    var wantsInput: Bool {
        guard socket != nil, end == nil, !isTransportEnded else { return false }
        if isShakingHands { return tls?.trustQuestion == nil }
        return input.count + (tls?.bufferedInput ?? 0) < max(options.readAhead, reads.first?.need ?? 0)
    }

    /// The socket has bytes, or its end.
    func readable() {
        var total = 0
        reading: while total < Self.bytesPerTurn, wantsInput, let socket {
            let outcome = withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
                let outcome = socket.read(into: buffer)
                if case .bytes(let count) = outcome { receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                return outcome
            }
            switch outcome {
            case .bytes(let count):
                total += count
                turn()
                if count < Self.readSize { break reading }
            case .nothingYet: break reading
            case .end:
                isTransportEnded = true
                transportEnded()
            case .failed(let number): endConnection(.posix(call: "read", errno: number), isPolite: false)
            }
        }
        turn()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let tls else {
            input.append(bytes)
            return
        }
        do throws(TLSError) { try tls.receive(bytes) } catch { tlsFailed(error) }
    }

    /// The peer sends nothing more. With TLS it must have said so itself: else somebody may have cut the stream.
    private func transportEnded() {
        if let tls {
            do throws(TLSError) {
                while try tls.read(into: &input, max: Self.readSize) > 0 {}
                try tls.receiveEnd()
            } catch {
                tlsFailed(error)
                return
            }
        }
        inputEnded()
    }

    private func inputEnded() {
        guard !isInputEnded else { return }
        isInputEnded = true
        if hasHalfClosed {
            endConnection(.closedByPeer, isPolite: false)
        } else if !options.allowHalfClose {
            endConnection(.closedByPeer, isPolite: true)
        }
    }

    /// Decrypts until there is enough for a read.
    private func decrypt(upTo need: Int) {
        guard let tls, tls.isEstablished, !isInputEnded, input.count < need else { return }
        do throws(TLSError) {
            _ = try tls.read(into: &input, max: need - input.count)
            if tls.receivedCloseNotify { inputEnded() }
        } catch {
            tlsFailed(error)
        }
    }

    // MARK: To the readers

    /// Gives the reads what has arrived, in their order; then, at the end, why there is no more.
    func serveReads() {
        while !reads.isEmpty {
            if case .upgrade = reads[0].goal {
                guard let end else { return }
                reads.removeFirst().finish(.failure(end))
                continue
            }
            if socket != nil { reads[0].clock.begin(now: .now()) }
            if !isShakingHands { decrypt(upTo: reads[0].need) }
            // A message of TLS may have ended everything.
            guard !reads.isEmpty else { return }
            let (outcome, hasMoved) = reads[0].examine(input)
            if hasMoved { noteReadProgress() }
            switch outcome {
            case .complete(let count): reads.removeFirst().finish(.success(input.take(count)))
            case .delimiterMissing(let max):
                reads.removeFirst().finish(.failure(.delimiterNotFound(max: max)))
                endConnection(.delimiterNotFound(max: max), isPolite: true)
            case .incomplete:
                guard let failure = readFailure(for: reads[0].goal) else { return }
                reads.removeFirst().finish(failure)
            }
        }
    }

    private func noteReadProgress() {
        reads[0].clock.moved(now: .now())
        guard let meter = reads[0].meter else { return }
        let total: Int? = if case .exactly(let count) = reads[0].goal { count } else { nil }
        meter.report(TransferProgress(bytesDone: reads[0].bytesDone(of: input), total: total), on: loop)
    }

    /// Why an incomplete read will never be complete; `nil` while it may.
    private func readFailure(for goal: ReadOperation.Goal) -> Result<[UInt8], NetError>? {
        if isInputEnded {
            if case .some = goal { return .success([]) }
            return .failure(.closedByPeer)
        }
        return end.map { .failure($0) }
    }
}
