// Why an operation on a stream failed, and who is to blame. The one error type of the socket API.

internal import Glibc

/// The errors of connections, listeners and the name resolver.
public enum NetError: Error, Sendable, Equatable {
    /// The request does not fit the state or the settings; says why. Nothing has happened.
    case badConfiguration(reason: String)
    /// An argument with which nothing can be done; says why. Nothing has happened.
    case badParameter(reason: String)
    /// No connection came about in time; the name resolution counts.
    case connectTimedOut(elapsed: Duration)
    /// The TLS handshake was not over in time.
    case handshakeTimedOut(elapsed: Duration)
    /// The bytes were not there in time. `bytesDone` had arrived; they stay for the next read.
    case readTimedOut(elapsed: Duration, bytesDone: Int)
    /// The peer did not take the bytes in time. If it has taken some, the connection is closed: nobody could continue.
    case writeTimedOut(elapsed: Duration, bytesDone: Int)
    /// `max` bytes came without the delimiter. The connection is closed.
    case delimiterNotFound(max: Int)
    /// The task that waited was cancelled. A read takes nothing with it; a write that was partly sent closes the
    /// connection.
    case cancelled
    /// We have closed the connection.
    case closedLocally
    /// We are closing the connection; it finishes what was queued and takes nothing new.
    case closing
    /// The peer has ended its direction in order, and what was wanted had not come by then.
    case closedByPeer
    /// TLS failed.
    case tls(TLSError)
    /// The certificate of the peer is not to be trusted; says why.
    case untrusted(reason: String)
    /// The peer has another key than the pinned one.
    case wrongKey(expected: SPKIFingerprint, presented: SPKIFingerprint)
    /// The system refused: `call` failed with `errno`.
    case posix(call: String, errno: Int32)
    /// The name has no address; the resolver's words.
    case dns(host: String, reason: String)

    /// The side that ended it.
    public enum Originator: Sendable, Equatable {
        /// This side: by closing, cancelling, or a wrong argument.
        case us
        /// The other side: by closing, by what it sent, or by what it did not do in time.
        case peer
        /// The things between: routes, names, this machine.
        case network
    }

    public var endedBy: Originator {
        switch self {
        case .badConfiguration, .badParameter, .cancelled, .closedLocally, .closing: .us
        case .readTimedOut, .writeTimedOut, .handshakeTimedOut, .delimiterNotFound, .closedByPeer: .peer
        case .tls, .untrusted, .wrongKey: .peer
        case .posix(_, ECONNREFUSED), .posix(_, ECONNRESET), .posix(_, EPIPE): .peer
        case .connectTimedOut, .posix, .dns: .network
        }
    }

    init(_ error: TLSError) {
        switch error {
        case .untrusted(let reason): self = .untrusted(reason: reason)
        case .wrongKey(let expected, let presented): self = .wrongKey(expected: expected, presented: presented)
        case .badConfiguration(let reason): self = .badConfiguration(reason: reason)
        default: self = .tls(error)
        }
    }
}
