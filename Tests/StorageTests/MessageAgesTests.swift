// A clock that stood wrong deletes nothing when it goes right again; and nobody can put off what is to be deleted.

import ChatCore
import Testing

@testable import Storage

@Suite("The age of messages")
struct MessageAgesTests {
    private static let day: Int64 = 86_400_000
    /// 2026-11-21.
    private static let now: Int64 = 1_795_000_000_000
    /// 2000-01-01.
    private static let year2000: Int64 = 946_684_800_000

    /// `daysAgo`, or a time of its own.
    private func row(_ position: Int64, stored: Int64, sent: Int64? = nil) -> MessageAges.Row {
        MessageAges.Row(position: position, stored: stored, sent: sent)
    }
    private func ago(_ days: Int64) -> Int64 { Self.now - days * Self.day }

    /// With 30 days to keep.
    private func expired(_ rows: [MessageAges.Row]) -> [Int64] {
        MessageAges(limit: Timestamp(milliseconds: ago(30)), now: Timestamp(milliseconds: Self.now)).expired(rows)
    }

    @Test("what is older than the limit goes, and nothing else")
    func usual() {
        #expect(expired([]).isEmpty)
        #expect(
            expired([row(1, stored: ago(90)), row(2, stored: ago(31)), row(3, stored: ago(29)), row(4, stored: ago(0))])
                == [1, 2])
        // After a long silence, too.
        #expect(expired([row(1, stored: ago(200)), row(2, stored: ago(1))]) == [1])
    }

    @Test("what came while our clock stood in 2000 is as old as what stands around it")
    func wrongClock() {
        let wrong = Self.year2000
        // Behind something young.
        #expect(expired([row(1, stored: ago(20)), row(2, stored: wrong), row(3, stored: wrong + 5)]).isEmpty)
        // Before something young, at the beginning of a history.
        #expect(expired([row(1, stored: wrong), row(2, stored: wrong + 5), row(3, stored: ago(1))]).isEmpty)
        // Its sender's clock knew better, and nothing else is there.
        #expect(expired([row(1, stored: wrong, sent: ago(2))]).isEmpty)
        // As old as that.
        #expect(expired([row(1, stored: wrong), row(2, stored: ago(31)), row(3, stored: ago(1))]) == [1, 2])
        #expect(expired([row(1, stored: wrong, sent: ago(40))]) == [1])
        // A time that is still to come says nothing of others, and nothing is deleted by it.
        #expect(expired([row(1, stored: Self.now + Self.day), row(2, stored: ago(40)), row(3, stored: ago(1))]) == [2])
    }

    @Test("neither a late message nor a sender's clock nor an import keeps from being deleted what is old")
    func nobodyPutsItOff() {
        // A late message stands in a place that was kept for it, before older ones.
        #expect(expired([row(1, stored: ago(5)), row(2, stored: ago(31)), row(3, stored: ago(4))]) == [2])
        #expect(expired([row(1, stored: ago(31), sent: ago(3))]) == [1])
        #expect(expired([row(1, stored: ago(31), sent: Self.now + Self.day)]) == [1])
        // What was imported stands before everything.
        #expect(
            expired([
                row(-2, stored: ago(1)), row(-1, stored: ago(300)), row(1, stored: ago(300)), row(2, stored: ago(3)),
            ])
                == [1])
        // What was imported may be as old as it is.
        #expect(expired([row(-1, stored: Self.year2000), row(1, stored: ago(3))]) == [-1])
    }

    @Test("times at the ends of their range trap nowhere")
    func extremes() {
        let times: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for stored in times {
            for sent in times {
                for now in times {
                    let ages = MessageAges(
                        limit: Timestamp(milliseconds: now &- 30 * Self.day), now: Timestamp(milliseconds: now))
                    _ = ages.expired([row(1, stored: stored, sent: sent), row(2, stored: sent), row(3, stored: now)])
                }
            }
        }
    }

    @Test(
        "a history: what was stored under a wrong clock is there after the next look, and goes when its time has come")
    func history() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("true time", to: bob, at: ago(20))
        try await database.say("clock in 2000", to: bob, at: Self.year2000)
        try await database.say("and its neighbour", to: bob, at: Self.year2000 + 1)
        for message in try await database.page(of: bob, .newest, limit: 9) {
            _ = try await database.advanceState(of: message.id, in: bob, to: .delivered)
        }
        let rules = RetentionRules(standard: .days(30))
        #expect(try await database.deleteExpired(rules, now: Timestamp(milliseconds: Self.now)).isEmpty)
        #expect(try await database.page(of: bob, .newest, limit: 9).count == 3)
        try await database.say("today", to: bob, at: Self.now)
        let later = Timestamp(milliseconds: Self.now + 11 * Self.day)
        while try await !database.deleteExpired(rules, now: later).isEmpty {}
        // As old as the next one behind them.
        #expect(
            try await database.page(of: bob, .newest, limit: 9).map(\.text)
                == ["clock in 2000", "and its neighbour", "today"])
        await database.close()
    }
}
