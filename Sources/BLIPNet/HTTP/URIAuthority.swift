// The authority of a URL (RFC 3986 section 3.2): user and password, host, port.

internal import Glibc

/// `user:password@host:port` taken apart and decoded.
struct URIAuthority: Sendable, Equatable {
    /// Of the user information; `nil` when there is none.
    var credentials: HTTPCredentials?
    /// In lower case and without brackets; an IPv6 address may have a zone after `%`.
    var host: String
    var port: UInt16?

    /// Reads an authority that is still percent-encoded. `nil` when it has no host, or one that no resolver may see.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            guard let credentials = Self.credentials(rest[..<at]) else { return nil }
            self.credentials = credentials
            rest = rest[(at + 1)...]
        }
        var portDigits: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: "[") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")),
                let address = Self.addressLiteral(rest[(rest.startIndex + 1)..<close])
            else { return nil }
            host = address
            rest = rest[(close + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
            portDigits = rest.dropFirst()
        } else {
            let colon = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            guard let name = Self.registeredName(rest[..<colon]) else { return nil }
            host = name
            portDigits = rest[colon...].dropFirst()
        }
        // "host:" is allowed and means the default port.
        guard portDigits.isEmpty == false else { return }
        guard portDigits.allSatisfy(HTTPSyntax.isDigit), portDigits.count <= 5,
            let number = UInt16(String(decoding: portDigits, as: UTF8.self)), number > 0
        else { return nil }
        port = number
    }

    private static func credentials(_ bytes: ArraySlice<UInt8>) -> HTTPCredentials? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = decoded(parts[0]), let password = parts.count == 2 ? decoded(parts[1]) : "" else { return nil }
        return HTTPCredentials(user: user, password: password)
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        URIReference.percentDecoded(String(decoding: bytes, as: UTF8.self))
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// An IPv6 address, with a zone as RFC 6874 writes it (`%25eth0`).
    private static func addressLiteral(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let text = decoded(bytes) else { return nil }
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, parts.count == 1 || isZone(parts[1]) else { return nil }
        var parsed = in6_addr()
        guard !address.contains(0), inet_pton(AF_INET6, String(decoding: address, as: UTF8.self), &parsed) == 1 else {
            return nil
        }
        return String(decoding: address.map(HTTPSyntax.lowercased), as: UTF8.self)
            + (parts.count == 2 ? "%" + String(decoding: parts[1], as: UTF8.self) : "")
    }

    private static func isZone(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...15).contains(bytes.count) && bytes.allSatisfy { isNameByte($0) }
    }

    /// A host name or IPv4 address. Names in other letters than ASCII must be given in their `xn--` form.
    private static func registeredName(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let name = decoded(bytes), (1...255).contains(name.utf8.count), name.utf8.allSatisfy(isNameByte) else {
            return nil
        }
        return String(decoding: name.utf8.map(HTTPSyntax.lowercased), as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch HTTPSyntax.lowercased(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
