// Dates, sizes, bars and sentences.

import ChatCore
import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Words and numbers")
struct TextTests {
    private typealias Fixture = ScreenFixture

    @Test("times in lists have a day, of other years the year")
    func daysAndTimes() {
        let clock = LocalClock.fixed(seconds: 0)
        let now = ScreenFixture.time(21, 9, 7)
        #expect(clock.dayAndTime(ScreenFixture.time(20, 23, 58), now: now) == "20 Nov 23:58")
        #expect(clock.dayAndTime(ScreenFixture.time(21 - 365, 23, 58), now: now) == "21 Nov 2025")
    }

    @Test(
        "a file is called what its type says, or else the end of its name",
        arguments: [
            ("a.png", "application/octet-stream", "picture"), ("a.PDF", "", "document"), ("a.tar.zst", "", "archive"),
            ("a.png", "text/plain", "text"), ("song.flac", "", "sound"), ("README", "", "file"), ("x.txt", "", "text"),
        ])
    func fileKinds(name: String, type: String, word: String) {
        var transfer = ScreenFixture.transfer(1, .incoming, name, size: 1, .offered)
        transfer.contentType = type
        #expect(FileKind.word(for: transfer) == word)
    }

    @Test("dates and times in a zone")
    func clock() {
        let utc = LocalClock.fixed(seconds: 0)
        #expect(utc.day(Fixture.time(20, 0, 0)) == "Fri 20 Nov 2026")
        #expect(utc.time(Fixture.time(20, 9, 5)) == "09:05")
        #expect(LocalClock.fixed(seconds: 19_800).time(Fixture.time(20, 20, 0)) == "01:30")
        #expect(LocalClock.fixed(seconds: 19_800).day(Fixture.time(20, 20, 0)) == "Sat 21 Nov 2026")
        #expect(LocalClock.fixed(seconds: -3600).day(Timestamp(milliseconds: 0)) == "Wed 31 Dec 1969")
    }

    @Test("any timestamp has a date", arguments: [Int64.min, .max, 0, -1, 951_782_400_000])
    func anyTime(milliseconds: Int64) {
        #expect(!LocalClock.fixed(seconds: 0).day(Timestamp(milliseconds: milliseconds)).isEmpty)
        #expect(!LocalClock.system.day(Timestamp(milliseconds: milliseconds)).isEmpty)
    }

