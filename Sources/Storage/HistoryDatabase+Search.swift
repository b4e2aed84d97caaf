// Search over everything, newest first.

package import ChatCore

extension HistoryDatabase {
    /// No search runs longer; what was found until then is the answer.
    static let searchTimeLimit = Duration.seconds(1)

    package func search(_ query: SearchQuery) async throws(StoreError) -> SearchResult {
        try await search(query, timeLimit: Self.searchTimeLimit)
    }

    func search(_ query: SearchQuery, timeLimit: Duration) async throws(StoreError) -> SearchResult {
        var query = query
        query.terms = query.terms.prefix(SearchTerms.maximumCount).map { term in
            var term = term
            term.text = SearchForm.of(term.text)
            return term
        }
        query.limit = max(0, min(query.limit, 10_000))
        let asked = query
        // The search below looks at what cannot be indexed now (the disk is full, or it is very much).
        if !isReadOnly { try? await index(atMost: Self.indexedAtOnce) }
        return try await reader.snapshot { connection throws(StoreError) in
            let searched = try connection.messageCount(of: asked.contact)
            guard !asked.isEmpty else { return SearchResult(hits: [], searched: searched, isTruncated: false) }
            let clock = ContinuousClock()
            let end = clock.now + timeLimit
            var (hits, isTruncated) = try connection.hits(asked, .words, until: end)
            if hits.isEmpty, !isTruncated, asked.terms.contains(where: \.isFoundInsideWords) {
                // Nobody's word begins like this: look inside of words as well.
                (hits, isTruncated) = try connection.hits(asked, .parts, until: end)
            }
            if try SearchIndex.isBehind(in: connection) {
                // Another process has just written these, or they cannot be indexed now.
                let (newest, isMore) = try connection.hits(asked, .unindexed, until: end)
                // A search without an index has met them already.
                let known = Set(hits.map(\.position))
                hits = (hits + newest.filter { !known.contains($0.position) }).sorted { $0.position > $1.position }
                isTruncated = isTruncated || isMore || hits.count > asked.limit
                hits = Array(hits.prefix(asked.limit))
            }
            return SearchResult(hits: hits, searched: searched, isTruncated: isTruncated)
        }
    }
}

extension SearchQuery {
    fileprivate var span: ShownSpan { ShownSpan(since: since, until: until) }
}

extension SearchTerm {
    /// There is more to find than the index of words has found.
    fileprivate var isFoundInsideWords: Bool { method == .words && !isPhrase && !isExcluded }
}

extension SQLiteConnection {
    /// How many messages there are with a contact; in all when `nil`.
    fileprivate func messageCount(of contact: ContactID?) throws(StoreError) -> Int {
        try first(
            "SELECT coalesce(sum(message_count), 0) FROM conversations WHERE ?1 IS NULL OR contact = ?1",
            [.optionalInteger(contact?.rawValue)]
        ) { row in Int(clamping: row.integer(0)) } ?? 0
    }

