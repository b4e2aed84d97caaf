// What one cell (or two neighbours) shows: a grapheme cluster that went through the filter. Made by TextFilter only.

/// A filtered grapheme cluster and the columns that it takes. Only this module can make one, so its text never holds
/// a control character (apart from the line break), a bidi control or an invisible character.
///
/// Histories and screens hold hundreds of thousands of them, so it is small, and nearly always without references.
public struct Cluster: Sendable {
    /// The first scalar; all of the text unless there is a `tail`.
    let base: Unicode.Scalar
    private let columns: UInt8
    /// True when it stands for something that was not drawable (`␛`, `‹RLO›`, `‹+36›`); drawn dim.
    public let isSubstitute: Bool
    /// The marks or the rest of the emoji sequence.
    private let tail: Tail?
    /// The link that it is a part of.
    public internal(set) var link: Link?

    /// `text` is not empty.
    init(text: String, width: Int, isSubstitute: Bool = false) {
        let scalars = text.unicodeScalars
        base = scalars.first ?? " "
        let rest = scalars.dropFirst()
        tail = rest.isEmpty ? nil : Tail(String(rest))
        columns = UInt8(clamping: width)
        self.isSubstitute = isSubstitute
    }

    /// One base with at most four marks, or one emoji sequence.
    public var text: String {
        let text = String(base)
        return tail.map { text + $0.text } ?? text
    }

    /// Columns: 1 or 2; 0 only for the line break.
    public var width: Int { Int(columns) }

    private final class Tail: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// The end of a line inside `.multiline` text.
    static let lineBreak = Cluster(text: "\n", width: 0)
    /// One blank column.
    public static let blank = Cluster(text: " ", width: 1)
    /// What stands at the end of a shortened text.
    static let ellipsis = Cluster(text: "…", width: 1)

    var isOneScalar: Bool { tail == nil }
    public var isLineBreak: Bool { width == 0 }
    public var isBlank: Bool { base == " " && tail == nil }

    /// Its code, where it is one ASCII character.
    var ascii: UInt8? { tail == nil && base.isASCII ? UInt8(truncatingIfNeeded: base.value) : nil }

    /// The printable ASCII characters, indexed by code - 0x20.
    static let ascii: [Cluster] = (0x20...0x7E).map { code in
        Cluster(text: String(UnicodeScalar(UInt8(code))), width: 1)
    }

    /// The cluster of a printable ASCII character; `nil` for any other byte.
    static func ascii(_ byte: UInt8) -> Cluster? {
        (0x20...0x7E).contains(byte) ? ascii[Int(byte) - 0x20] : nil
    }
}

extension Cluster: Hashable {
    public static func == (left: Cluster, right: Cluster) -> Bool {
        left.base == right.base && left.columns == right.columns && left.isSubstitute == right.isSubstitute
            && (left.tail === right.tail || left.tail?.text == right.tail?.text)
            && (left.link === right.link || left.link == right.link)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(base)
        hasher.combine(tail?.text)
        hasher.combine(link)
    }
}
