// Points in time as text: RFC 3339 in UTC for scripts, and what people type after --since and --until.

package import ChatCore
import ChatWords

/// Times of RFC 3339, always written in UTC with milliseconds.
package enum RFC3339 {
    /// `2026-11-21T09:02:03.123Z`. Times outside of the years 0 to 9999 are clamped: they come from peers.
    package static func text(_ time: Timestamp) -> String {
        let clamped = clamped(time)
        let day = clamped.flooredQuotient(by: 86_400_000)
        let millisecond = clamped - day * 86_400_000
        let second = millisecond / 1000
        return CivilDate(daysSince1970: day).text + "T"
            + padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2) + "."
            + padded(millisecond % 1000, 3) + "Z"
    }

    /// Reads `2026-11-21`, `2026-11-21 09:02[:03[.5]]` (local time) or the full form with `Z` or `+01:00`.
    package static func read(_ text: String) -> Timestamp? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
            scanner.skip("-"), let day = scanner.number(digits: 2)
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        guard date.exists else { return nil }
        var second: Int64 = 0
        var millisecond: Int64 = 0
        if scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") {
            guard let hour = scanner.number(digits: 2), hour < 24, scanner.skip(":"),
                let minute = scanner.number(digits: 2), minute < 60
            else { return nil }
            second = hour * 3600 + minute * 60
            if scanner.skip(":") {
                guard let value = scanner.number(digits: 2), value <= 60 else { return nil }
                second += value
                if scanner.skip(".") {
                    guard let fraction = scanner.milliseconds() else { return nil }
                    millisecond = fraction
                }
            }
        }
        let local = date.daysSince1970 * 86_400 + second
        guard let offset = scanner.offset(atLocalSecond: local), scanner.isAtEnd else { return nil }
        return Timestamp(milliseconds: (local - offset) * 1000 + millisecond)
    }

    /// Milliseconds since 1970 of the years that have four digits.
    static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Milliseconds since 1970, brought into `range`.
    static func clamped(_ time: Timestamp) -> Int64 {
        min(max(time.milliseconds, range.lowerBound), range.upperBound)
    }

    static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension CivilDate {
    /// `2026-11-21`
    var text: String {
        RFC3339.padded(year, 4) + "-" + RFC3339.padded(Int64(month), 2) + "-" + RFC3339.padded(Int64(day), 2)
    }
}

/// Takes digits and single characters from the front of a text.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Exactly so many digits.
    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = rest.first, (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
            rest = rest.dropFirst()
        }
        return value
    }

    /// One or more digits of a fraction of a second; what is finer than a millisecond is dropped.
    mutating func milliseconds() -> Int64? {
        var value: Int64 = 0
        var weight: Int64 = 100
        var count = 0
        while let digit = rest.first, (0x30...0x39).contains(digit) {
            value += Int64(digit - 0x30) * weight
            weight /= 10
            count += 1
            rest = rest.dropFirst()
        }
        return count > 0 ? value : nil
    }

    /// Seconds east of UTC: of `Z` or `±HH:MM`, else of this machine's time zone at that local time.
    mutating func offset(atLocalSecond local: Int64) -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        if skip("+") || skip("-") {
            guard let hours = number(digits: 2), hours < 24, skip(":"), let minutes = number(digits: 2), minutes < 60
            else { return nil }
            return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
        }
        // Of a time that comes twice the first is meant; one that is skipped is when the clocks are put forward.
        return local - LocalClock.system.firstMoment(showing: local)
    }
}
