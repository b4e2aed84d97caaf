// Reads what is typed into the search: words, and from: in: has: after: before: (PRODUCT, "Search").

import ChatCore

/// A search as typed.
struct SearchSyntax: Sendable, Equatable {
    /// The query for the store.
    var query: SearchQuery
    /// The words to mark in the results, lower case.
    var words: [String]
    /// What could not be understood, in words.
    var problem: String?

    /// `names` finds a contact by what was typed; `scope` is the chat to stay in unless `in:` says otherwise.
    init(
        _ text: String, scope: ContactID?, names: (String) -> ContactID?, clock: LocalClock, today: Timestamp,
        limit: Int = 50
    ) {
        var query = SearchQuery(text: "", contact: scope, limit: limit)
        var words: [String] = []
        var problem: String?
        var scanner = ArgumentScanner(text)
        while let word = scanner.next() {
            guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else {
                if !word.isEmpty { words.append(word) }
                continue
            }
            let value = String(word[word.index(after: colon)...])
            switch word[..<colon].lowercased() {
            case "from" where value.lowercased() == "me": query.from = .outgoing
            case "from", "in":
                let isFrom = word.lowercased().hasPrefix("from")
                if let contact = names(value) {
                    query.contact = contact
                    if isFrom { query.from = .incoming }
                } else if !value.isEmpty {
                    problem = "no contact is called \(value)"
                }
            case "has" where value == "file": query.filesOnly = true
            case "after", "before":
                let isAfter = word.lowercased().hasPrefix("after")
                if let day = clock.startOfDay(named: value, today: today) {
                    if isAfter { query.since = day } else { query.until = day }
                } else {
                    problem = "\(value) is not a date like 2026-11-20"
                }
            default: words.append(word)
            }
        }
        query.text = words.joined(separator: " ")
        self.query = query
        self.words = words.map { $0.lowercased() }
        self.problem = problem
    }
}
