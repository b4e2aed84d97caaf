// A cookie as servers set it (RFC 6265 section 5.2).

/// One `Set-Cookie` field, judged for the server that sent it.
struct HTTPCookie: Sendable, Equatable {
    var name: String
    var value: String
    /// In lower case, without a leading dot.
    var domain: String
    /// It goes to this very host, not to those below it.
    var isHostOnly: Bool
    var path: String
    /// It goes over TLS only.
    var isSecure: Bool
    /// Seconds since 1970; `nil` for the end of the session.
    var expires: Int64?

    /// The longest name with its value.
    private static let maxBytes = 4096

    /// Reads the value of a `Set-Cookie` field from the server of `url`. `nil` for what is no cookie, and for one that
    /// the server may not set. `now` is in seconds since 1970.
    init?(_ field: String, from url: WebSocketURL, now: Int64) {
        guard case .host(let host, _) = url.endpoint else { return nil }
        let parts = Array(field.utf8).split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first, let equals = pair.firstIndex(of: UInt8(ascii: "=")),
            pair.count <= Self.maxBytes
        else { return nil }
        let name = HTTPSyntax.trimmed(pair[..<equals])
        let value = HTTPSyntax.trimmed(pair[(equals + 1)...])
        guard HTTPSyntax.isToken(name), value.allSatisfy(HTTPSyntax.isValueByte) else { return nil }
        self.name = HTTPSyntax.text(name)
        self.value = HTTPSyntax.text(value)
        domain = HTTPCookie.lowercased(host)
        isHostOnly = true
        path = HTTPCookie.defaultPath(url.target)
        isSecure = false
        var maxAge: Int64?
        for part in parts.dropFirst() {
            let attribute = Attribute(part)
            switch attribute.name {
            case "domain":
                guard !attribute.value.isEmpty else { continue }
                guard let allowed = HTTPCookie.domain(attribute.value, for: domain) else { return nil }
                isHostOnly = isHostOnly && allowed == domain && HTTPCookie.isAddress(domain)
                domain = allowed
            case "path":
                path = attribute.value.utf8.first == UInt8(ascii: "/") ? attribute.value : path
            case "secure": isSecure = true
            case "max-age": maxAge = Int64(attribute.value) ?? maxAge
            case "expires": expires = HTTPDate.seconds(attribute.value) ?? expires
            default: continue
            }
        }
        // Only TLS shows that a cookie is from whom it seems to be.
        guard url.isEncrypted || !isSecure else { return nil }
        if let maxAge {
            let (end, isNever) = now.addingReportingOverflow(maxAge)
            expires = maxAge <= 0 ? 0 : isNever ? nil : end
        }
    }

    /// Whether it is for `host` in lower case.
    func isFor(host: String) -> Bool { isHostOnly ? host == domain : HTTPCookie.matches(host, domain) }

    /// Whether it is for the path of `target` (RFC 6265 section 5.1.4).
    func isFor(target: String) -> Bool {
        let wanted = Array(path.utf8)
        let given = Array(target.utf8.prefix { $0 != UInt8(ascii: "?") })
        guard given.starts(with: wanted) else { return false }
        return given.count == wanted.count || wanted.last == UInt8(ascii: "/")
            || given[wanted.count] == UInt8(ascii: "/")
    }

    /// Whether both have the same place in a jar.
    func replaces(_ other: HTTPCookie) -> Bool {
        HTTPSyntax.equal(name, other.name) && domain == other.domain && path == other.path
    }

    // MARK: Pieces

    /// `name=value` or `name`.
    private struct Attribute {
        let name: String
        let value: String

        init(_ part: ArraySlice<UInt8>) {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            name = HTTPSyntax.text(HTTPSyntax.trimmed(part[..<equals]).map(HTTPSyntax.lowercased)[...])
            value = HTTPSyntax.text(HTTPSyntax.trimmed(part[equals...].dropFirst()))
        }
    }

    /// The domain that `text` means, if `host` may set cookies for it. Without a list of public suffixes, one label alone
    /// counts as one.
    private static func domain(_ text: String, for host: String) -> String? {
        let bytes = text.utf8.first == UInt8(ascii: ".") ? Array(text.utf8.dropFirst()) : Array(text.utf8)
        let domain = String(decoding: bytes.map(HTTPSyntax.lowercased), as: UTF8.self)
        if domain == host { return domain }
        return matches(host, domain) && domain.utf8.contains(UInt8(ascii: ".")) ? domain : nil
    }

    private static func matches(_ host: String, _ domain: String) -> Bool {
        if host == domain { return true }
        return !isAddress(host) && Array(host.utf8.reversed()).starts(with: ("." + domain).utf8.reversed())
    }

    private static func isAddress(_ host: String) -> Bool { SocketAddress(host: host, port: 0) != nil }

    static func lowercased(_ host: String) -> String {
        String(decoding: host.utf8.map(HTTPSyntax.lowercased), as: UTF8.self)
    }

    /// The folder of the request (RFC 6265 section 5.1.4).
    private static func defaultPath(_ target: String) -> String {
        let path = Array(target.utf8.prefix { $0 != UInt8(ascii: "?") })
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return "/" }
        return String(decoding: path[..<slash], as: UTF8.self)
    }
}
