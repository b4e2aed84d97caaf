// Messages by date: exactly those of the span, whatever order their times have, and without looking at all of them.

import ChatCore
import TestSupport
import Testing

@testable import Storage

@Suite("Messages by date")
struct ShownTimesTests {
    private static let day: Int64 = 86_400_000
    /// 2026-11-01.
    private static let november = 20_758 * day

    private func imported(_ number: Int, _ contact: ContactID, sent: Int64? = nil, stored: Int64) -> ImportedMessage {
        let id = MessageID("00000000-0000-7000-8000-000000\(number + 100_000)")
        return ImportedMessage(
            contact: contact, direction: .incoming, id: id ?? MessageID(at: .init(milliseconds: 0)),
            sequence: Int64(number), sent: .init(milliseconds: sent ?? stored), stored: .init(milliseconds: stored),
            state: .read, content: .text("line \(number)"))
    }

    private func take(_ messages: [ImportedMessage], into database: HistoryDatabase) async throws {
        var run = try await HistoryImport(into: database, count: messages.count)
        try await run.add(messages)
        try await run.finish()
    }

    private func span(_ since: Int64?, _ until: Int64?) -> ShownSpan {
        ShownSpan(
            since: since.map(Timestamp.init(milliseconds:)), until: until.map(Timestamp.init(milliseconds:)))
    }

    /// What every way of asking finds in a span, oldest first; they must agree.
    private func found(_ span: ShownSpan, of contact: ContactID, in database: HistoryDatabase) async throws -> [String]
    {
        var ways: [[String]] = []
        for text in ["", "line", "ine"] {
            for place in [nil, contact] {
                let query = SearchQuery(
                    text: text, contact: place, since: span.since, until: span.until, limit: 10_000)
                ways.append(try await database.texts(query).reversed())
            }
        }
        ways.append(try await database.page(of: contact, .newest, shown: span, limit: 10_000).map(\.text))
        var page: [ChatMessage] = []
        var pages: [String] = []
        repeat {
            page = try await database.page(
                of: contact, .after(page.last?.position ?? HistoryPosition(.min)), shown: span, limit: 7)
            pages += page.map(\.text)
        } while page.count == 7
        ways.append(pages)
        for way in ways.dropFirst() { #expect(way == ways[0]) }
        return pages
    }

    @Test("are found in imports that stand before others, and where the clock was set back")
    func examples() async throws {
        let (day, november) = (Self.day, Self.november)
        let cases: [(batches: [[Int64]], since: Int64?, until: Int64?, found: [String])] = [
            ([[0, 1], [14, 15]], 14, nil, ["line 3", "line 4"]),
            ([[0, 1], [14, 15]], nil, 1, ["line 1"]),
            ([[0, -20_758, 1, 2]], 0, 1, ["line 1"]),
            ([[0, -20_758, 1, 2]], nil, 0, ["line 2"]),
            ([[4, 5, 0, 1, 6]], 4, 5, ["line 1"]),
            ([[4, 5, 0, 1, 6]], 1, 6, ["line 1", "line 2", "line 4"]),
        ]
        for (batches, since, until, expected) in cases {
            let folder = try TestFolder()
            let database = try await folder.open()
            let dee = try await database.contact("dee")
            var number = 0
            for batch in batches {
                let messages = batch.map { time in
                    number += 1
                    return imported(number, dee, stored: november + time * day)
                }
                try await take(messages, into: database)
            }
            let span = span(since.map { november + $0 * day }, until.map { november + $0 * day })
            #expect(try await found(span, of: dee, in: database) == expected)
            await database.close()
        }
    }

    @Test("are exactly those that a look at each would find: shuffled times, late ones, before and after deletions")
    func random() async throws {
        var generator = SeededGenerator(seed: 10)
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        var number = 0
        func times(_ count: Int) -> [ImportedMessage] {
            (0..<count).map { _ in
                number += 1
                let stored = Int64.random(in: 0...400, using: &generator) * Self.day
                let wait: Int64 = [0, 0, 3, 29, 30, 31, 200, -5].randomElement(using: &generator) ?? 0
                return imported(number, bob, sent: stored - wait * Self.day, stored: stored)
            }
        }
        // In the first positions, then in the negative ones, then what arrives, some of which waits to be indexed.
        try await take(times(1_500), into: database)
        try await take(times(1_500), into: database)
        for time in times(60) {
            _ = try await database.appendIncoming(
                IncomingMessage(
                    id: time.id, contact: bob, sequence: time.sequence, sent: time.sent, received: time.stored,
                    content: .text("line \(time.sequence)")))
        }
        func check() async throws {
            let all = try await database.page(of: bob, .newest, limit: 10_000)
            for kind in 0..<12 {
                let first = Int64.random(in: -10...400, using: &generator) * Self.day
                let length: Int64 = [1, 3, 100].randomElement(using: &generator) ?? 1
                let span = span(kind % 4 == 1 ? nil : first, kind % 4 == 2 ? nil : first + length * Self.day)
                let expected = all.filter { message in
                    let isSince = span.since.map { message.shownTime >= $0 } ?? true
                    return isSince && span.until.map { message.shownTime < $0 } ?? true
                }
                let texts = expected.map(\.text)
                #expect(try await found(span, of: bob, in: database) == texts, "\(span)")
                guard let middle = expected.dropFirst(expected.count / 2).first else { continue }
                let around = try await database.page(of: bob, .around(middle.position), shown: span, limit: 4)
                let place = expected.count / 2
                #expect(around == Array(expected[max(0, place - 2)..<min(expected.count, place + 2)]))
            }
        }
        try await check()
        let all = try await database.page(of: bob, .newest, limit: 10_000)
        _ = try await database.deleteMessages(all.shuffled(using: &generator).prefix(700).map(\.key), of: bob)
        try await check()
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
        try await HistoryInspection.repair(at: folder.database)
        let again = try await folder.open()
        let rest = try await again.page(of: bob, .newest, limit: 10_000)
        let old = rest.filter { $0.shownTime.milliseconds < 100 * Self.day }.map(\.text)
        #expect(try await found(span(nil, 100 * Self.day), of: bob, in: again) == old)
        await again.close()
    }

    @Test("a day of a long history is found by its place, without sorting, in all conversations and in one")
    func plan() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let contacts = [try await database.contact("bob"), try await database.contact("carol")]
        // Two days a block of positions.
        let messages = (0..<20_480).map { number in
            imported(number, contacts[number % 2], stored: Int64(number) * Self.day / 512)
        }
        try await take(messages, into: database)
        let query = SearchQuery(
            text: "", since: .init(milliseconds: 20 * Self.day), until: .init(milliseconds: 21 * Self.day), limit: 600)
        var ofOne = query
        ofOne.contact = contacts[0]
        #expect(try await database.texts(query).count == 512)
        #expect(try await database.texts(ofOne).count == 256)
        for (query, way) in [
            (query, "SEARCH m USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
            (ofOne, "SEARCH m USING INDEX messages_by_conversation (contact=? AND position>? AND position<?)"),
        ] {
            let statement = SearchStatement(query, in: .words)
            let values = statement.values + [SQLiteValue.integer(600)]
            let plan = try await database.reader.perform { connection throws(StoreError) in
                try connection.all("EXPLAIN QUERY PLAN \(statement.sql)", values) { row in row.text(3) }
            }
            #expect(plan.contains("SCAN b") && plan.contains(way), "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0 == "SCAN m" }, "\(plan)")
        }
        // A row for each 1,024 positions, and one of them has the whole day.
        let rows = try await database.reader.perform { connection throws(StoreError) in
            try connection.first("SELECT count(*) FROM shown_times") { row in row.integer(0) }
        }
        #expect(rows == 21)
        let bounds = ShownTimes.bounds("m.position", in: span(20 * Self.day, 21 * Self.day))
        let candidates = try await database.reader.perform { connection throws(StoreError) in
            try connection.first("SELECT count(*) FROM messages m WHERE \(bounds.condition)", bounds.values) {
                row in row.integer(0)
            }
        }
        #expect(candidates == 1_024)
        await database.close()
    }

    @Test("nothing of the times of deleted messages stays")
    func deletion() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await take((1...3).map { imported($0, bob, stored: Int64($0) * Self.day) }, into: database)
        func times() async throws -> [Int64] {
            try await database.reader.perform { connection throws(StoreError) in
                try connection.all("SELECT earliest, latest FROM shown_times") { row in
                    [row.integer(0), row.integer(1)]
                }
            }.flatMap { $0 }
        }
        #expect(try await times() == [Self.day, 3 * Self.day])
        let last = try await database.page(of: bob, .newest, limit: 1)
        _ = try await database.deleteMessages(last.map(\.key), of: bob)
        #expect(try await times() == [Self.day, 2 * Self.day])
        try await database.removeContact(bob)
        #expect(try await times().isEmpty)
        await database.close()
    }

