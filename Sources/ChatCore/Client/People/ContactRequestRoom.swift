// Which contact requests go when there is no room for another one (RELIABILITY D13). Pure.

import BLIPNet

/// Keeps the list of contact requests fair: whoever calls from many keys pushes out their own requests, and somebody
/// from elsewhere always appears.
package struct ContactRequestRoom {
    /// How many requests are kept.
    private let limit: Int

    package init(limit: Int) { self.limit = limit }

    /// Which of `requests` (oldest first) have to go for a new one from `origin`; `nil` when none is kept at all. Each
    /// time it is the oldest of the network that has most, the new one counted with its own.
    package func displaced(by origin: String, among requests: [ContactRequest]) -> [ContactRequest]? {
        guard limit > 0 else { return nil }
        var kept = requests.map { (request: $0, network: Self.network(of: $0.origin)) }
        var counts = [Self.network(of: origin): 1]
        for entry in kept { counts[entry.network, default: 0] += 1 }
        var displaced: [ContactRequest] = []
        while kept.count >= limit {
            // Of several networks that have as many, the one with the oldest request.
            let most = kept.map { counts[$0.network] ?? 0 }.max() ?? 0
            guard let place = kept.firstIndex(where: { counts[$0.network] == most }) else { break }
            let gone = kept.remove(at: place)
            counts[gone.network, default: 0] -= 1
            displaced.append(gone.request)
        }
        return displaced
    }

    /// The network that the caller counts as (`SocketAddress.network`).
    private static func network(of origin: String) -> String {
        guard case .host(let host, _)? = Endpoint(origin) else { return origin }
        return SocketAddress(host: host, port: 0)?.network ?? host
    }
}
