// The words of a command of the configuration (`notify.command`, `files.open_command`): no shell is asked.

import ChatWords

/// Takes the command lines of settings apart.
package enum CommandLine {
    /// The words: parted by blanks; '...' takes everything as it is, "..." too but for \" and \\, and outside of them a
    /// backslash takes the next character as it is. Nothing is expanded. `nil` when a closing quotation mark is missing.
    package static func words(of line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = Substring(line)
        while let character = rest.popFirst() {
            switch (quote, character) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("'", _): word = (word ?? "") + String(character)
            case ("\"", "\\") where rest.first == "\"" || rest.first == "\\":
                word = (word ?? "") + (rest.popFirst().map(String.init) ?? "")
            case ("\"", _): word = (word ?? "") + String(character)
            case (_, "'"), (_, "\""):
                quote = character
                word = word ?? ""
            case (_, "\\"):
                guard let next = rest.popFirst() else { return nil }
                word = (word ?? "") + String(next)
            case (_, " "), (_, "\t"):
                if let whole = word { words.append(whole) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { return nil }
        if let word { words.append(word) }
        return words
    }
}
