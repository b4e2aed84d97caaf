// How long urgent and normal echoes take beside bulk bodies.

internal import Workbench

/// The part `urgency`.
enum UrgencyPart {
    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let bare = try BareClient(port: server.barePort).echoLatencies(samples: effort.samples)
        Report.heading("latency of 32-byte echoes", "median", "p99")
        row("bare socket, nothing beside", bare)
        for overTLS in [false, true] {
            let transport = overTLS ? "TLS" : "plain"
            row("\(transport), urgent, nothing beside", try await latencies(server, overTLS, 0, true, effort.samples))
            row(
                "\(transport), urgent, beside 1 bulk body",
                try await latencies(server, overTLS, 1, true, effort.samples))
            // Urgent and normal in turns, so that other work of the machine hits both.
            var (urgent, normal): ([Duration], [Duration]) = ([], [])
            for _ in 0..<4 {
                urgent += try await latencies(server, overTLS, 16, true, effort.samples / 2).samples
                normal += try await latencies(server, overTLS, 16, false, effort.samples / 4).samples
            }
            let (fast, slow) = (Latencies(urgent), Latencies(normal))
            row(
                "\(transport), urgent, beside 16 bulk bodies", fast,
                goal: .atMost(3, fast.p99.seconds * 1e3, unit: " ms (p99)"))
            row("\(transport), normal, beside 16 bulk bodies", slow)
            let (median, p99) = ratios(slow, fast)
            Report.row("\(transport), normal : urgent", Figure.tenths(median), Figure.tenths(p99))
        }
        try await compareOnSlowLink(server, effort)
        Report.end()
    }

    /// What urgency is for: a network that is slower than the processors, so that bodies wait. On loopback the socket
    /// takes everything as soon as it is made, and there is little to overtake.
    private static func compareOnSlowLink(_ server: ServerProcess, _ effort: Effort) async throws {
        var (urgent, normal): ([Duration], [Duration]) = ([], [])
        for _ in 0..<2 {
            urgent += try await latencies(server, true, 16, true, effort.samples / 20, maxSendRate: slowLink).samples
            normal += try await latencies(server, true, 16, false, effort.samples / 20, maxSendRate: slowLink).samples
        }
        let (fast, slow) = (Latencies(urgent), Latencies(normal))
        row("TLS at 100 Mbit/s, urgent, beside 16 bodies", fast)
        row("TLS at 100 Mbit/s, normal, beside 16 bodies", slow)
        let (median, p99) = ratios(slow, fast)
        Report.row(
            "TLS at 100 Mbit/s, normal : urgent", Figure.tenths(median), Figure.tenths(p99),
            goal: .atLeast(3, min(median, p99)))
    }

    /// Bytes per second.
    private static let slowLink: UInt64 = 12_500_000

    private static func ratios(_ slow: Latencies, _ fast: Latencies) -> (median: Double, p99: Double) {
        (slow.median.seconds / fast.median.seconds, slow.p99.seconds / fast.p99.seconds)
    }

    private static func latencies(
        _ server: ServerProcess, _ overTLS: Bool, _ bodies: Int, _ urgent: Bool, _ samples: Int,
        maxSendRate: UInt64? = nil
    ) async throws -> Latencies {
        try await server.measure(overTLS: overTLS, maxSendRate: maxSendRate) {
            try await $0.echoesBesideBulk(bulkBodies: bodies, urgent: urgent, samples: samples)
        }
    }

    private static func row(_ name: String, _ latencies: Latencies, goal: Goal? = nil) {
        Report.row(name, Figure.microseconds(latencies.median), Figure.microseconds(latencies.p99), goal: goal)
    }
}
