// Small echoes per second.

internal import Workbench

/// The part `echo`.
enum EchoPart {
    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let bare = BareClient(port: server.barePort)
        Report.heading("echoes of 32 bytes per second", "BLIP", "bare socket", "ratio")
        for (name, depth, goal) in [("one at a time", 1, 6_000.0), ("100 deep", 100, 40_000)] {
            let baseline = try bare.echoes(depth: depth, for: effort.time).perSecond
            for overTLS in [false, true] {
                let rate = try await server.measure(overTLS: overTLS) { measurement in
                    _ = try await measurement.sequentialEchoes(for: .milliseconds(200))
                    return depth == 1
                        ? try await measurement.sequentialEchoes(for: effort.time)
                        : try await measurement.pipelinedEchoes(depth: depth, for: effort.time)
                }.perSecond
                Report.row(
                    "\(name), \(overTLS ? "TLS" : "plain")", Figure.whole(rate), Figure.whole(baseline),
                    Figure.percent(rate / baseline), goal: .atLeast(goal, rate))
            }
        }
        Report.end()
    }
}
