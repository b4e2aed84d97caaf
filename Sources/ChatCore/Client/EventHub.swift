// Fans news out to the front ends that watch: from ChatClient and its store, or from the process that runs the chat, to the
// screen, `watch` and the socket.

import Synchronization

/// Any number of independent event streams. None of them holds up the others or the chat (DESIGN 4: AsyncStream has no
/// back-pressure): what a reader does not take waits in its `EventQueue`.
///
/// Not part of the actor: the store reports from its own threads, and nothing may change the order on the way.
package final class EventHub: Sendable {
    private struct Reader {
        weak var queue: EventQueue?
    }
    private struct State {
        var readers: [Reader] = []
        var isFinished = false
    }
    private let state = Mutex(State())

    package init() {}

    /// A stream from now on, after `first`, until its reader has gone.
    package func subscribe(beginningWith first: [ChatEvent] = []) -> AsyncStream<ChatEvent> {
        let queue = EventQueue(beginningWith: first)
        let isFinished = state.withLock { state in
            state.readers.append(Reader(queue: queue))
            return state.isFinished
        }
        if isFinished { queue.finish() }
        return queue.stream
    }

    /// The order of the calls is that of all streams.
    package func publish(_ event: ChatEvent) {
        state.withLock { state in
            state.readers.removeAll { reader in
                reader.queue?.put(event)
                return reader.queue == nil
            }
        }
    }

    package var hasReaders: Bool { readerCount > 0 }

    /// How many streams have a reader.
    var readerCount: Int { state.withLock { $0.readers.count { $0.queue != nil } } }

    /// Ends all streams, also those that somebody asks for later.
    package func finish() {
        let ended = state.withLock { state in
            defer { state.readers = [] }
            state.isFinished = true
            return state.readers
        }
        for reader in ended { reader.queue?.finish() }
    }
}
