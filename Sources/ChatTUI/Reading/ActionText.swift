// What somebody does instead of saying it: a text that begins with "/me " (XEP-0245 and everybody before it).

public enum ActionText {
    static let prefix = "/me "

    /// What is done, `waves`, of `/me waves`; `nil` for other texts.
    static func deed(in text: String) -> Substring? {
        text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
    }

    /// `* waves` where there is no room for a name, or the name stands in front already; other texts as they are.
    public static func starred(_ text: String) -> String {
        deed(in: text).map { "* \($0)" } ?? text
    }
}
