// Letters that somebody types in browse mode as if it were the input: what is a line, and what are keys?

import ChatWords

/// The letters that came in a row, without a pause and without another key between them.
struct TypedRun: Sendable, Equatable {
    /// Nobody who types a line waits longer between two letters, and whoever chooses keys mostly does.
    static let pause = Duration.seconds(1)
    /// Keys that are pressed again and again, before Enter too.
    private static let moves = Set("jkJKgGnNuv")

    private(set) var text = ""
    /// One of them means nothing where it was pressed.
    private var hasStranger = false
    /// Uptime of the last one.
    private var last = Duration.zero

    /// A letter that means something where it is pressed (`isKnown`), or is typed into a field there.
    mutating func add(_ letter: String, isKnown: Bool, at now: Duration) {
        if now - last >= Self.pause { end() }
        text += letter
        hasStranger = hasStranger || !isKnown
        last = now
    }

    /// Another key was pressed.
    mutating func end() {
        text = ""
        hasStranger = false
    }

    /// These are no keys: one of them means nothing, and it is not alone.
    var isLine: Bool { hasStranger && text.count > 1 }

    /// The same when Enter follows now: whoever chooses keys presses one that acts and no further letter before it.
    func isLine(enteredAt now: Duration) -> Bool {
        guard now - last < Self.pause else { return false }
        return hasStranger || text.dropLast().contains { !Self.moves.contains($0) }
    }

    /// Whether a field was filled without a pause since the letter that opened it.
    func isLine(filling field: String, enteredAt now: Duration) -> Bool {
        now - last < Self.pause && !field.isEmpty && text.hasSuffix(field) && text.count > field.count
    }
}
