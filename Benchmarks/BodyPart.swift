// One big body in each direction, beside the same bytes without our protocols.

internal import Workbench

/// The part `body`.
enum BodyPart {
    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let byteCount = effort.bodyByteCount
        Report.heading("one body of \(byteCount >> 20) MiB, MB per second", "BLIP", "bare", "ratio")
        var remote = 0
        for overTLS in [false, true] {
            var (baseline, push, pull) = (0.0, 0.0, 0.0)
            // The better of two, taken in turns: other work of the machine hits all of them.
            for _ in 0..<2 {
                let bare =
                    overTLS
                    ? try BareTLSClient(port: server.bareTLSPort, identity: server.identity).push(byteCount)
                    : try BareClient(port: server.barePort).push(byteCount)
                baseline = max(baseline, bare.megabytesPerSecond)
                try await server.measure(overTLS: overTLS) { measurement in
                    push = max(push, try await measurement.push(byteCount).megabytesPerSecond)
                    pull = max(pull, try await measurement.pull(byteCount).megabytesPerSecond)
                    remote = try await measurement.remoteMaxResidentMiB()
                }
            }
            for (name, rate) in [("request (push)", push), ("response (pull)", pull)] {
                Report.row(
                    "\(overTLS ? "TLS" : "plain"), \(name)", Figure.whole(rate), Figure.whole(baseline),
                    Figure.percent(rate / baseline), goal: .atLeast(50, rate / baseline * 100, unit: " %"))
            }
        }
        let local = ResourceUsage.current().maxResidentMiB
        for (side, size) in [("client", local), ("server", remote)] {
            Report.row("largest resident memory, \(side)", "\(size) MiB", goal: .below(64, Double(size), unit: " MiB"))
        }
        Report.end()
    }
}
