// Texts from outside whose combining marks are too many to be compared: normalising a run of them takes the square of
// its length, and all of it is one Character, so that `hasPrefix`, `==` and hashing of a message of 64 KiB take seconds.

extension String {
    /// The same with at most 30 combining marks in a row, of which a letter can have no more in any language (UAX #15 12,
    /// Stream-Safe Text Format). For finding and comparing only; what is shown is counted by the filter.
    package var streamSafe: String {
        var marks = 0
        let isSafe = utf8.allSatisfy { $0 < 0x80 } || unicodeScalars.allSatisfy { Self.isKept($0, &marks) }
        guard !isSafe else { return self }
        marks = 0
        return String(UnicodeScalarView(unicodeScalars.filter { Self.isKept($0, &marks) }))
    }

    private static let mostMarks = 30

    private static func isKept(_ scalar: Unicode.Scalar, _ marks: inout Int) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: marks += 1
        default: marks = 0
        }
        return marks <= mostMarks
    }

    /// The same bytes: `==` of two strings looks for other spellings of the same letters, which is slow where somebody wants
    /// it to be, and wrong for names of files: to the system two spellings of an accented letter are two files.
    package func isSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
