// The screen over a history of a million messages: what it keeps in memory, wherever its user looks.

internal import Glibc
internal import HistoryGenerator
internal import TestSupport
internal import Workbench

/// The part `screen-history`.
enum ScreenHistory {
    static func run(_ effort: Effort) async throws {
        guard BlipchatProgram.path != nil else {
            return Report.note("the screen is left out: blipchat is not built beside the benchmarks")
        }
        let folder = try TemporaryDirectory(in: "/var/tmp")
        let home = try BlipchatHome("reader", in: folder.path)
        guard mkdir(home.path, 0o700) == 0 else { throw SystemCallFailure("mkdir \(home.path)") }
        try await HistoryCommand.fill(
            home.path + "/history.sqlite",
            GeneratedHistory(messages: effort.messages, conversations: 200, seed: 1))
        try TestFile.write("listen = \"127.0.0.1:0\"\n", to: home.path + "/config.toml")
        try await home.succeed(["id"])
        let program = ScreenProgram.blipchat(home)
        let terminal = try program.start()
        let first = try terminal.waitFor("alice").seconds * 1000
        Report.heading("the screen over \(effort.messages) messages in 200 chats", "", "resident")
        // What it keeps: pages of code that one key needed are given back within a second or two.
        func row(_ name: String) throws {
            terminal.settle(.seconds(2))
            let bytes = try terminal.figures.residentBytes()
            Report.row(
                name, "", ScreenPart.mebibytes(bytes), goal: .below(25, Double(bytes) / 1e6, unit: " MB"))
        }
        Report.row("start to first picture", ScreenPart.milliseconds(first), "")
        try row("the newest chat")
        for _ in 0..<200 {
            try terminal.type("\u{1B}[5~")
            _ = terminal.bytes(within: .milliseconds(20))
        }
        try row("200 pages further up")
        for _ in 0..<50 {
            try terminal.type("\u{E}")
            _ = terminal.bytes(within: .milliseconds(50))
        }
        try row("50 chats opened")
        for word in ["the", "server", "meeting", "会議"] {
            try terminal.type("\u{1B}s")
            terminal.settle(.milliseconds(200))
            try terminal.type(word)
            terminal.settle(.milliseconds(500))
            try terminal.type("\u{1B}")
            terminal.settle(.milliseconds(200))
        }
        try row("four searches")
        let keys = try ScreenPart.typing(on: terminal, keys: effort.samples / 10)
        Report.row(
            "echo of a key (median, p99)", ScreenPart.milliseconds(keys.latencies.median.seconds * 1000),
            ScreenPart.milliseconds(keys.latencies.p99.seconds * 1000))
        try terminal.quit(program.quit)
        Report.end()
    }
}
