// Whether somebody sits before the screen: told by the terminal where it reports the focus, guessed from the keys elsewhere.

import ChatWords

/// The user's attention, as far as we know it. Times are uptimes.
struct Attention: Sendable, Equatable {
    /// On a terminal that reports no focus (the Linux console, tmux without `focus-events`) nobody is thought to look any more
    /// after so long without a key.
    static let span = Duration.seconds(60)

    /// The terminal reports when its window gains or loses the keyboard.
    private(set) var isReported = false
    /// `nil` before the first key or click.
    private var lastInput: Duration?

    mutating func focusWasReported() { isReported = true }

    mutating func note(inputAt now: Duration) { lastInput = now }

    /// Nobody has touched a key for long, and nothing tells whether the window is in front.
    func hasFaded(at now: Duration) -> Bool {
        guard !isReported, let lastInput else { return false }
        return now - lastInput >= Self.span
    }
}
