// The conditions that a text must meet to be sent.

package enum ChatText {
    /// Whether it has anything but blanks and characters without a shape.
    package static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    }

    /// A message must show something, and must fit.
    static func check(_ text: String) throws(ChatError) {
        guard isVisible(text) else { throw .emptyText }
        try check(caption: text)
    }

    static func check(caption: String) throws(ChatError) {
        guard caption.utf8.count <= WireLimit.text else {
            throw .textTooLong(bytes: caption.utf8.count, limit: WireLimit.text)
        }
    }
}
