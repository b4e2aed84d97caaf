// News on their way from the chat to the screen, so that the screen's thread is woken once for all that wait.

import ChatCore
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
