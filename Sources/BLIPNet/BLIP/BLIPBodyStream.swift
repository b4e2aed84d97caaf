// A body as an asynchronous sequence: the ready-made slow consumer.

internal import Synchronization

/// The bytes of one incoming body, for a task that takes them at its own pace.
///
/// Give `sink` to `PeerLink.submit(_:bodySink:)` for a response's body, or return it from
/// `BLIPRequestHandler.makeBodySink(for:)` for a request's, and iterate over the stream in a task. What the loop has
/// not taken is not acknowledged, so the peer pauses this message and no other (see `DeferredBodySink` about dialects
/// without acknowledgements). The loop ends after the last byte; it throws when the body does not come to its end.
///
/// There is one consumer. One that lets go of the stream, or whose task is cancelled, gives the body up: the message
/// is abandoned as if the sink had thrown.
public final class BLIPBodyStream: AsyncSequence, Sendable {
    private let buffer = BodyStreamBuffer()

    public init() {}

    deinit { buffer.abandon() }

    /// Where the link writes the body. It does not keep the stream alive.
    public var sink: any BodySink { buffer }

    /// Bytes that have arrived and wait for the consumer.
    package var waitingBytes: Int { buffer.untakenBytes }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let stream: BLIPBodyStream

        /// All bytes that have arrived and were not taken, at least one; `nil` after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(LinkError) -> [UInt8]? {
            let piece = await stream.buffer.nextOrAbandon(isolation: actor)
            return try piece.get()
        }

        // The piece first, then its error: the error is thrown where the caller is (decision 0014).
        public mutating func next() async throws(LinkError) -> [UInt8]? {
            let piece = await stream.buffer.nextOrAbandon(isolation: #isolation)
            return try piece.get()
        }
    }
}

/// The buffer between the link, which writes, and the consumer, who takes.
private final class BodyStreamBuffer: DeferredBodySink {
    typealias Piece = Result<[UInt8]?, LinkError>

    /// The consumer is gone.
    struct Abandoned: Error {}

    private struct State {
        var bytes: [UInt8] = []
        /// Set at the body's end; the bytes before it are still to be taken.
        var end: Piece?
        var consumer: CheckedContinuation<Piece, Never>?
        var isAbandoned = false
        var taken: @Sendable () -> Void = {}

        /// The piece that the consumer gets now, if there is one.
        mutating func takePiece() -> Piece? {
            if isAbandoned { return .failure(.closedLocally) }
            guard bytes.isEmpty else {
                defer { bytes = [] }
                return .success(bytes)
            }
            return end
        }
    }

    private let state = Mutex(State())

    var untakenBytes: Int { state.withLock { $0.bytes.count } }

    func whenTaken(_ taken: @escaping @Sendable () -> Void) { state.withLock { $0.taken = taken } }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try wakeConsumer { state throws(Abandoned) in
            if state.isAbandoned { throw Abandoned() }
            state.bytes.append(contentsOf: bytes)
        }
    }

    func bodyEnded(_ failure: LinkError?) {
        wakeConsumer { $0.end = $0.end ?? failure.map { .failure($0) } ?? .success(nil) }
    }

    /// Gives the consumer's next piece; a consumer whose task is cancelled gives the body up.
    func nextOrAbandon(isolation actor: isolated (any Actor)?) async -> Piece {
        await withTaskCancellationHandler {
            await next(isolation: actor)
        } onCancel: {
            abandon()
        }
    }

    /// Gives the consumer's next piece, now or when there is one.
    private func next(isolation actor: isolated (any Actor)?) async -> Piece {
        await withCheckedContinuation { continuation in
            let (piece, taken) = state.withLock { state -> (Piece?, @Sendable () -> Void) in
                precondition(state.consumer == nil, "a body stream has one consumer")
                let piece = state.takePiece()
                if piece == nil { state.consumer = continuation }
                return (piece, state.taken)
            }
            guard let piece else { return }
            continuation.resume(returning: piece)
            taken()
        }
    }

    /// The consumer wants no more.
    func abandon() {
        wakeConsumer {
            $0.isAbandoned = true
            $0.bytes = []
        }
        state.withLock { $0.taken }()
    }

    /// Changes the state; a consumer that waits gets what there is then.
    private func wakeConsumer<Failure: Error>(_ change: (inout State) throws(Failure) -> Void) throws(Failure) {
        let result = state.withLock { state -> Result<(CheckedContinuation<Piece, Never>, Piece)?, Failure> in
            do throws(Failure) { try change(&state) } catch { return .failure(error) }
            guard state.consumer != nil, let piece = state.takePiece(), let consumer = state.consumer.take() else {
                return .success(nil)
            }
            return .success((consumer, piece))
        }
        guard let (consumer, piece) = try result.get() else { return }
        consumer.resume(returning: piece)
    }
}
