// The request for a tunnel through an HTTP proxy, and its answer (RFC 9110 section 9.3.6).

/// One CONNECT request.
struct HTTPTunnel: Sendable {
    /// Host and port of the server, as `host:port`.
    let target: String
    /// The value of `Proxy-Authorization`, in answer to a challenge.
    var authorization: String?

    static let method = "CONNECT"

    /// The request head.
    var request: [UInt8] {
        var text = "\(Self.method) \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let authorization { text += "\(HTTPAuthenticator.proxy.answerField): \(authorization)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Reads the whole head of the answer. Any 2xx opens the tunnel: what follows comes from the server.
    static func response(_ head: [UInt8], maxFields: Int) throws(HTTPHeadError) -> HTTPResponseHead {
        try HTTPHeadParser.parseResponse(head, maxFields: maxFields)
    }

    static func isOpen(_ response: HTTPResponseHead) -> Bool { (200...299).contains(response.status) }
}
