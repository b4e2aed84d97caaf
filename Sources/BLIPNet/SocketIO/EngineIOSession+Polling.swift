// Polling: one GET and one POST on their way at most (SOCKETIO B3).

extension EngineIOSession {
    /// The request that is due, if any.
    mutating func nextRequest(_ terms: EngineIOTerms) -> EngineIOAction? {
        if case .pausing = upgrade { return nil }
        let query = query("polling", terms.revision, sid: terms.handshake.sid)
        if postInFlight == nil,
            let batch = outbox.nextBatch(
                revision: terms.revision, base64: base64, maxPackets: limits.maxPacketsInPost,
                maxBytes: maxPostBytes(terms))
        {
            postInFlight = batch
            return .post(
                query: query, EngineIOPayload.encode(batch.packets, revision: terms.revision, base64: base64))
        }
        guard !getIsInFlight, isOpen else { return nil }
        getIsInFlight = true
        return .get(query: query)
    }

    mutating func got(status: Int, _ body: [UInt8], now: MonotonicTime) {
        if case .opening(var detection, let deadline) = state {
            switch detection.answered(status: status, body: body) {
            case .speaks(let revision): opened(body, revision, now: now)
            case .askAgain:
                state = .opening(detection, deadline: deadline)
                ask()
            case .failed(let error): finish(error)
            }
            return
        }
        guard let terms else { return }
        guard status == 200 else {
            return lost(.refused(status: status, code: EngineIORefusal.code(of: body)))
        }
        receive(decode(body, terms.revision), from: 0, now: now)
    }

    private func decode(_ body: [UInt8], _ revision: EngineIORevision) -> EngineIOPayload.Decoded {
        EngineIOPayload.decode(body, revision: revision, maxPackets: limits.maxPacketsInPayload)
    }

    private mutating func opened(_ body: [UInt8], _ revision: EngineIORevision, now: MonotonicTime) {
        let decoded = decode(body, revision)
        if decoded.packets.isEmpty, let fault = decoded.fault { return finish(.malformed(fault)) }
        guard let handshake = handshake(of: decoded.packets.first) else { return }
        open(handshake, revision, now: now)
        receive(decoded, from: 1, now: now)
    }

    mutating func posted(_ batch: EngineIOOutbox.Batch, status: Int, _ body: [UInt8]) {
        // The body says `ok`, `OK` or nothing, depending on the server.
        guard status == 200 else {
            return lost(.refused(status: status, code: EngineIORefusal.code(of: body)))
        }
        for token in batch.ended { events.append(.sent(token)) }
        if batch.packets.contains(where: { $0.kind == .close }) { finish(.closedLocally) }
    }
}
