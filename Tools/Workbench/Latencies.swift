// How long each of many single events took.

/// The distribution of durations.
public struct Latencies: Sendable {
    /// In ascending order.
    public let samples: [Duration]

    public init(_ samples: [Duration]) { self.samples = samples.sorted() }

    public var median: Duration { quantile(0.5) }
    public var p99: Duration { quantile(0.99) }
    public var count: Int { samples.count }

    /// The smallest sample that is not below `share` (0...1) of all.
    public func quantile(_ share: Double) -> Duration {
        guard !samples.isEmpty else { return .zero }
        return samples[min(samples.count - 1, Int(Double(samples.count) * share))]
    }
}
