// The mail of other threads to a link, on its way to the link's queue: one wake-up for any number of items.

internal import Synchronization

/// A first-in-first-out box between any thread and the driver of one link.
final class LinkMailbox: Sendable {
    enum Item: Sendable {
        case request(BLIPRequest, sink: (any BodySink)?, PendingResponse?)
        case respond(number: UInt64, BLIPResponse)
        case cancel(PendingResponse)
        /// A slow consumer has taken bytes of a body.
        case bytesTaken
        case ping
        /// The peer is no stranger any more.
        case admit
        /// `leaves`: nobody waits for the peer's goodbye.
        case close(code: UInt16, reason: String, leaves: Bool)

        /// Nobody will look at the item: nobody must wait for it.
        func fail(_ error: LinkError) {
            guard case .request(_, let sink, let pending) = self else { return }
            sink?.bodyEnded(error)
            pending?.complete(.failure(error))
        }
    }

    private struct State {
        var items: [Item] = []
        /// The driver will look into the box without a further wake-up.
        var isAwake = false
        var wake: (@Sendable () -> Void)?
        var end: LinkError?
    }

    private let state = Mutex(State())

    /// Sets what wakes the driver up. It is called from the threads that post.
    func onWake(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// Puts an item in; after the end of the link, requests fail and everything else is dropped.
    func post(_ item: Item) {
        let (end, wake) = state.withLock { state -> (LinkError?, (@Sendable () -> Void)?) in
            if let end = state.end { return (end, nil) }
            state.items.append(item)
            guard !state.isAwake else { return (nil, nil) }
            state.isAwake = true
            return (nil, state.wake)
        }
        if let end { item.fail(end) }
        wake?()
    }

    /// Takes everything out. The driver continues to work and will look again, or rests if there was nothing: then the
    /// next item wakes it up.
    func takeAll(orRest: Bool) -> [Item] {
        state.withLock { state in
            state.isAwake = !(orRest && state.items.isEmpty)
            guard !state.items.isEmpty else { return [] }
            defer { state.items = [] }
            return state.items
        }
    }

    /// No more items: fails the requests that are in the box and all that come later.
    func end(_ error: LinkError) {
        let items = state.withLock { state -> [Item] in
            if state.end == nil { state.end = error }
            state.wake = nil
            defer { state.items = [] }
            return state.items
        }
        for item in items { item.fail(error) }
    }
}
