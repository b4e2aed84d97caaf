// How often something happened in how long.

/// A count and the time that it took.
public struct Rate: Sendable {
    public var count: Int
    public var elapsed: Duration

    public init(count: Int, elapsed: Duration) {
        self.count = count
        self.elapsed = elapsed
    }

    public var perSecond: Double { Double(count) / max(elapsed.seconds, 1e-9) }
}

extension Duration {
    /// In seconds, for rates.
    public var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
