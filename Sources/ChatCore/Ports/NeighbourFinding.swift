// The view of a local network that ChatCore needs: other chats in it, and a way to be seen there (DNS-SD over multicast
// DNS, RFC 6762 and 6763). The host of the chat uses avahi for it.

/// Finds services of the type `_blip._tcp`, and shows ours.
package protocol NeighbourFinding: Sendable {
    /// Looks around until the stream is not read any more, or until the next call of this.
    func look() -> AsyncStream<NeighbourNews>
    /// Shows this service in place of the one before; `nil`: none. Returns at once.
    func show(_ service: NeighbourService?)
}

/// A service as a network sees it.
package struct NeighbourService: Sendable, Equatable {
    /// Its name in the network.
    package var instance: String
    package var port: UInt16
    /// `KEY=VALUE`, each of at most 255 bytes.
    package var texts: [String]

    /// Eight letters by chance, which tell nothing of us.
    package static func randomInstance() -> String {
        String((0..<8).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "a" })
    }
}

/// A service at one interface, over IPv4 or IPv6.
package struct NeighbourKey: Sendable, Hashable {
    package var instance: String
    package var interface: Int32
    package var isIPv6: Bool

    package init(instance: String, interface: Int32, isIPv6: Bool) {
        self.instance = instance
        self.interface = interface
        self.isIPv6 = isIPv6
    }
}

package enum NeighbourNews: Sendable, Equatable {
    /// Whether there is something that looks around. Comes first, and when it changes.
    case state(NeighbourState)
    /// Somebody is there; `host` is numeric. `texts`: as they say it, unread.
    case found(NeighbourKey, host: String, port: UInt16, texts: [[UInt8]])
    case gone(NeighbourKey)
}

/// Whether people nearby are found.
package enum NeighbourState: String, Sendable, Equatable, Codable {
    /// Our user does not want it, or a proxy is between us and all others.
    case off
    /// There is no avahi on this machine.
    case missing
    /// It is there, and its service does not run (yet).
    case waiting
    case looking
}

/// For a chat that looks for nobody (tests, a command that is over at once).
package struct NoNeighbours: NeighbourFinding {
    package init() {}
    package func look() -> AsyncStream<NeighbourNews> {
        AsyncStream { news in
            news.yield(.state(.off))
            news.finish()
        }
    }
    package func show(_ service: NeighbourService?) {}
}
