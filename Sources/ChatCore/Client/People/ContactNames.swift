// Names of people: what is a good one, and how two contacts do not get the same.

@_spi(_Unicode) import Swift

/// Rules for names that users type and peers send (PRODUCT "Hostile text" 3 does the rest when they are drawn).
package enum ContactNames {
    /// The user's name in histories and searches; nobody else may have it.
    static let own = "me"

    /// Whether `name` means the user, as people see names.
    package static func isReserved(_ name: String) -> Bool { folded(name) == own }

    /// The only one of `items` whose name begins with `text`, as names are compared; `nil` when there are several.
    package static func only<Item>(of items: [Item], beginningWith text: String, name: (Item) -> String) -> Item? {
        let wanted = folded(text)
        let found = items.filter { folded(name($0)).hasPrefix(wanted) }
        return !wanted.isEmpty && found.count == 1 ? found.first : nil
    }

    /// `name` without blanks at its ends; throws `.badName` when it is empty, longer than 64 bytes, has controls or is
    /// reserved.
    static func checked(_ name: String) throws(ChatError) -> String {
        let trimmed = trim(name)
        guard isWellFormed(trimmed), !isReserved(trimmed) else { throw .badName(name) }
        return trimmed
    }

    /// 1 to 64 bytes without control characters, of which those of the writing direction are some.
    package static func isWellFormed(_ name: String) -> Bool {
        !trim(name).isEmpty && name.utf8.count <= WireLimit.name && !name.unicodeScalars.contains { isControl($0) }
    }

    /// A usable name from what a peer calls themselves: controls removed, cut to 64 bytes, `fallback` when empty.
    package static func cleaned(_ name: String, fallback: String) -> String {
        let kept = cut(name, to: WireLimit.name)
        return kept.isEmpty ? fallback : kept
    }

    /// The beginning of `name` that takes at most so many bytes, without controls and without blanks at its ends.
    private static func cut(_ name: String, to limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var bytes = 0
        for scalar in name.unicodeScalars where !isControl(scalar) {
            bytes += UTF8.width(scalar)
            if bytes > limit { break }
            kept.append(scalar)
        }
        return trim(String(kept))
    }

    /// `name`, or `name 2`, `name 3` ...: the first that is neither `taken` (compared as people see names) nor reserved. A
    /// number takes the place of the end of a name that is too long for both.
    package static func unique(_ name: String, among taken: [String]) -> String {
        let used = Set(taken.map(folded) + [own])
        var candidate = name
        var number = 2
        while used.contains(folded(candidate)) {
            let mark = " \(number)"
            candidate = cut(name, to: WireLimit.name - mark.utf8.count) + mark
            number += 1
        }
        return candidate
    }

    /// The form that two names share if they look the same when they are drawn: without regard to case, without
    /// anything that is not shown (invisible characters, more than four marks on a letter), in one normal form, any
    /// blanks as one.
    package static func folded(_ name: String) -> String {
        var kept = String.UnicodeScalarView()
        var marks = 0
        for scalar in name._nfc {
            let properties = scalar.properties
            marks = properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > 4 || properties.isDefaultIgnorableCodePoint || isControl(scalar) { continue }
            guard properties.isWhitespace else {
                kept.append(scalar)
                continue
            }
            if kept.last != " ", !kept.isEmpty { kept.append(" ") }
        }
        if kept.last == " " { kept.removeLast() }
        return String(String.UnicodeScalarView(String(kept).lowercased()._nfc))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }

    private static func trim(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }
}
