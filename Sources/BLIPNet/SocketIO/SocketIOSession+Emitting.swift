// Emits: queued within limits, in order, with an acknowledgement where one is wanted (SOCKETIO B7 to B9).

extension SocketIOSession {
    /// Queues an event; the ticket names it in `emitted`, `acknowledged` and `failed`. It goes out when its namespace, which
    /// must be joined, is connected. With `ackTimeout` it wants an acknowledgement within that time from now.
    package mutating func emit(
        _ name: String, _ arguments: [SocketIOValue] = [], namespace: String = "/", ackTimeout: Duration? = nil,
        now: MonotonicTime
    ) throws(SocketIOError) -> UInt64 {
        guard namespaces[namespace] != nil else { throw .notConnected }
        guard !SocketIOPacketReader.reservedNames.contains(name) else { throw .invalid("name") }
        guard queuedCount < limits.maxQueuedEmits else {
            throw .limitExceeded("emits that wait", limits.maxQueuedEmits)
        }
        guard ackTimeout == nil || ackDeadlines.count < limits.maxPendingAcks else {
            throw .limitExceeded("acknowledgements", limits.maxPendingAcks)
        }
        let ticket = lastTicket + 1
        let packet = SocketIOPacket(
            .event, namespace: namespace, id: ackTimeout == nil ? nil : ticket,
            data: .array([.string(name)] + arguments))
        let group = try packet.encoded(limits: limits)
        if let engine, engine.isOpen, !engine.fits(group) {
            throw .limitExceeded("bytes in one packet", engine.maxPacketBytes)
        }
        let emit = SocketIONamespace.Emit(ticket: ticket, group: group, wantsAck: ackTimeout != nil)
        let byteCount = emit.byteCount
        guard queuedBytes + byteCount <= limits.maxQueuedBytes else {
            throw .limitExceeded("bytes that wait", limits.maxQueuedBytes)
        }
        lastTicket = ticket
        queuedCount += 1
        queuedBytes += byteCount
        namespaces[namespace]?.queue.append(emit)
        if let ackTimeout {
            let deadline = now + ackTimeout
            ackDeadlines[ticket] = deadline
            earliestAck = MonotonicTime.earlier(earliestAck, deadline)
        }
        return ticket
    }

    /// Answers an event that asks for an acknowledgement, once. Throws `notConnected` when the server does not wait for it
    /// any more: it was given, or the connection is over.
    package mutating func acknowledge(
        _ request: SocketIOAckRequest, _ arguments: [SocketIOValue]
    ) throws(SocketIOError) {
        guard request.connection == connection, isConnected(request.namespace) else { throw .notConnected }
        let packet = SocketIOPacket(.ack, namespace: request.namespace, id: request.id, data: .array(arguments))
        let group = try packet.encoded(limits: limits)
        guard namespaces[request.namespace]?.answered(request.id) == true, engine != nil else { throw .notConnected }
        try engine?.send(group)
    }

    /// Hands emits to the transport while it has room, one of each connected namespace in turn.
    mutating func pump() {
        guard queuedCount > 0, var engine = self.engine else { return }
        self.engine = nil
        defer { self.engine = engine }
        var isMoving = true
        while isMoving {
            isMoving = false
            for name in order where namespaces[name]?.isConnected == true && engine.wantsMore {
                guard let emit = namespaces[name]?.queue.popFirst() else { continue }
                isMoving = true
                unqueue(emit)
                do throws(SocketIOError) {
                    try engine.send(emit.group, token: emit.ticket)
                    handed[emit.ticket] = Handed(namespace: name, unsent: emit, wantsAck: emit.wantsAck)
                } catch {
                    failTicket(emit.ticket, error)
                }
            }
        }
    }

    /// The transport has taken the emit; it ends here unless it wants an acknowledgement.
    mutating func sent(_ ticket: UInt64) {
        guard let emit = handed[ticket], emit.unsent != nil else { return }
        if emit.wantsAck { handed[ticket]?.unsent = nil } else { handed[ticket] = nil }
        events.append(.emitted(ticket))
    }

    mutating func acknowledged(_ packet: SocketIOPacket) {
        guard let id = packet.id, let emit = handed[id], emit.wantsAck, emit.namespace == packet.namespace else {
            return ignore("acknowledgement")
        }
        // The answer to a POST may come after the acknowledgement of what is in it.
        sent(id)
        handed[id] = nil
        ackDeadlines[id] = nil
        events.append(.acknowledged(id, packet.data?.arrayValue ?? []))
    }

    mutating func failTicket(_ ticket: UInt64, _ error: SocketIOError) {
        handed[ticket] = nil
        ackDeadlines[ticket] = nil
        events.append(.failed(ticket, error))
    }

    mutating func unqueue(_ emit: SocketIONamespace.Emit) {
        queuedCount -= 1
        queuedBytes -= emit.byteCount
    }

    /// Gives up what waits in a namespace.
    mutating func endQueue(of name: String, _ error: SocketIOError) {
        while let emit = namespaces[name]?.queue.popFirst() {
            unqueue(emit)
            failTicket(emit.ticket, error)
        }
    }

    mutating func failLateAcks(now: MonotonicTime) {
        guard let earliestAck, now >= earliestAck else { return }
        let late = Set(ackDeadlines.filter { now >= $0.value }.keys)
        // One that waits is not sent any more.
        for name in order where !late.isEmpty {
            var kept = FIFO<SocketIONamespace.Emit>()
            while let emit = namespaces[name]?.queue.popFirst() {
                if late.contains(emit.ticket) { unqueue(emit) } else { kept.append(emit) }
            }
            namespaces[name]?.queue = kept
        }
        for ticket in late.sorted() { failTicket(ticket, .timedOut("ack")) }
        self.earliestAck = ackDeadlines.values.min()
    }

    /// The connection is over: what no transport has sent goes back to its place in the queue, the rest has failed.
    mutating func takeBackUnsent(_ unsent: [UInt64]) {
        for ticket in unsent.reversed() {
            guard let entry = handed.removeValue(forKey: ticket), let emit = entry.unsent else { continue }
            namespaces[entry.namespace]?.queue.insert(emit, at: 0)
            queuedCount += 1
            queuedBytes += emit.byteCount
        }
        for ticket in handed.keys.sorted() { failTicket(ticket, .connectionLost(mayHaveArrived: true)) }
    }
}
