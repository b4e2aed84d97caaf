// Fans news out to the front ends that watch: from ChatClient and its store to the screen, `watch` and the socket.

import Synchronization

/// Any number of independent event streams. Events are for showing only: a front end that reads nothing for 10,000
/// events loses the oldest and finds everything in the store (DESIGN 4: AsyncStream has no back-pressure).
///
/// Not part of the actor: the store reports from its own threads, and nothing may change the order on the way.
final class EventHub: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<ChatEvent>.Continuation] = [:]
        var nextNumber = 0
    }
    private let state = Mutex(State())

    /// A stream from now on, after `first`, until its reader has gone.
    func subscribe(beginningWith first: [ChatEvent] = []) -> AsyncStream<ChatEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ChatEvent.self, bufferingPolicy: .bufferingNewest(10_000))
        for event in first { continuation.yield(event) }
        state.withLock { state in
            state.nextNumber += 1
            state.subscribers[state.nextNumber] = continuation
        }
        return stream
    }

    /// The order of the calls is that of all streams. Readers that have gone are forgotten here and not when they go:
    /// their end is told while their task is locked, and an event wakes a task up while we are, so that the two could
    /// wait for each other for ever.
    func publish(_ event: ChatEvent) {
        state.withLock { state in
            for (number, continuation) in state.subscribers {
                if case .terminated = continuation.yield(event) { state.subscribers[number] = nil }
            }
        }
    }

    /// How many streams have a reader, as far as the latest event has told.
    var readerCount: Int { state.withLock { $0.subscribers.count } }

    /// Ends all streams.
    func finish() {
        let ended = state.withLock { state in
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for continuation in ended { continuation.finish() }
    }
}
