// What is typed into the search, for the screen and for the command line.

import Testing

@testable import ChatCore

@Suite("Search syntax")
struct SearchSyntaxTests {
    private static let bob = ContactID(7)
    private static let carol = ContactID(8)

    private func read(_ text: String, scope: ContactID? = nil) -> SearchSyntax {
        SearchSyntax(
            text,
            SearchSyntax.Context(
                scope: scope,
                contact: { $0 == "bob" ? Self.bob : $0 == "Ann Lee" ? Self.carol : nil },
                day: { Int64($0).map { (Timestamp(milliseconds: $0 * 10), Timestamp(milliseconds: $0 * 10 + 10)) } }))
    }

    @Test("a quotation mark in a name is a part of it, in a filter as it is, in quotes behind a backslash")
    func marksInNames() {
        for (typed, words) in [
            ("in:Fr\"ed lines", ["in:Fr\"ed", "lines"]),
            ("from:\"Al \\\"Q\\\" x\" hi", ["from:Al \"Q\" x", "hi"]),
            ("one\"two three\"", ["one", "two three"]), ("\"a\\b\" c", ["a\\b", "c"]),
        ] {
            var scanner = SearchScanner(typed)
            var found: [String] = []
            while let word = scanner.next() { found.append(word.text) }
            #expect(found == words)
        }
    }

    @Test("takes filters out and leaves words, phrases and exclusions")
    func filters() {
        let syntax = read("Build from:bob has:file after:3 before:5 \"two words\" -not note:x http://a.b")
        #expect(
            syntax.query.terms == [
                SearchTerm(text: "Build"), SearchTerm(text: "two words", isPhrase: true),
                SearchTerm(text: "not", isExcluded: true), SearchTerm(text: "note:x"), SearchTerm(text: "http://a.b"),
            ])
        #expect(syntax.query.contact == Self.bob)
        #expect(syntax.query.from == .incoming)
        #expect(syntax.query.filesOnly)
        #expect(syntax.query.since == Timestamp(milliseconds: 30))
        #expect(syntax.query.until == Timestamp(milliseconds: 50))
        #expect(syntax.problem == nil)
        #expect(syntax.words == ["build", "two words", "note:x", "http://a.b"])
    }

    @Test("knows links, unread messages, one day, own messages and names with blanks")
    func moreFilters() {
        #expect(read("has:link").query.linksOnly)
        #expect(read("is:unread").query.unreadOnly)
        #expect(read("x on:4").query.since == Timestamp(milliseconds: 40))
        #expect(read("x on:4").query.until == Timestamp(milliseconds: 50))
        // What narrows twice keeps the narrower.
        #expect(read("on:4 after:2 before:9").query.since == Timestamp(milliseconds: 40))
        #expect(read("on:4 after:2 before:9").query.until == Timestamp(milliseconds: 50))
        #expect(read("from:me").query.from == .outgoing)
        #expect(read("from:me in:bob").query.contact == Self.bob)
        // Two writers are none.
        #expect(read("from:me from:bob").problem?.contains("from: appears twice") == true)
        #expect(read("in:\"Ann Lee\" x").query.contact == Self.carol)
        #expect(read("FROM:bob").query.contact == Self.bob)
        #expect(read("x", scope: Self.bob).query.contact == Self.bob)
        #expect(read("x in:\"Ann Lee\"", scope: Self.bob).query.contact == Self.carol)
        #expect(read("\"from:bob\"").query.terms == [SearchTerm(text: "from:bob", isPhrase: true)])
    }

    @Test("says what it cannot understand, and waits while a filter is being typed")
    func problems() {
        #expect(read("x in:nobody").problem == "no contact is called nobody")
        #expect(read("has:wings").problem == "has: takes file or link, not wings")
        #expect(read("is:late").problem == "is: takes unread, not late")
        #expect(read("on:whenever").problem == "whenever is not a day (2026-11-20, friday, on:\"20 Nov\")")
        #expect(read("-from:bob").problem == "- excludes words, not from: (leave out the -)")
        #expect(read("from:bob in:\"Ann Lee\"").problem == "from: and in: name two conversations")
        for text in ["from:", "x has:", "in:\""] { #expect(read(text).problem == nil, "\(text)") }
        #expect(read("").query.isEmpty)
        for text in ["in:bob", "is:unread", "-x"] { #expect(!read(text).query.isEmpty, "\(text)") }
    }

    @Test("within a conversation nobody else writes: from: leads to no other one, in: does")
    func scope() {
        #expect(read("from:bob", scope: Self.bob).query.contact == Self.bob)
        #expect(read("from:bob", scope: Self.carol).problem == "from: names someone who does not write here")
        #expect(read("from:me", scope: Self.carol).query.contact == Self.carol)
        let both = read("in:bob from:bob", scope: Self.carol)
        #expect(both.query.contact == Self.bob && both.problem == nil)
        #expect(read("from:bob").query.contact == Self.bob)
    }

    @Test("reads terms: quotes of any kind, minus, blanks, nothing invisible")
    func terms() {
        #expect(
            SearchTerms.parse("one  \"two three\" -four") == [
                SearchTerm(text: "one"), SearchTerm(text: "two three", isPhrase: true),
                SearchTerm(text: "four", isExcluded: true),
            ])
        #expect(SearchTerms.parse("non-stop").map(\.text) == ["non-stop"])
        #expect(SearchTerms.parse("\u{201C}a b\u{201D}").map(\.isPhrase) == [true])
        #expect(SearchTerms.parse("a\u{3000}b").map(\.text) == ["a", "b"])
        #expect(SearchTerms.parse("a\u{200B}b \u{200B}").map(\.text) == ["ab"])
        #expect(SearchTerms.parse("\"a\tb\"").map(\.text) == ["a b"])
        for text in ["", " ", "\"", "\"\"", "-", "--", "-\"", "\u{202E}", "\0"] {
            #expect(SearchTerms.parse(text).isEmpty, "\(text.debugDescription)")
        }
    }

    @Test("cuts terms and their number")
    func limits() {
        #expect(SearchTerms.parse(String(repeating: "a ", count: 99)).count == SearchTerms.maximumCount)
        #expect(read(String(repeating: "a ", count: 99)).query.terms.count == SearchTerms.maximumCount)
        let long = SearchTerms.parse(String(repeating: "é", count: 999))
        #expect(long.map(\.text.utf8.count) == [SearchTerms.maximumTermBytes])
    }
}
