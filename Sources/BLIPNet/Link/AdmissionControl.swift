// Which callers a listener takes, and which it drops for them: the bookkeeping for `ListenerLimits`. Pure, the time is
// passed in.

/// Where a caller is.
struct CallerPlace: Sendable, Hashable {
    /// The address or network that counts as one caller (`SocketAddress.network`).
    var address: String
    /// The range of addresses that counts as one network (`SocketAddress.neighbourhood`).
    var network: String

    init(_ address: SocketAddress) { self.init(address: address.network, network: address.neighbourhood) }

    init(address: String, network: String) {
        self.address = address
        self.network = network
    }

    /// All callers that tor brings: nobody knows where they really are.
    static let onion = CallerPlace(address: "onion", network: "onion")
}

/// The callers of one listener, from the kernel's queue to their end.
struct AdmissionControl {
    enum Refusal: Equatable {
        case tooManyConnections
        case tooManyHandshakes
        case tooManyFromAddress
    }

    enum Verdict: Equatable {
        /// Taken, and these are dropped for it.
        case admitted(dropping: [UInt64])
        case refused(Refusal)
    }

    /// A caller in its handshake.
    private struct Caller {
        /// `nil` for a UNIX-domain socket.
        var place: CallerPlace?
        var arrived: MonotonicTime
        var stage = HandshakeStage.silent
        /// It has been counted among the handshakes that began.
        var hasBegun = false
    }

    private let limits: ListenerLimits
    private var rates: HandshakeRates
    private var handshaking: [UInt64: Caller] = [:]
    /// Those whose handshake is over.
    private var open: [UInt64: CallerPlace?] = [:]
    /// The networks for which a quarter of all places is kept; `nil`: none is kept.
    private var favoured: Set<String>?

    init(limits: ListenerLimits) {
        self.limits = limits
        rates = HandshakeRates(limits)
    }

    /// Callers that are open or in their handshake.
    var count: Int { handshaking.count + open.count }

    /// Keeps a quarter of the places (connections, handshakes, and handshakes that begin at once) for callers from these
    /// networks.
    mutating func favour(_ networks: Set<String>) { favoured = networks }

    // MARK: Arriving

    /// Takes the new caller `id` and counts it, or says why not. `place` is `nil` for a UNIX-domain socket.
    mutating func admit(_ id: UInt64, from place: CallerPlace?, now: MonotonicTime) -> Verdict {
        guard limits.maxHandshakesPerAddress > 0 || place == nil else { return .refused(.tooManyFromAddress) }
        var dropped: [UInt64] = []
        if let place,
            handshaking.values.count(where: { $0.place?.address == place.address })
                >= limits.maxHandshakesPerAddress
        {
            drop(oneOf: .address(place.address), &dropped)
        }
        let isFavoured = isFavoured(place)
        guard makeRoom(isFavoured, in: limits.maxHandshakes, taken: { $0.handshakesTaken(by: $1) }, &dropped) else {
            return refuse(.tooManyHandshakes, dropped)
        }
        guard makeRoom(isFavoured, in: limits.maxConnections, taken: { $0.connectionsTaken(by: $1) }, &dropped) else {
            return refuse(.tooManyConnections, dropped)
        }
        handshaking[id] = Caller(place: place, arrived: now)
        return .admitted(dropping: dropped)
    }

    /// Nobody is dropped for a caller that is not taken: there was no room before either, so none has been.
    private func refuse(_ refusal: Refusal, _ dropped: [UInt64]) -> Verdict {
        dropped.isEmpty ? .refused(refusal) : .admitted(dropping: dropped)
    }

    private enum Group {
        case everybody
        /// Those for whom nothing is kept.
        case strangers
        case address(String)
    }

    /// Sees to it that one more of `capacity` places is free for a caller.
    private mutating func makeRoom(
        _ isFavoured: Bool, in capacity: Int, taken: (Self, Group) -> Int, _ dropped: inout [UInt64]
    ) -> Bool {
        let forStrangers = favoured == nil ? capacity : capacity - capacity / 4
        if !isFavoured, taken(self, .strangers) >= forStrangers {
            return drop(oneOf: .strangers, &dropped)
        }
        guard taken(self, .everybody) >= capacity else { return true }
        // Those whom nothing is kept for go first, for whoever comes.
        return drop(oneOf: .strangers, &dropped) || isFavoured && drop(oneOf: .everybody, &dropped)
    }

