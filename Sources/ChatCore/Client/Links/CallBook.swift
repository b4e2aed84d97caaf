// Where one contact is called, in which order, and what the last call to each place met. Pure; ChatClient carries it out.

import BLIPNet

/// A run's knowledge of a contact's places beyond the stored ones. A place that contacts name themselves (`Listen` in
/// `hello`) is only tried here: it is stored once a call there has met their key.
struct CallBook {
    /// The answer at a place.
    enum Answer: Sendable, Equatable {
        case pinnedKey
        case otherKey
        case nobody
    }

    /// A place that the contact has named and nobody has proved.
    private struct Candidate {
        var address: PeerAddress
        var callsLeft: Int
    }

    private let tor: TorSetting
    private var answers: [Route: Answer] = [:]
    private var candidate: Candidate?
    /// Where the contact is in this network, as neighbours show it.
    var sightings: [PeerAddress] = []
    /// The stored place that the contact has named last.
    private var named: Route?
    /// A candidate has led nowhere: until then no other one is taken.
    private var restsUntil: MonotonicTime?

    init(tor: TorSetting = .off) { self.tor = tor }

    /// How often places that only the contact has named are called before they are forgotten.
    static let callsOfCandidate = 5
    /// How long no other one is taken then: nobody makes us call port after port.
    static let rest = Duration.seconds(600)

    /// When the contact is called along better ways than that of the present link.
    var upgrade = RouteUpgrade()
    var rests = RouteRests()

    /// Whether there is a place beside the stored ones.
    var hasCandidate: Bool { candidate != nil || !sightings.isEmpty }

    // MARK: Naming

    /// The contact has said that they listen at `address`.
    mutating func hear(of address: PeerAddress, among stored: [PeerAddress], now: MonotonicTime) {
        let place = address.route
        guard !stored.contains(where: { $0.route == place }) else {
            named = place
            return
        }
        if let restsUntil, now < restsUntil { return }
        guard candidate.map({ $0.address.route != place }) ?? true else { return }
        // Another place does not bring new calls: nobody makes us call port after port by naming one after each.
        candidate = Candidate(address: address, callsLeft: candidate?.callsLeft ?? Self.callsOfCandidate)
    }

    /// Whether a place that a contact has named may be called at all. Loopback is this machine, where other programs listen:
    /// only for whom our user calls there, or where we ourselves can be called from nowhere else.
    static func mayCall(_ host: String, stored: [PeerAddress], ownHost: String?) -> Bool {
        guard LocalHost.isLoopback(host) else { return true }
        return stored.contains { !$0.isLearned && LocalHost.isLoopback($0.host) }
            || ownHost.map(LocalHost.isLoopback) == true
    }

    // MARK: Calling

    /// The places in the order in which they are called. A place where another key has answered is last. Numeric
    /// addresses come before names: a name server that is silent holds nobody up who can be called without it. Ways
    /// that our user does not use are left out: without Tor, a call would only tell a name server the name of an onion
    /// service.
    func order(_ stored: [PeerAddress]) -> [PeerAddress] {
        let known = ((candidate.map { [$0.address] } ?? []) + stored).filter { place in
            tor.allowsCalls(along: place.route.routeClass)
        }
        // A near place comes before all others, unless somebody else has answered there.
        let near = sightings.filter { answers[$0.route] != .otherKey }
        func rank(_ address: PeerAddress) -> (Int, Int, Int) {
            let answer = answers[address.route]
            let isBest = answer == .pinnedKey || named == address.route || candidate?.address == address
            return (answer == .otherKey ? 1 : 0, LocalHost.isNumeric(address.host) ? 0 : 1, isBest ? 0 : 1)
        }
        let ranked = known.filter { place in !near.contains { $0.route == place.route } }.enumerated().map {
            index, address in
            let (strangeness, kind, merit) = rank(address)
            return (rank: (strangeness, kind, merit, index), address: address)
        }
        return near + ranked.sorted { $0.rank < $1.rank }.map(\.address)
    }

    /// The answer to the last call along a route; `nil`: none was made in this run.
    func answer(at route: Route) -> Answer? { answers[route] }

    /// Those of the places that have not shown that they do not last.
    func rested(_ places: [PeerAddress], now: MonotonicTime) -> [PeerAddress] {
        rests.rested(places, now: now, route: \.route)
    }

    /// The contact's link, which our call along `route` has made, has ended: on its own or by somebody's wish.
    mutating func linkEnded(along route: Route?, after age: Duration, _ end: LinkError, now: MonotonicTime) {
        upgrade.ended()
        guard let route else { return }
        switch end {
        case .closedLocally, .closedByPeer: break
        default: rests.broke(route, after: age, now: now)
        }
    }

    /// A call to `address` has ended. Returns what is to be stored, if that changes: a place that the contact has named and
    /// where their key answered, in place of the one that they had named before.
    mutating func called(
        _ address: PeerAddress, met answer: Answer, stored: [PeerAddress], now: MonotonicTime
    ) -> [PeerAddress]? {
        answers[address.route] = answer
        guard address.origin != .seen else { return nil }
        guard var tried = candidate else { return nil }
        // One that they had named before, during the call to it, counts as well.
        let isCurrent = tried.address.route == address.route
        guard isCurrent || answer != .pinnedKey && !stored.contains(where: { $0.route == address.route }) else {
            return nil
        }
        guard answer != .pinnedKey else {
            candidate = nil
            var learned = address
            learned.origin = .heard
            return [learned] + stored.filter { $0.origin != .heard && $0.route != address.route }
        }
        tried.callsLeft -= 1
        candidate = tried.callsLeft > 0 && (answer == .nobody || !isCurrent) ? tried : nil
        if candidate == nil { restsUntil = now + Self.rest }
        return nil
    }

    /// Calls beside a silent link are no closer to each other: a path that loses much is not to be filled with them.
    private static let besideInterval = Duration.seconds(5)
    /// When they were last called though there was a link.
    private var calledBeside: MonotonicTime?

    /// Whether to call beside a link that seems to be dead; counts it.
    mutating func mayCallBeside(now: MonotonicTime) -> Bool {
        if let calledBeside, now - calledBeside < Self.besideInterval { return false }
        calledBeside = now
        return true
    }
}
