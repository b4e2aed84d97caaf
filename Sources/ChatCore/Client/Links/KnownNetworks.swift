// The networks from which contacts have called, and at which they are called: the listener keeps places for them. Pure.

import BLIPNet

/// Networks in the sense of `SocketAddress.neighbourhood`.
struct KnownNetworks {
    /// Those of links of this run, the latest last.
    private var ofLinks: [String] = []

    /// As many as are remembered.
    static let maximum = 256

    /// A contact is linked from, or at, this numeric address. Returns whether that is news.
    mutating func note(_ host: String) -> Bool {
        guard let network = Self.network(host) else { return false }
        let isNews = !ofLinks.contains(network)
        ofLinks.removeAll { $0 == network }
        ofLinks.append(network)
        if ofLinks.count > Self.maximum { ofLinks.removeFirst() }
        return isNews
    }

    /// Those of links, and those of the numeric addresses of contacts who are not blocked.
    func networks(with peers: some Sequence<Peer>) -> Set<String> {
        var all = Set(ofLinks)
        for peer in peers where !peer.isBlocked {
            for address in peer.addresses where address.route.routeClass == .direct {
                if let network = Self.network(address.host) { all.insert(network) }
            }
        }
        return all
    }

    private static func network(_ host: String) -> String? { SocketAddress(host: host, port: 0)?.neighbourhood }
}
