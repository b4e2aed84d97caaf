// What one cell (or two neighbours) shows: a grapheme cluster that went through the filter. Made by TextFilter only.

/// A filtered grapheme cluster and the columns that it takes. Only this module can make one, so its text never holds
/// a control character (apart from the line break), a bidi control or an invisible character.
///
/// Histories and screens hold hundreds of thousands of them, so it is small, and nearly always without references.
package struct Cluster: Sendable {
    /// The first scalar; all of the text unless there is a `tail`.
    package let base: Unicode.Scalar
    private let columns: UInt8
    /// True when it replaces something that was not drawable (`␛`, `‹RLO›`, `‹+36›`); drawn dim.
    package let isSubstitute: Bool
    /// Parts that few clusters have; one reference, because rows of cells are copied with every key.
    private var extra: Extra?

    /// `text` is not empty.
    package init(text: String, width: Int, isSubstitute: Bool = false) {
        let scalars = text.unicodeScalars
        base = scalars.first ?? " "
        let rest = scalars.dropFirst()
        extra = rest.isEmpty ? nil : Extra(tail: String(rest), link: nil)
        columns = UInt8(clamping: width)
        self.isSubstitute = isSubstitute
    }

    /// One base with at most four marks, or one emoji sequence.
    package var text: String {
        let text = String(base)
        return extra?.tail.map { text + $0 } ?? text
    }

    /// The link that it is a part of.
    package internal(set) var link: Link? {
        get { extra?.link }
        set {
            let tail = extra?.tail
            extra = tail == nil && newValue == nil ? nil : Extra(tail: tail, link: newValue)
        }
    }

    /// Columns: 1 or 2; 0 only for the line break.
    package var width: Int { Int(columns) }

    private final class Extra: Sendable, Hashable {
        /// The marks or the rest of the emoji sequence.
        let tail: String?
        let link: Link?

        init(tail: String?, link: Link?) {
            self.tail = tail
            self.link = link
        }

        static func == (left: Extra, right: Extra) -> Bool { left.tail == right.tail && left.link == right.link }

        func hash(into hasher: inout Hasher) {
            hasher.combine(tail)
            hasher.combine(link)
        }
    }

    /// The end of a line inside `.multiline` text.
    package static let lineBreak = Cluster(text: "\n", width: 0)
    /// One blank column.
    package static let blank = Cluster(text: " ", width: 1)
    /// Fills the second cell of a wide cluster; never in a text.
    package static let rightHalf = Cluster(text: " ", width: 0)
    /// The end of a shortened text.
    package static let ellipsis = Cluster(text: "…", width: 1)

    /// Whether a joiner is in it, which terminals treat each in its own way: tmux puts whatever follows into the same cell.
    package var hasJoiner: Bool {
        extra?.tail?.unicodeScalars.contains { $0 == "\u{200C}" || $0 == "\u{200D}" } ?? false
    }

    package var isOneScalar: Bool { extra?.tail == nil }
    package var isLineBreak: Bool { width == 0 }
    package var isBlank: Bool { base == " " && isOneScalar }

    /// Its code, where it is one ASCII character.
    package var ascii: UInt8? { base.isASCII && isOneScalar ? UInt8(truncatingIfNeeded: base.value) : nil }

    /// One printable ASCII character that leads nowhere, as nearly everything is: no terminal draws it otherwise.
    package var isPlain: Bool { extra == nil && base.value < 0x7F }

    /// The printable ASCII characters, indexed by code - 0x20.
    package static let ascii: [Cluster] = (0x20...0x7E).map { code in
        Cluster(text: String(UnicodeScalar(UInt8(code))), width: 1)
    }

    /// The cluster of a printable ASCII character; `nil` for any other byte.
    package static func ascii(_ byte: UInt8) -> Cluster? {
        (0x20...0x7E).contains(byte) ? ascii[Int(byte) - 0x20] : nil
    }
}

extension Cluster: Hashable {
    package static func == (left: Cluster, right: Cluster) -> Bool {
        left.base == right.base && left.columns == right.columns && left.isSubstitute == right.isSubstitute
            && (left.extra === right.extra || left.extra == right.extra)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(base)
        hasher.combine(extra)
    }
}
