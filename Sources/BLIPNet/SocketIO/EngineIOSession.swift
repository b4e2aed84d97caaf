// One Engine.IO session as a client, as a value without I/O: answers and messages in, requests and events out.
// Below it are HTTP requests and a WebSocket, which a driver carries out; above it is `SocketIOSession`.

/// Which transports a session may use (SOCKETIO B3 to B5).
public enum EngineIOTransports: Sendable, Equatable {
    case pollingOnly
    case webSocketOnly
    /// Begins with polling, which always gets through, and moves to a WebSocket where the server offers one.
    case upgrade
}

/// A step for the driver to take next.
package enum EngineIOAction: Sendable, Equatable {
    /// A GET with these names and values in its query. At most one is on its way; its answer is `got` or `getFailed`.
    case get(query: [EngineIOQueryItem])
    /// A POST. At most one is on its way; its answer is `posted` or `postFailed`.
    case post(query: [EngineIOQueryItem], EngineIOPayload.Encoded)
    /// A WebSocket is opened: `webSocketOpened`, `webSocketRefused` or `webSocketClosed` follows.
    case openWebSocket(query: [EngineIOQueryItem])
    /// One message of the open WebSocket.
    case sendWebSocket(WebSocketMessageKind, [UInt8])
    /// The driver closes the WebSocket after sending what it has taken. Later messages of the WebSocket do not matter.
    case closeWebSocket
    /// The end: the driver cancels its requests and closes a WebSocket in order; no action follows.
    case end
}

/// A name and a value of a query, not percent-encoded.
package struct EngineIOQueryItem: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// `name=value`, percent-encoded for a query.
    var encoded: String {
        let parts = [name, value].map { String(decoding: HTTPSyntax.percentEncoded($0, allowing: ""), as: UTF8.self) }
        return parts.joined(separator: "=")
    }
}

extension EngineIOQueryItem: CustomStringConvertible {
    /// For logs: only the protocol's own words, not the sid.
    package var description: String { name == "sid" ? "sid=…" : "\(name)=\(value)" }
}

/// Something that the driver has seen.
package enum EngineIOInput: Sendable, Equatable {
    /// The answer to the GET, or to the POST.
    case got(status: Int, body: [UInt8])
    case posted(status: Int, body: [UInt8])
    /// There is no answer; the reason in the words of the layer below.
    case getFailed(String)
    case postFailed(String)
    case webSocketOpened
    /// The upgrade request was answered with another status than 101.
    case webSocketRefused(status: Int, body: [UInt8])
    case webSocketMessage(WebSocketMessageKind, [UInt8])
    /// It ended, or could not be opened.
    case webSocketClosed(String)
}

/// An event for the layer above: `opened` comes at most once and first, `closed` exactly once and last.
package enum EngineIOEvent: Sendable, Equatable {
    case opened(EngineIOHandshake, EngineIORevision)
    case message(EngineIOPacket.Payload)
    /// The group with this token is with the server (polling), or with the WebSocket.
    case sent(UInt64)
    /// The session has moved to the WebSocket.
    case upgraded
    /// The upgrade failed; the session continues with polling.
    case upgradeFailed(SocketIOError)
    /// The server has pinged (revision 4), or answered our ping (revision 3).
    case heartbeat
    case closed(SocketIOError)
}

