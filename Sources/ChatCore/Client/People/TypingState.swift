// "is typing", in both directions: how often we say it, and how long we believe it. Pure: time is passed in.

import BLIPNet

struct TypingState {
    /// Said again at most this often while our user continues typing.
    static let repeatAfter = Duration.seconds(3)
    /// Believed for this long without being said again.
    static let believedFor = Duration.seconds(6)

    private var lastSaid: MonotonicTime?
    /// The peer is typing, as last published.
    private(set) var peerIsComposing = false
    /// Increases with each word from the peer, so that an old expiry does nothing.
    private(set) var generation = 0

    /// Whether to tell the peer that our user types (or stopped).
    mutating func shouldSay(_ composing: Bool, now: MonotonicTime) -> Bool {
        if !composing {
            defer { lastSaid = nil }
            return lastSaid != nil
        }
        if let lastSaid, now - lastSaid < Self.repeatAfter { return false }
        lastSaid = now
        return true
    }

    /// Our user sent what they typed: the message says that they stopped.
    mutating func forgetSaid() { lastSaid = nil }

    /// The peer said so (or an expiry did); `true` when that is news.
    mutating func peerSaid(_ composing: Bool) -> Bool {
        generation += 1
        defer { peerIsComposing = composing }
        return composing != peerIsComposing
    }
}
