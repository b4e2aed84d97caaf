// The server's half of the opening handshake: the judgement of a request, and the answer.

/// Judges upgrade requests (RFC 6455 section 4.2 and PROTOCOL 2).
struct WebSocketServerHandshake: Sendable {
    private let options: WebSocketServerOptions

    init(options: WebSocketServerOptions) { self.options = options }

    /// What becomes of a request.
    enum Verdict {
        case accepted(Acceptance)
        case refused(Refusal)
    }

    /// A correct request.
    struct Acceptance {
        var target: String
        var subprotocol: String?
        var acceptValue: String
        /// What is answered to an offer of permessage-deflate, and what that means.
        var deflate: (answer: PermessageDeflate.Parameters, agreed: PermessageDeflate)?
    }

    /// An HTTP error for the client.
    struct Refusal: Error, Equatable {
        var status: Int
        var reason: String

        init(_ status: Int, _ reason: String) {
            self.status = status
            self.reason = reason
        }

        init(_ error: HTTPHeadError) { self.init(error.status, error.reason) }
    }

    /// Judges the whole head of a request.
    func judge(_ head: [UInt8]) -> Verdict {
        do throws(HTTPHeadError) {
            let request = try HTTPHeadParser.parseRequest(head, maxFields: options.limits.maxHeadFields)
            try request.fields.refuseBody()
            // Refused when malformed, whether we speak any extension or not (RFC 6455 section 9.1).
            let extensions = try WebSocketExtension.parse(request.fields)
            do throws(Refusal) {
                return .accepted(try judge(request, extensions: extensions))
            } catch {
                return .refused(error)
            }
        } catch {
            return .refused(Refusal(error))
        }
    }

    private func judge(
        _ request: HTTPRequestHead, extensions: [WebSocketExtension]
    ) throws(Refusal) -> Acceptance {
        let fields = request.fields
        guard request.method == "GET" else { throw Refusal(405, "an upgrade is a GET request") }
        guard let path = Self.path(of: request.target) else { throw Refusal(400, "malformed request target") }
        guard fields.values("Host").count == 1 else { throw Refusal(400, "not exactly one Host") }
        if let only = options.path, !HTTPSyntax.equal(only, path) { throw Refusal(404, "nothing here") }
        guard fields.list("Upgrade", contains: "websocket"), fields.list("Connection", contains: "Upgrade") else {
            throw Refusal(426, "this is a WebSocket server")
        }
        guard fields.single("Sec-WebSocket-Version") == WebSocketHandshake.version else {
            throw Refusal(426, "the WebSocket version is 13")
        }
        try checkOrigin(fields.values("Origin"))
        guard let key = fields.single("Sec-WebSocket-Key"),
            Base64.decode(key)?.count == WebSocketHandshake.keyByteCount
        else { throw Refusal(400, "not exactly one Sec-WebSocket-Key of 16 bytes") }
        return Acceptance(
            target: request.target, subprotocol: try chooseSubprotocol(fields.list("Sec-WebSocket-Protocol")),
            acceptValue: WebSocketHandshake.acceptValue(forKey: key),
            deflate: options.deflate?.choose(among: extensions))
    }

    /// Browsers send `Origin`; a page that was not invited must not reach a server on the same machine or network.
    private func checkOrigin(_ origins: [String]) throws(Refusal) {
        guard let origin = origins.first else { return }
        guard origins.count == 1,
            options.allowedOrigins.contains(where: { HTTPSyntax.equalIgnoringCase($0.utf8, origin.utf8) })
        else { throw Refusal(403, "this origin is not allowed") }
    }

    private func chooseSubprotocol(_ offered: [String]) throws(Refusal) -> String? {
        guard offered.allSatisfy({ HTTPSyntax.isToken($0.utf8) }), Set(offered).count == offered.count else {
            throw Refusal(400, "malformed Sec-WebSocket-Protocol")
        }
        if let chosen = options.subprotocols.first(where: offered.contains) { return chosen }
        guard options.allowsNoSubprotocol else { throw Refusal(400, "no common subprotocol") }
        return nil
    }

    /// The path of a target in origin form or absolute form, without the query.
    private static func path(of target: String) -> String? {
        var rest = Array(target.utf8)[...]
        for scheme in ["http://", "https://", "ws://", "wss://"]
        where HTTPSyntax.equalIgnoringCase(rest.prefix(scheme.utf8.count), scheme.utf8) {
            let authority = rest.dropFirst(scheme.utf8.count)
            rest = authority[(authority.firstIndex(of: UInt8(ascii: "/")) ?? authority.endIndex)...]
            if rest.isEmpty { rest = Array("/".utf8)[...] }
            break
        }
        guard rest.first == UInt8(ascii: "/"), !rest.contains(UInt8(ascii: "#")) else { return nil }
        return HTTPSyntax.text(rest.prefix { $0 != UInt8(ascii: "?") })
    }
}

extension WebSocketServerHandshake.Acceptance {
    /// The 101 response.
    func write(into out: inout ByteQueue) {
        out.append("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
        out.append("Sec-WebSocket-Accept: ")
        out.append(Array(acceptValue.utf8))
        if let subprotocol {
            out.append("\r\nSec-WebSocket-Protocol: ")
            out.append(Array(subprotocol.utf8))
        }
        if let deflate {
            out.append("\r\nSec-WebSocket-Extensions: ")
            out.append(Array(deflate.answer.element.text.utf8))
        }
        out.append("\r\n\r\n")
    }
}

extension WebSocketServerHandshake.Refusal {
    /// The error response, with the reason as its body.
    func write(into out: inout ByteQueue) {
        let body = Array((reason + "\n").utf8)
        out.append(Array("HTTP/1.1 \(status) \(Self.phrase(status))\r\nConnection: close\r\n".utf8))
        if status == 405 { out.append("Allow: GET\r\n") }
        if status == 426 { out.append("Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n") }
        out.append(Array("Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.count)\r\n\r\n".utf8))
        out.append(body)
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 426: "Upgrade Required"
        case 431: "Request Header Fields Too Large"
        case 505: "HTTP Version Not Supported"
        default: "Bad Request"
        }
    }
}
