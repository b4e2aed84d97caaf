// The run from start to end: starts the server process, measures, prints a table.

internal import BLIPNet
internal import Glibc
internal import Workbench

/// The benchmark as a command.
enum Benchmark {
    private static let gibibyte = 1 << 30
    private static let echoTime = Duration.seconds(3)

    /// Returns the exit code.
    static func run(_ arguments: [String]) async -> Int32 {
        if arguments.count == 2, arguments[1] == "server" { return BenchmarkServer.run() }
        guard arguments.count == 1 else {
            print("usage: Benchmarks   (no arguments; takes about one minute)")
            return 2
        }
        do {
            try await measureAll()
            return 0
        } catch {
            print("benchmark failed: \(error)")
            return 1
        }
    }

    private static func measureAll() async throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        print("blipchat benchmarks: two processes over loopback, \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores")
        print("")
        try await echoes(server)
        try await bigBody(server)
        try await urgency(server)
        counts()
    }

    // MARK: Echoes

    private static func echoes(_ server: ServerProcess) async throws {
        let bare = try BareClient(port: server.ports.bare)
        let bareSequential = bare.sequentialEchoes(for: echoTime)
        let barePipelined = bare.pipelinedEchoes(depth: 100, for: echoTime)
        let link = try await server.connect()
        let measurement = LinkMeasurement(link)
        _ = try await measurement.sequentialEchoes(for: .milliseconds(200))
        let sequential = try await measurement.sequentialEchoes(for: echoTime)
        let pipelined = try await measurement.pipelinedEchoes(depth: 100, for: echoTime)
        link.close()
        print("echoes of 32 bytes per second          BLIP over TLS   bare socket   ratio")
        row("one at a time", sequential.perSecond, bareSequential.perSecond)
        row("100 deep", pipelined.perSecond, barePipelined.perSecond)
        print("")
    }

    // MARK: One big body

    private static func bigBody(_ server: ServerProcess) async throws {
        let bare = try BareClient(port: server.ports.bare).push(gibibyte)
        let bareTLS = try BareTLSClient(port: server.ports.bareTLS, identity: server.identity).push(gibibyte)
        let link = try await server.connect()
        let measurement = LinkMeasurement(link)
        let push = try await measurement.push(gibibyte)
        let pull = try await measurement.pull(gibibyte)
        let remote = try await measurement.remoteMaxResidentMiB()
        link.close()
        print("one body of 1 GiB, MB per second       BLIP over TLS   bare TLS      ratio   bare socket   ratio")
        row("request (push)", push.megabytesPerSecond, bareTLS.megabytesPerSecond, bare.megabytesPerSecond)
        row("response (pull)", pull.megabytesPerSecond, bareTLS.megabytesPerSecond, bare.megabytesPerSecond)
        let local = ResourceUsage.current().maxResidentMiB
        print("  largest resident memory so far: client \(local) MiB, server \(remote) MiB")
        print("")
    }

    // MARK: Urgency

    private static func urgency(_ server: ServerProcess) async throws {
        let bare = try BareClient(port: server.ports.bare).echoLatencies(samples: 2000)
        print("latency of 32-byte echoes              median        p99      ratio to the bare socket (median, p99)")
        latencyRow("bare socket, nothing beside", bare, bare)
        for (name, bodies, urgent) in [
            ("urgent, nothing beside", 0, true), ("urgent, beside 1 bulk body", 1, true),
            ("urgent, beside 16 bulk bodies", 16, true), ("normal, beside 16 bulk bodies", 16, false),
        ] {
            let link = try await server.connect()
            let latencies = try await LinkMeasurement(link).echoesBesideBulk(
                bulkBodies: bodies, urgent: urgent, samples: 2000)
            link.close()
            latencyRow(name, latencies, bare)
        }
        print("")
    }

    // MARK: Counts

    /// Independent of the machine.
    private static func counts() {
        let outcome = UrgencyCount.measure(bulkBodies: 16)
        print("counts")
        print(
            "  bulk frames between an urgent message's queueing and its frame, beside 16 bulk bodies: "
                + "\(outcome.framesBefore) (\(outcome.bytesBefore) bytes)")
        print(
            "  share of frames that normal messages keep beside a flood of urgent ones: "
                + "\(UrgencyCount.normalShare()) %")
    }

    // MARK: Table

    private static func row(_ name: String, _ value: Double, _ baselines: Double...) {
        var line = "  " + name.padded(to: 36) + decimal(value).leftPadded(to: 13)
        for baseline in baselines {
            line += decimal(baseline).leftPadded(to: 14) + String(Int(value / baseline * 100)).leftPadded(to: 7) + " %"
        }
        print(line)
    }

    private static func latencyRow(_ name: String, _ latencies: Latencies, _ bare: Latencies) {
        let medianRatio = latencies.median.seconds / max(bare.median.seconds, 1e-9)
        let p99Ratio = latencies.p99.seconds / max(bare.p99.seconds, 1e-9)
        print(
            "  " + name.padded(to: 32) + microseconds(latencies.median).leftPadded(to: 10)
                + microseconds(latencies.p99).leftPadded(to: 11) + tenths(medianRatio).leftPadded(to: 12)
                + tenths(p99Ratio).leftPadded(to: 10))
    }

    private static func decimal(_ value: Double) -> String { String(Int(value.rounded())) }
    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    private static func microseconds(_ duration: Duration) -> String { decimal(duration.seconds * 1e6) + " us" }
}

extension Rate {
    /// When `count` counts bytes: millions of them per second.
    var megabytesPerSecond: Double { perSecond / 1e6 }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
    func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(width - count, 1)) + self }
}
