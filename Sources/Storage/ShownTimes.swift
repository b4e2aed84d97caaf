// Which times are where in the history: the earliest and the latest of each 1,024 positions. A query by date looks only
// there, in whatever order the times are: clocks are set back, and imports come late.
//
// Kept like the search indexes: messages that wait for them wait for this, too, and a query looks at those itself. A
// time that is gone may still be in the figures of its positions; one that is there always is.

internal import ChatCore

enum ShownTimes {
    /// As `ChatMessage.shownTime` has it, in milliseconds: the time that is shown beside the message `m`.
    static let time =
        "CASE WHEN m.stored - m.sent BETWEEN 0 AND \(longestWait) THEN m.sent ELSE m.stored END"
    private static let longestWait: Int64 = 30 * 86_400_000

    /// The positions of one row are those with the same number but for these bits.
    private static let bits = 10
    private static let others: Int64 = (1 << bits) - 1

    static func block(of position: Int64) -> Int64 { position >> bits }
    /// The same in SQL.
    static func block(of position: String) -> String { "(\(position) >> \(bits))" }

    /// Messages `m` by way of the rows `b` that `blocks(in:)` is required of: in the order of `b.block` and `m.position`
    /// nothing has to be sorted.
    static let source = """
        shown_times b CROSS JOIN messages m
            ON m.position BETWEEN b.block << \(bits) AND (b.block << \(bits)) + \(others)
        """

    /// The conditions that hold for every row with a time of the span in it.
    static func blocks(in span: ShownSpan) -> [(condition: String, value: SQLiteValue)] {
        conditions(span, earliest: "b.earliest", latest: "b.latest")
    }

    /// The conditions that hold for the messages of the span, and no others.
    static func messages(in span: ShownSpan) -> [(condition: String, value: SQLiteValue)] {
        conditions(span, earliest: time, latest: time)
    }

    private static func conditions(
        _ span: ShownSpan, earliest: String, latest: String
    ) -> [(condition: String, value: SQLiteValue)] {
        var conditions: [(condition: String, value: SQLiteValue)] = []
        if let since = span.since { conditions.append(("\(latest) >= ?", .integer(since.milliseconds))) }
        if let until = span.until { conditions.append(("\(earliest) < ?", .integer(until.milliseconds))) }
        return conditions
    }

    /// The condition that holds for `position` of every message in the span, for a query that finds them by another way
    /// than `source`: it lies between the first and the last position that come into question.
    static func bounds(_ position: String, in span: ShownSpan) -> (condition: String, values: [SQLiteValue]) {
        let blocks = blocks(in: span)
        let filter = blocks.map(\.condition).joined(separator: " AND ")
        let condition = """
            \(position) >= (SELECT min(b.block) << \(bits) FROM shown_times b WHERE \(filter))
            AND \(position) <= (SELECT (max(b.block) << \(bits)) + \(others) FROM shown_times b WHERE \(filter))
            """
        return (condition, blocks.map(\.value) + blocks.map(\.value))
    }

    // MARK: Keeping them

    /// Takes the times of all messages at these positions in.
    static func add(_ positions: ClosedRange<Int64>, in connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO shown_times(block, earliest, latest) SELECT m.position >> \(bits), min(\(time)), max(\(time))
                FROM messages m WHERE m.position BETWEEN ? AND ? GROUP BY 1
            ON CONFLICT(block) DO UPDATE SET
                earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest)
                WHERE excluded.earliest < earliest OR excluded.latest > latest
            """, .integer(positions.lowerBound), .integer(positions.upperBound))
    }

    /// Says of the rows of these positions only what is left: messages have been deleted there.
    static func update(_ positions: [Int64], in connection: SQLiteConnection) throws(StoreError) {
        for block in Set(positions.map(block)).sorted() {
            try connection.run("DELETE FROM shown_times WHERE block = ?", .integer(block))
            let first = block << bits
            try add(first...(first | others), in: connection)
        }
    }

    /// Makes all of them anew.
    static func rebuild(in connection: SQLiteConnection) throws(StoreError) {
        try connection.run("DELETE FROM shown_times")
        try add(.min...Int64.max, in: connection)
    }

    /// Messages that would not be found by their time, and do not wait to be taken in.
    static let missing = """
        SELECT count(*) FROM messages m LEFT JOIN shown_times b ON b.block = m.position >> \(bits)
        WHERE (b.block IS NULL OR \(time) NOT BETWEEN b.earliest AND b.latest)
            AND m.position NOT IN (SELECT position FROM waiting)
        """
}
