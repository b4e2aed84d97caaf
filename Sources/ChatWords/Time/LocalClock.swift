// Turns timestamps into the local dates and times that the screen shows.

package import ChatCore

/// The time zone in which times are shown.
package enum LocalClock: Sendable, Equatable {
    /// The system's zone (TZ, /etc/localtime).
    case system
    /// A fixed offset from UTC in seconds, for tests.
    case fixed(seconds: Int64)

    /// A local date and time.
    package struct Civil: Sendable, Equatable {
        package var year: Int64
        /// 1...12 and 1...31.
        package var month: Int
        package var day: Int
        package var hour: Int
        package var minute: Int
        package var second: Int
        /// 0 is Sunday.
        package var weekday: Int
    }

    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    package static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    package func civil(_ time: Timestamp) -> Civil {
        // Years 0001 to 9999 only: a peer may send any number.
        let seconds = min(max(time.milliseconds.flooredQuotient(by: 1000), -62_135_596_800), 253_402_214_400)
        let local = seconds + offset(at: seconds)
        let days = local.flooredQuotient(by: 86_400)
        let ofDay = Int(local - days * 86_400)
        let date = CivilDate(daysSince1970: days)
        let weekday = Int(((days + 4) % 7 + 7) % 7)
        return Civil(
            year: date.year, month: date.month, day: date.day, hour: ofDay / 3600, minute: ofDay / 60 % 60,
            second: ofDay % 60, weekday: weekday)
    }

    /// `09:05`
    package func time(_ time: Timestamp) -> String {
        let civil = civil(time)
        return Self.twoDigits(civil.hour) + ":" + Self.twoDigits(civil.minute)
    }

    /// `20 Nov 2026`
    package func date(_ time: Timestamp) -> String {
        let civil = civil(time)
        return "\(civil.day) \(Self.months[civil.month - 1]) \(civil.year)"
    }

    /// `Fri 20 Nov 2026`
    package func day(_ time: Timestamp) -> String {
        let civil = civil(time)
        return
            "\(Self.weekdays[civil.weekday]) \(Self.twoDigits(civil.day)) \(Self.months[civil.month - 1]) \(civil.year)"
    }

    /// `20 Nov 23:58`; of another year than now's `20 Nov 2025`.
    package func dayAndTime(_ time: Timestamp, now: Timestamp) -> String {
        let civil = civil(time)
        let rest = civil.year == self.civil(now).year ? self.time(time) : "\(civil.year)"
        return "\(Self.twoDigits(civil.day)) \(Self.months[civil.month - 1]) \(rest)"
    }

    package func isSameDay(_ left: Timestamp, _ right: Timestamp) -> Bool {
        let (left, right) = (civil(left), civil(right))
        return left.year == right.year && left.month == right.month && left.day == right.day
    }

    /// When the local day begins that `text` names: `2026-11-20`, `2026-11`, `20.11.2026`, `today`, `yesterday`, and as
    /// days are shown and said: `20 Nov`, `Fri 20 Nov 2026`, `Friday`, `3 days ago`.
    package func startOfDay(named text: String, today: Timestamp) -> Timestamp? {
        let now = civil(today)
        switch text.lowercased() {
        case "today": return start(year: now.year, month: now.month, day: now.day)
        case "yesterday":
            guard let start = start(year: now.year, month: now.month, day: now.day) else { return nil }
            return self.start(ofDayBefore: start)
        default: break
        }
        let dashed = text.split(omittingEmptySubsequences: false) { "-/".contains($0) }.map { Int64($0) }
        if dashed.count == 2 || dashed.count == 3, let year = dashed[0], let month = dashed[1] {
            // `2/3` may be a day of February or of March.
            guard year >= 1000, let day = dashed.count == 3 ? dashed[2] : 1 else { return nil }
            return start(year: year, month: Int(clamping: month), day: Int(clamping: day))
        }
        // Without a year it is the last one that has begun: `20.11.`
        let end = text.hasSuffix(".") ? text.dropLast() : text[...]
        let dotted = end.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        if dotted.count == 2 || dotted.count == 3, let day = dotted[0], let month = dotted[1] {
            let (month, day) = (Int(clamping: month), Int(clamping: day))
            let latest = (month, day) <= (now.month, now.day) ? now.year : now.year - 1
            guard let year = dotted.count == 3 ? dotted[2] : latest else { return nil }
            return start(year: year, month: month, day: day)
        }
        return startOfDay(inWords: text.lowercased().split(separator: " "), now: now)
    }

    /// `20 nov` or `nov 20`, which is the last one that has begun, `20 nov 2026`, `fri 20 nov 2026`, `friday`,
    /// `last friday`, `3 days ago`, `a week ago`.
    private func startOfDay(inWords text: [Substring], now: Civil) -> Timestamp? {
        var words = text.map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
        if words.first == "on" || words.first == "this" { words.removeFirst() }
        if let start = startOfDay(ago: words, now: now) { return start }
        let weekday = Self.weekday(words.first == "last" ? words.dropFirst().first : words.first)
        if let weekday, words.count == (words.first == "last" ? 2 : 1) {
            let days = (now.weekday - weekday + 7) % 7
            return start(daysAgo: days == 0 && words.first == "last" ? 7 : days, now: now)
        }
        var date = weekday == nil ? words[...] : words.dropFirst()
        // The month alone is its first day.
        if date.count == 1, let month = date.first.flatMap(Self.month) {
            return start(year: month <= now.month ? now.year : now.year - 1, month: month, day: 1)
        }
        guard date.count == 2 || date.count == 3 else { return nil }
        let year = date.count == 3 ? date.popLast() : nil
        guard let first = date.first, let last = date.last, let day = Self.dayNumber(first) ?? Self.dayNumber(last),
            let month = Self.month(first) ?? Self.month(last)
        else { return nil }
        if let year { return Int64(year).flatMap { start(year: $0, month: month, day: day) } }
        let isOver = (month, day) <= (now.month, now.day)
        return start(year: isOver ? now.year : now.year - 1, month: month, day: day)
    }

    /// `3 days ago`, `a week ago`, `two months ago`, `last week`: at most about 27 years of days.
    private func startOfDay(ago words: [Substring], now: Civil) -> Timestamp? {
        var words = words
        if words.count == 2, words[0] == "last", ["week", "month", "year"].contains(words[1]) {
            words = ["1", words[1], "ago"]
        }
        guard words.count == 3, words[2] == "ago",
            let count = Self.numbers[words[0]] ?? Int(words[0]), (0...9_999).contains(count)
        else { return nil }
        switch words[1] {
        case "day", "days": return start(daysAgo: count, now: now)
        case "week", "weeks": return start(daysAgo: count * 7, now: now)
        case "month", "months":
            let months = Int(now.year) * 12 + now.month - 1 - count
            let (year, month) = (Int64(months / 12), months % 12 + 1)
            // The 31st of a month that has none is its last day.
            return (0...3).lazy.compactMap { start(year: year, month: month, day: now.day - $0) }.first
        case "year", "years":
            return (0...1).lazy.compactMap { start(year: now.year - Int64(count), month: now.month, day: now.day - $0) }
                .first
        default: return nil
        }
    }

    private static let numbers: [Substring: Int] = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
        "nine": 9,
        "ten": 10,
    ]

    /// `20`, `20th`
    private static func dayNumber(_ word: Substring) -> Int? {
        let end = ["st", "nd", "rd", "th"].first { word.hasSuffix($0) }
        return Int(end == nil ? word : word.dropLast(2))
    }

    private func start(daysAgo count: Int, now: Civil) -> Timestamp? {
        let today = CivilDate(year: now.year, month: now.month, day: now.day)
        let date = CivilDate(daysSince1970: today.daysSince1970 - Int64(count))
        return start(year: date.year, month: date.month, day: date.day)
    }

    /// 0 is Sunday; at least three letters of its name.
    private static func weekday(_ word: Substring?) -> Int? {
        guard let word, word.count >= 3 else { return nil }
        return fullWeekdays.firstIndex { $0.lowercased().hasPrefix(word) }
    }

    /// 1 is January; at least three letters of its name.
    private static func month(_ word: Substring) -> Int? {
        guard word.count >= 3 else { return nil }
        return fullMonths.firstIndex { $0.lowercased().hasPrefix(word) }.map { $0 + 1 }
    }

    /// The local day that `text` names, or the month of `2026-11`: its first moment, and the first one after it.
    package func day(named text: String, today: Timestamp) -> (start: Timestamp, end: Timestamp)? {
        guard let start = startOfDay(named: text, today: today) else { return nil }
        let first = civil(start)
        let isMonth = text.utf8.count { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") } == 1
        let next =
            switch (isMonth, first.month) {
            case (true, 12): self.start(year: first.year + 1, month: 1, day: 1)
            case (true, let month): self.start(year: first.year, month: month + 1, day: 1)
            case (false, _): self.start(ofDayAfter: start)
            }
        return (start, next ?? Timestamp(milliseconds: .max))
    }

    /// Days have 23 to 25 hours.
    private func start(ofDayAfter start: Timestamp) -> Timestamp? {
        let civil = civil(Timestamp(milliseconds: start.milliseconds + 129_600_000))
        return self.start(year: civil.year, month: civil.month, day: civil.day)
    }

    private func start(ofDayBefore start: Timestamp) -> Timestamp? {
        let civil = civil(Timestamp(milliseconds: start.milliseconds - 43_200_000))
        return self.start(year: civil.year, month: civil.month, day: civil.day)
    }

    private func start(year: Int64, month: Int, day: Int) -> Timestamp? {
        let date = CivilDate(year: year, month: month, day: day)
        guard (1...9999).contains(year), date.exists else { return nil }
        return Timestamp(milliseconds: firstMoment(showing: date.daysSince1970 * 86_400) * 1000)
    }

    /// The first moment, in seconds since 1970, at which clocks show `local` (seconds since 1970 as if it were UTC, of the
    /// years 0 to 10000), or have been put forward over it.
    package func firstMoment(showing local: Int64) -> Int64 { LocalMoment.first(showing: local, offset: offset) }

    /// Seconds east of UTC at a moment in seconds since 1970.
    package func offset(at seconds: Int64) -> Int64 {
        switch self {
        case .fixed(let offset): offset
        case .system: SystemZone.offset(at: seconds)
        }
    }

    package static func twoDigits(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
