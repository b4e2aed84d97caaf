// The events that a WebSocket connection reports to its driver.

/// The events of a connection in the order of the wire: `upgradeRequested` and `opened` at most once and first, `closed`
/// exactly once and last.
package enum WebSocketEvent: Sendable, Equatable {
    /// Server, if its options say that the application decides: a correct request, to be answered by `answer`. Nothing
    /// happens before that but the end of the handshake's deadline.
    case upgradeRequested(HTTPRequestHead)
    /// The handshake is complete; the chosen subprotocol, if any.
    case opened(subprotocol: String?)
    /// A whole message, to be read with `withMessagePayload` before the next call of `nextEvent()`.
    case message(WebSocketMessageKind)
    /// The payload of a pong that does not belong to a keepalive ping (those set `roundTrip`).
    case pong([UInt8])
    /// The end. The bytes that wait in `nextOutgoing` should still be sent before the transport is shut down.
    case closed(WebSocketClosure)
}

/// How the connection ended: by whom, and why.
package enum WebSocketClosure: Sendable, Equatable {
    /// The peer sent a close frame first; 1005 when it gave no code.
    case closedByPeer(code: UInt16, reason: String)
    /// We closed, and the peer agreed (or the handshake was not over yet).
    case closedLocally
    /// The peer broke the protocol or a limit; it gets a close frame with this code and reason.
    case peerViolated(code: UInt16, reason: String)
    /// Client: the server answered the upgrade with another status than 101.
    case refusedByServer(HTTPResponseHead)
    /// Client: what the server answered is not HTTP, or not a correct upgrade.
    case handshakeFailed(reason: String)
    /// Server: the client's request was answered with an HTTP error.
    case refusedClient(status: Int, reason: String)
    /// Something did not happen in time.
    case timedOut(WebSocketTimeout)
}

/// The event that a connection waited for in vain.
package enum WebSocketTimeout: Sendable, Equatable {
    /// The handshake did not end (`handshakeTimeout`).
    case handshake
    /// No byte came, although the peer was pinged (`keepaliveInterval` + `keepaliveTimeout`).
    case keepalive
    /// The peer did not answer our close frame (`closeTimeout`).
    case closing
}
