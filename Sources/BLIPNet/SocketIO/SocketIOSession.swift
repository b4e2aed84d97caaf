// Socket.IO as a client, as a value without I/O: namespaces, events and acknowledgements over one connection after the
// other. Below it is `EngineIOSession`; a driver carries out its actions and decides when to connect again.

/// The state machine of a client. It outlives its connections: namespaces that were joined, and emits that no transport
/// has taken, are kept for the next one. An emit that was handed to a transport is not sent again, so that nothing
/// comes twice.
///
/// Drive it like `EngineIOSession`: after every call take actions, then events, each until there is none.
package struct SocketIOSession: Sendable {
    /// How to connect.
    package struct Options: Sendable, Equatable {
        package var transports = EngineIOTransports.upgrade
        /// `nil` finds out by asking (trap 1).
        package var revision: EngineIORevision?
        /// Revision 3: Base64 instead of the binary framing of polling.
        package var base64 = false
        package var limits = SocketIOLimits()

        package init() {}
    }

    /// An emit that a transport has taken.
    struct Handed: Sendable {
        let namespace: String
        /// `nil` once it is with the server, or on the WebSocket.
        var unsent: SocketIONamespace.Emit?
        let wantsAck: Bool
    }

    let options: Options
    var engine: EngineIOSession?
    var assembler = SocketIOAssembler(revision: .eio4)
    /// Set while the transport is connected.
    var revision: EngineIORevision?
    /// Connections so far.
    var connection: UInt64 = 0
    var namespaces: [String: SocketIONamespace] = [:]
    /// The order in which they were joined.
    var order: [String] = []
    var lastTicket: UInt64 = 0
    var queuedCount = 0
    var queuedBytes = 0
    /// Emits that a transport has taken and that are not at their end, by ticket.
    var handed: [UInt64: Handed] = [:]
    /// When emits that want an acknowledgement stop waiting for it, by ticket.
    var ackDeadlines: [UInt64: MonotonicTime] = [:]
    /// No deadline is earlier than this.
    var earliestAck: MonotonicTime?
    /// Bytes of the packet that is coming in.
    var incomingBytes = 0
    var events = FIFO<SocketIOSessionEvent>()
    /// Of connections before this one.
    var actions = FIFO<EngineIOAction>()

    var limits: SocketIOLimits { options.limits }

    package init(options: Options = Options()) { self.options = options }

    // MARK: Connection

    package var status: SocketIOStatus {
        guard let engine, !engine.isClosed else { return .closed }
        guard let revision else { return .opening }
        return .open(engine.usesWebSocket ? .webSocket : .polling, revision)
    }

    /// Begins a connection. Does nothing while there is one.
    package mutating func open(now: MonotonicTime) {
        guard engine?.isClosed ?? true else { return }
        // Actions that the driver has not taken yet, the end of the last connection among them.
        while let action = engine?.nextAction() { actions.append(action) }
        connection += 1
        engine = EngineIOSession(
            transports: options.transports, revision: options.revision, base64: options.base64, limits: limits,
            now: now)
    }

    /// Closes the connection in order, and abandons the emits that wait: their tickets fail.
    package mutating func close(now: MonotonicTime) {
        for name in order { endQueue(of: name, .closedLocally) }
        engine?.close(now: now)
        takeEngineEvents(now: now)
    }

    package mutating func receive(_ input: EngineIOInput, now: MonotonicTime) {
        engine?.receive(input, now: now)
        takeEngineEvents(now: now)
    }

    package mutating func nextAction(now: MonotonicTime) -> EngineIOAction? {
        if let action = actions.popFirst() { return action }
        pump()
        let action = engine?.nextAction()
        // A message that is handed to a WebSocket is sent.
        takeEngineEvents(now: now)
        return action
    }

    package mutating func nextEvent() -> SocketIOSessionEvent? { events.popFirst() }

    /// When `handleTimeout` is to be called.
    package var deadline: MonotonicTime? {
        var deadline = MonotonicTime.earlier(engine?.deadline, earliestAck)
        guard revision != nil else { return deadline }
        deadline = MonotonicTime.earlier(deadline, assembler.deadline)
        for namespace in namespaces.values {
            if case .connecting(let connect) = namespace.state { deadline = MonotonicTime.earlier(deadline, connect) }
        }
        return deadline
    }

    package mutating func handleTimeout(now: MonotonicTime) {
        engine?.handleTimeout(now: now)
        takeEngineEvents(now: now)
        if revision != nil {
            do throws(SocketIOFault) {
                try assembler.handleTimeout(now: now)
            } catch {
                fail(.malformed(error), now: now)
            }
        }
        for name in order {
            guard case .connecting(let deadline)? = namespaces[name]?.state, now >= deadline else { continue }
            send(SocketIOPacket(.disconnect, namespace: name))
            end(name, .timedOut("connect"))
        }
        failLateAcks(now: now)
    }

    /// The server has done what it must not do.
    mutating func fail(_ error: SocketIOError, now: MonotonicTime) {
        engine?.fail(error)
        takeEngineEvents(now: now)
    }

    // MARK: Namespaces

    /// Names the namespaces that are wanted, in the order in which they were joined.
    package var joined: [String] { order }

    package func isConnected(_ namespace: String) -> Bool { namespaces[namespace]?.isConnected ?? false }

    /// Wants a namespace (`/` or `/name`), on this connection and on those that follow, until `ended` or `leave`.
    /// Does nothing when it is wanted already.
    package mutating func join(_ namespace: String, now: MonotonicTime) throws(SocketIOError) {
        guard namespace.utf8.first == UInt8(ascii: "/"), namespace.utf8.count <= 256,
            !namespace.unicodeScalars.contains(where: { $0 == "," || $0 == "?" || $0.value < 0x20 || $0.value == 0x7F })
        else { throw .invalid("namespace") }
        guard namespaces[namespace] == nil else { return }
        guard order.count < limits.maxNamespaces else { throw .limitExceeded("namespaces", limits.maxNamespaces) }
        namespaces[namespace] = SocketIONamespace()
        order.append(namespace)
        connect(namespace, now: now)
    }

    /// Answers `authWanted`: sends CONNECT with `auth`, an object or nothing. Protocol 4 has no place for it but the query
    /// of the namespace, where its strings, numbers and truth values go.
    package mutating func authenticate(
        _ namespace: String, auth: SocketIOValue?, now: MonotonicTime
    ) throws(SocketIOError) {
        guard namespaces[namespace]?.state == .authenticating, let revision else { return }
        var packet = SocketIOPacket(.connect, namespace: namespace)
        if let auth {
            guard case .object(let members) = auth, !auth.hasBytes else { throw .invalid("auth") }
            if revision == .eio4 { packet.data = auth } else { packet.namespace += Self.query(members) }
        }
        let group = try packet.encoded(limits: limits)
        try engine?.send(group)
        let deadline = now + limits.connectTimeout
        namespaces[namespace]?.state = .connecting(deadline: deadline)
    }

    private static func query(_ members: [SocketIOValue.Member]) -> String {
        var query = ""
        for member in members {
            let text: String
            switch member.value {
            case .string(let value): text = value
            case .integer(let value): text = String(value)
            case .number(let value): text = "\(value)"
            case .digits(let digits): text = digits
            case .bool(let value): text = value ? "true" : "false"
            default: continue
            }
            query += (query.isEmpty ? "?" : "&") + EngineIOQueryItem(member.name, text).encoded
        }
        return query
    }

    /// Leaves a namespace; its tickets fail. The connection stays.
    package mutating func leave(_ namespace: String) {
        guard let state = namespaces[namespace]?.state else { return }
        switch state {
        case .connecting, .connected: send(SocketIOPacket(.disconnect, namespace: namespace))
        case .waiting, .authenticating: break
        }
        end(namespace, .closedLocally)
    }

    /// Asks for a namespace if the transport is connected.
    mutating func connect(_ namespace: String, now: MonotonicTime) {
        guard let revision else { return }
        if revision == .eio3, namespace == "/" {
            // The server connects it unasked.
            let deadline = now + limits.connectTimeout
            namespaces[namespace]?.state = .connecting(deadline: deadline)
        } else {
            namespaces[namespace]?.state = .authenticating
            events.append(.authWanted(namespace: namespace))
        }
    }

    /// A namespace is over.
    mutating func end(_ name: String, _ error: SocketIOError) {
        guard namespaces[name] != nil else { return }
        endQueue(of: name, error)
        for (ticket, emit) in handed.sorted(by: { $0.key < $1.key }) where emit.namespace == name {
            failTicket(ticket, error)
        }
        namespaces[name] = nil
        order.removeAll { $0 == name }
        events.append(.ended(namespace: name, error))
    }

    /// Sends a control packet. Without a connection nobody needs it; one whose queue has no room for it is stuck.
    mutating func send(_ packet: SocketIOPacket) {
        guard engine?.isOpen == true else { return }
        do throws(SocketIOError) {
            let group = try packet.encoded(limits: limits)
            try engine?.send(group)
        } catch {
            engine?.fail(error)
        }
    }
}
