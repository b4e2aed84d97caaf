// How the screen comes to its end.

/// Whether and how the program ends.
struct Ending: Sendable, Equatable {
    private(set) var isQuitting = false
    /// Something that was begun failed after that.
    private(set) var hasLeftUndone = false
    /// 0, or 128 + signal.
    private(set) var exitCode: Int32 = 0

    /// `false`: it has begun before.
    mutating func quit() -> Bool {
        defer { isQuitting = true }
        return !isQuitting
    }

    mutating func leaveUndone() { hasLeftUndone = true }

    /// A signal ends the screen.
    mutating func end(with code: Int32) { exitCode = code }
}
