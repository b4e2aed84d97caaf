// The two full-text indexes, kept beside the messages: in with each message, out with it, all over again, checked.
//
// Neither has a copy of the texts: SQLite asks the views `searchable_words` and `searchable_parts` for them, which call
// functions of ours.

internal import ChatCore

enum SearchIndex {
    static let tables = ["words", "trigrams"]
    /// Messages in one transaction of `catchUp`, so that sends get their turns.
    private static let batch = 250

    /// The functions that the views and the steps of the schema call; must be there on every connection that writes.
    static func install(in connection: SQLiteConnection) throws(StoreError) {
        try connection.addFunction("blip_words") { SearchText.wordsUncomposed(of: $0) }
        try connection.addFunction("blip_parts") { SearchTerms.withoutInvisible($0) }
        try connection.addPredicate("blip_has_link") { text, _ in SearchText.hasLink(text) }
        try connection.addFunction("blip_composed_words") { SearchText.words(of: $0) }
        try connection.addFunction("blip_composed_parts") { SearchForm.of($0) }
        try connection.addPredicate("blip_respelled") { text, _ in SearchText.isRespelled(text) }
        try connection.addPredicate("blip_contains") { SearchText.contains($0, $1) }
    }

    /// Sees to it that the new message at `position` is indexed soon: with others, which costs a tenth. Until then
    /// searches look at it itself. At the end of the history it waits without a note.
    static func addLater(_ position: Int64, in connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            "INSERT INTO unindexed(position) SELECT ?1 WHERE ?1 <= (SELECT position FROM indexed)",
            .integer(position))
    }

    /// Whether anything waits to be indexed.
    static func isBehind(in connection: SQLiteConnection) throws(StoreError) -> Bool {
        try connection.has("SELECT 1 FROM waiting")
    }

    /// Indexes what waits, some of it in each call; returns how much it was.
    static func catchUp(in connection: SQLiteConnection) throws(StoreError) -> Int {
        let positions = try connection.all("SELECT position FROM waiting ORDER BY position LIMIT \(batch)") { row in
            row.integer(0)
        }
        guard let last = positions.last else { return 0 }
        for position in positions { try add(position, in: connection) }
        try connection.run("DELETE FROM unindexed WHERE position <= ?", .integer(last))
        try connection.run("UPDATE indexed SET position = max(position, ?)", .integer(last))
        return positions.count
    }

    /// Indexes the message at `position` as it is now.
    static func add(_ position: Int64, in connection: SQLiteConnection) throws(StoreError) {
        for (table, view) in [("words", "searchable_words"), ("trigrams", "searchable_parts")] {
            try connection.run(
                "INSERT INTO \(table)(rowid, text) SELECT position, text FROM \(view) WHERE position = ?",
                .integer(position))
        }
        try ShownTimes.add(position...position, in: connection)
    }

    /// Indexes all messages at `positions`, which are not in the index yet.
    static func add(_ positions: Range<Int64>, in connection: SQLiteConnection) throws(StoreError) {
        // Messages between the indexed ones and these continue to wait.
        try connection.run(
            """
            INSERT INTO unindexed(position) SELECT position FROM messages
                WHERE position > (SELECT position FROM indexed) AND position < ?
            """, .integer(positions.lowerBound))
        try connection.run("UPDATE indexed SET position = max(position, ?)", .integer(positions.upperBound - 1))
        for (table, view) in [("words", "searchable_words"), ("trigrams", "searchable_parts")] {
            try connection.run(
                "INSERT INTO \(table)(rowid, text) SELECT position, text FROM \(view) WHERE position >= ? AND position < ?",
                .integer(positions.lowerBound), .integer(positions.upperBound))
        }
        if !positions.isEmpty { try ShownTimes.add(positions.lowerBound...(positions.upperBound - 1), in: connection) }
    }

    /// Takes the message at `position` out and returns whether it was in. It must still be in its table as it was indexed:
    /// SQLite asks for its text to know what to take out.
    @discardableResult static func remove(
        _ position: Int64, in connection: SQLiteConnection
    ) throws(StoreError) -> Bool {
        if try connection.has("SELECT 1 FROM waiting WHERE position = ?", .integer(position)) { return false }
        for table in tables { try connection.run("DELETE FROM \(table) WHERE rowid = ?", .integer(position)) }
        return true
    }

    /// Makes both anew from the messages, and the figures of their times.
    static func rebuild(in connection: SQLiteConnection) throws(StoreError) {
        try connection.run("DELETE FROM unindexed")
        try connection.run("UPDATE indexed SET position = (SELECT coalesce(max(position), 0) FROM messages)")
        for table in tables { try connection.run("INSERT INTO \(table)(\(table)) VALUES ('rebuild')") }
        try ShownTimes.rebuild(in: connection)
    }

    /// Whether both say exactly what the messages say.
    static func isConsistent(in connection: SQLiteConnection) throws(StoreError) -> Bool {
        for table in tables {
            do throws(StoreError) {
                try connection.run("INSERT INTO \(table)(\(table), rank) VALUES ('integrity-check', 1)")
            } catch {
                guard case .damaged = error else { throw error }
                return false
            }
        }
        return true
    }

    /// Takes out for good what `remove` has only marked: all pieces of the index become one, which has no marks
    /// (https://www.sqlite.org/fts5.html#the_optimize_command). A second or two for a million messages.
    static func purge(_ table: String, in connection: SQLiteConnection) throws(StoreError) {
        try connection.run("INSERT INTO \(table)(\(table)) VALUES ('optimize')")
    }
}
