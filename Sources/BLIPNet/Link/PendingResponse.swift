// The promise of a response: made by `PeerLink.submit`, kept by the link's driver, awaited by anybody.

internal import Synchronization

/// A response that has not come yet. Every one ends: with the response, or with the error that ended the link.
public final class PendingResponse: Sendable {
    private struct State {
        var result: Result<BLIPResponse, LinkError>?
        var waiters: [CheckedContinuation<Result<BLIPResponse, LinkError>, Never>] = []
    }

    private let state = Mutex(State())
    private let mailbox: LinkMailbox

    init(mailbox: LinkMailbox) { self.mailbox = mailbox }

    /// Waits for the response; an error response of the peer is returned, not thrown. Cancelling the waiting task
    /// cancels the request.
    public func value() async throws(LinkError) -> BLIPResponse {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state in
                    if state.result == nil { state.waiters.append(continuation) }
                    return state.result
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
        let waiters = state.withLock { state -> [CheckedContinuation<Result<BLIPResponse, LinkError>, Never>]? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume(returning: result) }
        return true
    }

    var isComplete: Bool { state.withLock { $0.result != nil } }
}
