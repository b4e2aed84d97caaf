// The text that is being typed, with its cursor. Keys change it through AppState; InputBox draws it; `text` is sent.

import ChatWords

/// An editable text of grapheme clusters with a cursor, undo, and readline's editing operations. A value: copying it
/// keeps a draft.
struct InputLine: Sendable, Equatable {
    /// A state to undo to, newest last; at most `undoLimit` of them with `undoCharacters` together.
    private struct Snapshot: Sendable, Equatable {
        var characters: [Character]
        var cursor: Int
        var longestPaste: Int
    }

    /// Runs of typing and of deleting are undone together, other changes one by one.
    private enum ChangeKind { case typing, deleting, other }

    static let undoLimit = 200
    static let undoCharacters = 1_000_000

    /// The clusters; `"\n"` separates lines.
    private(set) var characters: [Character] = []
    /// Between 0 and `characters.count`.
    private(set) var cursor = 0
    private var longestPaste = 0
    private var undoStack: [Snapshot] = []
    private var run = ChangeKind.other
    /// Changes are one, to be undone together, until the group ends.
    private var isGrouped = false

    init(_ text: String = "") {
        characters = Array(Self.normalised(text))
        cursor = characters.count
    }

    var text: String { String(characters) }
    var isEmpty: Bool { characters.isEmpty }
    /// The lines of the longest paste in it, as far as so many are left.
    var pastedLines: Int {
        guard longestPaste > 0, let last = characters.last else { return 0 }
        return min(longestPaste, characters.count { $0 == "\n" } + (last == "\n" ? 0 : 1))
    }
    var isMultiline: Bool { characters.contains("\n") }
    var textBeforeCursor: String { String(characters[..<cursor]) }
    var textAfterCursor: String { String(characters[cursor...]) }
    /// Whether there may be letters that run from right to left. The first of Unicode is U+0590.
    var hasRightToLeft: Bool { characters.contains { ($0.unicodeScalars.first?.value ?? 0) >= 0x590 } }
    /// Whether the cursor's line begins with a letter that runs from right to left.
    var runsLeft: Bool {
        hasRightToLeft
            && BidiParagraph(SafeText(String(characters[lineStart..<lineEnd]), as: .line).clusters)?.isRightToLeft
                ?? false
    }

    // MARK: Changing

    /// Inserts text at the cursor; line ends of other systems become `\n`.
    mutating func insert(_ text: String) {
        guard !text.isEmpty else { return }
        remember(text.count == 1 && text != "\n" && text != " " ? .typing : .other)
        if let character = plainCharacter(text) {
            characters.insert(character, at: cursor)
            cursor += 1
            return
        }
        // A combining mark joins the cluster before the cursor, so the clusters are formed anew.
        let before = Array(textBeforeCursor + Self.normalised(text))
        characters = Array(String(before) + textAfterCursor)
        cursor = min(before.count, characters.count)
    }

    /// Puts in a text that takes the place of as many characters of its line.
    mutating func overtype(_ text: String) {
        let end = min(lineEnd, cursor + text.count)
        beginGroup()
        _ = kill(to: end)
        insert(text)
    }

    /// The one ASCII character of `text`, between neighbours of that kind: it joins neither of them.
    private func plainCharacter(_ text: String) -> Character? {
        func isPlain(_ index: Int) -> Bool { !characters.indices.contains(index) || characters[index].utf8.count == 1 }
        guard text.utf8.count == 1, let byte = text.utf8.first, (0x20...0x7E).contains(byte), isPlain(cursor - 1),
            isPlain(cursor)
        else { return nil }
        return text.first
    }

    /// Inserts pasted text, undone as one change, and returns its number of lines.
    mutating func insertPaste(_ text: String) -> Int {
        run = .other
        insert(text)
        run = .other
        let lines = Self.normalised(text).split(separator: "\n", omittingEmptySubsequences: false)
        let count = lines.count - (lines.last?.isEmpty == true ? 1 : 0)
        if count > 1 { longestPaste = max(longestPaste, count) }
        return count
    }

    /// Replaces everything; the old text can be undone.
    mutating func replace(with text: String) {
        remember(.other)
        longestPaste = 0
        characters = Array(Self.normalised(text))
        cursor = characters.count
    }

