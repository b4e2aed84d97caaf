// News on their way from the chat to the screen, so that the screen's thread is woken once for all that wait.

import ChatCore
import ChatWords
import Synchronization

/// The events that the screen has not seen yet, in their order.
///
/// A task of the screen that awaits them one by one changes threads twice for each: `AsyncStream` waits away from the
/// actor. Ten thousand messages a second were then ten thousand times two wake-ups, and the screen could not keep up.
/// Here they gather away from the screen, which hears of them only when there is something after nothing.
final class NewsQueue: Sendable {
    /// The screen takes at most so many in one piece of its work: a key does not wait for more.
    static let portion = 64

    private struct Waiting {
        var backlog = EventBacklog()
        var isTold = false
    }
    private let waiting = Mutex(Waiting())

    /// Adds `event`. Returns whether to tell the screen, which has heard nothing since it found no more.
    func add(_ event: ChatEvent) -> Bool {
        waiting.withLock { waiting in
            waiting.backlog.append(event)
            defer { waiting.isTold = true }
            return !waiting.isTold
        }
    }

    /// The next `portion` events, and whether more are waiting; after `false` the screen hears of the next one.
    func take() -> (events: [ChatEvent], isMore: Bool) {
        waiting.withLock { waiting in
            let events = waiting.backlog.take(atMost: Self.portion)
            waiting.isTold = waiting.backlog.count > 0
            return (events, waiting.isTold)
        }
    }
}

/// How fast news go to the screen: the first at once, a flood of them together.
///
/// Where each wakes a thread of its own, and the screen, a machine whose threads wake slowly spends most of a processor
/// on that alone, and the screen cannot keep up.
struct NewsPace {
    /// How long a flood is left to gather. A picture is 18 ms.
    static let rest = Duration.milliseconds(4)
    /// How long the screen listens in between.
    private static let listening = Duration.milliseconds(1)
    /// So many in `rest` are a flood.
    private static let flood = 8

    private var told: ContinuousClock.Instant?
    private var begun: ContinuousClock.Instant
    private var count = 0

    init(at now: ContinuousClock.Instant) { begun = now }

    /// The screen must hear of it. Returns after how long: perhaps it has heard something a moment ago.
    mutating func tell(at now: ContinuousClock.Instant) -> Duration {
        let due = told.map { max(now, $0 + Self.rest) } ?? now
        told = due
        return due - now
    }

    /// Something has come. Returns whether to let more gather before looking at the next; then `begin(at:)` follows.
    mutating func rests(at now: ContinuousClock.Instant) -> Bool {
        count += 1
        let time = now - begun
        guard time >= Self.listening else { return false }
        guard time <= Self.rest else {
            begin(at: now)
            return false
        }
        return count >= Self.flood
    }

    /// Begins to count anew.
    mutating func begin(at now: ContinuousClock.Instant) {
        begun = now
        count = 0
    }
}
