// How much of our disk a contact may fill, and whether our clock is believed before something is deleted by it.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Storage quota")
struct StorageQuotaTests {
    private let bob = ContactID(1)
    private let mallory = ContactID(2)
    private let now = Timestamp(milliseconds: 1_795_000_000_000)
    private var limits: ChatLimits {
        var limits = ChatLimits()
        limits.storedBytesPerDay = 10_000
        return limits
    }

    @Test("a contact has a share a day, which others do not share; the next day is another one")
    func perDay() {
        var quota = StorageQuota()
        var stored = 0
        while stored < 100, quota.admit(488, from: mallory, disk: nil, limits: limits, now: now) == nil { stored += 1 }
        #expect(stored == 10)
        #expect(quota.admit(0, from: mallory, disk: nil, limits: limits, now: now) == .tooMuchToday)
        #expect(quota.admit(488, from: bob, disk: nil, limits: limits, now: now) == nil)
        let tomorrow = Timestamp(milliseconds: now.milliseconds + 86_400_000)
        #expect(quota.admit(488, from: mallory, disk: nil, limits: limits, now: tomorrow) == nil)
        // A clock that is set back begins another day and stops nobody for ever.
        #expect(quota.admit(488, from: mallory, disk: nil, limits: limits, now: now) == nil)
    }

    @Test("on a disk that is nearly full the one who sends most is refused first, and at the end everybody")
    func nearlyFull() {
        var limits = ChatLimits()
        limits.storedBytesPerDay = .max
        let total: UInt64 = 100 << 30
        let enough = DiskSpace(free: 2 << 30, total: total)
        let scarce = DiskSpace(free: 1 << 29, total: total)
        let none = DiskSpace(free: 1 << 20, total: total)
        var quota = StorageQuota()
        for _ in 1...40 {
            #expect(quota.admit(60_000, from: mallory, disk: enough, limits: limits, now: now) == nil)
        }
        #expect(quota.admit(60_000, from: mallory, disk: scarce, limits: limits, now: now) == .diskNearlyFull)
        #expect(quota.admit(100, from: bob, disk: scarce, limits: limits, now: now) == nil)
        #expect(quota.admit(100, from: bob, disk: none, limits: limits, now: now) == .diskNearlyFull)
        #expect(quota.admit(60_000, from: mallory, disk: enough, limits: limits, now: now) == nil)
        // Nothing has to stay free.
        limits.freeBytesKept = 0
        #expect(quota.admit(60_000, from: mallory, disk: none, limits: limits, now: now) == nil)
    }

    @Test("our user hears of a contact once a day")
    func news() {
        var quota = StorageQuota()
        #expect(quota.isNews(for: mallory, now: now) == true)
        #expect(quota.isNews(for: mallory, now: now) == false)
        #expect(quota.isNews(for: bob, now: now) == true)
        #expect(quota.isNews(for: mallory, now: Timestamp(milliseconds: now.milliseconds + 86_400_000)) == true)
    }

    @Test("the disk is looked at at first, after some time, and after some megabytes")
    func watch() {
        var watch = DiskWatch()
        let start = MonotonicTime.now()
        #expect(watch.isDue(before: 1, now: start) == true)
        watch.saw(DiskSpace(free: 1, total: 2), now: start)
        #expect(watch.isDue(before: 1, now: start) == false)
        #expect(watch.isDue(before: 1, now: start + .seconds(10)) == true)
        #expect(watch.isDue(before: .max, now: start) == true)
        #expect(watch.space == DiskSpace(free: 1, total: 2))
    }
}

@Suite("The clock of retention")
struct RetentionClockTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    private static let start: Int64 = 1_795_000_000_000

    /// What it says to one time after the other, read back between them as after new starts.
    private func answers(_ times: [Int64]) -> [Bool] {
        var text: String?
        return times.map { time in
            var clock = RetentionClock(text)
            defer { text = clock.text }
            return clock.believes(Timestamp(milliseconds: time))
        }
    }

    @Test("a clock that goes on is believed; one that is far ahead only when it still says so later")
    func steps() {
        let start = Self.start
        #expect(answers([start, start + 5, start + Self.day, start + 8 * Self.day]) == [true, true, true, true])
        // Years ahead by mistake, and right again: nothing was believed that is not so.
        let ahead = start + 5_000 * Self.day
        #expect(answers([start, ahead, ahead + 60_000, start + Self.hour]) == [true, false, false, true])
        // After a long holiday.
        let back = start + 40 * Self.day
        #expect(
            answers([start, back, back + Self.hour / 2, back + Self.hour, back + 2 * Self.hour])
                == [true, false, false, true, true])
        // Ahead and still further ahead is another doubt.
        #expect(answers([start, ahead, ahead + 100 * Self.day, ahead + 101 * Self.day]) == [true, false, false, true])
        // Set back is believed: it deletes less.
        #expect(answers([start, start - 400 * Self.day, start - 399 * Self.day]) == [true, true, true])
    }

    @Test(
        "what somebody else has written there is no reason to stop",
        arguments: [nil, "", "x", "1 y z", "9223372036854775807"])
    func damaged(text: String?) {
        var clock = RetentionClock(text)
        _ = clock.believes(Timestamp(milliseconds: .min))
        _ = clock.believes(Timestamp(milliseconds: .max))
        _ = clock.text
    }
}
