// Days of the Gregorian calendar.

import Testing

@testable import ChatWords

@Suite("Civil dates") struct CivilDateTests {
    @Test(
        "known days",
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (-719_528, 0, 1, 1),
            (-719_529, -1, 12, 31), (20_778, 2026, 11, 21), (2_932_896, 9999, 12, 31),
        ] as [(Int64, Int64, Int, Int)])
    func known(days: Int64, year: Int64, month: Int, day: Int) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(CivilDate(daysSince1970: days) == date && date.daysSince1970 == days && date.exists)
    }

    @Test("each day of an era and more follows the one before it, there and back")
    func consecutive() {
        var before = CivilDate(daysSince1970: -800_001)
        for days in stride(from: Int64(-800_000), through: 200_000, by: 1) {
            let date = CivilDate(daysSince1970: days)
            let isNext =
                (date.year, date.month, date.day) == (before.year, before.month, before.day + 1)
                || (date.year, date.month, date.day) == (before.year, before.month + 1, 1)
                || (date.year, date.month, date.day) == (before.year + 1, 1, 1)
            guard isNext, date.daysSince1970 == days else {
                Issue.record("day \(days): \(date) after \(before)")
                return
            }
            before = date
        }
    }

    @Test("days that no calendar has")
    func missing() {
        let missing: [(Int64, Int, Int)] = [
            (2026, 2, 29), (1900, 2, 29), (2024, 2, 30), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0),
            (2026, 1, 32),
        ]
        for (year, month, day) in missing { #expect(!CivilDate(year: year, month: month, day: day).exists) }
        for year: Int64 in [2024, 2000] { #expect(CivilDate(year: year, month: 2, day: 29).exists) }
    }
}