/// The state machine of one session, from the first request to the end.
///
/// Carry out `nextAction` until there is none, give it what happens (`receive`), then take events until there is none
/// (`nextEvent`), and call `handleTimeout` at `deadline`. While a WebSocket has no room, `sendWebSocket` may wait: do not
/// take actions then.
package struct EngineIOSession: Sendable {
    enum State: Sendable {
        /// The first GET, or the WebSocket with its open packet, is on its way.
        case opening(EngineIODetection, deadline: MonotonicTime)
        /// A WebSocket whose open packet is of either revision.
        case undecided(EngineIOHandshake, deadline: MonotonicTime)
        case open(EngineIOTerms)
        /// Our close packet waits for the transport, or for its answer.
        case closing(EngineIOTerms, deadline: MonotonicTime)
        case closed
    }

    /// The way from polling to a WebSocket.
    enum Upgrade: Sendable, Equatable {
        /// Not begun, over, or abandoned.
        case none
        case opening(deadline: MonotonicTime)
        /// `2probe` is sent.
        case probing(deadline: MonotonicTime)
        /// `3probe` has come. We make no further request and wait for those on their way.
        case pausing(deadline: MonotonicTime)

        var deadline: MonotonicTime? {
            switch self {
            case .none: nil
            case .opening(let deadline), .probing(let deadline), .pausing(let deadline): deadline
            }
        }
    }

    let transports: EngineIOTransports
    /// Revision 3: asks for Base64 (`b64=1`) instead of the binary framing.
    let base64: Bool
    let limits: SocketIOLimits
    var state: State
    var upgrade = Upgrade.none
    /// Packets go by the WebSocket, not by polling.
    var usesWebSocket: Bool
    var getIsInFlight = false
    var postInFlight: EngineIOOutbox.Batch?
    var outbox = EngineIOOutbox()
    var actions = FIFO<EngineIOAction>()
    var events = FIFO<EngineIOEvent>()
    /// After the end: the groups of which nothing was sent, in order.
    package internal(set) var unsent: [UInt64] = []

    /// A session that begins with its first request.
    package init(
        transports: EngineIOTransports = .upgrade, revision: EngineIORevision? = nil, base64: Bool = false,
        limits: SocketIOLimits = SocketIOLimits(), now: MonotonicTime
    ) {
        self.transports = transports
        self.base64 = base64
        self.limits = limits
        state = .opening(EngineIODetection(wanted: revision), deadline: now + limits.openTimeout)
        usesWebSocket = transports == .webSocketOnly
        ask()
    }

    /// The terms agreed on; `nil` before `opened` and after the end.
    var terms: EngineIOTerms? {
        switch state {
        case .open(let terms), .closing(let terms, _): terms
        default: nil
        }
    }

    package var isOpen: Bool { if case .open = state { true } else { false } }
    package var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Whether the transport could do with more. Groups are better kept back until then: those that are here cannot be
    /// taken back before the end.
    package var wantsMore: Bool { isOpen && outbox.count < 4 * limits.maxPacketsInPost && outbox.byteCount < 1 << 18 }

    /// Whether `group` is small enough for the transport that is in use now: the server closes for a larger one.
    package func fits(_ group: [EngineIOPacket]) -> Bool {
        guard let terms else { return false }
        let room = maxPostBytes(terms)
        return group.allSatisfy { packet in
            if usesWebSocket { return terms.handshake.maxPayload.map { packet.payload.byteCount < $0 } ?? true }
            return EngineIOOutbox.postByteCount(of: packet, revision: terms.revision, base64: base64) <= room
        }
    }

    /// How many bytes the server, or our limit, allows for one packet.
    package var maxPacketBytes: Int { terms.map { maxPostBytes($0) } ?? limits.maxPostBytes }

    /// Queues a group of packets. With a `token`, `sent` or `unsent` names it; a group that neither names when the session
    /// is over may have arrived.
    package mutating func send(_ group: [EngineIOPacket], token: UInt64? = nil) throws(SocketIOError) {
        guard case .open(let terms) = state else { throw .notConnected }
        guard fits(group) else { throw .limitExceeded("bytes in one packet", maxPostBytes(terms)) }
        guard outbox.byteCount <= limits.maxQueuedBytes else {
            throw .limitExceeded("bytes that wait", limits.maxQueuedBytes)
        }
        outbox.append(group, token: token)
    }

    func maxPostBytes(_ terms: EngineIOTerms) -> Int { terms.handshake.maxPayload ?? limits.maxPostBytes }

    /// Closes in order: what waits is sent, then the close packet, for as long as `closeTimeout` allows.
    package mutating func close(now: MonotonicTime) {
        switch state {
        case .opening, .undecided: finish(.closedLocally)
        case .open(let terms):
            giveUpUpgrade()
            state = .closing(terms, deadline: now + limits.closeTimeout)
            outbox.append([EngineIOPacket(.close)])
        case .closing, .closed: break
        }
    }

    /// Ends at once: the layer above has found something that the server must not do.
    package mutating func fail(_ error: SocketIOError) { finish(error) }

    package mutating func nextEvent() -> EngineIOEvent? { events.popFirst() }

    /// The action that the caller has to carry out now.
    package mutating func nextAction() -> EngineIOAction? {
        if let action = actions.popFirst() { return action }
        guard let terms else { return nil }
        return usesWebSocket ? nextMessage(terms) : nextRequest(terms)
    }

    /// When `handleTimeout` is to be called; `nil` after the end.
    package var deadline: MonotonicTime? {
        switch state {
        case .opening(_, let deadline), .undecided(_, let deadline): deadline
        case .open(let terms): MonotonicTime.earlier(terms.heartbeat.deadline, upgrade.deadline)
        case .closing(_, let deadline): deadline
        case .closed: nil
        }
    }

    package mutating func handleTimeout(now: MonotonicTime) {
        switch state {
        case .opening(_, let deadline): if now >= deadline { finish(.timedOut("open")) }
        case .undecided(let handshake, let deadline): if now >= deadline { open(handshake, .eio4, now: now) }
        case .open(var terms):
            switch terms.heartbeat.handleTimeout(now: now) {
            case .ping: outbox.ping()
            case .dead: return finish(.timedOut("heartbeat"))
            case nil: break
            }
            state = .open(terms)
            if let deadline = upgrade.deadline, now >= deadline { failUpgrade(.timedOut("upgrade")) }
        case .closing(_, let deadline): if now >= deadline { finish(.closedLocally) }
        case .closed: break
        }
    }

    package mutating func receive(_ input: EngineIOInput, now: MonotonicTime) {
        guard !isClosed else { return }
        switch input {
        case .got(let status, let body):
            guard getIsInFlight else { return }
            getIsInFlight = false
            got(status: status, body, now: now)
        case .posted(let status, let body):
            guard let batch = postInFlight.take() else { return }
            posted(batch, status: status, body)
        case .getFailed(let reason):
            guard getIsInFlight else { return }
            getIsInFlight = false
            lost(.transport(reason))
        case .postFailed(let reason):
            guard postInFlight != nil else { return }
            lost(.transport(reason))
        case .webSocketOpened: webSocketOpened()
        case .webSocketRefused(let status, let body): webSocketRefused(status: status, body)
        case .webSocketMessage(let kind, let bytes): webSocketMessage(kind, bytes, now: now)
        case .webSocketClosed(let reason): webSocketClosed(reason)
        }
        finishUpgradeWhenPaused()
    }
}

/// The facts that a session knows once it is open.
struct EngineIOTerms: Sendable {
    let handshake: EngineIOHandshake
    let revision: EngineIORevision
    var heartbeat: EngineIOHeartbeat
}
