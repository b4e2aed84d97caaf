// One value that somebody waits for, and that may never come: what settles it first counts.

import Dispatch
import Synchronization

/// Where work on a thread that may hang hands its result to a task that must not.
final class Settlement<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value?, Never>)
        case settled(Value?)
    }

    private let state = Mutex(State.open)

    /// Nobody waits for a value any more, or it is here.
    var isSettled: Bool {
        state.withLock { if case .settled = $0 { true } else { false } }
    }

    /// `nil`: there will be no value. Drops every value after the first.
    func settle(_ value: Value?) {
        let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .settled(value)
                return nil
            case .awaited(let continuation):
                state = .settled(value)
                return continuation
            case .settled: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// To be called once.
    func wait() async -> Value? {
        await withCheckedContinuation { continuation in
            let settled: Value?? = state.withLock { state in
                if case .settled(let value) = state { return .some(value) }
                state = .awaited(continuation)
                return .none
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }

    /// Stops the wait after `limit`, with `nil`.
    func giveUp(after limit: Duration) {
        SettlementTimers.queue.asyncAfter(deadline: .now() + limit.dispatchInterval) { [weak self] in
            self?.settle(nil)
        }
    }
}

extension Settlement {
    /// The result of `work`. Once the calling task is cancelled `work` is, too, and has `grace` to end; then it is left
    /// to itself, and the answer is `nil`.
    static func value(of work: Task<Value, Never>, grace: Duration) async -> Value? {
        let settlement = Settlement()
        Task { settlement.settle(await work.value) }
        return await withTaskCancellationHandler {
            await settlement.wait()
        } onCancel: {
            work.cancel()
            settlement.giveUp(after: grace)
        }
    }
}

private enum SettlementTimers {
    static let queue = DispatchQueue(label: "blipchat.disk.patience")
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .milliseconds(Int(clamping: min(seconds, 1 << 40) * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
