// The client's half of the opening handshake: the request that we send, and the judgement of the answer.

/// One upgrade request and what its answer must contain.
struct WebSocketClientHandshake: Sendable {
    private let options: WebSocketClientOptions
    private let key: String

    init(options: WebSocketClientOptions, random: RandomSource) {
        self.options = options
        key = Base64.encode(random.bytes(WebSocketHandshake.keyByteCount))
    }

    /// The request head.
    func writeRequest(into out: inout ByteQueue) {
        let path = HTTPSyntax.percentEncoded(options.path, allowing: "/?:@!$&'()*+,;=%")
        let host = HTTPSyntax.percentEncoded(options.hostHeader, allowing: ":[]!$&'()*+,;=%")
        out.append("GET ")
        if path.first != UInt8(ascii: "/") { out.append("/") }
        out.append(path)
        out.append(" HTTP/1.1\r\nHost: ")
        out.append(host)
        out.append("\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ")
        out.append(Array(key.utf8))
        if !options.subprotocols.isEmpty {
            out.append("\r\nSec-WebSocket-Protocol: ")
            out.append(Array(options.subprotocols.joined(separator: ", ").utf8))
        }
        if !options.deflateOffers.isEmpty {
            out.append("\r\nSec-WebSocket-Extensions: ")
            out.append(Array(options.deflateOffers.map(\.offer.element.text).joined(separator: ", ").utf8))
        }
        WebSocketHandshake.write(options.extraFields, into: &out)
        out.append("\r\n\r\n")
    }

    private func isOffered(_ subprotocol: String) -> Bool {
        options.subprotocols.contains { HTTPSyntax.equal($0, subprotocol) }
    }

    /// How the server's answer is to be taken.
    enum Verdict {
        /// It is still to come: this was an interim response (RFC 9110 section 15.2).
        case interim
        case opened(HTTPResponseHead, subprotocol: String?, deflate: PermessageDeflate?)
        case failed(WebSocketClosure)
    }

    /// Judges the whole head of the answer (RFC 6455 section 4.1, the client's requirements).
    func judge(_ head: [UInt8]) -> Verdict {
        do throws(HTTPHeadError) {
            let response = try HTTPHeadParser.parseResponse(head, maxFields: options.limits.maxHeadFields)
            guard !response.isInterim else { return .interim }
            guard response.status == 101 else { return .failed(.refusedByServer(response)) }
            let fields = response.fields
            try fields.refuseBody()
            guard let upgrade = fields.single("Upgrade"), HTTPSyntax.equalIgnoringCase(upgrade.utf8, "websocket".utf8),
                fields.list("Connection", contains: "Upgrade")
            else { throw .malformed("the answer does not upgrade to WebSocket") }
            guard let accept = fields.single("Sec-WebSocket-Accept"),
                HTTPSyntax.equal(accept, WebSocketHandshake.acceptValue(forKey: key))
            else {
                throw .malformed("wrong Sec-WebSocket-Accept")
            }
            let deflate = try PermessageDeflate.agree(offers: options.deflateOffers, answer: fields)
            let chosen = fields.values("Sec-WebSocket-Protocol")
            guard chosen.count <= 1, chosen.allSatisfy(isOffered) else {
                throw .malformed("a subprotocol that was not offered")
            }
            return .opened(response, subprotocol: chosen.first, deflate: deflate)
        } catch {
            return .failed(.handshakeFailed(reason: error.reason))
        }
    }
}
