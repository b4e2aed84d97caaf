// The WebSocket: alone from the beginning, or after polling (SOCKETIO B4, B5; "Bytes", upgrade).
//
// Nothing is lost or doubled by an upgrade: packets go by polling until no request is on its way, wait while the last
// one is, and go by the WebSocket after our upgrade packet. Up to that packet every failure leaves polling as it was.

extension EngineIOSession {
    private static let probe = "probe"

    /// The message that is due, if any.
    mutating func nextMessage(_ terms: EngineIOTerms) -> EngineIOAction? {
        guard let (packet, ended) = outbox.next() else { return nil }
        if let ended { events.append(.sent(ended)) }
        let message = packet.webSocketMessage(revision: terms.revision)
        let action = EngineIOAction.sendWebSocket(message.kind, message.bytes)
        guard packet.kind == .close else { return action }
        finish(.closedLocally)
        return action
    }

    mutating func webSocketOpened() {
        guard case .opening(let deadline) = upgrade, let terms else { return }
        upgrade = .probing(deadline: deadline)
        send(EngineIOPacket(.ping, Self.probe), terms)
    }

    /// A packet of the upgrade itself, ahead of everything that waits.
    private mutating func send(_ packet: EngineIOPacket, _ terms: EngineIOTerms) {
        let message = packet.webSocketMessage(revision: terms.revision)
        actions.append(.sendWebSocket(message.kind, message.bytes))
    }

    mutating func webSocketRefused(status: Int, _ body: [UInt8]) {
        guard usesWebSocket else {
            return failUpgrade(.refused(status: status, code: EngineIORefusal.code(of: body)))
        }
        guard case .opening(var detection, let deadline) = state else { return }
        switch detection.refused(status: status, body: body) {
        case .askAgain:
            state = .opening(detection, deadline: deadline)
            ask()
        case .failed(let error): finish(error)
        case .speaks: break
        }
    }

    mutating func webSocketClosed(_ reason: String) {
        if usesWebSocket { lost(.transport(reason)) } else { failUpgrade(.transport(reason)) }
    }

    mutating func webSocketMessage(_ kind: WebSocketMessageKind, _ bytes: [UInt8], now: MonotonicTime) {
        guard usesWebSocket else { return probeAnswered(kind, bytes) }
        do throws(SocketIOFault) {
            switch state {
            case .opening(let detection, _):
                let packet = try EngineIOPacket(webSocket: kind, bytes, revision: detection.asking)
                opened(packet, detection, now: now)
            case .undecided(let handshake, _):
                // Only revision 3 says something before we do; what revision 4 may send is a ping.
                let packet = try EngineIOPacket(webSocket: kind, bytes, revision: .eio3)
                open(handshake, packet.kind == .message ? .eio3 : .eio4, now: now)
                receive(packet, at: 0, now: now)
            case .open(let terms), .closing(let terms, _):
                receive(try EngineIOPacket(webSocket: kind, bytes, revision: terms.revision), at: 0, now: now)
            case .closed: break
            }
        } catch {
            lost(.malformed(error))
        }
    }

    /// Both revisions open alike on a WebSocket. We tell them apart by the number that we asked for, where the server
    /// has to respect it, and by the field that only newer servers send.
    private mutating func opened(_ packet: EngineIOPacket, _ detection: EngineIODetection, now: MonotonicTime) {
        guard let handshake = handshake(of: packet) else { return }
        if detection.isCertain || handshake.maxPayload != nil {
            open(handshake, detection.asking, now: now)
        } else {
            state = .undecided(handshake, deadline: now + limits.revisionTimeout)
        }
    }

    // MARK: Upgrade

    private mutating func probeAnswered(_ kind: WebSocketMessageKind, _ bytes: [UInt8]) {
        guard case .probing(let deadline) = upgrade, let terms else { return }
        do throws(SocketIOFault) {
            let packet = try EngineIOPacket(webSocket: kind, bytes, revision: terms.revision)
            guard packet == EngineIOPacket(.pong, Self.probe) else {
                throw SocketIOFault(.engineIO, .unexpectedPacket("probe answer"))
            }
            upgrade = .pausing(deadline: deadline)
        } catch {
            failUpgrade(.malformed(error))
        }
    }

    /// The server ends the pending GET with a noop; when no request is on its way, the session moves.
    mutating func finishUpgradeWhenPaused() {
        guard case .pausing = upgrade, !getIsInFlight, postInFlight == nil, let terms else { return }
        upgrade = .none
        usesWebSocket = true
        send(EngineIOPacket(.upgrade), terms)
        events.append(.upgraded)
    }

    mutating func failUpgrade(_ error: SocketIOError) {
        guard upgrade != .none else { return }
        giveUpUpgrade()
        events.append(.upgradeFailed(error))
    }

    /// Returns to polling alone. The actions that the upgrade has queued for the WebSocket are dropped with it.
    mutating func giveUpUpgrade() {
        guard upgrade != .none else { return }
        upgrade = .none
        actions.removeAll { action in
            switch action {
            case .openWebSocket, .sendWebSocket: true
            default: false
            }
        }
        actions.append(.closeWebSocket)
    }
}
