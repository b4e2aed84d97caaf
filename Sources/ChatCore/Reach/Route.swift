// A way to a contact: straight to them, by a relay, or by an onion service. A route proves nothing; the key does (REACH 2).

package import BLIPNet

/// Where somebody is called.
package enum Route: Sendable, Hashable {
    case direct(host: String, port: UInt16)
    case relay(RelayRoute)
    case onion(host: String, port: UInt16)
}

/// A way to somebody who has joined a relay.
package struct RelayRoute: Sendable, Hashable {
    package var host: String
    package var port: UInt16
    /// The id that the relay must have.
    package var relay: RelayID
    /// The id of the peer that we ask it for.
    package var mailbox: RelayID

    package static let defaultPort: UInt16 = 22067

    package init(host: String, port: UInt16 = Self.defaultPort, relay: RelayID, mailbox: RelayID) {
        self.host = host
        self.port = port
        self.relay = relay
        self.mailbox = mailbox
    }

    package var server: RelayServer { RelayServer(host: host, port: port, id: relay) }
}

/// How good a way is: of two links with a contact the better one stays.
package enum RouteClass: String, Sendable, Comparable, CaseIterable, Codable {
    case direct
    case relay
    case onion

    /// The better one is less.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .direct: 0
        case .relay: 1
        case .onion: 2
        }
    }
}

extension Route {
    package var routeClass: RouteClass {
        switch self {
        case .direct: .direct
        case .relay: .relay
        case .onion: .onion
        }
    }

    /// Of the relay, where there is one.
    package var host: String {
        switch self {
        case .direct(let host, _), .onion(let host, _): host
        case .relay(let route): route.host
        }
    }

    package var port: UInt16 {
        switch self {
        case .direct(_, let port), .onion(_, let port): port
        case .relay(let route): route.port
        }
    }

    package var endpoint: Endpoint { .host(host, port: port) }
}

extension Route {
    /// Whether a numeric host is not in the public network, or a name means this machine. The meaning of other names
    /// shows when we look them up.
    var leadsInside: Bool { SocketAddress(host: host, port: 0)?.isInside ?? LocalHost.isLoopback(host) }
}

extension PeerAddress {
    /// Whether one of its ways leads anybody in another network to its owner, as far as their texts show that.
    package var leadsOutside: Bool { ([route] + via).contains { !$0.leadsInside } }
}

// MARK: Text

extension Route: CustomStringConvertible {
    /// `HOST:PORT`, or `HOST:PORT/RELAY-ID/MAILBOX`.
    package var description: String {
        switch self {
        case .direct, .onion: "\(endpoint)"
        case .relay(let route): "\(endpoint)/\(route.relay.text)/\(route.mailbox.text)"
        }
    }

    /// Reads the text of a route, the port of which may be missing; `nil` when it is none.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String($0) }
        guard let place = parts.first ?? nil, place.unicodeScalars.allSatisfy(Self.isSeen) else { return nil }
        switch parts.count {
        case 1:
            guard case .host(let host, let port)? = Endpoint(place, defaultPort: PeerAddress.defaultPort), port > 0
            else { return nil }
            guard let kind = Self.isOnion(host) else { return nil }
            self = kind ? .onion(host: host.lowercased(), port: port) : .direct(host: host, port: port)
        case 3:
            guard case .host(let host, let port)? = Endpoint(place, defaultPort: RelayRoute.defaultPort), port > 0,
                let relay = parts[1].flatMap({ RelayID(text: $0) }),
                let mailbox = parts[2].flatMap({ RelayID(text: $0) })
            else { return nil }
            self = .relay(RelayRoute(host: host, port: port, relay: relay, mailbox: mailbox))
        default: return nil
        }
    }

    /// Whether a host is an onion service; `nil` for a host that looks like one and has a mistake in it.
    private static func isOnion(_ host: String) -> Bool? {
        let ending = ".onion"
        guard host.lowercased().hasSuffix(ending) else { return false }
        guard let name = Base32.decode(String(host.dropLast(ending.utf8.count))), OnionKey.isValid(name) else {
            return nil
        }
        return true
    }

    /// No host has characters that cannot be seen or turn others around: they make one look like another.
    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace && !properties.isBidiControl
            && ![.control, .format].contains(properties.generalCategory)
            // They end the host in an address.
            && scalar != "#" && scalar != "?"
    }
}

extension RelayID {
    /// 52 characters of base32, like a peer id.
    package var text: String { Base32.encode(bytes) }

    /// Reads them; `nil` when they are not 32 bytes.
    package init?(text: String) {
        guard let bytes = Base32.decode(text) else { return nil }
        self.init(bytes)
    }
}

// MARK: Lists

/// The ways to one side that it tells the other: the property `Routes` (REACH 2).
enum RouteList {
    /// We tell no more, and of more we read only the first ones.
    static let most = 8
    /// Bytes of the property.
    static let mostBytes = 1024

    static func text(_ routes: [Route]) -> String { fitting(routes).map(\.description).joined(separator: " ") }

    /// Reads those that can be read: a later version may have other kinds.
    static func routes(_ text: String) -> [Route] {
        fitting(text.split(separator: " ").prefix(most).compactMap { Route(String($0)) })
    }

    /// As many of them as we may tell, from the first one on.
    private static func fitting(_ routes: [Route]) -> [Route] {
        var bytes = 0
        return Array(
            routes.prefix(most).prefix { route in
                bytes += "\(route)".utf8.count + 1
                return bytes <= mostBytes + 1
            })
    }
}
