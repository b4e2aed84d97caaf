// Splits texts at an ASCII character. `split(separator:)` compares Characters, and a combining mark after the separator makes
// both one Character: a name that begins with one would hide the separator before it.

extension StringProtocol {
    /// The parts between `separator`, an ASCII character, compared scalar by scalar. At most `maxSplits` + 1 parts.
    package func split(
        scalar separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        unicodeScalars.split(
            separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences
        ).map { Substring(String(String.UnicodeScalarView($0))) }
    }
}