    @Test("of an older history are found after its migration, and the doctor sees when they would not be")
    func migration() async throws {
        let folder = try TestFolder()
        let old = try await HistoryDatabase.open(
            at: folder.database, readOnly: false, steps: Array(Schema.migrations.prefix(9)))
        let day = Self.day
        try await old.writer.perform { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO contacts(id, name, folded_name, addresses, trust, added)
                    VALUES (1, 'bob', 'bob', '', 'verified', 1);
                INSERT INTO conversations(contact, last_message, message_count) VALUES (1, 2, 3);
                """)
            for (position, sent, stored) in [(-3, 500, 400), (1, 9, 40), (2, 10, 11)] as [(Int64, Int64, Int64)] {
                try connection.run(
                    """
                    INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, text)
                        VALUES (?, 1, 0, ?, 1, ?, ?, 3, ?)
                    """, .integer(position), .text("00000000-0000-7000-8000-00000000000\(position + 3)"),
                    .integer(sent * day), .integer(stored * day), .text("line \(position)"))
            }
            try SearchIndexOfVersion9.rebuild(in: connection)
        }
        await old.close()
        let database = try await folder.open()
        let bob = ContactID(1)
        #expect(try await found(span(400 * day, 401 * day), of: bob, in: database) == ["line -3"])
        #expect(try await found(span(40 * day, 41 * day), of: bob, in: database) == ["line 1"])
        #expect(try await found(span(nil, 41 * day), of: bob, in: database) == ["line 1", "line 2"])
        await database.close()
        func verdicts() async -> [HistoryFinding] {
            await HistoryInspection.run(at: folder.database, isInUse: false).filter { $0.kind == .search }
        }
        #expect(await verdicts().map(\.verdict) == [.ok])
        let connection = try SQLiteConnection(path: folder.database, mode: .readWrite)
        try connection.run("UPDATE shown_times SET latest = latest - 1 WHERE block = 0")
        #expect(await verdicts().map(\.text) == ["searching by time misses 1 messages"])
        try await HistoryInspection.repair(at: folder.database)
        #expect(await verdicts().map(\.verdict) == [.ok])
    }
}

/// The indexes as the version before had them.
private enum SearchIndexOfVersion9 {
    static func rebuild(in connection: SQLiteConnection) throws(StoreError) {
        try connection.run("UPDATE indexed SET position = (SELECT coalesce(max(position), 0) FROM messages)")
        for table in SearchIndex.tables { try connection.run("INSERT INTO \(table)(\(table)) VALUES ('rebuild')") }
    }
}
