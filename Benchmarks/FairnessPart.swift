// What normal traffic keeps of its rate while urgent echoes flood the same connection, measured over the wire.

internal import Workbench

/// The part `fairness`.
enum FairnessPart {
    private static let depth = 100
    /// Alone and beside in turns, and the best of each counts: other work of the machine hits both.
    private static let rounds = 3

    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let time = effort.time / (2 * rounds)
        Report.heading("normal traffic beside \(depth) urgent echoes", "alone", "beside", "kept")
        for overTLS in [false, true] {
            let transport = overTLS ? "TLS" : "plain"
            try await row("\(transport), 32-byte echoes per second, \(depth) deep", server, overTLS) {
                measurement async throws(MeasurementError) in
                try await measurement.pipelinedEchoes(depth: depth, for: time).perSecond
            }
            try await row("\(transport), one body, MB per second", server, overTLS) {
                measurement async throws(MeasurementError) in
                try await measurement.bulkRate(for: time).megabytesPerSecond
            }
        }
        Report.end()
    }

    private static func row(
        _ name: String, _ server: ServerProcess, _ overTLS: Bool,
        _ rate: (LinkMeasurement) async throws(MeasurementError) -> Double
    ) async throws {
        let rates = try await server.measure(overTLS: overTLS) { measurement in
            var (alone, beside) = (0.0, 0.0)
            for _ in 0..<rounds {
                alone = max(alone, try await rate(measurement))
                let flooded = try await measurement.besideUrgentFlood(depth: depth) {
                    () async throws(MeasurementError) in
                    try await rate(measurement)
                }
                beside = max(beside, flooded)
            }
            return (alone: alone, beside: beside)
        }
        let share = rates.beside / rates.alone
        Report.row(
            name, Figure.whole(rates.alone), Figure.whole(rates.beside), Figure.percent(share),
            goal: .atLeast(40, share * 100, unit: " %"))
    }
}
