// The errors of the layers below as errors of Socket.IO.

extension SocketIOError {
    /// The side that ended it, or that is to blame.
    public var endedBy: NetError.Originator {
        switch self {
        case .closedLocally, .cancelled, .notConnected, .invalid, .limitExceeded: .us
        case .closedByServer, .malformed, .refused, .namespaceRefused, .notSocketIO, .wrongRevision, .timedOut, .tls:
            .peer
        case .link(let error):
            switch error {
            case .closedLocally: .us
            case .closedByPeer, .disconnected, .peerViolated, .wrongIdentity, .notBLIP: .peer
            default: .network
            }
        case .transport, .connectionLost: .network
        }
    }

    /// Why a request of polling got no answer.
    init(_ error: HTTPClientError) {
        switch error {
        case .badRequest(let what): self = .invalid(what)
        case .busy, .cancelled: self = .closedLocally
        case .stream(.tls(let error)): self = .tls(error)
        case .stream(.untrusted(let reason)): self = .tls(.untrusted(reason: reason))
        case .stream(.wrongKey(let expected, let presented)):
            self = .tls(.wrongKey(expected: expected, presented: presented))
        case .stream(.badConfiguration(let reason)): self = .tls(.badConfiguration(reason: reason))
        case .stream(let error): self = .link(LinkError(error))
        case .response(let error): self = .link(.peerViolated(layer: "HTTP", reason: error.reason))
        case .proxy(let error): self = .link(error)
        case .unusableProxy(let variable): self = .link(.proxyFailed(reason: "\(variable) names no HTTP proxy"))
        }
    }

    /// Why no WebSocket was opened. A refusal of the server goes another way: the session judges it.
    init(_ error: WebSocketError) {
        switch error {
        case .badRequest(let what): self = .invalid(what)
        case .refused(let head): self = .refused(status: head.status, code: nil)
        case .tooManyRedirects, .redirectRefused: self = .link(.peerViolated(layer: "HTTP", reason: "a redirect"))
        case .refusedByProxy(let head): self = .link(.proxyFailed(reason: "the proxy answers \(head.status)"))
        case .proxyViolated(let reason): self = .link(.proxyFailed(reason: reason))
        case .unusableProxy(let variable): self = .link(.proxyFailed(reason: "\(variable) names no HTTP proxy"))
        case .tls(let error): self = .tls(error)
        case .link(let error): self = .link(error)
        }
    }
}
