// An address that one person gives to another: where, and which key must answer.

package import BLIPNet

/// `blip://HOST:PORT/PEER-ID#NAME`. The id may be missing: trust on first use.
///
/// Read is `?name=NAME` as well (PRODUCT, "The two commands"), which zsh and fish refuse without quotes
/// (Docs/decisions/0022). White space and frames that came with a copied address are no part of it.
package struct PeerAddress: Sendable, Hashable, Codable, CustomStringConvertible {
    package static let defaultPort: UInt16 = 4985

    package var host: String
    package var port: UInt16
    package var peerID: PeerID?
    /// The name that the address suggests.
    package var name: String?
    /// Nobody has given us this address: the contact has named it, and a call there has met their key. Not part of the text.
    package var isLearned = false

    package init(host: String, port: UInt16 = Self.defaultPort, peerID: PeerID? = nil, name: String? = nil) {
        self.host = host
        self.port = port
        self.peerID = peerID
        self.name = name
    }

    private enum CodingKeys: CodingKey { case host, port, peerID, name, isLearned }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        host = try values.decode(String.self, forKey: .host)
        port = try values.decode(UInt16.self, forKey: .port)
        peerID = try values.decodeIfPresent(PeerID.self, forKey: .peerID)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        isLearned = try values.decodeIfPresent(Bool.self, forKey: .isLearned) ?? false
    }

    package var endpoint: Endpoint { .host(host, port: port) }

    /// Whether both name the same place, whoever is expected there.
    package func isSamePlace(as other: PeerAddress) -> Bool { host == other.host && port == other.port }

    package var description: String {
        var text = "blip://\(endpoint)"
        if let peerID { text += "/\(peerID)" }
        if let name { text += "#" + PercentEncoding.encode(name) }
        return text
    }

    /// Reads an address; the error says what is wrong with it, in words for people.
    package init(parsing text: String) throws(PeerAddressError) {
        let scheme = "blip://"
        guard text.utf8.count <= 4096 else { throw .tooLong }
        var rest = Substring(PastedAddress.withoutLayout(text))
        // A scheme is the same in any case (RFC 3986 section 3.1).
        if rest.hasScheme(scheme) {
            rest = Substring(rest.utf8.dropFirst(scheme.utf8.count))
        } else if let separator = rest.firstRange(ofASCII: "://") {
            throw .wrongScheme(String(rest[..<separator]))
        }
        guard rest.utf8.count <= 1024 else { throw .tooLong }
        var suggestedName: String?
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            let encoded = rest[rest.utf8.index(after: hash)...]
            if !encoded.isEmpty {
                guard let decoded = PercentEncoding.decode(encoded.utf8) else { throw .badName }
                suggestedName = decoded
            }
            rest = rest[..<hash]
        }
        if let question = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            for item in rest[rest.utf8.index(after: question)...].utf8.split(separator: UInt8(ascii: "&")) {
                guard item.starts(with: "name=".utf8) else { continue }
                guard let decoded = PercentEncoding.decode(item.dropFirst(5)), !decoded.isEmpty else { throw .badName }
                suggestedName = decoded
            }
            rest = rest[..<question]
        }
        var id: PeerID?
        if let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
            let idText = rest[rest.utf8.index(after: slash)...]
            if !idText.isEmpty {
                guard let parsed = PeerID(String(idText)) else { throw .badPeerID(String(idText)) }
                id = parsed
            }
            rest = rest[..<slash]
        }
        guard case .host(let host, let port)? = Endpoint(String(rest), defaultPort: Self.defaultPort), port > 0,
            host.unicodeScalars.allSatisfy(Self.isSeen)
        else { throw .badHost(String(rest)) }
        self.init(host: host, port: port, peerID: id, name: suggestedName)
    }
}

extension PeerAddress {
    /// No host has characters that cannot be seen or turn others around: they make one look like another.
    fileprivate static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace && !properties.isBidiControl
            && ![.control, .format].contains(properties.generalCategory)
    }
}

/// What is wrong with an address that somebody typed.
package enum PeerAddressError: Error, Sendable, Equatable, Codable {
    case tooLong
    case wrongScheme(String)
    case badHost(String)
    case badPeerID(String)
    case badName
}

/// Percent-encoding of RFC 3986 section 2.1, for the name in an address, links and paths.
package enum PercentEncoding {
    /// Letters, digits, `-._~` and what is `allowed` stay as they are.
    package static func encode(_ text: String, allowing allowed: StaticString = "") -> String {
        String(decoding: HTTPSyntax.percentEncoded(text, allowing: allowed), as: UTF8.self)
    }

    /// `nil` for a cut-off escape or bytes that are not UTF-8.
    static func decode(_ encoded: some Sequence<UInt8>) -> String? {
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46: byte - 0x41 + 10
            case 0x61...0x66: byte - 0x61 + 10
            default: nil
            }
        }
        var bytes: [UInt8] = []
        var iterator = encoded.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// Whether it begins with `scheme`, which is lower-case ASCII, in any case. Compared byte by byte: a combining mark
    /// behind the slashes is one Character with the last of them.
    func hasScheme(_ scheme: String) -> Bool {
        utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) { byte, wanted in
            byte == wanted || (0x41...0x5A).contains(byte) && byte | 0x20 == wanted
        }
    }
}

extension Substring {
    /// Where the ASCII `needle` first begins, compared byte by byte.
    fileprivate func firstRange(ofASCII needle: String) -> Index? {
        let wanted = Array(needle.utf8)
        var index = utf8.startIndex
        while index < utf8.endIndex {
            if self[index...].utf8.starts(with: wanted) { return index }
            utf8.formIndex(after: &index)
        }
        return nil
    }
}
