// How long each of many single events took.

/// The distribution of durations.
package struct Latencies: Sendable {
    /// In ascending order.
    package let samples: [Duration]

    package init(_ samples: [Duration]) { self.samples = samples.sorted() }

    package var median: Duration { quantile(0.5) }
    package var p99: Duration { quantile(0.99) }
    package var count: Int { samples.count }

    /// The smallest sample that is not below `share` (0...1) of all.
    package func quantile(_ share: Double) -> Duration {
        guard !samples.isEmpty else { return .zero }
        return samples[min(samples.count - 1, Int(Double(samples.count) * share))]
    }
}
