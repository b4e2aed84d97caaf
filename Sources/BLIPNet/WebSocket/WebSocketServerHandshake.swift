// The server's half of the opening handshake: the judgement of a request, and the answer.

/// Judges upgrade requests (RFC 6455 section 4.2 and PROTOCOL 2).
struct WebSocketServerHandshake: Sendable {
    private let options: WebSocketServerOptions

    init(options: WebSocketServerOptions) { self.options = options }

    /// The verdict on a request.
    enum Verdict {
        case accepted(Acceptance)
        /// A correct request that the application has to decide about.
        case undecided(Acceptance)
        case refused(Refusal)
    }

    /// A correct request and the answer to it.
    struct Acceptance {
        var request: HTTPRequestHead
        var acceptValue: String
        /// The subprotocols that the client has offered, in its order.
        var offeredSubprotocols: [String]
        var subprotocol: String?
        /// The answer to an offer of permessage-deflate, and what that means.
        var deflate: (answer: PermessageDeflate.Parameters, agreed: PermessageDeflate)?
        var fields = HTTPFields()
    }

    /// An HTTP error for the client.
    struct Refusal: Error, Equatable {
        var status: Int
        var reason: String
        var fields = HTTPFields()

        init(_ status: Int, _ reason: String, fields: HTTPFields = HTTPFields()) {
            self.status = status
            self.reason = reason
            self.fields = fields
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
                let acceptance = try judge(request, extensions: extensions)
                return options.asksBeforeUpgrade ? .undecided(acceptance) : .accepted(try choosing(acceptance))
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
            request: request, acceptValue: WebSocketHandshake.acceptValue(forKey: key),
            offeredSubprotocols: try offeredSubprotocols(fields), deflate: options.deflate?.choose(among: extensions))
    }

    /// The verdict on an undecided request that follows from the application's decision.
    func apply(_ decision: UpgradeDecision, to acceptance: Acceptance) -> Verdict {
        do throws(Refusal) {
            switch decision {
            case .accept(let subprotocol?, let fields):
                guard acceptance.offeredSubprotocols.contains(where: { HTTPSyntax.equal($0, subprotocol) }) else {
                    throw Refusal(500, "a subprotocol that was not offered")
                }
                var acceptance = acceptance
                acceptance.subprotocol = subprotocol
                acceptance.fields = fields
                return .accepted(acceptance)
            case .accept(nil, let fields):
                var acceptance = try choosing(acceptance)
                acceptance.fields = fields
                return .accepted(acceptance)
            case .refuse(let status, let reason, let fields):
                throw Refusal((300...599).contains(status) ? status : 500, reason, fields: fields)
            }
        } catch {
            return .refused(error)
        }
    }

    /// Browsers send `Origin`; a page that was not invited must not reach a server on the same machine or network.
    private func checkOrigin(_ origins: [String]) throws(Refusal) {
        guard let origin = origins.first, !options.allowsAnyOrigin else { return }
        guard origins.count == 1,
            options.allowedOrigins.contains(where: { HTTPSyntax.equalIgnoringCase($0.utf8, origin.utf8) })
        else { throw Refusal(403, "this origin is not allowed") }
    }

    private func offeredSubprotocols(_ fields: HTTPFields) throws(Refusal) -> [String] {
        let offered = fields.list("Sec-WebSocket-Protocol")
        guard offered.allSatisfy({ HTTPSyntax.isToken($0.utf8) }), Set(offered).count == offered.count else {
            throw Refusal(400, "malformed Sec-WebSocket-Protocol")
        }
        return offered
    }

    /// With the favourite of the options among the offered subprotocols.
    private func choosing(_ acceptance: Acceptance) throws(Refusal) -> Acceptance {
        var acceptance = acceptance
        acceptance.subprotocol = options.subprotocols.first(where: acceptance.offeredSubprotocols.contains)
        let allowsNone =
            options.allowsNoSubprotocol
            && (acceptance.offeredSubprotocols.isEmpty || options.allowsUnknownSubprotocols)
        guard acceptance.subprotocol != nil || allowsNone else { throw Refusal(400, "no common subprotocol") }
        return acceptance
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
        WebSocketHandshake.write(fields, into: &out)
        out.append("\r\n\r\n")
    }
}

extension WebSocketServerHandshake.Refusal {
    /// The error response, with the reason as its body.
    func write(into out: inout ByteQueue) {
        let body = Array((reason + "\n").utf8)
        out.append(Array("HTTP/1.1 \(status) \(Self.phrase(status))\r\nConnection: close".utf8))
        if status == 405 { out.append("\r\nAllow: GET") }
        if status == 426 { out.append("\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13") }
        WebSocketHandshake.write(fields, into: &out)
        out.append(Array("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.count)\r\n\r\n".utf8))
        out.append(body)
    }

    /// The reason phrases of RFC 9110, RFC 6585 and RFC 7725 that a server of WebSockets has a use for.
    private static func phrase(_ status: Int) -> StaticString {
        switch status {
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case 300...399: "Redirection"
        case 400...499: "Client Error"
        default: "Server Error"
        }
    }
}
