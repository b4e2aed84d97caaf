// NO_PROXY: the servers that are called directly although there is a proxy.

internal import Glibc

/// The entries of a `NO_PROXY` value, separated by commas or blanks: `*`, a domain (with or without a leading dot; its
/// subdomains are meant too), an address, or a network as address/bits; each may end in `:port`.
struct NoProxyList: Sendable, Equatable {
    private enum Pattern: Sendable, Equatable {
        case everything
        case domain([UInt8])
        case network([UInt8], bits: Int)
    }

    private struct Entry: Sendable, Equatable {
        var pattern: Pattern
        var port: UInt16?
    }

    private let entries: [Entry]

    init(_ value: String) {
        let words = value.utf8.split { $0 == UInt8(ascii: ",") || HTTPSyntax.isBlank($0) }
        entries = words.compactMap { Self.entry(Array($0.map(HTTPSyntax.lowercased))) }
    }

    /// Whether `host` (in lower case, without brackets) at `port` is called directly.
    func contains(host: String, port: UInt16) -> Bool {
        let name = Array(host.utf8.prefix { $0 != UInt8(ascii: "%") })
        let address = Self.address(name)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            return switch entry.pattern {
            case .everything: true
            case .network(let prefix, let bits): address.map { Self.isIn($0, prefix, bits: bits) } ?? false
            case .domain(let domain):
                address == nil && (name == domain || name.reversed().starts(with: ([0x2E] + domain).reversed()))
            }
        }
    }

    /// `nil` for an entry that means nothing; it is left out.
    private static func entry(_ word: [UInt8]) -> Entry? {
        if word.elementsEqual("*".utf8) { return Entry(pattern: .everything) }
        if let network = network(word) { return Entry(pattern: network) }
        var host = word[...]
        var port: UInt16?
        if let colon = word.lastIndex(of: UInt8(ascii: ":")) {
            guard let number = UInt16(String(decoding: word[(colon + 1)...], as: UTF8.self)) else { return nil }
            port = number
            host = word[..<colon]
            if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") { host = host.dropFirst().dropLast() }
        }
        if let network = network(Array(host)) { return Entry(pattern: network, port: port) }
        let domain = host.drop { $0 == UInt8(ascii: "*") }.drop { $0 == UInt8(ascii: ".") }
        return domain.isEmpty ? nil : Entry(pattern: .domain(Array(domain)), port: port)
    }

    /// An address alone, in brackets, or with a number of bits after a slash.
    private static func network(_ word: [UInt8]) -> Pattern? {
        let parts = word.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        var text = parts.first ?? []
        if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") { text = text.dropFirst().dropLast() }
        guard let address = address(Array(text)) else { return nil }
        guard parts.count == 2 else { return .network(address, bits: address.count * 8) }
        guard let bits = Int(String(decoding: parts[1], as: UTF8.self)), (0...address.count * 8).contains(bits) else {
            return nil
        }
        return .network(address, bits: bits)
    }

    /// The 4 or 16 bytes of a numeric address.
    private static func address(_ text: [UInt8]) -> [UInt8]? {
        guard !text.contains(0) else { return nil }
        let text = String(decoding: text, as: UTF8.self)
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: &v4) { Array($0) } }
        var v6 = in6_addr()
        if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: &v6) { Array($0) } }
        return nil
    }

    private static func isIn(_ address: [UInt8], _ prefix: [UInt8], bits: Int) -> Bool {
        guard address.count == prefix.count else { return false }
        let whole = bits / 8
        guard address.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
        guard bits % 8 > 0, whole < address.count else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8))
        return address[whole] & mask == prefix[whole] & mask
    }
}
