// A rate limit that slows down and never loses anything. Pure: time is passed in.

import BLIPNet

/// Lets `rate` operations through per second, `burst` at once.
struct TokenBucket: Sendable {
    let rate: Double
    let burst: Double
    private var tokens: Double
    private var filled: MonotonicTime

    init(rate: Double, burst: Double, now: MonotonicTime) {
        self.rate = rate
        self.burst = burst
        tokens = burst
        filled = now
    }

    /// Takes one token and returns how long its owner must wait before continuing: zero within the rate.
    mutating func take(now: MonotonicTime) -> Duration {
        let elapsed = max(.zero, now - filled)
        tokens = min(burst, tokens + rate * (elapsed / .seconds(1)))
        filled = now
        tokens -= 1
        return tokens >= 0 ? .zero : .seconds(-tokens / rate)
    }
}
