// Reasons as the store, exports and the control socket keep them: a code that never changes, perhaps with values after it.

/// A reason that is kept as text. Words for people are made from the value and never stored.
package protocol StoredReason: Codable {
    /// Letters and hyphens, and after a blank what belongs to it.
    var stored: String { get }
    /// Takes any text: a code that this version does not know becomes `other`.
    init(stored: String)
    /// Words of an export or of an earlier version, which are shown as they are.
    static func other(_ words: String) -> Self
}

extension StoredReason {
    package init(from decoder: any Decoder) throws {
        self.init(stored: try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stored)
    }
}
