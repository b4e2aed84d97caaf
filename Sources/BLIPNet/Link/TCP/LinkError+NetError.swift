// The errors of sockets as errors of a link: the only place where one becomes the other.

internal import Glibc

extension LinkError {
    /// The meaning of a stream's failure for the link.
    package init(_ error: NetError) {
        switch error {
        case .badConfiguration(let reason), .badParameter(let reason): self = .transport(call: reason, errno: EINVAL)
        case .connectTimedOut: self = .timedOut("connect")
        case .handshakeTimedOut: self = .timedOut("handshake")
        case .readTimedOut: self = .timedOut("read")
        case .writeTimedOut: self = .timedOut("write")
        case .delimiterNotFound(let max):
            self = .peerViolated(layer: "HTTP", reason: "no end within \(max) bytes")
        case .cancelled, .closedLocally, .closing: self = .closedLocally
        case .closedByPeer: self = .disconnected
        case .tls(let error): self = .notBLIP(reason: error.reason)
        case .untrusted(let reason): self = .notBLIP(reason: "certificate: \(reason)")
        case .wrongKey(let expected, let presented):
            self = .wrongIdentity(expected: expected, presented: presented)
        case .posix("connect", let number): self = .transport(call: "connect", errno: number)
        case .posix(let call, let number): self = LinkError(call: call, errno: number)
        case .dns(let host, let reason): self = .unresolvable(host: host, reason: reason)
        }
    }
}
