// The beginning of a session, its packets, and its end.

extension EngineIOSession {
    /// Sends the first request for the revision that the detection asks for.
    mutating func ask() {
        guard case .opening(let detection, _) = state else { return }
        if usesWebSocket {
            actions.append(.openWebSocket(query: query("websocket", detection.asking, sid: nil)))
        } else {
            getIsInFlight = true
            actions.append(.get(query: query("polling", detection.asking, sid: nil)))
        }
    }

    func query(_ transport: String, _ revision: EngineIORevision, sid: String?) -> [EngineIOQueryItem] {
        var items = [EngineIOQueryItem("EIO", String(revision.rawValue)), EngineIOQueryItem("transport", transport)]
        if base64, revision == .eio3, transport == "polling" { items.append(EngineIOQueryItem("b64", "1")) }
        if let sid { items.append(EngineIOQueryItem("sid", sid)) }
        return items
    }

    /// The server's first packet is here: events follow, and the upgrade begins where it may.
    mutating func open(_ handshake: EngineIOHandshake, _ revision: EngineIORevision, now: MonotonicTime) {
        let heartbeat = EngineIOHeartbeat(handshake, revision: revision, now: now)
        state = .open(EngineIOTerms(handshake: handshake, revision: revision, heartbeat: heartbeat))
        events.append(.opened(handshake, revision))
        guard transports == .upgrade, handshake.offersWebSocket else { return }
        upgrade = .opening(deadline: now + limits.upgradeTimeout)
        actions.append(.openWebSocket(query: query("websocket", revision, sid: handshake.sid)))
    }

    /// Reads the open packet; ends the session when the first packet is another one, or says nonsense.
    mutating func handshake(of packet: EngineIOPacket?) -> EngineIOHandshake? {
        do throws(SocketIOFault) {
            guard let packet else { throw SocketIOFault(.engineIO, .empty) }
            guard packet.kind == .open else {
                throw SocketIOFault(.engineIO, .unexpectedPacket("\(packet.kind)"))
            }
            return try EngineIOHandshake(packet)
        } catch {
            finish(.malformed(error))
            return nil
        }
    }

    /// Takes the packets of one answer, in order.
    mutating func receive(_ decoded: EngineIOPayload.Decoded, from first: Int, now: MonotonicTime) {
        for (index, packet) in decoded.packets.enumerated().dropFirst(first) {
            guard !isClosed else { return }
            receive(packet, at: index, now: now)
        }
        if let fault = decoded.fault { lost(.malformed(fault)) }
    }

    mutating func receive(_ packet: EngineIOPacket, at index: Int, now: MonotonicTime) {
        if case .open(var terms) = state {
            terms.heartbeat.received(now: now)
            state = .open(terms)
        }
        let limit = packet.isBinary ? limits.maxAttachmentBytes : limits.maxPacketBytes
        if packet.payload.byteCount > limit {
            return lost(.malformed(SocketIOFault(.engineIO, .limit("bytes in one packet", limit), packet: index)))
        }
        switch packet.kind {
        case .message: events.append(.message(packet.payload))
        case .ping:
            // A longer message cannot be a probe, so we do not copy it.
            outbox.answerPing(packet.payload.byteCount <= 125 ? packet.text : "")
            events.append(.heartbeat)
        case .pong: events.append(.heartbeat)
        case .noop: break
        case .close: lost(.closedByServer)
        case .open, .upgrade:
            let fault = SocketIOFault(.engineIO, .unexpectedPacket("\(packet.kind)"), packet: index)
            lost(.malformed(fault))
        }
    }

    /// The session is over for `error`, or because we were closing anyway.
    mutating func lost(_ error: SocketIOError) {
        if case .closing = state { return finish(.closedLocally) }
        finish(error)
    }

    /// The end.
    mutating func finish(_ error: SocketIOError) {
        guard !isClosed else { return }
        state = .closed
        upgrade = .none
        getIsInFlight = false
        postInFlight = nil
        unsent = outbox.untouched
        outbox.removeAll()
        // Messages of a WebSocket that are on their way have been reported as sent.
        let hasMessages = usesWebSocket
        actions.removeAll { action in
            if hasMessages, case .sendWebSocket = action { false } else { true }
        }
        actions.append(.end)
        events.append(.closed(error))
    }
}
