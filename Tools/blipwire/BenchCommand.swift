// `blipwire bench`: one measurement against a server that answers the workbench's profiles.

internal import Arguments
internal import BLIPNet
internal import Workbench

struct BenchCommand: Command {
    private enum Measurement: String, CaseIterable {
        case seq, pipe, big, pull, bigz, urgent, urgent2
    }

    private static let names = Measurement.allCases.map(\.rawValue).joined(separator: "|")

    static let specification = CommandSpecification<CommandName>(
        .bench, operands: "URL", count: 1...1, "measure one thing against a server with the workbench's profiles",
        details: """
            URL is \(CallArguments.urls)
              seq, pipe        32-byte echoes per second, one at a time and 100 deep
              big, pull        one request, one response with a body of --bytes
              bigz             one compressed request of --bytes of text
              urgent, urgent2  latency of urgent echoes beside 1 and 16 endless bodies (3 in the dialect blip,
                               which has no flow control)
            """,
        options: [OptionSpecification("--what", value: "NAME", required: true, "one of the names above")]
            + CallArguments.options + [
                OptionSpecification("--bytes", value: "BYTES", "size of a body; default 1073741824"),
                OptionSpecification("--seconds", value: "N", "how long to count echoes; default 5"),
                OptionSpecification("--samples", value: "N", "how many latencies; default 3000"), Output.option,
            ])

    private let call: CallArguments
    private let what: Measurement
    private let byteCount: Int
    private let time: Duration
    private let samples: Int
    private let output: Output

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        let name = arguments.text("--what") ?? ""
        guard let what = Measurement(rawValue: name) else {
            throw UsageError("--what", "`\(name)` is not one of \(Self.names)")
        }
        self.what = what
        call = try CallArguments(arguments)
        byteCount = try arguments.number("--bytes", in: 1...Int.max) ?? 1 << 30
        time = .seconds(try arguments.number("--seconds", in: 1...86_400) ?? 5)
        samples = try arguments.number("--samples", in: 1...10_000_000) ?? 3_000
        output = Output(isJSON: arguments.has("--json"))
    }

    func run() async throws -> ExitCode {
        let link = try await call.connect()
        let measurement = LinkMeasurement(link)
        switch what {
        case .seq: try echoes(try await measurement.sequentialEchoes(for: time))
        case .pipe: try echoes(try await measurement.pipelinedEchoes(depth: 100, for: time))
        case .big: try await body(try await measurement.push(byteCount), measurement)
        case .pull: try await body(try await measurement.pull(byteCount), measurement)
        case .bigz: try await body(try await measurement.push(byteCount, kind: .text, compressed: true), measurement)
        case .urgent: try await echoes(beside: 1, measurement)
        // Without flow control no more streamed bodies run at a time, and an urgent request after them could not begin.
        case .urgent2: try await echoes(beside: call.link.dialect.value.hasAcks ? 16 : 3, measurement)
        }
        link.close()
        _ = await link.waitUntilClosed()
        return .done
    }

    private func echoes(_ rate: Rate) throws {
        var record = start
        record.append("count", .integer(Int64(rate.count)))
        record.append("seconds", .number(rate.elapsed.seconds))
        record.append("per_second", .number(rate.perSecond.rounded()))
        try output.say("\(Int(rate.perSecond)) echoes per second", record: record)
    }

    private func body(_ rate: Rate, _ measurement: LinkMeasurement) async throws {
        let remote = try await measurement.remoteMaxResidentMiB()
        let local = ResourceUsage.current().maxResidentMiB
        let speed = (rate.perSecond / 1e5).rounded() / 10
        var record = start
        record.append("bytes", .integer(Int64(rate.count)))
        record.append("seconds", .number(rate.elapsed.seconds))
        record.append("mb_per_second", .number(speed))
        record.append("local_maxrss_mb", .integer(Int64(local)))
        record.append("remote_maxrss_mb", .integer(Int64(remote)))
        try output.say(
            "\(speed) MB per second; largest resident memory: here \(local) MiB, there \(remote) MiB", record: record)
    }

    private func echoes(beside bodies: Int, _ measurement: LinkMeasurement) async throws {
        let latencies = try await measurement.echoesBesideBulk(bulkBodies: bodies, urgent: true, samples: samples)
        let median = (latencies.median.seconds * 1e6).rounded()
        let p99 = (latencies.p99.seconds * 1e6).rounded()
        var record = start
        record.append("bodies", .integer(Int64(bodies)))
        record.append("samples", .integer(Int64(latencies.count)))
        record.append("median_us", .number(median))
        record.append("p99_us", .number(p99))
        try output.say(
            "beside \(bodies) bodies: median \(Int(median)) us, 99 % within \(Int(p99)) us", record: record)
    }

    private var start: JSONRecord {
        ["what": .string(what.rawValue), "dialect": .string(call.link.dialect.rawValue)]
    }
}
