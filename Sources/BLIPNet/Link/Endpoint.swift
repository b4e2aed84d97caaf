// Where to connect or listen.

internal import Glibc

/// A place on the network.
public enum Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A host name or a numeric IPv4 or IPv6 address (without brackets), and a port (0 when listening: any free one).
    case host(String, port: UInt16)
    /// The path of a UNIX-domain socket.
    case unix(path: String)

    /// `host:port`, `[v6]:port` or `unix:path`; a host called `unix` is written in brackets, too.
    public var description: String {
        switch self {
        case .host(let host, let port):
            host == "unix" || host.utf8.contains(UInt8(ascii: ":"))
                ? "[\(Self.readable(host))]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Reads `host:port`, `[v6]:port`, a bare host or IPv6 address (with `defaultPort`) or `unix:/path`. `nil` for
    /// anything else.
    public init?(_ text: String, defaultPort: UInt16? = nil) {
        let bytes = Array(text.utf8)
        guard !bytes.contains(0), !bytes.isEmpty else { return nil }
        if text.utf8.starts(with: "unix:".utf8) {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
            return
        }
        var host = bytes[...]
        var portDigits: ArraySlice<UInt8>?
        if bytes[0] == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = Self.withPlainZone(bytes[1..<close])
            let rest = bytes[(close + 1)...]
            if !rest.isEmpty {
                guard rest.first == UInt8(ascii: ":") else { return nil }
                portDigits = rest.dropFirst()
            }
        } else if let colon = bytes.lastIndex(of: UInt8(ascii: ":")) {
            // More than one colon without brackets is a bare IPv6 address, or a mistake.
            if bytes.firstIndex(of: UInt8(ascii: ":")) == colon {
                host = bytes[..<colon]
                portDigits = bytes[(colon + 1)...]
            } else if Self.isIPv6Address(bytes) {
                host = Self.withPlainZone(bytes[...])
            } else {
                return nil
            }
        }
        guard let name = String(validating: host, as: UTF8.self), !host.isEmpty, host.count <= 255,
            host.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !Self.delimiters.contains($0) })
        else { return nil }
        var port = defaultPort
        if let portDigits {
            guard !portDigits.isEmpty, portDigits.allSatisfy({ (0x30...0x39).contains($0) }),
                let digits = String(validating: portDigits, as: UTF8.self), let number = UInt16(digits)
            else { return nil }
            port = number
        }
        guard let port else { return nil }
        self = .host(name, port: port)
    }

    /// The bytes that end a host in an address (RFC 3986, 3.2).
    private static let delimiters = Set("/@[]".utf8)

    /// The reader takes `%25` for the `%` before a zone, so a zone that itself begins with `25` is written after `%25`.
    private static func readable(_ host: String) -> String {
        let bytes = Array(host.utf8)
        guard withPlainZone(bytes[...]) != bytes[...], let mark = host.firstIndex(of: "%") else { return host }
        return "\(host[..<mark])%25\(host[host.index(after: mark)...])"
    }

    /// In a URI `%25` introduces the zone of an address (RFC 6874).
    private static func withPlainZone(_ host: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let mark = host.firstIndex(of: UInt8(ascii: "%")), host[mark...].starts(with: "%25".utf8),
            host.count > host.distance(from: host.startIndex, to: mark) + 3
        else { return host }
        return host[...mark] + host[(mark + 3)...]
    }

    /// A numeric address, with or without a zone (`fe80::1%eth0`).
    private static func isIPv6Address(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = String(validating: parts[0], as: UTF8.self), parts.count == 1 || !parts[1].isEmpty else {
            return false
        }
        var parsed = in6_addr()
        return inet_pton(AF_INET6, address, &parsed) == 1
    }
}
