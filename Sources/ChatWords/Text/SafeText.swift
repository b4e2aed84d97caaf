// The only text that can be drawn. Its initialisers run the filter of PRODUCT "Hostile text" on any outside string;
// Canvas, TextWrap and every output that is not curses take nothing else.

/// Text that is safe to show: no control characters, no bidi controls, nothing invisible, every cluster with a known
/// width. Replaced scalars stay visible (`␛`, `‹RLO›`); removed ones are counted in `hiddenCount`.
package struct SafeText: Sendable, Hashable {
    /// The kind of a text, which decides about line breaks, length and blanks.
    package enum Kind: Sendable, Hashable {
        /// One line; line breaks become a visible `␤`.
        case line
        /// Several lines (a chat message).
        case multiline
        /// The name of a contact, room or device: one line of at most 64 columns, no blanks at its ends.
        case name
        /// A file name from outside: as `.name`, and separators, hidden files and programs cannot pretend.
        case fileName
    }

    /// The clusters in order; line breaks have width 0.
    package private(set) var clusters: [Cluster]
    /// Columns of all clusters together (of a single line: its width).
    package private(set) var width: Int
    /// How many scalars of the outside string were removed. Parts cut from a text carry 0.
    package private(set) var hiddenCount: Int

    /// Filters any outside text. Linear in its length; at most 64 KiB of it are kept, then it ends with "more…".
    package init(_ raw: String, as kind: Kind) {
        self = TextFilter.filter(raw, as: kind)
    }

    /// Text of our own source code.
    package init(literal: StaticString) {
        self = TextFilter.filter(literal: literal.withUTF8Buffer { String(decoding: $0, as: UTF8.self) })
    }

    package init(clusters: some Sequence<Cluster>, hiddenCount: Int = 0) {
        self.clusters = Array(clusters)
        self.width = self.clusters.reduce(0) { $0 + $1.width }
        self.hiddenCount = hiddenCount
    }

    package static let empty = SafeText(clusters: [])

    /// `count` blanks (none when negative).
    package static func blanks(_ count: Int) -> SafeText {
        SafeText(clusters: repeatElement(.blank, count: max(0, count)))
    }

    /// `text` repeated until exactly `width` columns are filled; a wide cluster that does not fit leaves a blank.
    package static func filling(_ width: Int, with text: SafeText) -> SafeText {
        let pattern = text.clusters.filter { !$0.isLineBreak }
        guard width > 0, !pattern.isEmpty else { return blanks(width) }
        var clusters: [Cluster] = []
        var left = width
        while left > 0 {
            for cluster in pattern where left > 0 {
                let fits = cluster.width <= left
                clusters.append(fits ? cluster : .blank)
                left -= fits ? cluster.width : 1
            }
        }
        return SafeText(clusters: clusters)
    }

    package var isEmpty: Bool { clusters.isEmpty }

    /// The text as a string, for search, tests and comparison. Line breaks are LF.
    package var text: String { clusters.reduce(into: "") { $0 += $1.text } }

    /// For outputs that are not curses (stdout, stderr, log, title): `text`, or its ASCII form where the output cannot
    /// show Unicode. Apart from LF in `.multiline` text it has no byte below 0x20, no DEL and no C1 control.
    package func terminalString(unicode: Bool = true) -> String {
        unicode ? text : clusters.reduce(into: "") { $0 += ASCIIGlyphs.spelling(of: $1) }
    }

    /// The dim note after a message from which something was removed (`‹hidden: 3›`); `nil` when nothing was.
    /// Of several texts that belong to one message: that of their sum.
    package var hiddenNote: SafeText? {
        hiddenCount == 0 ? nil : SafeText(clusters: TextFilter.substitute("hidden: \(hiddenCount)"))
    }

    package static func + (left: SafeText, right: SafeText) -> SafeText {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout SafeText, right: SafeText) {
        left.clusters += right.clusters
        left.width += right.width
        left.hiddenCount += right.hiddenCount
    }
}

extension SafeText {
    /// The lines without their line breaks; an empty text has one empty line.
    package func lines() -> [SafeText] {
        clusters.split(separator: .lineBreak, omittingEmptySubsequences: false).map { SafeText(clusters: $0) }
    }

    /// The longest beginning of at most `width` columns. A wide cluster is never cut.
    package func prefix(width: Int) -> SafeText {
        guard self.width > width else { return SafeText(clusters: clusters) }
        return SafeText(clusters: clusters.prefix(clusterCount(within: width)))
    }

    /// The text after `prefix(width:)`.
    package func dropping(width: Int) -> SafeText {
        SafeText(clusters: clusters.dropFirst(clusterCount(within: width)))
    }

    /// The text itself if it fits, otherwise its beginning and `…`, together at most `width` columns.
    package func truncated(to width: Int) -> SafeText {
        guard self.width > width else { return self }
        guard width > 0 else { return .empty }
        return prefix(width: width - 1) + SafeText(clusters: [.ellipsis])
    }

    /// Exactly `width` columns: blanks are added, or the text is truncated.
    package func padded(to width: Int, alignment: Alignment = .left) -> SafeText {
        let text = truncated(to: width)
        let missing = SafeText.blanks(width - text.width)
        return alignment == .left ? text + missing : missing + text
    }

    /// The side on which the text is when it is padded.
    package enum Alignment: Sendable { case left, right }

    private func clusterCount(within limit: Int) -> Int {
        var columns = 0
        for (index, cluster) in clusters.enumerated() {
            columns += cluster.width
            if columns > limit { return index }
        }
        return clusters.count
    }
}

extension Sequence<SafeText> {
    /// All texts with `separator` between them.
    package func joined(separator: SafeText = .empty) -> SafeText {
        var sum = SafeText.empty
        for (index, text) in enumerated() {
            if index > 0 { sum += separator }
            sum += text
        }
        return sum
    }
}
