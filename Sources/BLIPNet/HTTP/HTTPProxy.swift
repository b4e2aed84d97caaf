// The HTTP proxy that a client has to go through, and the environment variables that name it.

internal import Glibc

/// A proxy that makes tunnels (RFC 9110 section 9.3.6, CONNECT).
public struct HTTPProxy: Sendable, Hashable {
    package var endpoint: Endpoint
    /// Answers its 407.
    package var credentials: HTTPCredentials?

    public init(endpoint: Endpoint, credentials: HTTPCredentials? = nil) {
        self.endpoint = endpoint
        self.credentials = credentials
    }

    /// Reads `http://user:password@host:port` or `host:port`; without a port it is 80. `nil` for anything else:
    /// proxies that want TLS or SOCKS themselves are not supported.
    package init?(_ text: String) {
        let trimmed = HTTPSyntax.text(HTTPSyntax.trimmed(Array(text.utf8)[...]))
        let hasScheme = Array(trimmed.utf8).starts(with: "http://".utf8)
        guard let reference = URIReference(hasScheme ? trimmed : "http://" + trimmed), reference.scheme == "http",
            reference.path.isEmpty || reference.path == "/", reference.query == nil, reference.fragment == nil,
            let authority = reference.authority.flatMap({ URIAuthority($0) })
        else { return nil }
        endpoint = .host(authority.host, port: authority.port ?? 80)
        credentials = authority.credentials
    }
}

/// Which proxy a client uses.
public enum ProxyChoice: Sendable, Equatable {
    /// The one that `https_proxy` or `HTTPS_PROXY` names, unless `no_proxy` or `NO_PROXY` lists the server. For `ws` as
    /// well as `wss` (RFC 6455 section 4.1 prefers the proxy that is meant for HTTPS).
    case environment
    case direct
    case proxy(HTTPProxy)

    /// The value of a variable cannot be used; `variable` is the variable's name.
    struct Unusable: Error, Equatable {
        var variable: String
    }

    /// The proxy on the way to `endpoint`, by the values of environment variables; `nil` means none.
    func proxy(
        for endpoint: Endpoint, environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) throws(Unusable) -> HTTPProxy? {
        guard case .host(let host, let port) = endpoint else { return nil }
        switch self {
        case .direct: return nil
        case .proxy(let proxy): return proxy
        case .environment:
            // The lower-case name goes first, as in curl. An empty one switches the proxy off.
            let host = host.lowercased()
            for variable in ["https_proxy", "HTTPS_PROXY"] {
                guard let value = environment(variable) else { continue }
                guard !value.isEmpty else { return nil }
                let exceptions = environment("no_proxy") ?? environment("NO_PROXY") ?? ""
                if NoProxyList(exceptions).contains(host: host, port: port) { return nil }
                guard let proxy = HTTPProxy(value) else { throw Unusable(variable: variable) }
                return proxy
            }
            return nil
        }
    }
}
