// When to dial again (RELIABILITY D8). Pure: randomness is passed in.

import BLIPNet

/// Exponential back-off with full jitter: the n-th delay in a row is random in [0, min(maximum, base * 2^n)]. For somebody who
/// has been away for an hour, `maximum` is five times as long, after a day fifteen times: when they come back they call us,
/// and a new network of ours begins the series anew.
package struct ReconnectPolicy: Sendable, Equatable {
    package let base: Duration
    package let maximum: Duration
    /// A link that lasted this long starts the series anew.
    package let stableAfter: Duration
    /// How many times `maximum` is the longest delay for somebody who has been away for so long.
    private static let rarer = [(away: Duration.seconds(3600), factor: 5), (away: .seconds(86_400), factor: 15)]
    /// Delays that may exceed `maximum` end at multiples of a third of the longest one: waking up once serves many contacts.
    private static let stepsOfRareDelays = 3
    /// A path that broke is expected back for so long, and while a message waits for it two calls are no further apart than that
    /// (decision 0039): nobody tells us when a path is back that broke far from here.
    private static let outage = (expected: Duration.seconds(900), wait: Duration.seconds(1))
    private var broken: MonotonicTime?
    /// Failures since the last stable link.
    private(set) var failures = 0

    package init(
        base: Duration = .milliseconds(500), maximum: Duration = .seconds(60), stableAfter: Duration = .seconds(30)
    ) {
        self.base = base
        self.maximum = maximum
        self.stableAfter = stableAfter
    }

    /// The largest delay that `nextDelay` may return now for somebody who has been `away` for so long.
    func ceiling(away: Duration = .zero) -> Duration {
        let longest = maximum * (Self.rarer.last { away >= $0.away }?.factor ?? 1)
        // Beyond 2^20 any base has long passed the maximum; the shift stays small.
        return min(longest, base * (1 << min(failures, 20)))
    }

    /// How long to wait after a failed call or a lost link; counts it as a failure.
    mutating func nextDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        nextDelay(using: &generator, atMost: ceiling())
    }

    /// The same for a call at which a message is `waiting`, or not, to somebody who has been `away` for so long.
    mutating func nextDelay(
        using generator: inout some RandomNumberGenerator, waiting: Bool, away: Duration, now: MonotonicTime
    ) -> Duration {
        let isOutage = waiting && broken.map { now - $0 < Self.outage.expected } ?? false
        let limit = isOutage ? min(ceiling(), Self.outage.wait) : ceiling(away: away)
        guard limit > maximum else { return nextDelay(using: &generator, atMost: limit) }
        let step = limit / Self.stepsOfRareDelays
        return (now + nextDelay(using: &generator, atMost: limit - step)).roundedUp(to: step) - now
    }

    private mutating func nextDelay(
        using generator: inout some RandomNumberGenerator, atMost limit: Duration
    ) -> Duration {
        let delay = limit * Double.random(in: 0...1, using: &generator)
        failures += 1
        return delay
    }

    /// A link has ended without a farewell.
    mutating func pathBroke(at time: MonotonicTime) { broken = time }

    /// Somebody has answered, whoever it was, or said farewell: the path is not to blame.
    mutating func pathAnswered() { broken = nil }

    /// A link has ended after `duration`.
    mutating func linkEnded(after duration: Duration) {
        if duration >= stableAfter { failures = 0 }
    }

    /// The user asked, or the peer called: begin anew.
    mutating func reset() { failures = 0 }
}
