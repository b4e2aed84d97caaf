// Reads what is typed into the search: words, and from: in: has: after: before: on: is: (PRODUCT, "Search"). One parser
// for the screen and for the command line.

/// A search as typed.
package struct SearchSyntax: Sendable, Equatable {
    /// The query for the store.
    package private(set) var query: SearchQuery
    /// The words to mark in the results, lower case.
    package private(set) var words: [String] = []
    /// Why the search cannot be understood, in words; the query must not be run then.
    package private(set) var problem: String?

    /// The facts and look-ups that reading a search needs.
    package struct Context {
        /// The conversation to stay in unless `in:` says otherwise.
        package var scope: ContactID?
        /// Finds a contact by what was typed.
        package var contact: (String) -> ContactID?
        /// The name that others see us by: `from:` it is `from:me` when no contact is called that.
        package var ownName: String?
        /// The day or the month that a text names: from its first moment up to, but without, the second time.
        package var day: (String) -> (start: Timestamp, end: Timestamp)?

        package init(
            scope: ContactID? = nil, ownName: String? = nil, contact: @escaping (String) -> ContactID?,
            day: @escaping (String) -> (start: Timestamp, end: Timestamp)?
        ) {
            self.scope = scope
            self.ownName = ownName
            self.contact = contact
            self.day = day
        }
    }

    /// The filters, for help texts and completion.
    package static let help =
        "words \"a phrase\" -word from:NAME from:me in:NAME has:file has:link after:DAY before:DAY on:DAY is:unread"

    private enum Filter: String, CaseIterable {
        case from, `in`, has, after, before, on, `is`
    }

    package init(_ text: String, _ context: Context, limit: Int = 50) {
        query = SearchQuery(text: "", contact: context.scope, limit: limit)
        var scanner = SearchScanner(text)
        var terms: [SearchTerm] = []
        // Where `from:` and `in:` point to; one conversation has two people, so they must agree.
        var author: ContactID?
        var place: ContactID?
        var writers = 0
        while let word = scanner.next() {
            guard let (filter, value) = Self.filter(in: word) else {
                if terms.count < SearchTerms.maximumCount, let term = SearchTerms.term(of: word) { terms.append(term) }
                continue
            }
            guard !word.isExcluded else {
                problem = "- excludes words, not \(filter.rawValue): (leave out the -)"
                continue
            }
            // Somebody is still typing.
            guard !value.isEmpty else { continue }
            if filter == .from { writers += 1 }
            switch filter {
            case .from where value.lowercased() == "me": query.from = .outgoing
            case .from, .in:
                guard let contact = context.contact(value) else {
                    if filter == .from, value.lowercased() == context.ownName?.lowercased() {
                        query.from = .outgoing
                    } else {
                        problem = "no contact is called \(value)"
                    }
                    continue
                }
                if filter == .from { query.from = .incoming }
                if filter == .from { author = contact } else { place = contact }
            case .has:
                switch value.lowercased() {
                case "file", "files": query.filesOnly = true
                case "link", "links", "url": query.linksOnly = true
                default: problem = "has: takes file or link, not \(value)"
                }
            case .is:
                switch value.lowercased() {
                case "unread": query.unreadOnly = true
                default: problem = "is: takes unread, not \(value)"
                }
            case .after, .before, .on:
                guard let day = context.day(value) else {
                    problem = "\(value) is not a day (2026-11-20, friday, \(filter.rawValue):\"20 Nov\")"
                    continue
                }
                if filter != .before { query.since = Swift.max(query.since ?? day.start, day.start) }
                let end = filter == .before ? day.start : day.end
                if filter != .after { query.until = Swift.min(query.until ?? end, end) }
            }
        }
        if writers > 1 { problem = "from: appears twice, but a message has one sender" }
        query.contact = place ?? context.scope ?? author
        if let author, author != query.contact {
            problem =
                place == nil ? "from: names someone who does not write here" : "from: and in: name two conversations"
        }
        query.terms = terms
        words = terms.filter { !$0.isExcluded }.map { $0.text.lowercased() }
    }

    private static func filter(in word: SearchScanner.Word) -> (Filter, value: String)? {
        guard !word.isQuoted, let colon = word.text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let filter = Filter(rawValue: word.text[..<colon].lowercased())
        else { return nil }
        return (filter, String(word.text[word.text.utf8.index(after: colon)...]))
    }
}
