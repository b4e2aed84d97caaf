// Keys while a large file goes each way: two blipchats over loopback, one of them at a terminal.

internal import Glibc
internal import TestSupport
internal import Workbench

/// The part `screen-files`.
enum ScreenTransfer {
    static func run(_ effort: Effort) async throws {
        guard BlipchatProgram.path != nil else {
            return Report.note("the screen is left out: blipchat is not built beside the benchmarks")
        }
        let folder = try TemporaryDirectory(in: "/var/tmp")
        let alice = try await home("alice", folder)
        let bob = try await home("bob", folder)
        // Neither the screen nor what measures shares its turns with the peer, who stands for another machine.
        let server = try bob.start(
            ["serve", "--listen", "127.0.0.1:0", "--accept-requests", "--accept-files", "100G"], inOwnSession: true)
        try await eventually("bob listens") { server.output.contains("listening") }
        let address = try await bob.succeed(["id"]).split(separator: "\n").first.map { String($0) } ?? ""
        try await alice.succeed(["contacts", "add", address, "--name", "bob"])
        let source = folder.file("source.bin")
        try TestFile.generate(source, size: effort.bodyByteCount)
        let program = ScreenProgram.blipchat(alice)
        let terminal = try program.start()
        try terminal.waitFor("online")
        terminal.settle()
        let floor = try ScreenProgram.nothing.start()
        try floor.waitFor(ScreenProgram.nothing.mark)
        // A transfer ends after some hundred keys: in one alone, p99 would be the worst four of them.
        let rounds = effort.samples > 1_000 ? 3 : 1
        var figures: [ScreenPart.KeyFigures] = []
        var least: [ScreenPart.KeyFigures] = []
        var seconds = 0.0
        for _ in 0..<rounds {
            let round = try await round(terminal, beside: floor, alice, bob, source)
            figures += round.figures
            least += round.least
            seconds += round.seconds
        }
        let latencies = Latencies(figures.flatMap(\.latencies.samples))
        let p99 = latencies.p99.seconds * 1000
        Report.heading(
            "keys while \(effort.bodyByteCount >> 20) MiB go each way", "median", "p99", "keys", "MB/s each way")
        Report.row(
            "echo of a key", ScreenPart.milliseconds(latencies.median.seconds * 1000), ScreenPart.milliseconds(p99),
            String(latencies.count), Figure.whole(Double(effort.bodyByteCount * rounds) / seconds / 1e6),
            // One picture at 60 Hz.
            goal: .below(16, p99, unit: " ms"))
        let leastLatencies = Latencies(least.flatMap(\.latencies.samples))
        Report.row(
            "the same of cat: what the machine takes", ScreenPart.milliseconds(leastLatencies.median.seconds * 1000),
            ScreenPart.milliseconds(leastLatencies.p99.seconds * 1000), String(leastLatencies.count))
        let unseen = figures.reduce(0) { $0 + $1.unseen }
        if unseen > 0 { Report.note("\(unseen) keys were not seen within two seconds") }
        try terminal.quit(program.quit)
        try floor.quit(ScreenProgram.nothing.quit)
        server.signal(SIGTERM)
        try await server.waitForExit()
        Report.end()
    }

    /// The keys of one transfer.
    private struct Round {
        /// Typed at blipchat.
        var figures: [ScreenPart.KeyFigures] = []
        /// Typed at the program that does nothing.
        var least: [ScreenPart.KeyFigures] = []
        /// How long the transfer took.
        var seconds = 0.0
    }

    /// One way by a command of the screen, the other way by the command line.
    private static func round(
        _ terminal: MeasuredTerminal, beside floor: MeasuredTerminal, _ alice: BlipchatHome, _ bob: BlipchatHome,
        _ source: String
    ) async throws -> Round {
        try terminal.type("\u{15}")
        terminal.settle()
        try terminal.type("/send \(source)\r")
        let sending = try bob.start(["send-file", "alice", source, "--name", "back.bin", "--timeout", "300"])
        // Not by what is painted: only cells that change are written, and parts of the words may stand there already.
        try await eventually("alice is offered a file") { try await count(alice, "offered") == 1 }
        try await eventually("alice accepts") {
            _ = terminal.bytes(within: .milliseconds(200))
            try terminal.type("\u{1B}y")
            return try await count(alice, "running") == 2
        }
        let start = ContinuousClock.now
        var round = Round()
        while sending.isRunning, ContinuousClock.now - start < .seconds(300) {
            round.figures.append(try ScreenPart.typing(on: terminal, keys: 20))
            round.least.append(try ScreenPart.typing(on: floor, keys: 10))
        }
        round.seconds = (ContinuousClock.now - start).seconds
        guard try await sending.waitForExit() == .exited(0) else {
            throw BenchmarkFailure("the transfer failed: \(sending.errorOutput)")
        }
        try await eventually("both files are there") {
            _ = terminal.bytes(within: .milliseconds(200))
            return try await count(alice, "running") == 0
        }
        return round
    }

    private static func home(_ name: String, _ folder: TemporaryDirectory) async throws -> BlipchatHome {
        let home = try BlipchatHome(name, in: folder.path)
        try await home.succeed(["id"])
        try TestFile.write("listen = \"127.0.0.1:0\"\n", to: home.path + "/config.toml")
        return home
    }

    /// How many transfers of this side are in `state`.
    private static func count(_ home: BlipchatHome, _ state: String) async throws -> Int {
        try await home.succeed(["--json", "transfers", "list"]).split(separator: "\n")
            .count { $0.contains("\"state\":\"\(state)\"") }
    }
}
