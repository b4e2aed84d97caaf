// The promise of a response: made by `PeerLink.submit`, kept by the link's driver, awaited by anybody.

internal import Synchronization

/// A response that has not come yet. Every one ends: with the response, or with the error that ended the link.
public final class PendingResponse: Sendable {
    private typealias Waiter = CheckedContinuation<Result<BLIPResponse, LinkError>, Never>

    private struct State {
        var result: Result<BLIPResponse, LinkError>?
        /// Mostly there is one, which needs no memory of its own.
        var waiter: Waiter?
        var furtherWaiters: [Waiter] = []
    }

    private let state = Mutex(State())
    private let mailbox: LinkMailbox
    /// The number of the request, once it has one; for the link's driver.
    let number = Atomic<UInt64>(0)

    init(mailbox: LinkMailbox) { self.mailbox = mailbox }

    /// Waits for the response; an error response of the peer is returned, not thrown. Cancelling the waiting task
    /// cancels the request.
    public func value() async throws(LinkError) -> BLIPResponse {
        if let known = state.withLock({ $0.result }) { return try known.get() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state in
                    guard state.result == nil else { return state.result }
                    if state.waiter == nil {
                        state.waiter = continuation
                    } else {
                        state.furtherWaiters.append(continuation)
                    }
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Forgets the request: `value()` throws `.closedLocally` and a late response is dropped. A request that the
    /// peer has already got is not undone by this.
    public func cancel() {
        if complete(.failure(.closedLocally)) { mailbox.post(.cancel(self)) }
    }

    /// The first outcome counts; returns whether this was it.
    @discardableResult
    func complete(_ result: Result<BLIPResponse, LinkError>) -> Bool {
        let waiting = state.withLock { state -> (first: Waiter?, others: [Waiter])? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { (state.waiter, state.furtherWaiters) = (nil, []) }
            return (state.waiter, state.furtherWaiters)
        }
        guard let waiting else { return false }
        waiting.first?.resume(returning: result)
        for waiter in waiting.others { waiter.resume(returning: result) }
        return true
    }

    var isComplete: Bool { state.withLock { $0.result != nil } }
}
