// A history of a million messages: what people wait for when they read, search, write and start.

internal import CLinux
internal import CSQLite
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
        try await sending(try await HistoryDatabase.open(at: path), folder, effort)
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

    // MARK: Sending

    /// Commits of messages beside commits of one small row in a bare database, in turns.
    private static func sending(
        _ database: HistoryDatabase, _ folder: TemporaryDirectory, _ effort: Effort
    ) async throws {
        let contact = try await database.conversations()[0].peer.id
        let empty = try await HistoryDatabase.open(at: folder.file("empty.sqlite"))
        let other = try await empty.addContact(
            NewContact(peerID: nil, name: "bob", addresses: [], added: Timestamp(milliseconds: 1)))
        let bare = try BareDatabase(path: folder.file("bare.sqlite"))
        let same = try BareDatabase(path: folder.file("same.sqlite"), withAllRows: true)
        let text = "the build passed, the log is attached; see you tomorrow at the meeting"
        var rates: [[Double]] = [[], [], [], []]
        for _ in 0..<5 {
            rates[0].append(try await rate(effort) { try bare.commit(text) })
            rates[3].append(try await rate(effort) { try same.commit(text) })
            rates[1].append(
                try await rate(effort) {
                    _ = try await empty.enqueueMessage(to: other.id, text: text, replyTo: nil, at: now())
                })
            rates[2].append(
                try await rate(effort) {
                    _ = try await database.enqueueMessage(to: contact, text: text, replyTo: nil, at: now())
                })
        }
        await empty.close()
        await database.close()
        let medians = rates.map { $0.sorted()[2] }
        Report.heading("durable commits per second", "per second", "ratio")
        Report.row("bare SQLite, FULL, one row", Figure.whole(medians[0]), "")
        Report.row(
            "bare SQLite, FULL, the rows and indexes of a send", Figure.whole(medians[3]),
            Figure.percent(medians[3] / medians[0]))
        for (name, rate) in [("sends, empty history", medians[1]), ("sends, this history", medians[2])] {
            Report.row(
                name, Figure.whole(rate), Figure.percent(rate / medians[0]),
                goal: .atLeast(80, (rate / medians[0] * 100).rounded(), unit: " %"))
        }
    }

    private static func rate(_ effort: Effort, _ commit: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + effort.time / 5
        var count = 0
        while clock.now < end {
            try await commit()
            count += 1
        }
        return Double(count) / (clock.now - start).seconds
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

    private static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// SQLite with nothing around it: one table, WAL, synchronous=FULL, one row for each transaction.
private final class BareDatabase {
    private var handle: OpaquePointer?
    private var insert: OpaquePointer?

    /// `withAllRows`: what a send has to leave behind: message, outbox, figures of the conversation, and their keys.
    init(path: String, withAllRows: Bool = false) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let setup = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE messages(id INTEGER PRIMARY KEY, contact INTEGER, text TEXT);
            """
        let more = """
            ALTER TABLE messages ADD COLUMN uuid TEXT;
            CREATE UNIQUE INDEX a ON messages(contact, uuid);
            CREATE INDEX b ON messages(contact, id);
            CREATE INDEX c ON messages(uuid);
            CREATE TABLE outbox(id INTEGER PRIMARY KEY AUTOINCREMENT, contact INTEGER, message INTEGER UNIQUE);
            CREATE INDEX d ON outbox(contact, id);
            CREATE TABLE conversations(contact INTEGER PRIMARY KEY, last INTEGER, number INTEGER);
            INSERT INTO conversations VALUES (1, 0, 0);
            CREATE TRIGGER e AFTER INSERT ON messages BEGIN
                UPDATE messages SET uuid = printf('%032d', new.id) WHERE id = new.id;
                INSERT INTO outbox(contact, message) VALUES (1, new.id);
                UPDATE conversations SET last = new.id, number = number + 1 WHERE contact = 1;
            END;
            """
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK,
            sqlite3_exec(handle, withAllRows ? setup + more : setup, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(handle, "INSERT INTO messages(contact, text) VALUES (1, ?)", -1, &insert, nil)
                == SQLITE_OK
        else { throw BenchmarkFailure("bare SQLite: \(String(cString: sqlite3_errmsg(handle)))") }
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(handle)
    }

    func commit(_ text: String) throws {
        sqlite3_bind_text(insert, 1, text, -1, csqlite_transient())
        guard sqlite3_step(insert) == SQLITE_DONE else { throw BenchmarkFailure("bare SQLite does not commit") }
        sqlite3_reset(insert)
    }
}
