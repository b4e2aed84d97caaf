// Messages that are taken over: once, in their order, before what was there; and histories made by the generator.

import ChatCore
import HistoryGenerator
import TestSupport
import Testing

@testable import Storage

@Suite("Imports and large histories")
struct ImportTests {
    private func message(
        _ number: Int, _ contact: ContactID, _ direction: MessageDirection = .incoming, _ state: DeliveryState = .read
    ) -> ImportedMessage {
        let time = Timestamp(milliseconds: Int64(number) * 1_000)
        let digits = String(number + 100_000)
        return ImportedMessage(
            contact: contact, direction: direction,
            id: MessageID("00000000-0000-7000-8000-000000\(digits)") ?? MessageID(at: time), sequence: Int64(number),
            sent: time, stored: time, state: state, content: .text("old \(number)"))
    }

    @Test("take over each message once, before what is there, and leave the numbers of both sides behind them")
    func once() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("own", to: bob, at: 9_000_000)
        for _ in 0..<2 {
            var run = try await HistoryImport(into: database, count: 3)
            try await run.add([
                message(1, bob), message(2, bob, .outgoing, .sent), message(7, bob, .incoming, .delivered),
            ])
            try await run.add([
                ChatOperation(
                    id: MessageID(at: .init(milliseconds: 5)), contact: bob, direction: .incoming, sequence: 8,
                    sent: .init(milliseconds: 8_000), stored: .init(milliseconds: 8_000), state: .delivered,
                    target: message(1, bob).id, action: .edit(text: "new 1"))
            ])
            try await run.finish()
            #expect([0, 3].contains(run.addedMessages))
        }
        let page = try await database.page(of: bob, .newest, limit: 9)
        #expect(page.map(\.text) == ["new 1", "old 2", "old 7", "own"])
        #expect(page[0].edited != nil)
        // Nothing is sent because of an import.
        #expect(page[1].state == .failed(reason: .waitingInExport))
        #expect(try await database.outbox(for: bob, limit: 9).count == 1)
        #expect(try await database.conversations()[0].lastMessage?.text == "own")
        #expect(try await database.texts("old").count == 2)
        #expect(try await database.texts("new") == ["new 1"])
        // Number 9 of the peer is the next one: it is not held back.
        #expect(
            try await database.appendIncoming(
                IncomingMessage(
                    id: MessageID(at: .init(milliseconds: 9)), contact: bob, sequence: 9, sent: .init(milliseconds: 9),
                    received: .init(milliseconds: 9_000_001), content: .text("nine"))
            ).inserted?.text == "nine")
        #expect(try await database.say("own again", to: bob).sequence == 3)
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
    }

    @Test("keep their positions while messages arrive and another import goes on", arguments: [true, false])
    func besideArrivals(isEmpty: Bool) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        if !isEmpty { try await database.say("first", to: bob, at: 8_000_000) }
        var first = try await HistoryImport(into: database, count: 40)
        var second = try await HistoryImport(into: database, count: 40)
        for number in 0..<10 {
            try await first.add((0..<4).map { message(4 * number + $0, bob) })
            try await database.hear("live \(number)", from: bob, at: 9_000_000 + Int64(number))
            try await second.add((0..<4).map { message(100 + 4 * number + $0, bob) })
            try await database.say("mine \(number)", to: bob, at: 9_000_000 + Int64(number))
        }
        try await first.finish()
        try await second.finish()
        #expect(first.addedMessages == 40 && second.addedMessages == 40)
        let page = try await database.page(of: bob, .newest, limit: 200)
        #expect(page.count == 100 + (isEmpty ? 0 : 1))
        #expect(Set(page.map(\.position)).count == page.count)
        let texts = page.compactMap(\.text)
        let live = texts.filter { !$0.hasPrefix("old") }
        #expect(live.suffix(20) == (0..<10).flatMap { ["live \($0)", "mine \($0)"] }[...])
        #expect(texts.suffix(live.count) == live[...], "what was said before stands before")
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
    }

    @Test("that were cut off go on where they were, and what is there can be read meanwhile", arguments: [true, false])
    func cutOff(isEmpty: Bool) async throws {
        let folder = try TestFolder()
        var database = try await folder.open()
        let bob = try await database.contact("bob")
        if !isEmpty { try await database.say("first", to: bob, at: 8_000_000) }
        let messages = (0..<40).map { message($0, bob, .incoming, .delivered) }
        var live: [String] = []
        for (count, isKilled) in [(8, true), (16, false), (24, true)] {
            var run = try await HistoryImport(into: database, count: 40, of: "digest")
            for start in stride(from: 0, to: count, by: 4) { try await run.add(Array(messages[start..<start + 4])) }
            if isKilled {
                // It has said nothing more; the next process finds what was committed.
                await database.close()
                database = try await folder.open()
            } else {
                try await run.finish(isComplete: false)
            }
            let conversation = try #require(try await database.conversations().first)
            // What stands before everything has been seen.
            #expect(conversation.unreadCount == (isEmpty ? count : 0) + live.count)
            #expect(conversation.lastMessage?.text == live.last ?? (isEmpty ? "old \(count - 1)" : "first"))
            live.append("live \(count)")
            try await database.hear("live \(count)", from: bob, at: 9_000_000 + Int64(count))
        }
        // Another one of the same size stands on its own, and does not get in the way.
        var other = try await HistoryImport(into: database, count: 40)
        var run = try await HistoryImport(into: database, count: 40, of: "digest")
        try await other.add([message(97, bob)])
        try await run.add(messages)
        try await run.finish()
        try await other.finish()
        #expect(run.addedMessages == 16)
        let texts = try await database.page(of: bob, .newest, limit: 200).compactMap(\.text)
        #expect(texts.filter { $0 != "old 97" } == (0..<40).map { "old \($0)" } + (isEmpty ? [] : ["first"]) + live)
        // What is complete is done with: the next one stands before it.
        var next = try await HistoryImport(into: database, count: 40, of: "digest")
        try await next.add([message(98, bob)])
        try await next.finish()
        #expect(try await database.page(of: bob, .newest, limit: 200).first?.text == "old 98")
        // What it had added may be gone when it is done again: it needs more room than is left of its own.
        var first = try await HistoryImport(into: database, count: 30, of: "more")
        try await first.add((200..<220).map { message($0, bob) })
        try await first.finish(isComplete: false)
        let keys = (200..<220).map { MessageKey(message($0, bob).direction, message($0, bob).id) }
        _ = try await database.deleteMessages(keys, of: bob)
        var again = try await HistoryImport(into: database, count: 30, of: "more")
        try await again.add((200..<230).map { message($0, bob) })
        try await again.finish()
        #expect(again.addedMessages == 30)
        try await database.purge()
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
    }

    @Test("of a generated history are the same for the same seed, and can be paged, dated, counted and searched")
    func generated() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let generator = GeneratedHistory(messages: 6_000, conversations: 12, seed: 4)
        try await generator.fill(database)
        let conversations = try await database.conversations()
        #expect(conversations.count == 12)
        #expect(conversations.reduce(0) { $0 + $1.unreadCount } > 50)
        #expect(try await database.search(SearchQuery(text: "the")).searched == 6_000)
        for query in ["会議", "שלום", "🚀", "meeting", "eetin", "\"it is\""] {
            #expect(try await !database.texts(query).isEmpty, "\(query)")
        }
        let busiest = try #require(conversations.first)
        var seen: [ChatMessage] = []
        var anchor = PageAnchor.newest
        while true {
            let page = try await database.page(of: busiest.peer.id, anchor, limit: 50)
            guard let first = page.first else { break }
            seen = page + seen
            anchor = .before(first.position)
        }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.position < $1.position })
        #expect(Set(seen.map(\.id)).count == seen.count)
        for index in stride(from: 0, to: seen.count, by: seen.count / 17 + 1) {
            let found = try await database.firstMessage(of: busiest.peer.id, since: seen[index].stored)
            #expect(found == seen[index])
            let around = try await database.page(of: busiest.peer.id, .around(seen[index].position), limit: 10)
            #expect(around.contains(seen[index]))
        }
        #expect(try await database.firstMessage(of: busiest.peer.id, since: .init(milliseconds: 0)) == seen.first)
        #expect(try await database.firstMessage(of: busiest.peer.id, since: generator.end) == nil)
        // The same seed, the same history.
        let other = try TestFolder()
        let twin = try await other.open()
        try await generator.fill(twin)
        let mine = try await database.exportedMessages(of: nil, after: .init(.min), limit: 10_000)
        #expect(try await twin.exportedMessages(of: nil, after: .init(.min), limit: 10_000) == mine)
        await twin.close()
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict == .ok })
    }

    @Test("dates are found where the clock jumped, and in a conversation without messages")
    func dates() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        #expect(try await database.firstMessage(of: bob, since: .init(milliseconds: 5)) == nil)
        for time in [10, 20, 5, 30, 40] { try await database.say("at \(time)", to: bob, at: Int64(time)) }
        #expect(try await database.firstMessage(of: bob, since: .init(milliseconds: 35))?.text == "at 40")
        #expect(try await database.firstMessage(of: bob, since: .init(milliseconds: 41)) == nil)
        #expect(try await database.firstMessage(of: bob, since: .init(milliseconds: .min))?.text == "at 10")
    }
}
