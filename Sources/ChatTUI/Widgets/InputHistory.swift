// The lines that were entered in this session, for Up and Down.

/// Entered lines, oldest first, and where Up and Down stand in them.
struct InputHistory: Sendable, Equatable {
    static let limit = 1000

    private(set) var lines: [String] = []
    /// Index of the shown line; `nil` while the user's own draft is shown.
    private var place: Int?
    /// The draft that was there before Up was pressed.
    private var draft = ""

    mutating func add(_ line: String) {
        place = nil
        guard !line.isEmpty, lines.last != line else { return }
        lines.append(line)
        if lines.count > Self.limit { lines.removeFirst() }
    }

    /// The line before the shown one; `current` is kept to come back to. `nil` at the oldest.
    mutating func older(than current: String) -> String? {
        let index = (place ?? lines.count) - 1
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

    /// The user edits: what is shown is a draft of its own from now on.
    mutating func leave() {
        place = nil
    }
}
