// Which messages of a conversation are too old. A clock that was wrong when a message was stored must not delete it
// when it goes right again, so its age is judged by its place in the history as well. Pure: rows and times are passed in.

internal import ChatCore

/// The ages of a conversation's messages, for one limit.
struct MessageAges {
    /// A message, as far as its age is concerned.
    struct Row {
        var position: Int64
        /// By our clock.
        var stored: Int64
        /// By the clock of its sender; `nil` for our own.
        var sent: Int64?
    }

    /// 2026-01-01: nothing can have been stored before there was a blipchat, whatever a clock said.
    private static let beginning: Int64 = 1_767_225_600_000

    private let limit: Int64
    private let now: Int64

    init(limit: Timestamp, now: Timestamp) {
        self.limit = limit.milliseconds
        self.now = now.milliseconds
    }

    /// The positions of the messages that are too old, of `rows` in the order of their positions.
    func expired(_ rows: [Row]) -> [Int64] {
        // Messages that an import has put before everything else (HistoryImport) say nothing about the rest.
        let imported = rows.prefix { $0.position <= 0 }
        return judge(imported) + judge(rows.dropFirst(imported.count))
    }

    /// A message was stored after those before it and before those after it. A clock that has gone back by more than
    /// the time that messages are kept is what was wrong, not the messages before: those were no older than that. (A
    /// shorter step back is also what a late message looks like, which is in a place that was kept for it; anyone who
    /// could put that to use could keep us from deleting.)
    private func judge(_ rows: ArraySlice<Row>) -> [Int64] {
        var times = rows.map(time)
        var following: Int64?
        for index in times.indices.reversed() where times[index] <= now {
            if let following, times[index] < Self.beginning, following >= Self.beginning { times[index] = following }
            following = times[index]
        }
        var latest: Int64?
        var expired: [Int64] = []
        // A time that is still to come says nothing.
        for (row, time) in zip(rows, times) where time <= now {
            let isProvenYoung = latest.map { isFar(time, before: $0) } ?? false
            if time < limit, !isProvenYoung { expired.append(row.position) }
            latest = max(latest ?? time, time)
        }
        return expired
    }

    /// When a message was stored, as far as single ones tell: its sender knows better when our clock lagged theirs by
    /// more than the time that messages are kept, and theirs is not ahead of ours now. With a smaller step they could
    /// put off their messages' end.
    private func time(_ row: Row) -> Int64 {
        guard let sent = row.sent, sent <= now, isFar(row.stored, before: sent) else { return row.stored }
        return sent
    }

    /// Whether there is at least the time for which messages are kept between them.
    private func isFar(_ time: Int64, before other: Int64) -> Bool {
        let (span, spanIsTooLarge) = now.subtractingReportingOverflow(limit)
        let (difference, isTooLarge) = other.subtractingReportingOverflow(time)
        guard !spanIsTooLarge, !isTooLarge else { return other > time }
        return difference >= max(span, 1)
    }
}
