// What somebody does instead of saying it: a text that begins with "/me " (XEP-0245 and everybody before it).

package enum ActionText {
    package static let prefix = "/me "

    /// The deed in an action, `waves` in `/me waves`; `nil` for other texts.
    package static func deed(in text: String) -> Substring? {
        // By bytes: what follows is from outside, and may be one Character with all of the text.
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return Substring(text.utf8.dropFirst(prefix.utf8.count))
    }

    /// A text that is meant literally: on the wire only its beginning marks an action, so a text that looks like one
    /// gets a blank in front.
    package static func literal(_ text: String) -> String { deed(in: text) == nil ? text : " " + text }

    /// `* waves` where there is no room for a name, or the name is in front already; other texts as they are.
    package static func starred(_ text: String) -> String {
        deed(in: text).map { "* \($0)" } ?? text
    }
}
