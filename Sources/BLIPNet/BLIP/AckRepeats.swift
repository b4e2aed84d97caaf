// When an ACK is sent again: its receiver may have lost it, and then waits for it as we wait for its frames.

/// What one incoming message has acknowledged, and since when nothing has happened about it.
///
/// An ACK cannot get lost on the wire, but known peers lose one by a race of their own: a message that has reached its
/// window then stands until somebody's time-out. An ACK that says what is known already changes nothing for others.
struct AckRepeats {
    /// The last ACK that was given, in bytes; 0 before the first.
    private(set) var byteCount: UInt64 = 0
    private var quietSince: MonotonicTime?
    private var repeats = 0

    /// An ACK is given.
    mutating func acknowledged(_ byteCount: UInt64, now: MonotonicTime) {
        self.byteCount = byteCount
        frameCame(now: now)
    }

    /// A frame of the message has come.
    mutating func frameCame(now: MonotonicTime) {
        quietSince = now
        repeats = 0
    }

    /// When the last ACK is to be given again: after `first` of silence, then after twice as long, and so on. `nil`:
    /// there is none.
    func due(first: Duration) -> MonotonicTime? {
        guard byteCount > 0, let quietSince else { return nil }
        return quietSince + first * (1 << min(repeats, 16))
    }

    /// It is given again.
    mutating func repeated() { repeats += 1 }
}
