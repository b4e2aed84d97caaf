// The changes of a client's connection and its namespaces (SOCKETIO B16).

/// A change of state, in the order in which they happen.
public enum SocketIOChange: Sendable, Equatable {
    /// An attempt begins; the first one after a connection that lasted is number 1.
    case connecting(attempt: Int)
    /// The transport is connected; namespaces follow. `maxPayload`: bytes that the server takes at once; `nil`: it has not
    /// said.
    case opened(SocketIOTransport, EngineIORevision, maxPayload: Int?)
    /// The WebSocket has taken over from polling.
    case upgraded
    /// The upgrade to a WebSocket failed; the client continues with polling.
    case upgradeFailed(SocketIOError)
    case joined(namespace: String)
    /// A namespace is over and we do not join it again: refused, ended by the server, or left. The others continue.
    case left(namespace: String, SocketIOError)
    /// The server has shown that it is alive.
    case heartbeat
    /// The connection is over, or the attempt has failed.
    case closed(SocketIOError)
    /// The next attempt begins after this time.
    case waiting(Duration)
    /// Nothing follows until somebody connects again.
    case stopped
}
