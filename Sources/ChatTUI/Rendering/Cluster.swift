// What one cell (or two neighbours) shows: a grapheme cluster that went through the filter. Made by TextFilter only.

/// A filtered grapheme cluster and the columns that it takes. Only this module can make one, so its text never holds
/// a control character (apart from the line break), a bidi control or an invisible character.
public struct Cluster: Sendable, Hashable {
    /// One base with at most four marks, or one emoji sequence.
    public let text: String
    /// Columns: 1 or 2; 0 only for the line break.
    public let width: Int
    /// True when it stands for something that was not drawable (`␛`, `‹RLO›`, `‹+36›`); drawn dim.
    public let isSubstitute: Bool
    /// The link that it is a part of.
    public internal(set) var link: Link?

    init(text: String, width: Int, isSubstitute: Bool = false) {
        self.text = text
        self.width = width
        self.isSubstitute = isSubstitute
    }

    /// The end of a line inside `.multiline` text.
    static let lineBreak = Cluster(text: "\n", width: 0)
    /// One blank column.
    public static let blank = Cluster(text: " ", width: 1)
    /// What stands at the end of a shortened text.
    static let ellipsis = Cluster(text: "…", width: 1)

    public var isLineBreak: Bool { width == 0 }
    public var isBlank: Bool { text == " " }

    /// The printable ASCII characters, indexed by code - 0x20.
    static let ascii: [Cluster] = (0x20...0x7E).map { code in
        Cluster(text: String(UnicodeScalar(UInt8(code))), width: 1)
    }

    /// The cluster of a printable ASCII character; `nil` for any other byte.
    static func ascii(_ byte: UInt8) -> Cluster? {
        (0x20...0x7E).contains(byte) ? ascii[Int(byte) - 0x20] : nil
    }
}