    /// Replaces the clusters from `start` to the cursor (completion).
    mutating func replace(from start: Int, with text: String) {
        remember(.other)
        let start = min(max(start, 0), cursor)
        let before = Array(String(characters[..<start]) + Self.normalised(text))
        characters = Array(String(before) + textAfterCursor)
        cursor = min(before.count, characters.count)
    }

    mutating func deleteBackward() {
        guard cursor > 0 else { return }
        remember(.deleting)
        cursor -= 1
        characters.remove(at: cursor)
    }

    mutating func deleteForward() {
        guard cursor < characters.count else { return }
        remember(.deleting)
        characters.remove(at: cursor)
    }

    /// Deletes between the cursor and `target`, and returns what was deleted.
    mutating func kill(to target: Int) -> String {
        let target = min(max(target, 0), characters.count)
        let range = min(cursor, target)..<max(cursor, target)
        guard !range.isEmpty else { return "" }
        remember(.other)
        let killed = String(characters[range])
        characters.removeSubrange(range)
        cursor = range.lowerBound
        return killed
    }

    /// Changes from now on are undone together.
    mutating func beginGroup() {
        guard !isGrouped else { return }
        remember(.other)
        isGrouped = true
    }

    mutating func endGroup() {
        guard isGrouped else { return }
        isGrouped = false
        run = .other
        // Nothing was changed: there is nothing to undo.
        if undoStack.last?.characters == characters { undoStack.removeLast() }
    }

    mutating func undo() {
        isGrouped = false
        guard let last = undoStack.popLast() else { return }
        characters = last.characters
        cursor = last.cursor
        longestPaste = last.longestPaste
        run = .other
    }

    // MARK: Moving

    mutating func move(to target: Int) {
        cursor = min(max(target, 0), characters.count)
        run = .other
    }

    /// The start of the cursor's line.
    var lineStart: Int {
        characters[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    }

    /// The end of the cursor's line (before its newline).
    var lineEnd: Int {
        characters[cursor...].firstIndex(of: "\n") ?? characters.count
    }

    /// Where the word to the left begins: letters and digits, as Alt-b means it.
    var wordStart: Int {
        var index = cursor
        while index > 0, !Self.isWord(characters[index - 1]) { index -= 1 }
        while index > 0, Self.isWord(characters[index - 1]) { index -= 1 }
        return index
    }

    /// Where the word to the right ends, as Alt-f means it.
    var wordEnd: Int {
        var index = cursor
        while index < characters.count, !Self.isWord(characters[index]) { index += 1 }
        while index < characters.count, Self.isWord(characters[index]) { index += 1 }
        return index
    }

    /// Where the blank-separated word to the left begins, as Ctrl-w means it.
    var blankWordStart: Int {
        var index = cursor
        while index > 0, characters[index - 1].isWhitespace { index -= 1 }
        while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
        return index
    }

    /// Moves to the same column of the line above; `false` on the first line.
    mutating func moveLineUp() -> Bool {
        let start = lineStart
        guard start > 0 else { return false }
        let column = cursor - start
        let above = characters[..<(start - 1)].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        move(to: min(above + column, start - 1))
        return true
    }

    /// Moves to the same column of the line below; `false` on the last line.
    mutating func moveLineDown() -> Bool {
        let end = lineEnd
        guard end < characters.count else { return false }
        let column = cursor - lineStart
        let below = end + 1
        let belowEnd = characters[below...].firstIndex(of: "\n") ?? characters.count
        move(to: min(below + column, belowEnd))
        return true
    }

    // MARK: Private

    private mutating func remember(_ kind: ChangeKind) {
        guard !isGrouped else { return }
        defer { run = kind }
        if kind != .other, kind == run { return }
        undoStack.append(Snapshot(characters: characters, cursor: cursor, longestPaste: longestPaste))
        var kept = undoStack.reduce(0) { $0 + $1.characters.count }
        while undoStack.count > Self.undoLimit || (kept > Self.undoCharacters && undoStack.count > 1) {
            kept -= undoStack.removeFirst().characters.count
        }
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    /// CRLF and CR become LF, so that a line end is one cluster of one kind.
    private static func normalised(_ text: String) -> String {
        guard text.utf8.contains(0x0D) else { return text }
        var scalars = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == "\r" {
                scalars.append("\n")
            } else if !(scalar == "\n" && previous == "\r") {
                scalars.append(scalar)
            }
            previous = scalar
        }
        return String(scalars)
    }
}
