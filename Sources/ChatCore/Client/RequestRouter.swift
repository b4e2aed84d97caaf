// Takes a link's requests on the link's queue, reads them and lines them up for the client: chat in strict order, files
// beside.

import BLIPNet
import Synchronization

/// The handler of one link. Until its peer is admitted only `hello` comes through (PROTOCOL 4), and, after that of a
/// contact, operations, which wait until it has been answered. `file-get`, `file-digest` and `file-bundle` read only
/// what was offered long before, so they need no order among the chat requests and must not wait for a commit.
final class RequestRouter: PeerRequestHandler {
    let chat: RequestLane
    let files: RequestLane
    private let isForFiles: Bool
    private let isAdmitted: Atomic<Bool>
    private let expectsOperations = Atomic<Bool>(false)
    static let helloFirst = BLIPResponse.failure(.forbidden, "say hello first")

    /// `isForFiles`: of a lane. Nobody says hello there, and only `file-get` comes through: it waits until the client has looked
    /// who calls.
    init(limits: ChatLimits, memory: WaitingMemory, isForFiles: Bool = false) {
        self.isForFiles = isForFiles
        isAdmitted = Atomic(isForFiles)
        chat = RequestLane(limit: limits.waitingRequests, memory: memory)
        files = RequestLane(limit: limits.waitingRequests, memory: memory)
    }

    /// From now on every profile comes through.
    func admit() { isAdmitted.store(true, ordering: .releasing) }

    /// The peer is a contact, who may send operations after their hello without waiting for its answer.
    func expectOperations() { expectsOperations.store(true, ordering: .releasing) }

    /// Whether a request whose turn it is may be handled: the hello before it may have been refused, or there was none.
    func mayHandle(_ request: ReceivedRequest) -> Bool {
        switch request.content {
        case .hello, .malformed: return true
        default: break
        }
        return isAdmitted.load(ordering: .acquiring)
    }

    private func lets(_ profile: ChatProfile?) -> Bool {
        if profile == .hello || isAdmitted.load(ordering: .acquiring) { return true }
        return profile?.mayFollowHello == true && expectsOperations.load(ordering: .acquiring)
    }

    func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? {
        guard let name = request.properties.profile else { return .failure(.notFound, "Profile is missing") }
        let profile = ChatProfile(rawValue: name)
        guard lets(profile) else { return Self.helloFirst }
        if isForFiles, profile != .fileGet { return .failure(.forbidden, "this connection is for files") }
        // No request of the chat has a longer one; what says too much must not wait in memory for its refusal.
        guard request.body.count <= WireLimit.text else { return WireError.bodyTooLong(limit: WireLimit.text).response }
        guard let profile else { return .failure(.notFound, "no such profile") }
        let lane =
            switch profile {
            case .fileGet, .fileDigest, .fileBundle: files
            default: chat
            }
        let isTaken = lane.append(ReceivedRequest(profile, request))
        return isTaken ? nil : .failure(.tooManyRequests, "too much is waiting")
    }

    /// The link is to end for a reason of ours: nothing that waits is handled any more.
    func close() {
        chat.close()
        files.close()
    }

    /// The link has ended: chat that has come is still handled, file requests have nobody to be answered to.
    func finish() {
        chat.finish()
        files.close()
    }
}

/// A bounded first-in-first-out line of requests between a link's queue and one consumer.
final class RequestLane: Sendable {
    private struct State {
        var waiting: [ReceivedRequest] = []
        /// The memory that these hold.
        var bytes = 0
        var consumer: CheckedContinuation<ReceivedRequest?, Never>?
        var isClosed = false
        var isOverrun = false
    }
    private let limit: Int
    private let memory: WaitingMemory
    private let state = Mutex(State())

    init(limit: Int, memory: WaitingMemory) {
        self.limit = limit
        self.memory = memory
    }

    deinit { state.withLock { drop(from: &$0) } }

    /// Puts a request at the end; `false` when there is no memory for it now. A peer that has `limit` unanswered requests
    /// breaks the rules: the lane ends, and with it the link.
    func append(_ request: ReceivedRequest) -> Bool {
        let (isTaken, consumer) = state.withLock { state -> (Bool, CheckedContinuation<ReceivedRequest?, Never>?) in
            guard !state.isClosed else { return (true, nil) }
            if let consumer = state.consumer {
                state.consumer = nil
                return (true, consumer)
            }
            guard state.waiting.count < limit else {
                state.isClosed = true
                state.isOverrun = true
                drop(from: &state)
                return (true, nil)
            }
            let size = request.heldBytes
            guard memory.take(size, beside: state.bytes) else { return (false, nil) }
            state.bytes += size
            state.waiting.append(request)
            return (true, nil)
        }
        consumer?.resume(returning: request)
        return isTaken
    }

    /// The next request in arrival order; `nil` when the lane has ended. One consumer at a time.
    func next() async -> ReceivedRequest? {
        await withCheckedContinuation { continuation in
            let (ready, request) = state.withLock { state -> (Bool, ReceivedRequest?) in
                if !state.waiting.isEmpty { return (true, takeFirst(from: &state)) }
                if state.isClosed { return (true, nil) }
                state.consumer = continuation
                return (false, nil)
            }
            if ready { continuation.resume(returning: request) }
        }
    }

    /// The requests that wait after one that `next` has given, at most `limit`, and at most `bytes` that they hold in
    /// memory.
    func more(upTo limit: Int, bytes: Int) -> [ReceivedRequest] {
        state.withLock { state in
            var taken: [ReceivedRequest] = []
            var room = bytes
            while taken.count < limit, let first = state.waiting.first, first.heldBytes <= room {
                room -= first.heldBytes
                taken.append(takeFirst(from: &state))
            }
            return taken
        }
    }

    /// The peer had too many unanswered requests.
    var isOverrun: Bool { state.withLock { $0.isOverrun } }

    /// Drops what waits and ends the consumer.
    func close() { end(keepsWaiting: false) }

    /// Takes nothing more; the consumer gets what waits, and ends.
    func finish() { end(keepsWaiting: true) }

    private func end(keepsWaiting: Bool) {
        let consumer = state.withLock { state in
            state.isClosed = true
            if !keepsWaiting { drop(from: &state) }
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }

    private func takeFirst(from state: inout State) -> ReceivedRequest {
        let request = state.waiting.removeFirst()
        let size = request.heldBytes
        memory.giveBack(size, of: state.bytes)
        state.bytes -= size
        return request
    }

    private func drop(from state: inout State) {
        memory.giveBack(state.bytes, of: state.bytes)
        state.bytes = 0
        state.waiting = []
    }
}
