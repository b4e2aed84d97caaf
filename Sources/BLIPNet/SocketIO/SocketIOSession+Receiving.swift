// What comes from the transport: its state, and packets for the namespaces.

extension SocketIOSession {
    mutating func takeEngineEvents(now: MonotonicTime) {
        while let event = engine?.nextEvent() {
            switch event {
            case .opened(let handshake, let revision): opened(handshake, revision, now: now)
            case .message(let message): receive(message, now: now)
            case .sent(let token): sent(token)
            case .upgraded: events.append(.upgraded)
            case .upgradeFailed(let error): events.append(.upgradeFailed(error))
            case .heartbeat: events.append(.heartbeat)
            case .closed(let error): closed(error)
            }
        }
    }

    private mutating func opened(_ handshake: EngineIOHandshake, _ revision: EngineIORevision, now: MonotonicTime) {
        self.revision = revision
        assembler = SocketIOAssembler(revision: revision, limits: limits)
        incomingBytes = 0
        events.append(.opened(handshake, revision))
        for name in order { connect(name, now: now) }
    }

    private mutating func closed(_ error: SocketIOError) {
        revision = nil
        takeBackUnsent(engine?.unsent ?? [])
        if error == .closedLocally { for name in order { endQueue(of: name, error) } }
        for name in order { namespaces[name]?.disconnected() }
        events.append(.closed(error))
    }

    private mutating func receive(_ message: EngineIOPacket.Payload, now: MonotonicTime) {
        // Ignore a message that was read together with a packet that has ended the connection.
        guard revision != nil, engine?.isClosed == false else { return }
        incomingBytes += message.byteCount
        let received: SocketIOAssembler.Received
        do throws(SocketIOFault) {
            received = try assembler.receive(message, now: now)
        } catch {
            // The events of the engine are being taken: its end is one of them.
            engine?.fail(.malformed(error))
            return
        }
        switch received {
        case .incomplete: return
        case .packet(let packet): receive(packet)
        case .dropped(let fault): events.append(.ignored(fault))
        }
        incomingBytes = 0
    }

    private mutating func receive(_ packet: SocketIOPacket) {
        var packet = packet
        // Servers of protocol 4 may repeat the query of our CONNECT.
        if let query = packet.namespace.firstIndex(of: "?") { packet.namespace = String(packet.namespace[..<query]) }
        let name = packet.namespace
        guard let state = namespaces[name]?.state else { return ignoreUnasked(packet) }
        switch packet.kind {
        case .connect:
            // Some servers send it twice (trap 2).
            guard case .connecting = state else { return }
            connected(name, sid: packet.data?["sid"]?.stringValue)
        case .connectError: end(name, .namespaceRefused(packet.data ?? .null))
        case .disconnect: end(name, .closedByServer)
        case .ack: acknowledged(packet)
        case .event: receiveEvent(packet, state)
        }
    }

    /// Revision 3 connects `/` whether it is wanted or not.
    private mutating func ignoreUnasked(_ packet: SocketIOPacket) {
        if packet.namespace == "/", packet.kind == .connect, revision == .eio3 { return }
        ignore("\(packet.kind)")
    }

    private mutating func connected(_ name: String, sid: String?) {
        namespaces[name]?.state = .connected
        events.append(.connected(namespace: name, sid: sid))
        for event in namespaces[name]?.takeHeld() ?? [] { deliver(event) }
    }

    private mutating func receiveEvent(_ packet: SocketIOPacket, _ state: SocketIONamespace.State) {
        guard let values = packet.data?.arrayValue, let name = Self.name(values.first) else {
            return ignore("event without a name")
        }
        var event = SocketIOEvent(namespace: packet.namespace, name: name, arguments: Array(values.dropFirst()))
        if let id = packet.id {
            event.ackRequest = SocketIOAckRequest(namespace: packet.namespace, id: id, connection: connection)
        }
        if state == .connected { return deliver(event) }
        // An event that a server's connect handler emits may come before CONNECT (trap 6).
        let (limits, byteCount) = (limits, incomingBytes)
        let isHeld = namespaces[packet.namespace]?.hold(event, byteCount: byteCount, limits: limits) ?? false
        if !isHeld {
            let fault = SocketIOFault(.socketIO, .limit("events before their namespace", limits.maxHeldEvents))
            engine?.fail(.malformed(fault))
        }
    }

    private mutating func deliver(_ event: SocketIOEvent) {
        let limits = limits
        if let request = event.ackRequest {
            namespaces[event.namespace]?.asked(for: request.id, limits: limits)
        }
        events.append(.event(event))
    }

    private static func name(_ value: SocketIOValue?) -> String? {
        switch value {
        case .string(let name): name
        case .integer(let number): String(number)
        case .number(let number): "\(number)"
        case .digits(let digits): digits
        default: nil
        }
    }

    mutating func ignore(_ packet: String) {
        events.append(.ignored(SocketIOFault(.socketIO, .unexpectedPacket(packet))))
    }
}
