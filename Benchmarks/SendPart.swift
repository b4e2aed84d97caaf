// How many messages a second can be made durable, beside bare SQLite on the same disk in the same minute.

internal import ChatCore
internal import Glibc
internal import Storage
internal import TestSupport
internal import Workbench

/// The sends of the part `history`.
///
/// A send returns when its own message is on the disk. Those of different callers that are under way together may share
/// a commit, so there are two measures: one at a time beside commits of one row, and several at once beside commits of
/// as many rows. Everything takes turns, and the median of five counts.
enum SendPart {
    /// How many sends are under way at once in the second measure.
    private static let callers = 16
    private static let text = "the build passed, the log is attached; see you tomorrow at the meeting"

    private struct Subject {
        let name: String
        /// Makes messages durable, that many together, for as long as told; returns how many a second.
        let rate: (_ together: Int, Duration) async throws -> Double
        /// What must be over before somebody else's turn.
        var rest: () async throws -> Void = {}
        var figures: [[Double]] = [[], []]

        func median(_ measure: Int) -> Double { figures[measure].sorted()[figures[measure].count / 2] }
    }

    /// Sends into the history at `path` and into an empty one.
    static func run(_ effort: Effort, _ path: String) async throws {
        let folder = try TemporaryDirectory(in: "/var/tmp")
        let empty = try await HistoryDatabase.open(at: folder.file("empty.sqlite"))
        _ = try await empty.addContact(
            NewContact(peerID: nil, name: "bob", addresses: [], added: Timestamp(milliseconds: 1)))
        let full = try await HistoryDatabase.open(at: path)
        var subjects = [
            bare("bare SQLite, FULL, one row", try BareDatabase(path: folder.file("bare.sqlite"), .one)),
            bare(
                "bare SQLite, FULL, the rows of a send", try BareDatabase(path: folder.file("same.sqlite"), .ofSend)),
            try await sends("sends, empty history", empty), try await sends("sends, this history", full),
        ]
        for _ in 0..<5 {
            for (measure, together) in [1, callers].enumerated() {
                for index in subjects.indices {
                    subjects[index].figures[measure].append(try await subjects[index].rate(together, effort.time / 10))
                    try await subjects[index].rest()
                }
            }
        }
        await empty.close()
        await full.close()
        report(subjects)
    }

    private static func report(_ subjects: [Subject]) {
        for (measure, title) in ["durable messages per second, one at a time", "\(callers) at once"].enumerated() {
            Report.heading(title, "per second", "of one row")
            let bare = subjects[0].median(measure)
            for (index, subject) in subjects.enumerated() {
                let rate = subject.median(measure)
                Report.row(
                    subject.name, Figure.whole(rate), index == 0 ? "" : Figure.percent(rate / bare),
                    goal: index < 2 || measure > 0 ? nil : .atLeast(80, (rate / bare * 100).rounded(), unit: " %"))
            }
        }
        for subject in subjects[2...] {
            let share = subject.median(1) / subjects[0].median(0)
            Report.row(
                "\(subject.name), at once, of single rows", Figure.percent(share), "",
                goal: .atLeast(80, (share * 100).rounded(), unit: " %"))
        }
    }

    private static func bare(_ name: String, _ database: BareDatabase) -> Subject {
        Subject(name: name) { together, time in
            try repeated(for: time) {
                try database.commit(text, count: together)
                return together
            }
        }
    }

    private static func sends(_ name: String, _ database: HistoryDatabase) async throws -> Subject {
        guard let contact = try await database.conversations().first?.peer.id else {
            throw BenchmarkFailure("there is nobody in the history")
        }
        return Subject(name: name) { together, time in
            let clock = ContinuousClock()
            let start = clock.now
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<together {
                    group.addTask {
                        var count = 0
                        while clock.now < start + time {
                            _ = try await database.enqueueMessage(to: contact, text: text, replyTo: nil, at: now())
                            count += 1
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            return Double(count) / (clock.now - start).seconds
        } rest: {
            // What sends leave for quiet moments must not slow down the next one's turn.
            while try await database.isIndexing { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    private static func repeated(for time: Duration, _ commit: () throws -> Int) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while clock.now < start + time { count += try commit() }
        return Double(count) / (clock.now - start).seconds
    }

    private static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
