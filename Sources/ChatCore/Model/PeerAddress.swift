// An address that one person gives to another: where, and which key must answer.

package import BLIPNet

/// `blip://HOST:PORT/PEER-ID#NAME`. The id may be missing: trust on first use.
///
/// With more ways than one, or where the first one is no host (REACH 2):
/// `blip://[HOST:PORT]/PEER-ID?name=NAME&via=ROUTE&via=ROUTE&once=TOKEN`. White space and frames that came with a copied
/// address are not part of it; zsh and fish refuse a `?` without quotes, so the name follows `#` where it can
/// (Docs/decisions/0022).
package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    package static let defaultPort: UInt16 = 4985

    /// From whom we know a place.
    package enum Origin: String, Sendable, Codable {
        /// Our user has given it.
        case user
        /// The contact has said that they listen there (`Listen`), and a call there has met their key.
        case heard
        /// The contact has named it among their routes.
        case told
        /// Somebody in this network shows what only they can know to show; it is not stored.
        case seen
    }

    /// The first way, or the only one.
    package var route: Route
    /// Further ways, in an address that somebody gives away; a stored one has none.
    package var via: [Route] = []
    package var peerID: PeerID?
    /// The name that the address suggests.
    package var name: String?
    /// Proves once that its owner has invited us: 16 bytes.
    package var once: [UInt8]?
    /// Not part of the text.
    package var origin = Origin.user

    package init(host: String, port: UInt16 = Self.defaultPort, peerID: PeerID? = nil, name: String? = nil) {
        self.init(.direct(host: host, port: port), peerID: peerID, name: name)
    }

    package init(_ route: Route, peerID: PeerID? = nil, name: String? = nil) {
        self.route = route
        self.peerID = peerID
        self.name = name
    }

    package var host: String { route.host }
    package var port: UInt16 { route.port }
    package var endpoint: Endpoint { route.endpoint }

    /// Nobody has given us this address: the contact has named it.
    package var isLearned: Bool { origin != .user }

    /// One address for each way, as contacts have them.
    package var places: [PeerAddress] {
        ([route] + via).map { route in
            var place = PeerAddress(route, peerID: peerID, name: name)
            place.origin = origin
            return place
        }
    }

    /// Whether both name the same place, whoever is expected there.
    package func isSamePlace(as other: PeerAddress) -> Bool { route == other.route }

    package var description: String {
        let id = peerID.map { "/\($0)" } ?? ""
        let encodedName = name.map { PercentEncoding.encode($0) }
        let isHost = route.routeClass != .relay
        if isHost, via.isEmpty, once == nil {
            return "blip://\(endpoint)" + id + (encodedName.map { "#" + $0 } ?? "")
        }
        let ways = (isHost ? [] : [route]) + via
        let parameters =
            (encodedName.map { ["name=" + $0] } ?? [])
            + ways.map { "via=" + PercentEncoding.encode("\($0)", allowing: ":/[]") }
            + (once.map { ["once=" + Base32.encode($0)] } ?? [])
        return "blip://" + (isHost ? "\(endpoint)" : "") + id + "?" + parameters.joined(separator: "&")
    }
}

extension PeerAddress: Codable {
    private enum CodingKeys: CodingKey { case route, via, peerID, name, once, origin }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        route = try values.decode(Route.self, forKey: .route)
        via = try values.decodeIfPresent([Route].self, forKey: .via) ?? []
        peerID = try values.decodeIfPresent(PeerID.self, forKey: .peerID)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        once = try values.decodeIfPresent([UInt8].self, forKey: .once)
        origin = try values.decodeIfPresent(Origin.self, forKey: .origin) ?? .user
    }
}

// MARK: Reading

extension PeerAddress {
    /// Ways beside the host.
    package static let mostVia = RouteList.most
    /// Bytes of a token.
    package static let onceBytes = 16

    private static let scheme = "blip://"

    /// Whether a text is an address of a person in full, as far as its beginning tells (compare `RoomURL.isMeant`).
    package static func isMeant(by text: String) -> Bool { text.hasScheme(scheme) }

    /// Reads an address; the error says what is wrong with it, in words for people.
    package init(parsing text: String) throws(PeerAddressError) {
        guard text.utf8.count <= 4096 else { throw .tooLong }
        var rest = Substring(PastedAddress.withoutLayout(text))
        // A scheme is the same in any case (RFC 3986 section 3.1).
        if rest.hasScheme(Self.scheme) {
            rest = Substring(rest.utf8.dropFirst(Self.scheme.utf8.count))
        } else if let separator = rest.firstRange(ofASCII: "://") {
            throw .wrongScheme(String(rest[..<separator]))
        }
        guard rest.utf8.count <= 1024 else { throw .tooLong }
        var parameters = Parameters()
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            let encoded = rest[rest.utf8.index(after: hash)...]
            if !encoded.isEmpty {
                guard let decoded = PercentEncoding.decode(encoded.utf8) else { throw .badName }
                parameters.name = decoded
            }
            rest = rest[..<hash]
        }
        if let question = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            for item in rest[rest.utf8.index(after: question)...].utf8.split(separator: UInt8(ascii: "&")) {
                try parameters.read(Array(item))
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
        var routes = parameters.via
        if rest.isEmpty, parameters.viaCount > 0 || id != nil {
            // Anybody may answer at a relay or an onion service: only a key tells who it is.
            guard id != nil, !routes.isEmpty else { throw .noRoute }
        } else {
            guard let route = Route(String(rest)), route.routeClass != .relay else { throw .badHost(String(rest)) }
            routes.insert(route, at: 0)
        }
        self.init(routes.removeFirst(), peerID: id, name: parameters.name)
        via = routes
        once = parameters.once
        // Written in full it may be longer than it came: bytes of a name become three characters each.
        guard description.utf8.count <= 1024 + Self.scheme.utf8.count else { throw .tooLong }
    }

    /// The part after the `?`; unknown parameters are for later versions.
    private struct Parameters {
        var name: String?
        var via: [Route] = []
        /// With those that cannot be read.
        var viaCount = 0
        var once: [UInt8]?

        mutating func read(_ item: [UInt8]) throws(PeerAddressError) {
            if item.starts(with: "name=".utf8) {
                guard let decoded = PercentEncoding.decode(item.dropFirst(5)), !decoded.isEmpty else { throw .badName }
                name = decoded
            } else if item.starts(with: "via=".utf8) {
                viaCount += 1
                guard viaCount <= PeerAddress.mostVia else { throw .tooManyRoutes }
                // One that cannot be read may be of a later kind.
                if let text = PercentEncoding.decode(item.dropFirst(4)), let route = Route(text) { via.append(route) }
            } else if item.starts(with: "once=".utf8) {
                guard let token = Base32.decode(String(decoding: item.dropFirst(5), as: UTF8.self)),
                    token.count == PeerAddress.onceBytes
                else { throw .badInvitation }
                once = token
            }
        }
    }
}

/// The fault of an address that somebody typed.
package enum PeerAddressError: Error, Sendable, Equatable, Codable {
    case tooLong
    case wrongScheme(String)
    case badHost(String)
    case badPeerID(String)
    case badName
    /// Neither a host nor a way that can be read, or no id beside it.
    case noRoute
    case tooManyRoutes
    /// The token is cut off or mistyped.
    case badInvitation
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
    /// after the slashes is one Character with the last of them.
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
