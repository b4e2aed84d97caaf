// The lines that were entered, for Up, Down and Ctrl-r: those of earlier runs from InputHistoryFile, then this one's.

import ChatWords

/// Entered lines, oldest first, and where Up and Down are in them.
struct InputHistory: Sendable, Equatable {
    /// At most so many lines are kept (`input.history`).
    private var limit = 1000

    private(set) var lines: [String] = []
    /// Index of the shown line; `nil` while the user's own draft is shown.
    private var place: Int?
    /// The draft that was there before Up was pressed.
    private var draft = ""

    init() {}

    /// Those of earlier runs, oldest first.
    init(_ lines: [String], limit: Int) {
        self.limit = limit
        self.lines = lines
        trim()
    }

    /// Keeps at most so many lines from now on; with 0 all of them are forgotten.
    mutating func limit(to count: Int) {
        guard count != limit else { return }
        limit = count
        trim()
    }

    /// Adds an entered line. `false` when it is not to be kept: empty, or the same as the one before.
    @discardableResult mutating func add(_ line: String) -> Bool {
        place = nil
        guard !line.isEmpty, lines.last != line, limit > 0 else { return false }
        lines.append(line)
        trim()
        return true
    }

    /// The line before the shown one; `current` is kept to come back to. `nil` at the oldest.
    mutating func older(than current: String) -> String? {
        var index = (place ?? lines.count) - 1
        // A line that is in the input already is not brought back.
        if place == nil { while index >= 0, lines[index] == current { index -= 1 } }
        guard lines.indices.contains(index) else { return nil }
        if place == nil { draft = current }
        place = index
        return lines[index]
    }

    /// The line after the shown one, at the end the kept draft. `nil` when none is shown.
    mutating func newer() -> String? {
        guard let place else { return nil }
        if lines.indices.contains(place + 1) {
            self.place = place + 1
            return lines[place + 1]
        }
        self.place = nil
        return draft
    }

    /// The draft that is kept while another line is shown.
    var keptDraft: String? { place == nil ? nil : draft }

    /// The user edits: what is shown is a draft of its own from now on.
    mutating func leave() {
        place = nil
    }

    /// The lines with `words` in them, in any case, newest first and each once.
    func matches(_ words: String) -> [String] {
        let wanted = words.lowercased()
        var seen: Set<String> = []
        return lines.reversed().filter {
            (wanted.isEmpty || $0.lowercased().contains(wanted)) && seen.insert($0).inserted
        }
    }

    private mutating func trim() {
        guard lines.count > limit else { return }
        lines.removeFirst(lines.count - max(0, limit))
        place = nil
    }
}
