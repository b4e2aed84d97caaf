// The screen beside those of weechat, irssi and profanity: first picture, echo of keys, bytes, memory, rest.

internal import Glibc
internal import TestSupport
internal import Workbench

/// The part `screen`.
enum ScreenPart {
    static func run(_ effort: Effort) async throws {
        guard BlipchatProgram.path != nil else {
            return Report.note("the screen is left out: blipchat is not built beside the benchmarks")
        }
        let folder = try TemporaryDirectory(in: "/var/tmp")
        let (rivals, left) = try await ScreenProgram.all(in: folder)
        let home = try await smallHome(folder)
        let programs = [ScreenProgram.blipchat(home, content: "line 20")] + rivals
        try firstPictures(programs, rounds: effort.samples > 1_000 ? 15 : 5)
        for sentence in left { Report.note(sentence) }
        var figures: [(ScreenProgram, KeyFigures)] = []
        for program in programs { figures.append((program, try keys(of: program, effort))) }
        report(figures)
        try rest(programs, effort)
        Report.end()
        try ScreenFlood.run(folder, effort)
    }

    /// One contact who is away, and twenty lines for them.
    private static func smallHome(_ folder: TemporaryDirectory) async throws -> BlipchatHome {
        let home = try BlipchatHome("me", in: folder.path)
        _ = mkdir(home.path, 0o700)
        try TestFile.write("listen = \"127.0.0.1:0\"\n", to: home.path + "/config.toml")
        for arguments in [["id"], ["contacts", "add", "127.0.0.1:9", "--name", "alice"]] {
            try await home.succeed(arguments)
        }
        for number in 1...20 { try await home.succeed(["send", "alice", "line \(number)", "--queue"]) }
        return home
    }

    // MARK: First picture

    /// In turns, so that what else the machine does meets all of them.
    private static func firstPictures(_ programs: [ScreenProgram], rounds: Int) throws {
        var times: [[Double]] = Array(repeating: [], count: programs.count)
        for _ in 0..<rounds {
            for (index, program) in programs.enumerated() {
                let terminal = try program.start()
                times[index].append(try terminal.waitFor(program.mark).seconds * 1000)
                // A frame without the chat in it would be there sooner.
                if let content = program.content, !terminal.shows(content) {
                    throw BenchmarkFailure("\(program.name): `\(content)` is missing in the first picture")
                }
                terminal.settle(.milliseconds(200))
                try terminal.quit(program.quit)
            }
        }
        let medians = times.map { $0.sorted()[rounds / 2] }
        // Nobody sees a difference below, and sooner than weechat and profanity.
        let limit = zip(programs, medians).filter { ["weechat", "profanity"].contains($0.0.name) }
            .reduce(20) { min($0, $1.1) }
        Report.heading("the screen at 80x24: start to first picture", "median", "worst")
        for (index, program) in programs.enumerated() {
            Report.row(
                program.name, milliseconds(medians[index]), milliseconds(times[index].max() ?? 0),
                goal: index == 0 ? .below(limit, medians[0], unit: " ms") : nil)
        }
    }

    // MARK: Keys

    struct KeyFigures {
        var latencies: Latencies
        var bytes: [Int]
        var unseen = 0

        var meanBytes: Double { Double(bytes.reduce(0, +)) / Double(max(1, bytes.count)) }
        var mostBytes: Int { bytes.max() ?? 0 }
    }

    private static func keys(of program: ScreenProgram, _ effort: Effort) throws -> KeyFigures {
        let terminal = try program.start()
        try terminal.waitFor(program.mark)
        terminal.settle()
        let figures = try typing(on: terminal, keys: effort.samples / 6)
        try terminal.quit(program.quit)
        return figures
    }

