// When to dial again (RELIABILITY D8). Pure: randomness is passed in.

/// Exponential back-off with full jitter: the n-th delay in a row is random in [0, min(maximum, base * 2^n)]. Somebody who has
/// been away for an hour is called a fifth as often, after a day a fifteenth: when they come back they call us, and a new
/// network of ours begins the series anew.
package struct ReconnectPolicy: Sendable, Equatable {
    package let base: Duration
    package let maximum: Duration
    /// A link that lasted this long starts the series anew.
    package let stableAfter: Duration
    /// From so many failures on, delays are so many times as long. With a mean of half a minute, 100 are about an hour, and 600
    /// more with five times that a day.
    private static let rarer = [(failures: 100, factor: 5), (failures: 700, factor: 15)]
    /// Failures since the last stable link.
    private(set) var failures = 0

    package init(
        base: Duration = .milliseconds(500), maximum: Duration = .seconds(60), stableAfter: Duration = .seconds(30)
    ) {
        self.base = base
        self.maximum = maximum
        self.stableAfter = stableAfter
    }

    /// The largest delay that `nextDelay` may return now.
    var ceiling: Duration {
        // Beyond 2^20 any base has long passed the maximum; the shift stays small.
        min(maximum, base * (1 << min(failures, 20))) * (Self.rarer.last { failures >= $0.failures }?.factor ?? 1)
    }

    /// How long to wait after a failed call or a lost link, `atMost` so long; counts it as a failure.
    mutating func nextDelay(
        using generator: inout some RandomNumberGenerator, atMost limit: Duration? = nil
    ) -> Duration {
        let delay = min(ceiling, limit ?? ceiling) * Double.random(in: 0...1, using: &generator)
        failures += 1
        return delay
    }

    /// A link has ended after `duration`.
    mutating func linkEnded(after duration: Duration) {
        if duration >= stableAfter { failures = 0 }
    }

    /// The user asked, or the peer called: begin anew.
    mutating func reset() { failures = 0 }
}
