// Turns any outside string into SafeText (PRODUCT "Hostile text", rules 1 to 3). One pass, linear time, bounded output.

@_spi(_Unicode) import Swift

/// The filter of `SafeText`. Runs of drawable scalars are normalised and cut into clusters; everything else is replaced
/// by visible clusters or removed and counted.
package struct TextFilter {
    /// Bytes of UTF-8, of the source and of the result, after which a text ends with "more…".
    package static let maxDrawnBytes = 65_536
    /// Marks that one base may carry; further ones are counted as `‹+36›`.
    package static let maxMarks = 4
    /// Characters that one emoji sequence may join (the longest in use joins four and two skin tones).
    package static let maxJoins = 8
    package static let maxNameColumns = 64
    private static let tabStop = 8
    private static let literalRules = TextWidth.Rules()

    private let kind: SafeText.Kind
    private let rules: TextWidth.Rules
    private var clusters: [Cluster] = []
    private var hidden = 0
    /// Column in the current line, for tabs.
    private var column = 0
    private var drawnBytes = 0
    /// Kept scalars that are not clusters yet.
    private var run = String.UnicodeScalarView()
    private var runBytes = 0
    private var previous: Unicode.Scalar?
    private var marks = 0
    private var excessMarks = 0
    private var joins = 0

    private init(kind: SafeText.Kind, rules: TextWidth.Rules) {
        self.kind = kind
        self.rules = rules
    }

    package static func filter(_ raw: String, as kind: SafeText.Kind) -> SafeText {
        let rules = TextWidth.rules
        return switch kind {
        case .line, .multiline:
            plainASCII(raw)
                ?? FilteredTexts.text(raw, as: kind, rules) { filterText(raw, as: kind, rules: rules) }
        case .name: FilteredTexts.text(raw, as: kind, rules) { NameFilter.name(raw) }
        case .fileName: FilteredTexts.text(raw, as: kind, rules) { NameFilter.fileName(raw) }
        }
    }

    /// Signs of our own source code: frames and marks keep their one column, whatever the terminal makes of them.
    package static func filter(literal raw: String) -> SafeText {
        plainASCII(raw)
            ?? FilteredTexts.text(raw, as: .multiline, literalRules) {
                filterText(raw, as: .multiline, rules: literalRules)
            }
    }

    /// The filter without the rules for the whole of a name.
    package static func filterText(
        _ raw: String, as kind: SafeText.Kind, rules: TextWidth.Rules = TextWidth.rules
    ) -> SafeText {
        if let plain = plainASCII(raw) { return plain }
        var filter = TextFilter(kind: kind, rules: rules)
        filter.add(raw)
        return SafeText(clusters: filter.clusters, hiddenCount: filter.hidden)
    }

    /// The clusters of `‹name›`. `name` must be printable.
    package static func substitute(_ name: String) -> [Cluster] {
        "‹\(name)›".map { Cluster(text: String($0), width: 1, isSubstitute: true) }
    }

    /// The same around a cluster that can be drawn, and is to be marked.
    package static func substitute(_ cluster: Cluster) -> [Cluster] {
        var clusters = substitute("")
        clusters.insert(Cluster(text: cluster.text, width: cluster.width, isSubstitute: true), at: 1)
        return clusters
    }

    /// The short way for what nearly all texts are.
    private static func plainASCII(_ raw: String) -> SafeText? {
        guard raw.utf8.count <= maxDrawnBytes, raw.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return SafeText(clusters: raw.utf8.map { Cluster.ascii[Int($0) - 0x20] })
    }

    private mutating func add(_ raw: String) {
        let scalars = raw.unicodeScalars
        var readBytes = 0
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            scalars.formIndex(after: &index)
            let next = index < scalars.endIndex ? scalars[index] : nil
            readBytes += UTF8.width(scalar)
            guard readBytes <= Self.maxDrawnBytes, drawnBytes + runBytes < Self.maxDrawnBytes else {
                flush()
                emit(" more…".map { Cluster(text: String($0), width: 1, isSubstitute: true) })
                return
            }
            if scalar == "\r" && next == "\n" { continue }
            add(scalar, before: next)
        }
        flush()
    }

    private mutating func add(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) {
        switch ScalarRule(scalar) {
        case .keep: keep(scalar)
        case .lineBreak: addLineBreak()
        case .tab: replace(with: tab())
        case .picture(let picture): replace(with: [control(picture)])
        case .named(let name): replace(with: Self.substitute(name))
        case .remove: hidden += 1
        case .joiner: isNeededJoiner(scalar, before: next) ? append(scalar) : (hidden += 1)
        case .variationSelector: isValidSelector(before: next) ? append(scalar) : (hidden += 1)
        case .blankLookAlike: addBlank(scalar)
        case .privateUse: replace(with: [Cluster(text: "□", width: 1, isSubstitute: true)])
        case .unassigned:
            let name = scalar.properties.name ?? scalar.codePoint
            replace(with: [Cluster(text: "\u{FFFD}", width: 1, isSubstitute: true)] + Self.substitute(name))
        }
    }

    private func control(_ picture: Unicode.Scalar) -> Cluster {
        Cluster(text: String(picture), width: rules.spellsControls ? 2 : 1, isSubstitute: true)
    }

    // MARK: Scalars that stay

    private mutating func keep(_ scalar: Unicode.Scalar) {
        if TextWidth.width(of: scalar) == 0 {
            guard marks < Self.maxMarks else {
                excessMarks += 1
                return
            }
            marks += 1
        } else {
            if excessMarks > 0 { flush() }
            marks = 0
            if previous?.value != 0x200D { joins = 0 }
        }
        append(scalar)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        run.append(scalar)
        runBytes += UTF8.width(scalar)
        previous = scalar
    }

    /// ZWJ and ZWNJ stay between letters of scripts that use them, ZWJ also between two pictographs.
    private mutating func isNeededJoiner(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        guard let previous, let next else { return false }
        if ScalarRule.usesJoiners(previous) && ScalarRule.usesJoiners(next) { return true }
        let followsPictograph =
            TextWidth.isPictograph(previous) || TextWidth.isVariationSelector(previous.value)
        guard scalar.value == 0x200D, followsPictograph, TextWidth.isPictograph(next) else { return false }
        joins += 1
        return joins <= Self.maxJoins
    }

    /// VS15 and VS16 stay after a character that has an emoji form; after a digit only in a keycap.
    private func isValidSelector(before next: Unicode.Scalar?) -> Bool {
        guard let previous, previous.properties.isEmoji else { return false }
        return previous.value > 0x7F || next?.value == 0x20E3
    }

    // MARK: Scalars that are replaced

    private mutating func addLineBreak() {
        guard kind != .multiline else {
            flush()
            emit([.lineBreak])
            column = 0
            return
        }
        replace(with: [control("␤")])
    }

    private mutating func addBlank(_ scalar: Unicode.Scalar) {
        let isName = kind == .name || kind == .fileName
        if isName {
            replace(with: Self.substitute(scalar.codePoint))
        } else if ScalarRule.isFiller(scalar) {
            hidden += 1
        } else {
            keep(scalar)
        }
    }

    private mutating func tab() -> [Cluster] {
        flush()
        let isName = kind == .name || kind == .fileName
        return Array(repeating: .blank, count: isName ? 1 : Self.tabStop - column % Self.tabStop)
    }

    private mutating func replace(with substitutes: [Cluster]) {
        flush()
        emit(substitutes)
    }

    // MARK: Output

    /// Turns the run into clusters: NFC, then grapheme clusters, then the count of marks that were too many.
    private mutating func flush() {
        if !run.isEmpty {
            var normalized = String.UnicodeScalarView()
            normalized.append(contentsOf: String(run)._nfc)
            var made: [Cluster] = []
            for character in String(normalized) {
                TextWidth.appendClusters(of: character, to: &made, ambiguous: rules.ambiguous)
            }
            run.removeAll(keepingCapacity: true)
            runBytes = 0
            emit(made)
        }
        previous = nil
        marks = 0
        joins = 0
        if excessMarks > 0 {
            let count = excessMarks
            excessMarks = 0
            emit(Self.substitute("+\(count)"))
        }
    }

    private mutating func emit(_ new: [Cluster]) {
        for cluster in new {
            column += cluster.width
            drawnBytes += cluster.text.utf8.count
        }
        clusters += new
    }
}