    /// Up to `limit` hits, and whether there may be more.
    fileprivate func hits(
        _ query: SearchQuery, _ place: SearchStatement.Place, until end: ContinuousClock.Instant
    ) throws(StoreError) -> ([ChatMessage], Bool) {
        let clock = ContinuousClock()
        var hits: [ChatMessage] = []
        var isTruncated = false
        do throws(StoreError) {
            try interrupting(when: { clock.now >= end }) { () throws(StoreError) in
                let statement = SearchStatement(query, in: place)
                try forEachRow(statement.sql, statement.values + [.integer(Int64(query.limit + 1))]) {
                    row throws(StoreError) in
                    guard hits.count < query.limit else {
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

/// A search as SQL: where it looks, what it requires, and the values for its parameters. User text is only ever a value.
struct SearchStatement {
    /// The text of a message, as the indexes see it.
    private static let text = "coalesce(m.text, t.name || char(10) || t.caption)"

    private static let messages = "messages m"

    /// The tables. The one with the fewest rows comes first, so that the hits come newest first without sorting.
    private var source = Self.messages
    private var order = "m.position"
    /// The messages are found by way of `ShownTimes.source`.
    private var isByTime = false
    private var conditions: [String] = []
    private(set) var values: [SQLiteValue] = []

    var sql: String {
        MessageRow.select(from: source)
            + " WHERE \(conditions.joined(separator: " AND "))"
            + " ORDER BY \(isByTime ? "b.block DESC, " : "")\(order) DESC LIMIT ?"
    }

    /// Where a search looks.
    enum Place {
        /// In the index of words; for what is no word in that of trigrams.
        case words
        /// Inside of words.
        case parts
        /// At the messages that are in no index yet.
        case unindexed
    }

    init(_ query: SearchQuery, in place: Place) {
        let wanted = query.terms.filter { !$0.isExcluded }
        let words = wanted.filter { term in
            term.method == .words && place != .unindexed && !(place == .parts && term.isFoundInsideWords)
        }
        let parts = wanted.filter { term in !words.contains(term) }
        let excludedWords = query.terms.filter { $0.isExcluded && $0.method == .words && place != .unindexed }
        let excluded = excludedWords.map(\.wordExpression).joined(separator: " OR ")
        if !words.isEmpty {
            var expression = words.map(\.wordExpression).joined(separator: " AND ")
            if !excluded.isEmpty { expression = "(\(expression)) NOT (\(excluded))" }
            lookFirst(in: "words", for: expression)
        } else {
            let trigrams = parts.filter { $0.partMethod == .trigrams }.map(\.trigramExpression)
            if place == .unindexed {
                source = "waiting u CROSS JOIN messages m ON m.position = u.position"
                order = "u.position"
            } else if !trigrams.isEmpty {
                lookFirst(in: "trigrams", for: trigrams.joined(separator: " AND "))
            } else if query.linksOnly {
                lookFirst(in: "trigrams", for: #""://" OR ("mai" AND "to:") OR "www""#)
            } else if query.filesOnly {
                source = "transfers f CROSS JOIN messages m ON m.position = f.position"
                order = "f.position"
            }
            if !excluded.isEmpty {
                require("m.position NOT IN (SELECT rowid FROM words WHERE words MATCH ?)", .text(excluded))
            }
        }
        // The index of words knows no signs: "C++" must not find every word with C.
        for term in parts + words.filter({ !SearchText.isAllWords($0.text) }) {
            require("blip_contains(\(Self.text), ?)", .text(term.text))
        }
        for term in query.terms where term.isExcluded && !excludedWords.contains(term) {
            require("NOT blip_contains(\(Self.text), ?)", .text(term.text))
        }
        if let contact = query.contact { require("m.contact = ?", .integer(contact.rawValue)) }
        if let from = query.from { require("m.outgoing = ?", .flag(from == .outgoing)) }
        require(query.span, in: place)
        if query.filesOnly { require("m.text IS NULL AND t.id IS NOT NULL") }
        if query.linksOnly { require("blip_has_link(\(Self.text), '')") }
        if query.unreadOnly {
            let first = "(SELECT coalesce(min(seen), 9223372036854775807) FROM conversations WHERE unread > 0)"
            if !isByTime {
                require("m.outgoing = 0 AND m.position > v.seen")
                require("\(order) > \(first)")
            } else {
                // Without the sign SQLite may look from there to the end of each block.
                require("m.outgoing = 0 AND +m.position > v.seen")
                require("b.block >= \(ShownTimes.block(of: first))")
            }
        }
        // There is nothing left in them to be found; without the sign SQLite might look for them first.
        require("+m.retracted = 0")
    }

    /// Only what has a time of the span; looks for it only where such times are.
    private mutating func require(_ span: ShownSpan, in place: Place) {
        guard !span.isUnlimited else { return }
        for (condition, value) in ShownTimes.messages(in: span) { require(condition, value) }
        // Some of it is not in any index yet.
        guard place != .unindexed else { return }
        if source == Self.messages {
            source = ShownTimes.source
            isByTime = true
            for (condition, value) in ShownTimes.blocks(in: span) { require(condition, value) }
        } else {
            let bounds = ShownTimes.bounds(order, in: span)
            conditions.append(bounds.condition)
            values += bounds.values
        }
    }

    private mutating func lookFirst(in index: String, for expression: String) {
        source = "\(index) JOIN messages m ON m.position = \(index).rowid"
        order = "\(index).rowid"
        require("\(index) MATCH ?", .text(expression))
    }

    private mutating func require(_ condition: String, _ value: SQLiteValue...) {
        conditions.append(condition)
        values += value
    }
}
