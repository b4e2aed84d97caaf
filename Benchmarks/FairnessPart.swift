// What normal traffic keeps of its rate while urgent echoes flood the same connection, measured over the wire.

internal import Workbench

/// The part `fairness`.
enum FairnessPart {
    private static let depth = 100

    static func run(_ effort: Effort) async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        Report.heading("normal traffic beside \(depth) urgent echoes", "alone", "beside", "kept")
        for overTLS in [false, true] {
            let transport = overTLS ? "TLS" : "plain"
            let echoes = try await server.measure(overTLS: overTLS) { measurement in
                let alone = try await measurement.pipelinedEchoes(depth: depth, for: effort.time)
                let beside = try await measurement.besideUrgentFlood(depth: depth) {
                    () async throws(MeasurementError) in
                    try await measurement.pipelinedEchoes(depth: depth, for: effort.time)
                }
                return (alone.perSecond, beside.perSecond)
            }
            row("\(transport), 32-byte echoes per second, \(depth) deep", echoes)
            let bulk = try await server.measure(overTLS: overTLS) { measurement in
                let alone = try await measurement.bulkRate(for: effort.time)
                let beside = try await measurement.besideUrgentFlood(depth: depth) {
                    () async throws(MeasurementError) in
                    try await measurement.bulkRate(for: effort.time)
                }
                return (alone.megabytesPerSecond, beside.megabytesPerSecond)
            }
            row("\(transport), one body, MB per second", bulk)
        }
        Report.end()
    }

    private static func row(_ name: String, _ rates: (alone: Double, beside: Double)) {
        let share = rates.beside / rates.alone
        Report.row(
            name, Figure.whole(rates.alone), Figure.whole(rates.beside), Figure.percent(share),
            goal: .atLeast(40, share * 100, unit: " %"))
    }
}
