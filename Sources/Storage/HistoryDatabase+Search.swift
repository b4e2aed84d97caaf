// Search over everything, newest first.

public import ChatCore

extension HistoryDatabase {
    /// No search runs longer; what was found until then is the answer.
    static let searchTimeLimit = Duration.seconds(1)

    public func search(_ query: SearchQuery) async throws(StoreError) -> SearchResult {
        let terms = SearchTerms(parsing: query.text).terms
        let limit = max(0, min(query.limit, 10_000))
        return try await reader.perform { connection throws(StoreError) in
            let searched =
                try connection.first("SELECT coalesce(sum(message_count), 0) FROM conversations") { row in
                    Int(clamping: row.integer(0))
                } ?? 0
            guard terms.contains(where: { !$0.isExcluded }) else {
                return SearchResult(hits: [], searched: searched, isTruncated: false)
            }
            var (hits, isTruncated) = try connection.hits(terms, query, limit: limit, substrings: false)
            if hits.isEmpty, !isTruncated {
                // Nobody's word begins like this: look inside of words as well.
                (hits, isTruncated) = try connection.hits(terms, query, limit: limit, substrings: true)
            }
            return SearchResult(hits: hits, searched: searched, isTruncated: isTruncated)
        }
    }
}

extension SQLiteConnection {
    /// Up to `limit` hits, and whether there may be more.
    fileprivate func hits(
        _ terms: [SearchTerms.Term], _ query: SearchQuery, limit: Int, substrings: Bool
    ) throws(StoreError) -> ([ChatMessage], Bool) {
        let condition = SearchCondition(terms, query, substrings: substrings)
        let clock = ContinuousClock()
        let end = clock.now + HistoryDatabase.searchTimeLimit
        var hits: [ChatMessage] = []
        var isTruncated = false
        do throws(StoreError) {
            try interrupting(when: { clock.now >= end }) { () throws(StoreError) in
                try forEachRow(
                    MessageRow.select(from: condition.source)
                        + " WHERE \(condition.clause) ORDER BY \(condition.order) DESC LIMIT ?",
                    condition.values + [.integer(Int64(limit + 1))]
                ) { row throws(StoreError) in
                    guard hits.count < limit else {
                        isTruncated = true
                        return false
                    }
                    hits.append(try MessageRow.message(from: row))
                    return true
                }
            }
        } catch {
            guard error.isInterruption else { throw error }
            isTruncated = true
        }
        return (hits, isTruncated)
    }
}

/// Where a search looks, what it requires, and the values for its parameters.
private struct SearchCondition {
    /// The tables. An index that must match stands in front, so that its hits come newest first without sorting.
    private(set) var source = "messages m"
    private(set) var order = "m.position"
    private var conditions: [String] = []
    private(set) var values: [SQLiteValue] = []

    var clause: String { conditions.joined(separator: " AND ") }

    init(_ terms: [SearchTerms.Term], _ query: SearchQuery, substrings: Bool) {
        // Wanted terms must all be there; one unwanted term is enough to leave a message out.
        requireIndexed(terms.filter { !$0.isExcluded }, joinedBy: " AND ", substrings: substrings)
        requireIndexed(terms.filter(\.isExcluded), joinedBy: " OR ", not: "NOT ", substrings: false)
        for term in terms where term.method == .scan {
            require(
                """
                m.position \(term.isExcluded ? "NOT " : "")IN (SELECT s.position FROM messages s
                LEFT JOIN transfers f USING (position)
                WHERE coalesce(s.text, f.name || char(10) || f.caption) LIKE ? ESCAPE '\\')
                """, .text(term.pattern))
        }
        if let contact = query.contact { require("m.contact = ?", .integer(contact.rawValue)) }
        if let from = query.from { require("m.outgoing = ?", .flag(from == .outgoing)) }
        if let since = query.since { require("m.sent >= ?", .integer(since.milliseconds)) }
        if let until = query.until { require("m.sent < ?", .integer(until.milliseconds)) }
        if query.filesOnly { require("m.text IS NULL") }
    }

    /// The terms that one of the two indexes can answer.
    private mutating func requireIndexed(
        _ terms: [SearchTerms.Term], joinedBy operation: String, not: String = "", substrings: Bool
    ) {
        var words: [String] = []
        var trigrams: [String] = []
        for term in terms {
            switch term.method {
            case .words where substrings && term.text.unicodeScalars.count >= 3:
                trigrams.append(term.quoted(asPrefix: false))
            case .words: words.append(term.quoted(asPrefix: true))
            case .trigrams: trigrams.append(term.quoted(asPrefix: false))
            case .scan: break
            }
        }
        for (index, expressions) in [("words", words), ("trigrams", trigrams)] where !expressions.isEmpty {
            let match = SQLiteValue.text(expressions.joined(separator: operation))
            if not.isEmpty, source == "messages m" {
                source = "\(index) JOIN messages m ON m.position = \(index).rowid"
                order = "\(index).rowid"
                require("\(index) MATCH ?", match)
            } else {
                require("m.position \(not)IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)", match)
            }
        }
    }

    private mutating func require(_ condition: String, _ value: SQLiteValue...) {
        conditions.append(condition)
        values += value
    }
}
