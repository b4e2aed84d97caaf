// Where a WebSocket client calls: ws, wss and unix URLs, and what HTTP needs of them.

/// A WebSocket URL (RFC 6455 section 3), or `unix:/path/of/socket?query` for a server on this machine.
///
/// `http` and `https` are read as `ws` and `wss`.
public struct WebSocketURL: Sendable, Hashable {
    /// Whom to call; the port is filled in.
    package let endpoint: Endpoint
    /// `wss`: TLS below the WebSocket.
    package let isEncrypted: Bool
    /// Path and query of the request, percent-encoded, beginning with `/`.
    package let target: String
    /// User name and password of the URL. They answer a challenge of this very server and go nowhere else.
    package let credentials: HTTPCredentials?

    package static let defaultPort: UInt16 = 80
    package static let defaultEncryptedPort: UInt16 = 443

    /// Reads an absolute URL.
    public init(_ text: String) throws(WebSocketURLError) {
        guard let reference = URIReference(text) else { throw .malformed }
        guard reference.fragment == nil else { throw .hasFragment }
        try self.init(reference)
    }

    init(_ reference: URIReference) throws(WebSocketURLError) {
        switch reference.scheme {
        case "ws", "http": try self.init(network: reference, isEncrypted: false)
        case "wss", "https": try self.init(network: reference, isEncrypted: true)
        case "unix": try self.init(unix: reference)
        default: throw .unknownScheme
        }
    }

    private init(network reference: URIReference, isEncrypted: Bool) throws(WebSocketURLError) {
        guard let authority = reference.authority.flatMap({ URIAuthority($0) }) else { throw .malformed }
        let port = authority.port ?? (isEncrypted ? Self.defaultEncryptedPort : Self.defaultPort)
        self.init(
            endpoint: .host(authority.host, port: port), isEncrypted: isEncrypted,
            target: Self.target(path: reference.path, query: reference.query), credentials: authority.credentials)
    }

    private init(unix reference: URIReference) throws(WebSocketURLError) {
        guard reference.authority ?? "" == "", !reference.path.isEmpty,
            let path = URIReference.percentDecoded(reference.path).flatMap({ String(validating: $0, as: UTF8.self) }),
            !path.utf8.contains(0)
        else { throw .malformed }
        self.init(
            endpoint: .unix(path: path), isEncrypted: false, target: Self.target(path: "/", query: reference.query),
            credentials: nil)
    }

    private static func target(path: String, query: String?) -> String {
        (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "")
    }

    // MARK: For HTTP and TLS

    /// The value of the `Host` field: the port is left out when it is the default one, and so is the zone of an IPv6
    /// address, which means something on this machine only (RFC 6874 section 4).
    package var hostHeader: String {
        guard case .host(let host, let port) = endpoint else { return "localhost" }
        return port == (isEncrypted ? Self.defaultEncryptedPort : Self.defaultPort)
            ? Self.bracketed(host) : "\(Self.bracketed(host)):\(port)"
    }

    /// Host and port as a CONNECT request names them; `nil` for a UNIX socket.
    var tunnelTarget: String? {
        guard case .host(let host, let port) = endpoint else { return nil }
        return "\(Self.bracketed(host)):\(port)"
    }

    /// The name that the server's certificate must have; `nil` for a UNIX socket.
    var serverName: String? {
        guard case .host(let host, _) = endpoint else { return nil }
        return Self.withoutZone(host)
    }

    /// Whether both URLs are of one server: scheme, host and port (the origin of RFC 6454).
    func hasSameOrigin(as other: WebSocketURL) -> Bool {
        isEncrypted == other.isEncrypted && endpoint == other.endpoint
    }

    private static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(withoutZone(host))]" : host
    }

    private static func withoutZone(_ host: String) -> String {
        String(decoding: host.utf8.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
    }

    /// The URL that `location`, a `Location` field of this server, leads to (RFC 9110 section 10.2.2).
    func reference(_ location: String) -> URIReference? {
        guard let relative = URIReference(location) else { return nil }
        let (scheme, authority) = (isEncrypted ? "wss" : "ws", tunnelTarget ?? "localhost")
        return URIReference("\(scheme)://\(authority)\(target)").map { relative.resolved(against: $0) }
    }

    /// The same server, at another path.
    func with(path: String, query: String?) -> WebSocketURL {
        WebSocketURL(
            endpoint: endpoint, isEncrypted: isEncrypted, target: Self.target(path: path, query: query),
            credentials: credentials)
    }

    /// The same server, with another path and query, percent-encoded and beginning with `/`.
    package func with(target: String) -> WebSocketURL {
        precondition(target.utf8.first == UInt8(ascii: "/"), "a target begins with a slash")
        return WebSocketURL(
            endpoint: endpoint, isEncrypted: isEncrypted, target: target, credentials: credentials)
    }

    private init(endpoint: Endpoint, isEncrypted: Bool, target: String, credentials: HTTPCredentials?) {
        self.endpoint = endpoint
        self.isEncrypted = isEncrypted
        self.target = target
        self.credentials = credentials
    }
}

extension WebSocketURL: CustomStringConvertible {
    /// As a URL, without user name and password.
    public var description: String {
        switch endpoint {
        case .unix(let path):
            // Two slashes at the start would be an authority (RFC 3986 section 3.3), so an empty one goes before them.
            // "/?x" of the target is "?x" of the URL.
            (path.utf8.starts(with: "//".utf8) ? "unix://" : "unix:")
                + String(decoding: HTTPSyntax.percentEncoded(path, allowing: "/"), as: UTF8.self)
                + String(decoding: target.utf8.dropFirst(), as: UTF8.self)
        case .host: (isEncrypted ? "wss://" : "ws://") + hostHeader + target
        }
    }
}

/// Why a text is no URL that a WebSocket client can call.
public enum WebSocketURLError: Error, Sendable, Equatable {
    /// Not an absolute URL with a host: broken percent-encoding, an impossible port, no host.
    case malformed
    /// Another scheme than ws, wss, http, https and unix.
    case unknownScheme
    /// WebSocket URLs have no fragments (RFC 6455 section 3).
    case hasFragment
}