    /// Types sentences at about 20 keys a second, never in step with anything; each line is cleared with Ctrl-u, which
    /// is not counted.
    static func typing(on terminal: MeasuredTerminal, keys: Int) throws -> KeyFigures {
        let text = Array("the quick brown fox jumps over the lazy dog again")
        var random = SeededGenerator(seed: 5)
        var latencies: [Duration] = []
        var figures = KeyFigures(latencies: Latencies([]), bytes: [])
        for number in 0..<keys {
            let place = number % text.count
            if place == 0 {
                try terminal.type("\u{15}")
                terminal.settle(.milliseconds(100))
            }
            let pause = Duration.milliseconds(Int.random(in: 40...60, using: &random))
            guard let echo = try terminal.press(text[place], thenWait: pause) else {
                figures.unseen += 1
                continue
            }
            // A blank cannot be told from what was there before.
            if text[place] != " " { latencies.append(echo.latency) }
            figures.bytes.append(echo.bytes)
        }
        figures.latencies = Latencies(latencies)
        return figures
    }

    private static func report(_ figures: [(ScreenProgram, KeyFigures)]) {
        Report.heading("echo of a key, nothing else going on", "median", "p99")
        for (index, (program, keys)) in figures.enumerated() {
            let median = keys.latencies.median.seconds * 1000
            Report.row(
                program.name, milliseconds(median), milliseconds(keys.latencies.p99.seconds * 1000),
                goal: index == 0 ? .below(0.4, median, unit: " ms") : nil)
        }
        Report.heading("bytes written for a key", "mean", "most")
        for (index, (program, keys)) in figures.enumerated() {
            Report.row(
                program.name, Figure.tenths(keys.meanBytes), String(keys.mostBytes),
                goal: index == 0 ? .below(64, Double(keys.mostBytes)) : nil)
        }
    }

    // MARK: Rest

    /// Ten seconds without a key, a message or the next minute of a clock.
    private static func rest(_ programs: [ScreenProgram], _ effort: Effort) throws {
        let terminals = try programs.map { program in
            let terminal = try program.start()
            try terminal.waitFor(program.mark)
            return terminal
        }
        let time = Duration.seconds(10)
        // What is only done soon after the start is not rest.
        for terminal in terminals { terminal.settle(.seconds(2)) }
        awaitMinute(withRoomFor: time)
        for terminal in terminals { terminal.settle(.milliseconds(200)) }
        let before = try terminals.map { try $0.figures.sleeps() }
        // The bytes of all wait in their terminals until they are counted.
        let first = terminals[0].bytes(within: time)
        Report.heading("ten seconds at rest", "bytes", "wake-ups", "resident")
        for (index, program) in programs.enumerated() {
            let count = index == 0 ? first : terminals[index].bytes(within: .milliseconds(1))
            let figures = terminals[index].figures
            Report.row(
                program.name, String(count), String(try figures.wakeUps(since: before[index])),
                mebibytes(try figures.residentBytes()), goal: index == 0 ? .atMost(0, Double(count)) : nil)
        }
        for (terminal, program) in zip(terminals, programs) { try terminal.quit(program.quit) }
    }

    /// Waits for the next minute when the present one is over before `time` has passed.
    private static func awaitMinute(withRoomFor time: Duration) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let left = 60 - now.tv_sec % 60
        if Double(left) < time.seconds + 2 { sleep(UInt32(left + 1)) }
    }

    // MARK: Figures

    static func milliseconds(_ value: Double) -> String {
        "\((value * 1000).rounded() / 1000) ms"
    }

    static func mebibytes(_ bytes: Int) -> String {
        Figure.tenths(Double(bytes) / 1_048_576) + " MiB"
    }
}

extension BlipchatHome {
    /// Runs a command that must succeed; returns what it printed.
    @discardableResult
    func succeed(_ arguments: [String]) async throws -> String {
        let process = try start(arguments)
        guard try await process.waitForExit(timeout: .seconds(300)) == .exited(0) else {
            throw BenchmarkFailure("blipchat \(arguments.joined(separator: " ")): \(process.errorOutput)")
        }
        return process.output
    }
}
