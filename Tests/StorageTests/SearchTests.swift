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
        let (database, bob, carol) = try await filled(folder)
        #expect(
            try await database.texts("build log") == [
                "build-log.txt", "can you send the build log?", "the build passed, log attached",
            ])
        #expect(try await database.texts("buil").count == 3)
        #expect(try await database.texts("nightly") == ["build-log.txt"])
        #expect(try await database.texts("log passed") == ["the build passed, log attached"])
        #expect(try await database.texts("nothing").isEmpty)
        #expect(try await database.search(SearchQuery(text: "build")).searched == 7)
        let counts = [
            try await database.search(SearchQuery(text: "build", contact: bob)).searched,
            try await database.search(SearchQuery(text: "build", contact: carol)).searched,
        ]
        #expect(counts.reduce(0, +) == 7 && !counts.contains(0), "\(counts)")
    }

    @Test("does not care for case or accents")
    func foldsAccents() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        for query in ["creme", "CRÈME", "brulee", "zoe"] {
            #expect(try await database.texts(query) == ["Crème brûlée at Zoë's"], "\(query)")
        }
    }

    @Test("finds what looks the same, in whichever way its letters are composed, in file names and captions, too")
    func spellings() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        // Composed and decomposed.
        let pairs = [
            ("がんばって", "か\u{3099}んは\u{3099}って"), ("한국어", "\u{1112}\u{1161}\u{11AB}국어"), ("йогурт", "и\u{306}огурт"),
            ("ώρα", "ω\u{301}ρα"), ("آب", "\u{627}\u{653}ب"), ("étude", "e\u{301}tude"),
        ]
        for (number, pair) in pairs.enumerated() {
            try await database.say("one \(pair.0)", to: bob, at: Int64(1_000 + 10 * number))
            try await database.hear("two \(pair.1)", from: bob, at: Int64(1_001 + 10 * number))
            _ = try await database.enqueueFileOffer(
                to: bob,
                file: NewOutgoingFile(
                    path: "/x/\(number)", name: "\(pair.1).txt", size: 1, modified: .init(milliseconds: 0),
                    contentType: "text/plain", caption: ""), at: .init(milliseconds: Int64(1_002 + 10 * number)))
        }
        for (composed, decomposed) in pairs {
            for query in [composed, decomposed] {
                #expect(try await database.texts(query).count == 3, "\(query)")
                #expect(try await database.texts("\"\(query)\"").count == 3, "\(query)")
                #expect(try await database.texts("-\(query) one").count == pairs.count - 1, "\(query)")
                let inside = String(query.suffix(2))
                #expect(try await database.texts(inside).count == 3, "\(inside)")
            }
        }
        await database.close()
    }

    @Test("finds addresses without a scheme as links")
    func bareLinks() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for text in [
            "see www.example.org.", "WWW.Example.org/a", "awww.example.org", "www.", "www.org", "no link",
            "x@www.example.org",
        ] {
            try await database.say(text, to: bob)
        }
        var query = SearchQuery(text: "")
        query.linksOnly = true
        #expect(try await database.texts(query) == ["WWW.Example.org/a", "see www.example.org."])
        await database.close()
    }

    @Test("keeps phrases together and leaves out what is excluded")
    func phrases() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        #expect(try await database.texts("\"the build log\"") == ["can you send the build log?"])
        #expect(try await database.texts("build -passed -nightly") == ["can you send the build log?"])
        let others = try await database.texts("-build")
        #expect(!others.isEmpty && others.allSatisfy { !$0.contains("build") })
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

    @Test("does not find what was taken back, also where no words are asked for")
    func retracted() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("taken back", to: bob)
        try await database.say("stays", to: bob)
        _ = try await database.enqueueOperation(
            .retract, on: message.id, .outgoing, to: bob, at: Timestamp(milliseconds: 2_000))
        #expect(try await database.texts(SearchQuery(text: "", contact: bob)) == ["stays"])
        #expect(try await database.texts("taken") == [])
        await database.close()
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

    @Test("finds parts of words and short terms in every script, at any length")
    func shortTerms() async throws {
        let folder = try TestFolder()
        let (database, _, carol) = try await filled(folder)
        try await database.hear("주간회의 시간", from: carol, at: 8_000)
        try await database.hear("שלום לכולם", from: carol, at: 9_000)
        try await database.hear("C++ or Rust", from: carol, at: 9_500)
        try await database.hear("cold cuts", from: carol, at: 9_600)
        for (query, text) in [
            ("気", "昨日の天気はとても良かった"), ("の天", "昨日の天気はとても良かった"), ("\"天気は\"", "昨日の天気はとても良かった"),
            ("회의", "주간회의 시간"), ("회", "주간회의 시간"), ("של", "שלום לכולם"), ("לום", "שלום לכולם"),
            ("é", "Crème brûlée at Zoë's"), ("ss", "the build passed, log attached"),
            ("0%", "party \u{1F389} 100% sure_thing"),
            ("_t", "party \u{1F389} 100% sure_thing"), ("C++", "C++ or Rust"), ("RÛLÉ", "Crème brûlée at Zoë's"),
        ] {
            #expect(try await database.texts(query) == [text], "\(query)")
        }
        // Parts of words are looked for only where no word begins so, and must really be there.
        #expect(try await database.texts("tiredbuild").isEmpty)
        #expect(try await database.texts("気天").isEmpty)
        #expect(try await database.texts("-気 party").count == 1)
        #expect(try await database.texts("party -100%").isEmpty)
        #expect(try await database.texts("party -200%").count == 1)
    }

    @Test("links are addresses of every scheme, also alone and in any case; what only looks like one is none")
    func links() async throws {
        let folder = try TestFolder()
        let (database, bob, _) = try await filled(folder)
        let links = [
            "file:///srv/plan.pdf", "blip://10.0.0.1:4985/abc", "(FTP://mirror.example/)", "mailto:jo@example.org",
            "git+ssh://host/x",
        ]
        for (number, text) in links.enumerated() {
            try await database.hear(text, from: bob, at: 10_000 + Int64(number) * 1_000)
        }
        for (number, text) in ["note: //no", "12://34", "mailto: nobody", "a:b", "://", "file://"].enumerated() {
            try await database.hear(text, from: bob, at: 20_000 + Int64(number) * 1_000)
        }
        let found = try await database.texts(SearchQuery(text: "", linksOnly: true))
        #expect(Set(found) == Set(links))
    }

    @Test("takes filters alone, and finds links and what is unread")
    func filters() async throws {
        let folder = try TestFolder()
        let (database, bob, carol) = try await filled(folder)
        try await database.hear("see https://example.org/a", from: bob, at: 8_000)
        try await database.hear("http:// is no address", from: bob, at: 9_000)
        #expect(try await database.texts(SearchQuery(text: "", linksOnly: true)) == ["see https://example.org/a"])
        #expect(try await database.texts(SearchQuery(text: "see", linksOnly: true)).count == 1)
        #expect(try await database.texts(SearchQuery(text: "", filesOnly: true)) == ["build-log.txt"])
        #expect(try await database.texts(SearchQuery(text: "", contact: bob, from: .outgoing)).count == 2)
        let all = try await database.page(of: bob, .newest, limit: 50).count
        #expect(try await database.texts(SearchQuery(text: "", contact: bob)).count == all)
        let page = try await database.page(of: carol, .newest, limit: 9)
        _ = try await database.markSeen(contact: carol, upTo: page[1].position)
        #expect(try await database.texts(SearchQuery(text: "", contact: carol, unreadOnly: true)).count == 2)
        #expect(try await database.texts(SearchQuery(text: "", unreadOnly: true)).count == 5)
        #expect(
            try await database.texts(
                SearchQuery(text: "", since: .init(milliseconds: 2_000), until: .init(milliseconds: 4_000)))
                == ["Crème brûlée at Zoë's", "can you send the build log?"])
    }

    @Test("goes by the time that is shown: the sender's, unless it cannot be true")
    func shownTimes() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let day: Int64 = 86_400_000
        func hear(_ text: String, sent: Int64, received: Int64) async throws {
            _ = try await database.appendIncoming(
                IncomingMessage(
                    id: MessageID(at: .init(milliseconds: received)), contact: bob, sequence: 1,
                    sent: .init(milliseconds: sent), received: .init(milliseconds: received), content: .text(text)))
        }
        try await hear("word from the past", sent: 10 * day, received: 100 * day)
        try await hear("word that waited", sent: 95 * day, received: 101 * day)
        try await hear("word from the future", sent: 900 * day, received: 102 * day)
        func found(_ since: Int64?, _ until: Int64?) async throws -> [String] {
            try await database.texts(
                SearchQuery(
                    text: "word", since: since.map { .init(milliseconds: $0 * day) },
                    until: until.map { .init(milliseconds: $0 * day) }))
        }
        #expect(try await found(nil, 96) == ["word that waited"])
        #expect(try await found(100, 101) == ["word from the past"])
        #expect(try await found(102, nil) == ["word from the future"])
        #expect(try await found(9, 11).isEmpty)
    }

    @Test("gives up after its time and says that there may be more")
    func deadline() async throws {
        let folder = try TestFolder()
        let (database, bob, _) = try await filled(folder)
        for number in 0..<300 { try await database.say("line \(number)", to: bob) }
        let result = try await database.search(SearchQuery(text: "%%"), timeLimit: .zero)
        #expect(result == SearchResult(hits: [], searched: 307, isTruncated: true))
        // The connection is as good as new.
        #expect(try await database.texts("build").count == 3)
    }

    @Test("finds what has just been written: in this process, beside another one, and after a crash")
    func justWritten() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let other = try await folder.open(readOnly: true)
        try await database.say("first line of the plan", to: bob)
        #expect(try await database.texts("plan").count == 1)
        // Into the table alone, as a process leaves it that is killed in the next moment.
        try await database.writer.write { connection throws(StoreError) in
            try connection.run(
                """
                INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, text) VALUES
                    (1, 1, '00000000-0000-7000-8000-000000000009', 2, 9, 9, 0, 'second plan of Zoë 天気')
                """)
            try SearchIndex.addLater(connection.lastInsertedRow, in: connection)
        }
        #expect(try await other.texts("plan") == ["second plan of Zoë 天気", "first line of the plan"])
        let found = try await other.texts("天")
        #expect(found == ["second plan of Zoë 天気"])
        #expect(try await other.texts("plan -second") == ["first line of the plan"])
        #expect(try await other.texts(SearchQuery(text: "plan", limit: 1)) == ["second plan of Zoë 天気"])
        await other.close()
        for suffix in ["", "-wal"] {
            try overwrite(folder.database + ".copy" + suffix, with: contents(of: folder.database + suffix))
        }
        let reopened = try await HistoryDatabase.open(at: folder.database + ".copy")
        #expect(
            try await reopened.reader.perform { connection throws(StoreError) in
                try SearchIndex.isBehind(in: connection)
            } == false)
        #expect(try await reopened.texts("zoe").count == 1)
        await reopened.close()
        #expect(try await database.texts("zoe").count == 1)
        await database.close()
        let findings = await HistoryInspection.run(at: folder.database, isInUse: false)
        #expect(findings.first { $0.kind == .search }?.verdict == .ok)
    }

    @Test("counts sixteen terms and no more")
    func countsTerms() async throws {
        let folder = try TestFolder()
        let (database, _, _) = try await filled(folder)
        let sixteen = Array(repeating: "build", count: 16).joined(separator: " ")
        #expect(try await database.texts(sixteen + " nowhere").count == 3)
        var query = SearchQuery(text: sixteen)
        query.terms += [SearchTerm(text: "nowhere")]
        #expect(try await database.texts(query).count == 3)
    }

    @Test("knows words in text without spaces, and what hides in a text")
    func preparesText() {
        #expect(SearchText.words(of: "a天b") == "a 天 b")
        #expect(SearchText.words(of: "plain text") == "plain text")
        #expect(SearchText.contains("Straße ÄÖ", "ÄÖ"))
        #expect(SearchText.contains("in\u{200B}visible", "NVIS"))
        #expect(!SearchText.contains("ab", "abc"))
        #expect(SearchTerm(text: "abcdef").trigramExpression == "\"abc\" AND \"bcd\" AND \"cde\" AND \"def\"")
    }
}
