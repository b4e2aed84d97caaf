// How often we look after everybody when our networks change: an interface that comes brings several changes at once, and one
// that comes and goes brings them for hours. Pure: time is passed in.

import BLIPNet

/// The rounds that follow changes of our networks.
struct PathRounds {
    /// Changes within this time count as one.
    static let settling = Duration.milliseconds(200)

    private var turns: TokenBucket
    private var isComing = false

    init(now: MonotonicTime) { turns = TokenBucket(rate: 1.0 / 30, burst: 6, now: now) }

    /// A change is there. Returns when its round is to begin; `nil`: one is coming anyway.
    mutating func changed(now: MonotonicTime) -> Duration? {
        guard !isComing else { return nil }
        isComing = true
        return max(Self.settling, turns.take(now: now))
    }

    /// A round begins: what changes from now on needs another one.
    mutating func begin() { isComing = false }
}
