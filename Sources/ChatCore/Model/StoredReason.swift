// Reasons as the store, exports and the control socket keep them: a code that never changes, perhaps with values behind it.

/// A reason that is kept as text. Words for people are made from the value and never stored.
package protocol StoredReason: Codable {
    /// Letters and hyphens, and after a blank what belongs to it.
    var stored: String { get }
    /// Takes any text: what it does not know becomes `other` and is shown as it is.
    init(stored: String)
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
