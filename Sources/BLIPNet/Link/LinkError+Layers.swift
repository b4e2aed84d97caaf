// The errors of the layers below as errors of a link.

extension LinkError {
    /// The meaning of a WebSocket's end for the link.
    init(_ closure: WebSocketClosure) {
        switch closure {
        case .closedByPeer(let code, let reason): self = .closedByPeer(code: code, reason: reason)
        case .closedLocally, .timedOut(.closing): self = .closedLocally
        case .peerViolated(_, let reason): self = .peerViolated(layer: "WebSocket", reason: reason)
        case .refusedByServer(let head): self = .notBLIP(reason: "HTTP status \(head.status)")
        case .handshakeFailed(let reason): self = .notBLIP(reason: reason)
        case .refusedClient(let status, let reason): self = .notBLIP(reason: "\(reason) (answered with \(status))")
        case .timedOut(.handshake): self = .timedOut("handshake")
        case .timedOut(.keepalive): self = .timedOut("keepalive")
        }
    }
}