    @Test(
        "a day whose midnight is skipped begins with the clock change",
        arguments: [
            ("<-04>4<-03>,M9.1.0/0,M4.1.0/0", "2026-09-06", 4), ("<+02>-2<+03>,M3.5.0/0,M10.5.0/0", "2026-03-29", -2),
            ("<-04>4<-03>,M9.1.0/0,M4.1.0/0", "2026-09-07", 3),
            // Here it comes twice, in the west and in the east; the first one counts.
            ("<-05>5<-04>,M3.2.0/0,M11.1.0/1", "2026-11-01", 4), ("<+01>-1<+02>,M3.5.0/0,M10.5.0/1", "2026-10-25", -2),
        ])
    func skippedMidnightInOwnProcess(zone: String, day: String, hours: Int64) async {
        await #expect(processExitsWith: .success) {
            [zone = zone as String, day = day as String, hours = hours as Int64] in
            setenv("TZ", zone, 1)
            tzset()
            let utc = LocalClock.fixed(seconds: 0).startOfDay(named: day, today: Timestamp(milliseconds: 0))
            let midnight = try #require(utc)
            let range = try #require(LocalClock.system.day(named: day, today: Timestamp(milliseconds: 0)))
            #expect(range.start.milliseconds == midnight.milliseconds + hours * 3_600_000)
            #expect(range.start < range.end)
        }
    }

    @Test(
        "days by name",
        arguments: [
            ("2026-11-20", 20), ("20.11.2026", 20), ("2026-11", 1), ("today", 21), ("yesterday", 20),
            ("20 Nov", 20), ("fri 20 nov 2026", 20), ("1 November 2026", 1), ("Fri 20 Nov x", nil), ("31 Feb", nil),
            ("20 Nov 2026 1", nil), ("fri", 20), ("x Nov", nil),
            ("2026-13-01", nil),
            ("2026-02-30", nil), ("tomorrow", nil), ("", nil), ("-", nil), ("99999999999999999999-1-1", nil),
        ] as [(String, Int64?)])
    func days(name: String, day: Int64?) {
        let start = LocalClock.fixed(seconds: 0).startOfDay(named: name, today: Fixture.time(21, 9, 7))
        #expect(start == day.map { Fixture.time($0, 0, 0) })
    }

    @Test("a day without a year is the last one that has begun")
    func lastYear() {
        let clock = LocalClock.fixed(seconds: 0)
        let today = Fixture.time(21, 9, 7)
        #expect(clock.startOfDay(named: "22 Nov", today: today).map(clock.date) == "22 Nov 2025")
        #expect(clock.startOfDay(named: "21 Nov", today: today).map(clock.date) == "21 Nov 2026")
        // A Saturday.
        for (name, date) in [
            ("Nov 20", "20 Nov 2026"), ("nov 20, 2025", "20 Nov 2025"), ("December 3", "3 Dec 2025"),
            ("friday", "20 Nov 2026"), ("sat", "21 Nov 2026"), ("last Saturday", "14 Nov 2026"),
            ("Sunday", "15 Nov 2026"), ("3 days ago", "18 Nov 2026"), ("a week ago", "14 Nov 2026"),
            ("21 days ago", "31 Oct 2026"), ("two days ago", "19 Nov 2026"), ("last week", "14 Nov 2026"),
            ("a month ago", "21 Oct 2026"), ("nine months ago", "21 Feb 2026"), ("a year ago", "21 Nov 2025"),
            ("on friday", "20 Nov 2026"), ("20th november", "20 Nov 2026"), ("nov", "1 Nov 2026"),
            ("Dec", "1 Dec 2025"), ("20.11.", "20 Nov 2026"), ("22.11", "22 Nov 2025"), ("2026/11/20", "20 Nov 2026"),
        ] {
            #expect(clock.startOfDay(named: name, today: today).map(clock.date) == date, "\(name)")
        }
        for name in [
            "last", "fr", "no 20", "nov 31", "ago", "3 moons ago", "99999999999999999999 days ago", "20 20",
            "2/3", "20/11/2026", "20.", ".", "1.2.3.4", "31.2.",
        ] {
            #expect(clock.startOfDay(named: name, today: today) == nil, "\(name)")
        }
    }

    @Test(
        "sizes",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9_999, "9.9 kB"), (10_000, "10 kB"), (999_999, "999 kB"),
            (1_000_000, "1.0 MB"), (4_100_000, "4.1 MB"), (212_000_000_000, "212 GB"), (UInt64.max, "18 EB"),
        ] as [(UInt64, String)])
    func sizes(bytes: UInt64, text: String) {
        #expect(Units.size(bytes) == text)
        // What is shown means the same when it is typed: within the digits that are shown.
        let typed = text.filter { $0 != " " }
        if let back = Units.bytes(of: typed) { #expect(Units.size(back) == text, "\(typed)") }
    }

    @Test("a bar is full only when everything is there")
    func bars() {
        #expect(ProgressBar.text(65, of: 100, width: 10) == "██████▌···")
        #expect(ProgressBar.text(0, of: 100, width: 4) == "····")
        #expect(ProgressBar.text(999_999, of: 1_000_000, width: 4) == "███▌")
        #expect(ProgressBar.text(5, of: 5, width: 4) == "████")
        #expect(ProgressBar.text(0, of: 0, width: 4) == "████")
        #expect(Units.percent(999_999, of: 1_000_000) == 99)
    }

    @Test("a stalled transfer says so instead of a bar")
    func stalled() {
        let progress = TransferProgress(id: Fixture.buildLog.id, transferred: 1, rate: 0, stalled: .seconds(12))
        let pace = TransferPace(transfer: Fixture.buildLog, progress: progress)
        #expect(pace.rate == "stalled 12 s")
        #expect(pace.remaining == nil)
    }

    @Test("every error is a sentence with a reason")
    func sentences() throws {
        let errors: [ChatError] = [
            .store(.diskFull), .badAddress(.badHost("x")), .ownAddress, .noSuchContact, .noSuchTransfer, .noSuchRequest,
            .noSuchMessage, .textTooLong(bytes: 70_000, limit: 65_536), .emptyText, .badName(""), .badFileName(".."),
            .cannotRead(path: "/x", errno: 2), .notARegularFile(path: "/"), .cannotWrite(path: "/x", errno: 13),
            .notEnoughSpace(needed: 88_000_000, free: 12_000_000, folder: "/home"), .wrongTransferState(.complete),
            .ownTransfer, .outboxFull(limit: 10), .blocked, .cannotListen(endpoint: "x:1", reason: "in use"),
        ]
        for error in errors {
            let sentence = Sentences.sentence(for: error, doing: "It was not done")
            #expect(sentence.hasPrefix("It was not done: "))
            #expect(!sentence.contains("\n"))
        }
        #expect(Sentences.reason(of: .cannotRead(path: "/x", errno: 2)) == "cannot read /x: no such file or directory")
        #expect(
            Sentences.farewell(queued: 1, transfers: 2)
                == "blipchat: 1 message, file or change stays queued, 2 transfers are unfinished; it will all resume when blipchat runs again."
        )
        #expect(Sentences.farewell(queued: 0, transfers: 0) == nil)
    }

    @Test("why a transfer ended is said once")
    func endOfTransfer() {
        #expect(Sentences.words(for: .declined, .declinedByPeer) == "declined by the other side")
        #expect(Sentences.words(for: .failed, "the disk is full") == "failed: the disk is full")
        #expect(Sentences.words(for: .cancelled, nil) == "cancelled")
    }
}
