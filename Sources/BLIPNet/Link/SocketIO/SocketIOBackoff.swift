// How long to wait before the next attempt (SOCKETIO B10): full jitter, and a fresh start only after a connection that lasted.

/// Counts failed attempts. Without a clock: the client passes times and randomness in.
struct SocketIOBackoff: Sendable {
    private let options: SocketIOReconnection
    /// Attempts since the last connection that was stable.
    private(set) var failures = 0
    private var openedAt: MonotonicTime?

    init(_ options: SocketIOReconnection) { self.options = options }

    mutating func opened(now: MonotonicTime) { openedAt = now }

    /// A connection is over, or an attempt has failed. Returns how long to wait; `nil` when there is to be no further one.
    mutating func nextDelay(now: MonotonicTime, random: RandomSource) -> Duration? {
        if let openedAt, now - openedAt >= options.stableInterval { failures = 0 }
        openedAt = nil
        failures += 1
        if let most = options.maxAttempts, failures > most { return nil }
        var ceiling = min(options.firstDelay, options.maxDelay)
        for _ in 1..<min(failures, 40) where ceiling < options.maxDelay { ceiling = min(ceiling * 2, options.maxDelay) }
        let bytes = random.bytes(4)
        let draw = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return ceiling * (Double(draw) / Double(UInt32.max))
    }
}
