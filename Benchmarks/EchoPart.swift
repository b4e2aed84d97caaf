// Small echoes per second.

internal import Workbench

/// The part `echo`.
enum EchoPart {
    /// All in turns, and the best of each counts: other work of the machine hits all of them.
    private static let rounds = 3

    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let bare = BareClient(port: server.barePort)
        let time = effort.time / rounds
        Report.heading("echoes of 32 bytes per second", "BLIP", "bare socket", "ratio")
        for (name, depth, goal) in [("one at a time", 1, 6_000.0), ("100 deep", 100, 40_000)] {
            var (baseline, plain, encrypted) = (0.0, 0.0, 0.0)
            for _ in 0..<rounds {
                baseline = max(baseline, try bare.echoes(depth: depth, for: time).perSecond)
                plain = max(plain, try await rate(server, overTLS: false, depth, time))
                encrypted = max(encrypted, try await rate(server, overTLS: true, depth, time))
            }
            for (transport, rate) in [("plain", plain), ("TLS", encrypted)] {
                Report.row(
                    "\(name), \(transport)", Figure.whole(rate), Figure.whole(baseline),
                    Figure.percent(rate / baseline), goal: .atLeast(goal, rate))
            }
        }
        Report.end()
    }

    private static func rate(
        _ server: ServerProcess, overTLS: Bool, _ depth: Int, _ time: Duration
    ) async throws -> Double {
        try await server.measure(overTLS: overTLS) { measurement in
            _ = try await measurement.sequentialEchoes(for: .milliseconds(100))
            return depth == 1
                ? try await measurement.sequentialEchoes(for: time)
                : try await measurement.pipelinedEchoes(depth: depth, for: time)
        }.perSecond
    }
}
