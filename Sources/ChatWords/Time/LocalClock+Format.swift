// Times and dates as the user wants them: `[ui] time`, `date` and `seconds`.

package import ChatCore

extension LocalClock {
    /// `time` by a pattern of Unicode TR 35: y yy yyyy, M MM MMM MMMM, d dd, E EEEE, H HH h hh, m mm, s ss, a, and
    /// quoted text. Other characters stay as they are.
    ///
    /// `padded`: a number of one letter is as wide as one of two, with a blank in front, so that times line up in a column.
    package func text(_ time: Timestamp, format: String, padded: Bool = false) -> String {
        let civil = civil(time)
        var text = ""
        var rest = format[...]
        while let letter = rest.first {
            if letter == "'" {
                text += Self.quoted(&rest)
                continue
            }
            let run = rest.prefix { $0 == letter }
            rest = rest.dropFirst(run.count)
            let field = Self.field(letter, count: run.count, civil) ?? String(run)
            if padded, field.utf8.count == 1, field != String(run) { text += " " }
            text += field
        }
        return text
    }

    /// Whether a pattern can be understood, and says anything of a time: one without a field would be the same for every
    /// message. Each letter (A to Z) that is not quoted must mean something, and each quote must end.
    package static func isPattern(_ format: String) -> Bool {
        let epoch = LocalClock.fixed(seconds: 0).civil(Timestamp(milliseconds: 0))
        var hasField = false
        var rest = format[...]
        while let letter = rest.first {
            if letter == "'" {
                guard rest.dropFirst().contains("'") else { return false }
                _ = quoted(&rest)
                continue
            }
            if field(letter, count: 1, epoch) != nil {
                hasField = true
            } else if letter.isASCII, letter.isLetter {
                return false
            }
            rest = rest.dropFirst()
        }
        return hasField
    }

    /// `'text'`; two quotes are one.
    private static func quoted(_ rest: inout Substring) -> String {
        rest.removeFirst()
        if rest.first == "'" {
            rest.removeFirst()
            return "'"
        }
        let text = rest.prefix { $0 != "'" }
        rest = rest.dropFirst(text.count + 1)
        return String(text)
    }

    /// `nil` when the letter means nothing.
    private static func field(_ letter: Character, count: Int, _ civil: Civil) -> String? {
        func number(_ value: Int) -> String { count >= 2 ? twoDigits(value) : String(value) }
        let hour12 = (civil.hour + 11) % 12 + 1
        switch letter {
        case "y": return count == 2 ? twoDigits(Int(civil.year % 100)) : String(civil.year)
        case "M":
            if count < 3 { return number(civil.month) }
            return count == 3 ? months[civil.month - 1] : fullMonths[civil.month - 1]
        case "d": return number(civil.day)
        case "E": return count < 4 ? weekdays[civil.weekday] : fullWeekdays[civil.weekday]
        case "H": return number(civil.hour)
        case "h": return number(hour12)
        case "m": return number(civil.minute)
        case "s": return number(civil.second)
        case "a": return civil.hour < 12 ? "AM" : "PM"
        default: return nil
        }
    }

    package static let fullMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    package static let fullWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
}