    private func handshakesTaken(by group: Group) -> Int { handshaking.values.count { isOne($0.place, of: group) } }

    private func connectionsTaken(by group: Group) -> Int {
        handshakesTaken(by: group) + open.values.count { isOne($0, of: group) }
    }

    private func isOne(_ place: CallerPlace?, of group: Group) -> Bool {
        switch group {
        case .everybody: true
        case .strangers: !isFavoured(place)
        case .address(let address): place?.address == address
        }
    }

    private func isFavoured(_ place: CallerPlace?) -> Bool {
        guard let place else { return true }
        return favoured?.contains(place.network) ?? false
    }

    /// Takes the place of one caller in its handshake: of those that have not finished TLS before others, of the network
    /// that has most of them, the one that came first. `false` when there is none.
    @discardableResult
    private mutating func drop(oneOf group: Group, _ dropped: inout [UInt64]) -> Bool {
        let meant = handshaking.filter { isOne($0.value.place, of: group) }
        let unfinished = meant.filter { $0.value.stage < .secured }
        let candidates = unfinished.isEmpty ? meant : unfinished
        var sizes: [String?: Int] = [:]
        for caller in candidates.values { sizes[caller.place?.network, default: 0] += 1 }
        let victim = candidates.max { left, right in
            let (one, other) = (sizes[left.value.place?.network] ?? 0, sizes[right.value.place?.network] ?? 0)
            return (one, right.value.arrived, right.key) < (other, left.value.arrived, left.key)
        }
        guard let victim else { return false }
        handshaking[victim.key] = nil
        dropped.append(victim.key)
        return true
    }

    // MARK: The handshake

    /// A whole ClientHello of `id` is there: whether work may be done for it.
    mutating func admitsHello(of id: UInt64, now: MonotonicTime) -> Bool {
        guard let caller = handshaking[id] else { return false }
        guard !caller.hasBegun else { return true }
        guard
            rates.take(
                network: caller.place?.network, isFavoured: isFavoured(caller.place) || favoured == nil, now: now)
        else { return false }
        handshaking[id]?.hasBegun = true
        return true
    }

    /// `id` has come as far as `stage`. `false`: too many begin at once, it is to be dropped (a plain connection, which has
    /// no ClientHello).
    mutating func reached(_ stage: HandshakeStage, by id: UInt64, now: MonotonicTime) -> Bool {
        guard let caller = handshaking[id] else { return true }
        handshaking[id]?.stage = max(stage, caller.stage)
        return stage < .greeted || stage == .open || admitsHello(of: id, now: now)
    }

    /// The handshake of `id` is over.
    mutating func opened(_ id: UInt64) {
        if let caller = handshaking.removeValue(forKey: id) { open[id] = .some(caller.place) }
    }

    /// `id` is gone.
    mutating func left(_ id: UInt64) {
        handshaking[id] = nil
        open.removeValue(forKey: id)
    }

    // MARK: Time

    private func deadline(of caller: Caller) -> MonotonicTime? {
        guard caller.place != nil else { return nil }
        switch caller.stage {
        case .silent: return caller.arrived + min(limits.firstByteTime, limits.helloTime)
        case .heard: return caller.arrived + limits.helloTime
        case .greeted, .secured, .open: return nil
        }
    }

    /// When `takeOverdue` has something to say, if nothing happens until then.
    var nextDeadline: MonotonicTime? { handshaking.values.compactMap(deadline).min() }

    /// Those that have not said in time what they had to say; they do not count any more.
    mutating func takeOverdue(now: MonotonicTime) -> [UInt64] {
        let overdue = handshaking.filter { deadline(of: $0.value).map { $0 <= now } ?? false }.map(\.key).sorted()
        for id in overdue { handshaking[id] = nil }
        return overdue
    }
}
