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
        let number = state.withLock { state in
            state.nextNumber += 1
            state.subscribers[state.nextNumber] = continuation
            return state.nextNumber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    /// The order of the calls is that of all streams.
    func publish(_ event: ChatEvent) {
        state.withLock { state in
            for continuation in state.subscribers.values { continuation.yield(event) }
        }
    }

    /// Ends all streams.
    func finish() {
        // Outside of the lock: the end of a stream comes back as its termination.
        let ended = state.withLock { state in
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for continuation in ended { continuation.finish() }
    }
}
