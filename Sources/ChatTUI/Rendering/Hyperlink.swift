// Where a drawn text leads: part of a Style, written by NcursesTerminal as OSC 8 beside curses.

/// An address that a terminal may open when its user clicks on the text. Only `http`, `https` and `file`, at most
/// 2 kB, and nothing in it but printable ASCII, so that it cannot end the sequence that carries it.
public struct Hyperlink: Sendable, Hashable {
    static let maxBytes = 2_048
    private static let schemes = ["http://", "https://", "file://"]

    /// The address, percent-encoded.
    public let uri: String

    /// `nil` when the address is too long or of another kind.
    public init?(_ raw: String) {
        guard raw.utf8.count <= Self.maxBytes else { return nil }
        let start = raw.prefix(8).lowercased()
        guard Self.schemes.contains(where: { start.hasPrefix($0) }) else { return nil }
        var bytes: [UInt8] = []
        for byte in raw.utf8 {
            if (0x21...0x7E).contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
            }
        }
        guard bytes.count <= Self.maxBytes else { return nil }
        uri = String(decoding: bytes, as: UTF8.self)
    }

    /// The same for all rows and occurrences of an address, so that the terminal marks them as one.
    var identifier: String {
        let hash = uri.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return String(hash, radix: 36)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
