// A history of a million messages: what people wait for when they read, search, write and start.

internal import ChatCore
internal import Glibc
internal import HistoryGenerator
internal import Storage
internal import TestSupport
internal import Workbench

/// The part `history`.
enum HistoryPart {
    static func run(_ effort: Effort) async throws {
        let folder = try TemporaryDirectory(in: "/var/tmp")
        let path = folder.file("history.sqlite")
        let clock = ContinuousClock()
        let history = GeneratedHistory(messages: effort.messages, conversations: 200, seed: 1)
        let start = clock.now
        try await HistoryCommand.fill(path, history)
        let made = (clock.now - start).seconds
        let database = try await HistoryDatabase.open(at: path)
        Report.heading("\(effort.messages) messages in 200 conversations", "median", "worst")
        Report.row(
            "making them (Benchmarks history), s", Figure.tenths(made), "", goal: .below(120, made, unit: " s"))
        try await reading(database, effort)
        try await searching(database)
        await database.close()
        // Before thousands of messages wait to be sent.
        try await starting(folder, effort)
        try await SendPart.run(effort, path)
        Report.end()
    }

    // MARK: Reading

    private static func reading(_ database: HistoryDatabase, _ effort: Effort) async throws {
        let conversations = try await database.conversations()
        var random = SeededGenerator(seed: 7)
        let newest = conversations.compactMap(\.lastMessage?.position.rawValue).max() ?? 1
        func place() -> HistoryPosition { HistoryPosition(Int64.random(in: 1...newest, using: &random)) }
        func contact() -> ContactID { conversations[Int.random(in: 0..<conversations.count, using: &random)].peer.id }
        try await row("a page of 50 before any place", effort, goal: 1) {
            _ = try await database.page(of: contact(), .before(place()), limit: 50)
        }
        try await row("a page of 50 at the end of a chat", effort, goal: 1) {
            _ = try await database.page(of: contact(), .newest, limit: 50)
        }
        try await row("jump to a date", effort, goal: 1) {
            let time = Timestamp(milliseconds: 1_764_000_000_000 - Int64.random(in: 0...31_000_000_000, using: &random))
            _ = try await database.firstMessage(of: contact(), since: time)
        }
        try await row("the list of chats with unread counts", effort, samples: 50, goal: 10) {
            _ = try await database.conversations()
        }
    }

    // MARK: Searching

    private static func searching(_ database: HistoryDatabase) async throws {
        let contact = try await database.conversations()[3].peer.id
        let middle = Timestamp(milliseconds: 1_764_000_000_000 - 16_000_000_000)
        let searches: [(String, SearchQuery)] = [
            ("a frequent word", SearchQuery(text: "the")),
            ("the beginning of a word", SearchQuery(text: "mee")),
            ("one letter", SearchQuery(text: "t")),
            ("two frequent words", SearchQuery(text: "build server")),
            ("a phrase", SearchQuery(text: "\"the meeting\"")),
            ("a rare word", SearchQuery(text: "korivel")),
            ("nothing", SearchQuery(text: "xyzzyplugh")),
            ("a part of words", SearchQuery(text: "eetin")),
            ("two CJK characters", SearchQuery(text: "会議")),
            ("one CJK character", SearchQuery(text: "会")),
            ("Hebrew", SearchQuery(text: "שלום")),
            ("an emoji", SearchQuery(text: "🚀")),
            ("without a word", SearchQuery(text: "server -build")),
            ("in one chat", SearchQuery(text: "server", contact: contact)),
            ("before a date", SearchQuery(text: "server", until: middle)),
            ("links", SearchQuery(text: "", linksOnly: true)),
            ("files with a word", SearchQuery(text: "report", filesOnly: true)),
            ("unread", SearchQuery(text: "", unreadOnly: true)),
        ]
        Report.heading("searches, newest 50", "median", "worst", "hits")
        for (name, query) in searches {
            var times: [Double] = []
            var hits = 0
            for _ in 0..<7 {
                let start = ContinuousClock.now
                hits = try await database.search(query).hits.count
                times.append((ContinuousClock.now - start).seconds * 1000)
            }
            times.sort()
            Report.row(
                name, milliseconds(times[3]), milliseconds(times[6]), String(hits),
                goal: .below(50, times[3], unit: " ms"))
        }
    }

    // MARK: Starting

    /// From the start of the process to the first frame that shows the newest chat.
    private static func starting(_ folder: TemporaryDirectory, _ effort: Effort) async throws {
        guard let program = BlipchatProgram.path else {
            return Report.note("the start of the program is left out: blipchat is not built beside the benchmarks")
        }
        let environment = [
            "BLIPCHAT_HOME": folder.path, "USER": "me", "HOME": folder.path, "PATH": "/usr/bin:/bin", "TZ": "UTC",
            "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
        ]
        try TestFile.write("listen = \"127.0.0.1:0\"\n", to: folder.file("config.toml"))
        let key = try ChildProcess([program, "id"], environment: environment, folder: folder)
        guard try await key.waitForExit() == .exited(0) else { throw BenchmarkFailure("blipchat id failed") }
        var times: [Double] = []
        for _ in 0..<(effort.samples > 1_000 ? 9 : 5) {
            let clock = ContinuousClock()
            let start = clock.now
            let terminal = try PseudoTerminal([program], environment: environment, columns: 120, rows: 40)
            while !terminal.text.contains("alice") {
                guard clock.now - start < .seconds(30) else { throw BenchmarkFailure("the screen shows nothing") }
                try await Task.sleep(for: .milliseconds(1))
            }
            times.append((clock.now - start).seconds * 1000)
            try terminal.type("\u{11}")
            _ = try await terminal.process.waitForExit()
        }
        times.sort()
        Report.heading("the program", "median", "worst")
        Report.row(
            "start to first paint", milliseconds(times[times.count / 2]), milliseconds(times[times.count - 1]),
            goal: .below(100, times[times.count / 2], unit: " ms"))
    }

    // MARK: Parts

    /// Times of an operation; the goal is in milliseconds for the median.
    private static func row(
        _ name: String, _ effort: Effort, samples: Int? = nil, goal: Double, _ operation: () async throws -> Void
    ) async throws {
        var times: [Double] = []
        for _ in 0..<(samples ?? effort.samples) {
            let start = ContinuousClock.now
            try await operation()
            times.append((ContinuousClock.now - start).seconds * 1000)
        }
        times.sort()
        Report.row(
            name, milliseconds(times[times.count / 2]), milliseconds(times[times.count - 1]),
            goal: .below(goal, times[times.count / 2], unit: " ms"))
    }

    private static func milliseconds(_ value: Double) -> String {
        "\((value * 1000).rounded() / 1000) ms"
    }
}
