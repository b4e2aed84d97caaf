// Whether our user uses Tor, and what may be used beside it: the one place that decides that (REACH 5).

/// The setting `reach.tor`.
package enum TorSetting: String, Sendable, CaseIterable, Codable {
    case off
    case on
    /// Nothing but tor's packets leaves this machine.
    case only

    /// A way in which a chat uses networks.
    package enum Means: Sendable, CaseIterable {
        /// A port that others call.
        case door
        /// Calls to an address or a name of the network, and files beside a link.
        case calls
        /// Relays, to be called there and to call others.
        case relays
        /// A port of the router.
        case mapping
        /// Being found in this network, and finding others.
        case neighbours
        /// Servers of rooms.
        case rooms
        case onion
    }

    package func allows(_ means: Means) -> Bool {
        switch self {
        case .off: means != .onion
        case .on: true
        case .only: means == .onion
        }
    }

    /// Whether a contact may be called along such a way.
    package func allowsCalls(along routeClass: RouteClass) -> Bool {
        switch routeClass {
        case .direct: allows(.calls)
        case .relay: allows(.relays)
        case .onion: allows(.onion)
        }
    }
}
