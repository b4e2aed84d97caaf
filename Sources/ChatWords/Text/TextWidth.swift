// How many columns a text takes, and where it may be cut. Source: UnicodeTables (own, versioned), never the C library.

import Synchronization

/// Column counts per scalar and the division of a `Character` into clusters of at most two columns.
package enum TextWidth {
    /// How the terminal of this process draws characters that are not drawn alike everywhere.
    package struct Rules: Hashable, Sendable {
        /// Columns of characters of ambiguous width, 1 or 2.
        package var ambiguous = 1
        /// Control characters are spelled in two columns (`^[`), for want of pictures (`␛`).
        package var spellsControls = false
    }

    private static let ambiguous = Atomic<Int>(1)
    private static let spelling = Atomic<Bool>(false)

    package static var rules: Rules { Rules(ambiguous: ambiguousColumns, spellsControls: spellsControls) }

    /// Whether the terminal shows ASCII only. It belongs to the process like `ambiguousColumns`.
    package static var spellsControls: Bool {
        get { spelling.load(ordering: .relaxed) }
        set { spelling.store(newValue, ordering: .relaxed) }
    }

    /// The columns of characters of ambiguous width, 1 or 2. It belongs to the terminal, of which a process has one:
    /// NcursesTerminal sets it before anything is drawn, and when it has measured something else.
    package static var ambiguousColumns: Int {
        get { ambiguous.load(ordering: .relaxed) }
        set { ambiguous.store(newValue == 2 ? 2 : 1, ordering: .relaxed) }
    }

    /// Columns of a single printable scalar: 0 (mark), 1 or 2.
    package static func width(of scalar: Unicode.Scalar, ambiguous: Int = ambiguousColumns) -> Int {
        let value = scalar.value
        if value < 0x300 { return ambiguous == 2 && isAmbiguous(scalar) ? 2 : 1 }
        if isListed(value, in: UnicodeTables.zeroWidth) || isJoiner(value) || isVariationSelector(value) { return 0 }
        if isListed(value, in: UnicodeTables.wide) { return 2 }
        return ambiguous == 2 && isAmbiguous(scalar) ? 2 : 1
    }

    /// True for what terminals draw in one column or, made for East Asian texts, in two: Greek, Cyrillic, frames, `…`.
    package static func isAmbiguous(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0xA1 && isListed(scalar.value, in: UnicodeTables.ambiguous)
    }

    /// True when the scalar is not assigned in the version of our tables.
    package static func isUnassigned(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300 && isListed(scalar.value, in: UnicodeTables.unassigned)
    }

    /// Binary search in a flattened table of sorted closed ranges.
    package static func isListed(_ value: UInt32, in table: [UInt32]) -> Bool {
        var low = 0
        var high = table.count / 2
        while low < high {
            let middle = (low + high) / 2
            if value > table[2 * middle + 1] {
                low = middle + 1
            } else if value < table[2 * middle] {
                high = middle
            } else {
                return true
            }
        }
        return false
    }

    package static func isJoiner(_ value: UInt32) -> Bool { value == 0x200C || value == 0x200D }
    /// Text (VS15) and emoji (VS16) presentation: the only selectors that the filter lets through.
    package static func isVariationSelector(_ value: UInt32) -> Bool { value == 0xFE0E || value == 0xFE0F }
    package static func isRegionalIndicator(_ value: UInt32) -> Bool { (0x1F1E6...0x1F1FF).contains(value) }

    /// True for what can be a member of an emoji sequence (digits can only carry a keycap and do not count).
    package static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x7F && scalar.properties.isEmoji && !isRegionalIndicator(scalar.value)
    }

    /// Appends the clusters of one `Character` of filtered text. Most characters are one cluster; conjuncts and chains
    /// that a terminal draws letter by letter are divided so that each piece has at most two columns.
    package static func appendClusters(of character: Character, to clusters: inout [Cluster], ambiguous: Int) {
        var piece = ClusterPiece(ambiguous: ambiguous)
        for scalar in character.unicodeScalars {
            if let finished = piece.add(scalar) { clusters.append(finished) }
        }
        if let last = piece.finish() { clusters.append(last) }
    }
}

/// A cluster while it grows scalar by scalar.
private struct ClusterPiece {
    /// Columns of characters of ambiguous width.
    let ambiguous: Int
    private var scalars = String.UnicodeScalarView()
    private var width = 0
    private var base: Unicode.Scalar?
    private var last: Unicode.Scalar?
    private var regionalIndicators = 0

    init(ambiguous: Int) { self.ambiguous = ambiguous }

    /// Takes one scalar; returns the cluster that it ends, if it begins a new one.
    mutating func add(_ scalar: Unicode.Scalar) -> Cluster? {
        let columns = TextWidth.width(of: scalar, ambiguous: ambiguous)
        guard let base, let last else {
            start(scalar, columns)
            return nil
        }
        if columns == 0 {
            // Emoji presentation makes a narrow symbol two columns wide.
            if scalar.value == 0xFE0F { width = 2 }
        } else if last.value == 0x200D && TextWidth.isPictograph(scalar) {
            width = 2
        } else if scalar.properties.isEmojiModifier && base.properties.isEmojiModifierBase {
            width = 2
        } else if TextWidth.isRegionalIndicator(scalar.value) && regionalIndicators == 1 {
            regionalIndicators = 2
            width = 2
        } else if scalar.properties.generalCategory == .spacingMark && width + columns <= 2 {
            width += columns
        } else {
            let finished = finish()
            start(scalar, columns)
            return finished
        }
        scalars.append(scalar)
        self.last = scalar
        return nil
    }

    /// Returns what has grown, if anything, and begins anew.
    mutating func finish() -> Cluster? {
        guard base != nil else { return nil }
        defer { self = ClusterPiece(ambiguous: ambiguous) }
        return Cluster(text: String(scalars), width: width)
    }

    private mutating func start(_ scalar: Unicode.Scalar, _ columns: Int) {
        // A mark without a base gets the dotted circle, so that it cannot sit on a neighbour or on the frame.
        if columns == 0 { scalars.append("\u{25CC}") }
        scalars.append(scalar)
        width = max(columns, 1)
        base = scalar
        last = scalar
        regionalIndicators = TextWidth.isRegionalIndicator(scalar.value) ? 1 : 0
    }
}
