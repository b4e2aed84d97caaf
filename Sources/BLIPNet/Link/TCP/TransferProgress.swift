// How far a long read or write has got, for gauges on a screen.

internal import Synchronization

/// A point of a transfer.
public struct TransferProgress: Sendable, Equatable {
    public var bytesDone: Int
    /// `nil` when nobody knows how long it will be.
    public var total: Int?

    /// From 0 to 1; `nil` when the total is not known.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(bytesDone) / Double($0) }
    }
}

/// Follows one transfer: give it to a read or a write and look at `updates`.
///
/// Updates are coalesced to one per `interval` (20 a second); a reader that is slower gets the newest. The last value
/// always comes, also where a transfer stalls, and the stream ends with the transfer.
public final class ProgressMeter: Sendable {
    private struct State {
        var yieldedAt: MonotonicTime?
        var held: TransferProgress?
        var timer: LoopTimer?
        var isOver = false
    }

    /// The values, each of them newer than the one before. To be read by one task.
    public let updates: AsyncStream<TransferProgress>
    private let continuation: AsyncStream<TransferProgress>.Continuation
    private let interval: Duration
    private let state = Mutex(State())

    public init(interval: Duration = .milliseconds(50)) {
        self.interval = interval
        (updates, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    /// The transfer has got on. `loop` is where the transfer runs.
    func report(_ progress: TransferProgress, on loop: EventLoop, now: MonotonicTime = .now()) {
        state.withLock { state in
            guard !state.isOver else { return }
            guard let last = state.yieldedAt, now - last < interval else {
                // A timer that is late would tell the next value too early.
                state.timer?.cancel()
                state.timer = nil
                state.held = nil
                state.yieldedAt = now
                continuation.yield(progress)
                return
            }
            state.held = progress
            guard state.timer == nil else { return }
            state.timer = loop.schedule(at: last + interval) { [weak self] in self?.yieldHeld() }
        }
    }

    private func yieldHeld() {
        state.withLock { state in
            state.timer = nil
            guard let held = state.held.take() else { return }
            state.yieldedAt = .now()
            continuation.yield(held)
        }
    }

    /// The transfer is over, well or not.
    func finish() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            if let held = state.held.take() { continuation.yield(held) }
            state.isOver = true
        }
        continuation.finish()
    }
}
