// Several transfers or requests at once, as they are typed: `all`, `4-23`, `4,6,9-12`.

import ChatWords

/// Which numbers a command is about, when it is about several.
package enum NumberSet: Sendable, Equatable {
    /// Everything that the command can be about.
    case all
    case ranges([ClosedRange<Int64>])

    /// `nil` for one number (`8`, `#8`) and for any other text. A `#` may come before each number; blanks may not come
    /// between them.
    package init?(_ words: String) {
        if words.lowercased() == "all" {
            self = .all
            return
        }
        let parts = words.split(separator: ",", omittingEmptySubsequences: false)
        var ranges: [ClosedRange<Int64>] = []
        for part in parts {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
            switch (ends.count, ends.first ?? nil, ends.last ?? nil) {
            case (1, let only?, _): ranges.append(only...only)
            case (2, let first?, let last?) where first <= last: ranges.append(first...last)
            default: return nil
            }
        }
        guard ranges.count > 1 || parts.first?.contains("-") == true else { return nil }
        self = .ranges(ranges)
    }

    package func contains(_ number: Int64) -> Bool {
        switch self {
        case .all: true
        case .ranges(let ranges): ranges.contains { $0.contains(number) }
        }
    }

    /// Whether the user who typed `words` meant several numbers, and wants to know what is wrong with them.
    static func isMeant(by words: String) -> Bool {
        let rest = words.first == "#" ? words.dropFirst() : words[...]
        return rest.first?.isASCII == true && rest.first?.isNumber == true && rest.contains { ",-".contains($0) }
            && rest.allSatisfy { $0.isASCII && ($0.isNumber || "#,-".contains($0)) }
    }

    private static func number(_ text: Substring) -> Int64? {
        let digits = text.first == "#" ? text.dropFirst() : text
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits)
    }
}
