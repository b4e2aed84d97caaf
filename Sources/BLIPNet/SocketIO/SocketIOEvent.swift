// The events of a Socket.IO connection: those that the server sends, and changes of the connection's state.

/// An event that the server has sent in one namespace (SOCKETIO B17).
public struct SocketIOEvent: Sendable, Equatable {
    /// Begins with `/`.
    public var namespace: String
    /// The name; a number, which servers may use as one, in its digits.
    public var name: String
    public var arguments: [SocketIOValue]
    /// Set where the server asks for an acknowledgement.
    package var ackRequest: SocketIOAckRequest?
}

/// Names the acknowledgement that the server waits for. Good for one answer, on the connection that it came on.
package struct SocketIOAckRequest: Sendable, Hashable {
    let namespace: String
    let id: UInt64
    /// The connection, counted from 1.
    let connection: UInt64
}

/// The transport that carries the packets.
public enum SocketIOTransport: Sendable, Equatable {
    case polling
    case webSocket
}

/// The state of a connection (SOCKETIO B16).
public enum SocketIOStatus: Sendable, Equatable {
    /// None was opened yet, or it has ended.
    case closed
    /// The server has been asked.
    case opening
    /// The transport is connected. Each namespace connects for itself.
    case open(SocketIOTransport, EngineIORevision)
}

/// An event that the session reports to the client that drives it.
package enum SocketIOSessionEvent: Sendable, Equatable {
    /// The transport is connected.
    case opened(EngineIOHandshake, EngineIORevision)
    /// The session is about to ask for the namespace: call `authenticate`, again for every connection (SOCKETIO B12).
    case authWanted(namespace: String)
    /// The namespace is connected; its own sid, where the protocol has one.
    case connected(namespace: String, sid: String?)
    /// The namespace is not connected, or no longer, and the session does not ask for it again: `namespaceRefused` with
    /// what the server says, `closedByServer`, `closedLocally` or `timedOut`. The other namespaces continue.
    case ended(namespace: String, SocketIOError)
    case event(SocketIOEvent)
    /// The emit is with the server (polling) or on the WebSocket.
    case emitted(UInt64)
    /// The emit is acknowledged, with these values. It is the end of its ticket, as `failed` is; `emitted` is so for an
    /// emit that wants no acknowledgement.
    case acknowledged(UInt64, [SocketIOValue])
    case failed(UInt64, SocketIOError)
    case upgraded
    /// The session continues with polling.
    case upgradeFailed(SocketIOError)
    /// The server has pinged, or answered our ping.
    case heartbeat
    /// A packet that means nothing here, for the log: an acknowledgement of nothing, an event of a namespace that nobody
    /// asked for, or more than our limits allow.
    case ignored(SocketIOFault)
    /// The connection is over. Namespaces and emits that were not sent are kept for the next `open`.
    case closed(SocketIOError)
}
