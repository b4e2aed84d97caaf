// When to paint: at most 60 pictures in any second, and the echo of a key before everything else. Pure.

import ChatWords

/// A rate limit for pictures that lets a few of them go ahead of their time: those that show what was just typed.
///
/// News wait until their turn, one picture for everything that happens until then. A key does not wait, unless many
/// keys have gone ahead already (a key that is held down, a paste without marks).
struct PaintSchedule {
    /// The time that belongs to one picture.
    static let interval = Duration.milliseconds(18)
    /// How many pictures keys may be ahead of their time.
    static let advance = 3
    /// The same as times, for keys alone and for keys beside something else that is to be painted. Multiplied once.
    private static let lead = interval * advance
    private static let shortLead = interval * (advance - 1)

    /// When the next picture may be painted that is not ahead of its time (uptime).
    private var turn = Duration.zero
    /// When the next picture will be painted; `nil` when there is nothing new.
    private var due: Duration?

    /// Something is to be painted. Returns how long to wait for it; `nil` when an earlier request covers it.
    mutating func request(at now: Duration, asEcho isEcho: Bool) -> Duration? {
        let time = max(now, isEcho ? turn - Self.lead : turn)
        if let due, due <= time { return nil }
        due = time
        return time - now
    }

    /// Whether a typed character may be painted by itself now. While something else is to be painted, whose turn comes
    /// too, it takes less: who types faster gets both in one picture.
    func mayEcho(at now: Duration) -> Bool {
        turn - (due == nil ? Self.lead : Self.shortLead) <= now
    }

    /// Whether the picture that was scheduled for `now` is still to be painted. Timers of another clock may be early by
    /// a little.
    func isDue(at now: Duration) -> Bool { due.map { $0 <= now + .milliseconds(1) } ?? false }

    /// Everything is painted.
    mutating func painted(at now: Duration) {
        due = nil
        echoed(at: now)
    }

    /// Only a typed character is painted: what else is due stays due, however many keys come.
    mutating func echoed(at now: Duration) { turn = max(turn, now) + Self.interval }
}
