// Brings events from whoever publishes them, on any thread, to one reader.

import Synchronization

/// The events for one reader. Publishers never wait: events stay here until the reader takes them (`EventBacklog`).
package final class EventQueue: Sendable {
    private struct State {
        var backlog: EventBacklog
        var isFinished = false
    }

    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    package init(beginningWith first: [ChatEvent] = []) {
        state = Mutex(State(backlog: EventBacklog(first)))
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The events, for one reader at a time. It ends with the task that reads it, and after `finish`.
    package var stream: AsyncStream<ChatEvent> { AsyncStream { await self.next() } }

    package func put(_ event: ChatEvent) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.backlog.append(event)
        }
        wake.yield()
    }

    /// No event follows; those that wait can still be taken.
    package func finish() {
        state.withLock { $0.isFinished = true }
        wake.finish()
    }

    private func next() async -> ChatEvent? {
        while !Task.isCancelled {
            let (event, isFinished) = state.withLock { ($0.backlog.popFirst(), $0.isFinished) }
            if let event { return event }
            if isFinished { return nil }
            var iterator = wakes.makeAsyncIterator()
            // It ends by `finish`, or with the task that reads.
            guard await iterator.next() != nil || state.withLock({ $0.isFinished }) else { return nil }
        }
        return nil
    }
}
