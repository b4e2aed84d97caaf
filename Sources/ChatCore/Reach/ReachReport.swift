// Reports to front ends on how we reach contacts, and how they reach us.

package import BLIPNet

/// How a relay of our user's is.
package enum RelayState: Sendable, Equatable, Codable {
    /// Nobody joins it: this chat takes no calls.
    case off
    case joining
    /// Others reach us there; the relay answered in this time.
    case joined(roundTrip: Duration)
    /// It is tried again.
    case failed(LinkReason)

    package var isJoined: Bool { if case .joined = self { true } else { false } }
}

package struct RelayReport: Sendable, Equatable, Codable {
    package var host: String
    package var port: UInt16
    package var state: RelayState
}

/// A port of our router's that leads to ours.
package struct MappedPlace: Sendable, Hashable, Codable {
    package var host: String
    package var port: UInt16
    package var way: MappingWay

    package init(host: String, port: UInt16, way: MappingWay) {
        self.host = host
        self.port = port
        self.way = way
    }
}

/// The result so far of asking the router for a port.
package enum MappingState: Sendable, Hashable, Codable {
    /// We do not ask it: our user does not want that, or it would lead nobody here.
    case off
    case asking
    /// Others reach us there; it is renewed before `until`.
    case mapped(MappedPlace, until: Timestamp)
    /// We ask it again later.
    case failed(MappingFailure)

    package var isMapped: Bool { if case .mapped = self { true } else { false } }
}

/// How our tor is, and our service in it.
package enum OnionState: Sendable, Equatable, Codable {
    case off
    /// So many of 100 steps are done.
    case starting(percent: Int)
    /// Others can be called.
    case ready
    /// Others can call us, too.
    case announced
    /// It is tried again.
    case failed(LinkReason)

    package var isReady: Bool { self == .ready || self == .announced }
    /// Why it is of no use.
    package var trouble: LinkReason? { if case .failed(let reason) = self { reason } else { nil } }
}

package struct OnionReport: Sendable, Equatable, Codable {
    /// The name of our service; `nil`: this chat takes no calls.
    package var host: String?
    package var state: OnionState
    /// Nothing else is used.
    package var isOnly: Bool
}

/// How we can be reached.
package struct ReachReport: Sendable, Equatable, Codable {
    /// Where we listen; `nil`: nowhere.
    package var listening: String?
    /// The host of our own address leads only to this machine or network.
    package var isInside: Bool
    package var mapping: MappingState
    package var relays: [RelayReport]
    /// `nil`: our user does not use Tor.
    package var onion: OnionReport?
    /// Whether contacts in this network find us without any relay.
    package var neighbours: NeighbourState

    /// Somebody in another network can call us.
    package var isReachable: Bool {
        listening != nil && !isInside || mapping.isMapped || relays.contains { $0.state.isJoined }
            || onion?.state == .announced
    }
}

/// A way to a contact.
package struct RouteReport: Sendable, Equatable, Codable {
    /// The outcome of the last call along it.
    package enum Standing: String, Sendable, Codable {
        /// The present link goes along it.
        case inUse = "in-use"
        case led
        case somebodyElse = "somebody-else"
        case failed
        case untried
    }

    package var address: PeerAddress
    package var standing: Standing
}

/// A call to ourselves along one of our ways, and its outcome.
package struct ReachTrial: Sendable, Equatable, Codable {
    package enum Way: String, Sendable, Codable {
        case direct
        /// A port of the router's.
        case mapped
        case relay
        case onion
    }

    package enum Outcome: Sendable, Equatable, Codable {
        /// We have answered ourselves, after this time.
        case answered(after: Duration)
        case somebodyElse
        case failed(LinkReason)
    }

    package var way: Way
    package var route: Route
    /// The route leads only to this machine or network.
    package var isInside: Bool
    package var outcome: Outcome

    package init(way: Way, route: Route, isInside: Bool, outcome: Outcome) {
        self.way = way
        self.route = route
        self.isInside = isInside
        self.outcome = outcome
    }

    package var isAnswered: Bool { if case .answered = outcome { true } else { false } }
}

/// An invitation for one person.
package struct Invitation: Sendable, Equatable, Codable {
    /// Words that say the same as the link, for as long as they are open.
    package struct Spoken: Sendable, Equatable, Codable {
        /// With dashes between.
        package var words: String
        package var until: Timestamp
        /// The relay at which we wait for callers with the words; `nil`: at none.
        package var place: MeetPlace?
        /// Why that relay is of no use so far.
        package var trouble: LinkReason?
        /// We wait for such callers in this network, too.
        package var isNear: Bool
        /// How we wait for such callers by Tor, too; `nil`: we do not.
        package var onion: OnionState?
    }

    /// With the token that lets its owner in; `nil` when nobody can call us by an address.
    package var address: PeerAddress?
    package var until: Timestamp
    /// Somebody in another network can call us.
    package var isReachable: Bool
    /// `nil`: there is no place where we could wait for callers with the words.
    package var spoken: Spoken?
}

/// The chats in this network.
package struct NearbyReport: Sendable, Equatable, Codable {
    package struct Neighbour: Sendable, Equatable, Codable {
        /// The contact that they are to us; `nil`: none.
        package var contact: ContactID?
        /// The name that we call them by, or else their own.
        package var name: String
        /// Where they are, and with which key.
        package var address: PeerAddress
        package var seen: Timestamp
    }

    package var state: NeighbourState
    /// Those whom we know, and those who are seen by name.
    package var neighbours: [Neighbour]
    /// Others who show that they have blipchat, and not who they are.
    package var strangers: Int
    /// We are seen by name until then; `nil`: we are not.
    package var shownUntil: Timestamp?
}
