// How many handshakes may begin, as time passes: in all and from each network. Pure, the time is passed in.

/// The rates of one listener.
struct HandshakeRates {
    /// A number of things that may happen, refilled as time passes up to one second's worth.
    private struct Bucket {
        /// In billionths of a handshake.
        var credit: Int64
        var refilledAt: MonotonicTime

        static let one: Int64 = 1_000_000_000

        init(perSecond rate: Int, now: MonotonicTime) {
            credit = Self.full(rate)
            refilledAt = now
        }

        static func full(_ rate: Int) -> Int64 {
            let (full, overflow) = Int64(clamping: rate).multipliedReportingOverflow(by: one)
            return overflow ? .max : full
        }

        mutating func refill(perSecond rate: Int, now: MonotonicTime) {
            let (gain, overflow) = (now - refilledAt).inNanoseconds
                .multipliedReportingOverflow(by: Int64(clamping: rate))
            let (sum, overflowed) = credit.addingReportingOverflow(gain)
            credit = overflow || overflowed ? Self.full(rate) : min(Self.full(rate), max(sum, 0))
            refilledAt = now
        }
    }

    private let perSecond: Int
    private let perNetwork: Int
    private var all: Bucket?
    /// Those that are not full.
    private var networks: [String: Bucket] = [:]

    /// Networks that are remembered. Beyond that only the rate of all together holds for further ones.
    static let maxNetworks = 1024

    init(_ limits: ListenerLimits) {
        perSecond = limits.handshakesPerSecond
        perNetwork = limits.handshakesPerSecondPerNetwork
    }

    /// Whether a handshake may begin; counts it if so. A caller that is not favoured leaves a quarter of the handshakes
    /// that may begin at once to those that are.
    mutating func take(network: String?, isFavoured: Bool, now: MonotonicTime) -> Bool {
        var all = all ?? Bucket(perSecond: perSecond, now: now)
        all.refill(perSecond: perSecond, now: now)
        self.all = all
        let kept = isFavoured ? 0 : Bucket.full(perSecond) / 4
        guard all.credit >= Bucket.one, all.credit - Bucket.one >= kept else { return false }
        if let network {
            var own = networks[network] ?? Bucket(perSecond: perNetwork, now: now)
            own.refill(perSecond: perNetwork, now: now)
            guard own.credit >= Bucket.one else { return false }
            own.credit -= Bucket.one
            if networks[network] == nil, networks.count >= Self.maxNetworks { forgetFull(now: now) }
            if networks[network] != nil || networks.count < Self.maxNetworks { networks[network] = own }
        }
        self.all?.credit -= Bucket.one
        return true
    }

    private mutating func forgetFull(now: MonotonicTime) {
        networks = networks.filter { _, bucket in
            var bucket = bucket
            bucket.refill(perSecond: perNetwork, now: now)
            return bucket.credit < Bucket.full(perNetwork)
        }
    }
}
