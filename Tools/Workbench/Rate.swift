// How often something happened in how long.

/// A count and the time that it took.
package struct Rate: Sendable {
    package var count: Int
    package var elapsed: Duration

    package init(count: Int, elapsed: Duration) {
        self.count = count
        self.elapsed = elapsed
    }

    package var perSecond: Double { Double(count) / max(elapsed.seconds, 1e-9) }
}

extension Duration {
    /// In seconds, for rates.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
