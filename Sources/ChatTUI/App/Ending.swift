// How the screen comes to its end.

/// Whether and how the program ends.
struct Ending: Sendable, Equatable {
    var isQuitting = false
    /// Something that was begun failed after that.
    var hasLeftUndone = false
    /// 0, or 128 + signal.
    var exitCode: Int32 = 0
}
