// `blipwire bench`: one measurement against a server that answers the workbench's profiles.

internal import BLIPNet
internal import Workbench

struct BenchCommand {
    private enum Measurement: String, CaseIterable {
        case seq, pipe, big, pull, bigz, urgent, urgent2
    }

    private let url: PeerURL
    private let link: LinkArguments
    private let what: Measurement
    private let byteCount: Int
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        let names = Measurement.allCases.map(\.rawValue).joined(separator: "|")
        guard let name = try arguments.takeValue("--what") else { throw UsageError("`--what \(names)` is missing") }
        guard let what = Measurement(rawValue: name) else { throw UsageError("`--what` is one of \(names)") }
        self.what = what
        byteCount = try arguments.takeNumber("--bytes") ?? 1 << 30
        isJSON = arguments.takeFlag("--json")
        link = try LinkArguments(&arguments)
        url = try PeerURL(try arguments.takeWord("the URL"))
        try arguments.finish()
    }

    func run() async throws -> Int32 {
        let peer = try await link.connect(to: url)
        let measurement = LinkMeasurement(peer)
        switch what {
        case .seq: echoes(try await measurement.sequentialEchoes(for: .seconds(5)))
        case .pipe: echoes(try await measurement.pipelinedEchoes(depth: 100, for: .seconds(5)))
        case .big: try await body(try await measurement.push(byteCount), measurement)
        case .pull: try await body(try await measurement.pull(byteCount), measurement)
        case .bigz: try await body(try await measurement.push(byteCount, kind: .text, compressed: true), measurement)
        case .urgent: latencies(try await beside(1, measurement))
        case .urgent2: latencies(try await beside(16, measurement))
        }
        peer.close()
        _ = await peer.waitUntilClosed()
        return 0
    }

    private func beside(_ bodies: Int, _ measurement: LinkMeasurement) async throws(MeasurementError) -> Latencies {
        try await measurement.echoesBesideBulk(bulkBodies: bodies, urgent: true, samples: 3_000)
    }

    private func echoes(_ rate: Rate) {
        report([("per_second", rate.perSecond.rounded())], "\(Int(rate.perSecond)) echoes per second")
    }

    private func body(_ rate: Rate, _ measurement: LinkMeasurement) async throws(MeasurementError) {
        let remote = try await measurement.remoteMaxResidentMiB()
        let local = ResourceUsage.current().maxResidentMiB
        let speed = (rate.perSecond / 1e5).rounded() / 10
        report(
            [("mb_per_second", speed), ("local_maxrss_mb", Double(local)), ("remote_maxrss_mb", Double(remote))],
            "\(speed) MB per second; largest resident memory: here \(local) MiB, there \(remote) MiB")
    }

    private func latencies(_ latencies: Latencies) {
        let median = (latencies.median.seconds * 1e6).rounded()
        let p99 = (latencies.p99.seconds * 1e6).rounded()
        report([("median_us", median), ("p99_us", p99)], "median \(Int(median)) us, 99 % within \(Int(p99)) us")
    }

    private func report(_ values: [(String, Double)], _ sentence: String) {
        guard isJSON else {
            Blipwire.say(sentence)
            return
        }
        let fields = values.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
        Blipwire.say("{\"what\":\"\(what.rawValue)\",\(fields)}")
    }
}
