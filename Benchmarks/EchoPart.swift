// Small echoes per second.

internal import Workbench

/// The part `echo`.
enum EchoPart {
    /// All in turns, and the best of each counts: other work of the machine hits all of them.
    private static let rounds = 3

    private struct Outcome {
        var perSecond = 0.0
        /// Processor time of both sides together, in seconds: what is left of a rate when others use the machine too.
        var cost = Double.infinity

        mutating func keepBest(_ other: Outcome) {
            perSecond = max(perSecond, other.perSecond)
            cost = min(cost, other.cost)
        }
    }

    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let bare = BareClient(port: server.barePort)
        let time = effort.time / rounds
        Report.heading("echoes of 32 bytes per second", "BLIP", "bare socket", "ratio", "cpu per echo")
        for (name, depth, goal) in [("one at a time", 1, 6_000.0), ("100 deep", 100, 40_000)] {
            var (baseline, plain, encrypted) = (0.0, Outcome(), Outcome())
            for _ in 0..<rounds {
                baseline = max(baseline, try bare.echoes(depth: depth, for: time).perSecond)
                plain.keepBest(try await measure(server, overTLS: false, depth, time))
                encrypted.keepBest(try await measure(server, overTLS: true, depth, time))
            }
            for (transport, outcome) in [("plain", plain), ("TLS", encrypted)] {
                Report.row(
                    "\(name), \(transport)", Figure.whole(outcome.perSecond), Figure.whole(baseline),
                    Figure.percent(outcome.perSecond / baseline), Figure.microseconds(outcome.cost),
                    goal: .atLeast(goal, outcome.perSecond))
            }
        }
        Report.end()
    }

    private static func measure(
        _ server: ServerProcess, overTLS: Bool, _ depth: Int, _ time: Duration
    ) async throws -> Outcome {
        try await server.measure(overTLS: overTLS) { measurement in
            _ = try await measurement.sequentialEchoes(for: .milliseconds(100))
            let before = try server.program.processorSeconds() + ResourceUsage.current().processorSeconds
            let rate =
                depth == 1
                ? try await measurement.sequentialEchoes(for: time)
                : try await measurement.pipelinedEchoes(depth: depth, for: time)
            let after = try server.program.processorSeconds() + ResourceUsage.current().processorSeconds
            return Outcome(perSecond: rate.perSecond, cost: (after - before) / Double(rate.count))
        }
    }
}
