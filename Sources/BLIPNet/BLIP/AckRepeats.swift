// When an ACK is sent again: its receiver may have lost it, and then waits for it as we wait for its frames.

/// The acknowledgements of one incoming message, and since when nothing has happened to it.
///
/// An ACK cannot get lost on the wire, but known peers lose one through a race of their own: a message that has reached
/// its window then stalls until one side times out. An ACK that repeats what is known changes nothing for other peers.
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
