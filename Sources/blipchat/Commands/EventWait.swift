// Waits for a certain event of the chat, with a limit that news can push further away.

import ChatCore
import Synchronization

/// A wait that ends at the latest when its time is over.
final class EventWait: Sendable {
    private struct Limit {
        var deadline: ContinuousClock.Instant
        var timeout: Duration
    }

    private let limit: Mutex<Limit>

    /// `whole`: the time-out that people know, where part of it is over already.
    init(_ timeout: Duration, of whole: Duration? = nil) {
        limit = Mutex(Limit(deadline: .now + timeout, timeout: whole ?? timeout))
    }

    /// From now on there is `timeout` left.
    func extend(by timeout: Duration) {
        limit.withLock { $0 = Limit(deadline: .now + timeout, timeout: timeout) }
    }

    /// The time-out that is or was in force.
    var lastTimeout: Duration { limit.withLock { $0.timeout } }

    /// The result of `decide` for the first event that it does not answer with `nil`; `nil` when the time is over.
    func first<Result: Sendable>(
        in events: AsyncStream<ChatEvent>, _ decide: @escaping @Sendable (ChatEvent) async -> Result?
    ) async -> Result? {
        await withTaskGroup(of: Result?.self) { group in
            group.addTask {
                for await event in events {
                    if let result = await decide(event) { return result }
                }
                return nil
            }
            group.addTask { [self] in
                while !Task.isCancelled {
                    let deadline = limit.withLock { $0.deadline }
                    guard ContinuousClock.now < deadline else { break }
                    // Cancellation ends the sleep, and then the loop.
                    try? await Task.sleep(until: deadline, clock: .continuous)
                }
                return nil
            }
            let result = await group.next() ?? nil
            group.cancelAll()
            return result
        }
    }
}
