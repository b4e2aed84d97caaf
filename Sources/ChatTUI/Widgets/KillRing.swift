// The texts that Ctrl-k, Ctrl-u, Ctrl-w and Ctrl-c took out of the input, for Ctrl-y.

import ChatWords

/// The last killed texts, newest last. Kills in a row join into one entry.
struct KillRing: Sendable, Equatable {
    static let limit = 30

    private(set) var entries: [String] = []

    var newest: String? { entries.last }

    /// Adds a killed text. `joining` extends the newest entry: at its end for forward kills, at its start for backward.
    mutating func add(_ text: String, joining: Direction? = nil) {
        guard !text.isEmpty else { return }
        if let joining, let last = entries.popLast() {
            entries.append(joining == .forward ? last + text : text + last)
        } else {
            entries.append(text)
            if entries.count > Self.limit { entries.removeFirst() }
        }
    }

    enum Direction { case forward, backward }
}
