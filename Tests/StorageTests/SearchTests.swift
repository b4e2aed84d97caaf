// Search: what is found, in which order, and that no query can do anything else.

import ChatCore
import Testing

@testable import Storage

@Suite("Search")
struct SearchTests {
    /// A history with one line of each kind.
    private func filled(_ folder: TestFolder) async throws -> (HistoryDatabase, ContactID, ContactID) {
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        try await database.say("the build passed, log attached", to: bob, at: 1_000)
        try await database.hear("can you send the build log?", from: bob, at: 2_000)
        try await database.hear("Crème brûlée at Zoë's", from: carol, at: 3_000)
        try await database.hear("昨日の天気はとても良かった", from: carol, at: 4_000)
        try await database.hear("party \u{1F389} 100% sure_thing", from: carol, at: 5_000)
        try await database.hear("in\u{200B}visible glue", from: carol, at: 6_000)
        _ = try await database.enqueueFileOffer(
            to: bob,
            file: NewOutgoingFile(
                path: "/x/build-log.txt", name: "build-log.txt", size: 1, modified: .init(milliseconds: 0),
                contentType: "text/plain", caption: "nightly"), at: .init(milliseconds: 7_000))
        return (database, bob, carol)
    }

    @Test("finds all words as beginnings, newest first, in messages, file names and captions")
    func findsWords() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        #expect(
            try await database.texts("build log") == [
                "build-log.txt", "can you send the build log?", "the build passed, log attached",
            ])
        #expect(try await database.texts("buil").count == 3)
        #expect(try await database.texts("nightly") == ["build-log.txt"])
        #expect(try await database.texts("log passed") == ["the build passed, log attached"])
        #expect(try await database.texts("nothing").isEmpty)
        #expect(try await database.search(SearchQuery(text: "build")).searched == 7)
    }

    @Test("does not care for case or accents")
    func foldsAccents() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        for query in ["creme", "CRÈME", "brulee", "zoe"] {
            #expect(try await database.texts(query) == ["Crème brûlée at Zoë's"], "\(query)")
        }
    }

    @Test("keeps phrases together and leaves out what is excluded")
    func phrases() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        #expect(try await database.texts("\"the build log\"") == ["can you send the build log?"])
        #expect(try await database.texts("build -passed -nightly") == ["can you send the build log?"])
        #expect(try await database.texts("-build").isEmpty)
    }

    @Test("finds parts of words, scripts without spaces, emoji and wildcard characters")
    func substrings() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        #expect(try await database.texts("assed") == ["the build passed, log attached"])
        for query in ["天気", "天気は", "とても良かった", "天気 昨日"] {
            #expect(try await database.texts(query) == ["昨日の天気はとても良かった"], "\(query)")
        }
        #expect(try await database.texts("\u{1F389}") == ["party \u{1F389} 100% sure_thing"])
        #expect(try await database.texts("%") == ["party \u{1F389} 100% sure_thing"])
        #expect(try await database.texts("invisible") == ["in\u{200B}visible glue"])
    }

    @Test("narrows by contact, sender, time and kind")
    func narrows() async throws {
        let folder = try TestFolder()
        let (database, bob, carol) = try await filled(folder)
        #expect(try await database.texts(SearchQuery(text: "build", contact: carol)).isEmpty)
        #expect(try await database.texts(SearchQuery(text: "build", contact: bob)).count == 3)
        #expect(
            try await database.texts(SearchQuery(text: "build", from: .incoming)) == ["can you send the build log?"])
        #expect(
            try await database.texts(
                SearchQuery(text: "build", since: .init(milliseconds: 1_500), until: .init(milliseconds: 2_001)))
                == ["can you send the build log?"])
        #expect(try await database.texts(SearchQuery(text: "build", filesOnly: true)) == ["build-log.txt"])
    }

    @Test("says when there is more than the limit")
    func truncates() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        let result = try await database.search(SearchQuery(text: "build", limit: 2))
        #expect(result.hits.count == 2)
        #expect(result.isTruncated)
        #expect(try await !database.search(SearchQuery(text: "build", limit: 3)).isTruncated)
        #expect(try await database.search(SearchQuery(text: "build", limit: -5)).hits.isEmpty)
    }

    @Test(
        "takes any text without an error and without finding what it does not say",
        arguments: [
            "", " ", "\"", "\"\"", "'zz", "';DROP TABLE messages;--", "NEAR(", "a NEAR b", "AND", "OR NOT", "zz*", "*",
            "^zz",
            "(", ")", "zz:zz", "text:zz", "{zz qq}", "\0", "zz\0qq", "-", "--", "-\"", "+", "\\", "__", "\u{202E}",
            "\u{200B}",
            "\u{D7FF}",
        ])
    func survivesAnyQuery(_ query: String) async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        #expect(try await database.texts(query).isEmpty)
        #expect(try await database.search(SearchQuery(text: "build")).hits.count == 3)
    }

    @Test("takes words and queries of any length in bounded time")
    func survivesLongQueries() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        let oneWord = String(repeating: "zq", count: 40_000)
        let manyWords = String(repeating: "zq ", count: 5_000)
        #expect(try await database.texts(oneWord).isEmpty)
        #expect(try await database.texts(manyWords).isEmpty)
    }

    @Test("reads a query as terms")
    func parsesTerms() {
        typealias Term = SearchTerms.Term
        #expect(
            SearchTerms(parsing: "one  \"two three\" -four").terms == [
                Term(text: "one", isPhrase: false, isExcluded: false),
                Term(text: "two three", isPhrase: true, isExcluded: false),
                Term(text: "four", isPhrase: false, isExcluded: true),
            ])
        #expect(SearchTerms(parsing: "non-stop").terms.map(\.text) == ["non-stop"])
        #expect(SearchTerms(parsing: String(repeating: "a ", count: 99)).terms.count == SearchTerms.maximumCount)
    }
}
