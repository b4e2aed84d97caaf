// News on their way from the chat to the screen, so that the screen's thread is woken once for all that wait.

import ChatCore
import ChatWords
import Synchronization

/// The events that the screen has not seen yet, in their order.
///
/// A task of the screen that awaits them one by one changes threads twice for each: `AsyncStream` waits away from the
/// actor. Ten thousand messages a second were then ten thousand times two wake-ups, and the screen fell behind.
/// Here they are gathered away from the screen, which is told only when there is something after nothing.
final class NewsQueue: Sendable {
    /// More do not wait: the oldest are lost, as in the chat's stream. The history has them all.
    static let limit = 10_000
    /// The screen takes at most so many in one piece of its work: a key does not wait for more.
    static let portion = 64

    private struct Waiting {
        var events: [ChatEvent] = []
        /// Those before it are gone; they leave the array together, so that taking costs the same however many wait.
        var first = 0
        var isTold = false

        mutating func forget(_ count: Int) {
            first += count
            guard first >= max(NewsQueue.portion, events.count - first) else { return }
            events.removeFirst(first)
            first = 0
        }
    }
    private let waiting = Mutex(Waiting())

    /// Adds `event`. Returns whether the screen has to be told: it has not been since it found nothing more.
    func add(_ event: ChatEvent) -> Bool {
        waiting.withLock { waiting in
            waiting.events.append(event)
            if waiting.events.count - waiting.first > Self.limit { waiting.forget(1) }
            defer { waiting.isTold = true }
            return !waiting.isTold
        }
    }

    /// The next `portion` events, and whether others wait behind them; with `false` the next one is told again.
    func take() -> (events: [ChatEvent], isMore: Bool) {
        waiting.withLock { waiting in
            let events = Array(waiting.events[waiting.first...].prefix(Self.portion))
            waiting.forget(events.count)
            waiting.isTold = waiting.first < waiting.events.count
            return (events, waiting.isTold)
        }
    }
}

/// How fast news go to the screen: the first at once, a flood of them together.
///
/// Where each wakes a thread of its own, and the screen, a machine whose threads wake slowly spends most of a processor on
/// that alone, and the screen falls behind.
struct NewsPace {
    /// How long a flood is left to gather. A picture is 18 ms.
    static let rest = Duration.milliseconds(4)
    /// How long it is listened to in between.
    private static let listening = Duration.milliseconds(1)
    /// So many in `rest` are a flood.
    private static let flood = 8

    private var told: ContinuousClock.Instant?
    private var begun: ContinuousClock.Instant
    private var count = 0

    init(at now: ContinuousClock.Instant) { begun = now }

    /// The screen is to be told. Returns after how long: it was told a moment ago, perhaps.
    mutating func tell(at now: ContinuousClock.Instant) -> Duration {
        let due = told.map { max(now, $0 + Self.rest) } ?? now
        told = due
        return due - now
    }

    /// Something has come. Returns whether to let more gather before the next is looked at; then `begin(at:)` follows.
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
