// The spelling of the draft: the words that the user's checker (input.spell_command) does not know. Asked by
// SpellChecking, drawn by InputBox.

import ChatWords

/// The results of checking the spelling of the open draft, and when it is checked next.
struct SpellCheck: Sendable, Equatable {
    /// The draft is checked when no key has changed it for so long.
    static let pause = Duration.milliseconds(400)

    /// As they are written in the draft.
    private(set) var unknown: Set<String> = []
    /// When (uptime) the draft is to be checked.
    private(set) var due: Duration?
    /// The checker is at work on a text: the next one waits until it has answered.
    private(set) var isRunning = false
    /// It could not be run; it is not tried again before the setting changes.
    private(set) var hasFailed = false

    /// The draft is not what it was.
    mutating func draftChanged(at now: Duration) { if !hasFailed { due = now + Self.pause } }

    /// Whether the user has paused. The draft counts as checked then.
    mutating func takeDue(at now: Duration) -> Bool {
        guard let due, due <= now, !isRunning else { return false }
        self.due = nil
        return true
    }

    /// The checker has a text.
    mutating func begin() { isRunning = true }

    /// It knows all words but these.
    mutating func end(unknown words: Set<String>) {
        isRunning = false
        unknown = words
    }

    /// The checker could not be run.
    mutating func fail() {
        self = SpellCheck()
        hasFailed = true
    }

    /// The user has another checker now.
    mutating func restart() { self = SpellCheck() }

    /// Where the unknown words are in a draft.
    func marks(in line: InputLine) -> [Range<Int>] {
        guard !unknown.isEmpty else { return [] }
        return Self.words(in: line.characters).filter { unknown.contains(String(line.characters[$0])) }
    }

    /// The text of a draft for the checker to read; `nil`: nothing. Commands are not checked, nor are links, addresses
    /// and names of emoji, which no dictionary has.
    static func text(of draft: String) -> String? {
        let isCommand = draft.hasPrefix("/") && !draft.hasPrefix("//")
        guard !isCommand else { return nil }
        let lines = draft.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: " ").filter { word in
                !word.contains("://") && !word.contains("@") && !(word.hasPrefix(":") && word.hasSuffix(":"))
            }.joined(separator: " ")
        }
        let text = lines.joined(separator: "\n")
        return text.contains(where: \.isLetter) ? text : nil
    }

    /// Letters, with apostrophes inside.
    private static func words(in characters: [Character]) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start: Int?
        for index in 0...characters.count {
            let isEnd = index == characters.count
            let isInside =
                !isEnd
                && (characters[index].isLetter
                    || start != nil && "'\u{2019}".contains(characters[index]) && index + 1 < characters.count
                        && characters[index + 1].isLetter)
            if isInside {
                start = start ?? index
            } else if let first = start {
                words.append(first..<index)
                start = nil
            }
        }
        return words
    }
}

/// The answer of a spell checker.
package enum SpellOutcome: Sendable, Equatable {
    /// The words that it does not know.
    case unknown([String])
    /// Why there is no answer, in words.
    case failed(String)
}
