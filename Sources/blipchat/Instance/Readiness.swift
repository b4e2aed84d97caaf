// Waits until a descriptor can be read or written, without holding a thread.

import Dispatch

/// What to wait for.
enum Readiness: Sendable {
    case readable, writable

    /// Returns `true` when `descriptor` is ready (or at its end), `false` when `timeout` has passed or the task is
    /// cancelled. When it returns, nothing watches the descriptor any more: it may be closed.
    func wait(on descriptor: Int32, timeout: Duration?) async -> Bool {
        let waiter = ReadinessWaiter(self, descriptor)
        return await withTaskCancellationHandler {
            await waiter.wait(timeout: timeout)
        } onCancel: {
            waiter.stop()
        }
    }
}

/// One wait. Everything but `wait` and `stop` happens on `queue`, which guards the variables (hence `@unchecked`).
private final class ReadinessWaiter: @unchecked Sendable {
    private let queue = DispatchQueue(label: "blipchat.readiness")
    private let source: any DispatchSourceProtocol
    private var isReady = false

    init(_ readiness: Readiness, _ descriptor: Int32) {
        switch readiness {
        case .readable: source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        case .writable: source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        }
    }

    func wait(timeout: Duration?) async -> Bool {
        await withCheckedContinuation { continuation in
            source.setEventHandler { [self] in
                isReady = true
                source.cancel()
            }
            // Runs once, after the system has let go of the descriptor.
            source.setCancelHandler { [self] in
                source.setEventHandler(handler: nil)
                source.setCancelHandler(handler: nil)
                continuation.resume(returning: isReady)
            }
            source.activate()
            if let timeout {
                let (seconds, attoseconds) = timeout.components
                let milliseconds = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
                let wait =
                    milliseconds.overflow
                    ? DispatchTimeInterval.never
                    : .milliseconds(max(0, milliseconds.partialValue) + Int(attoseconds / 1_000_000_000_000_000))
                queue.asyncAfter(deadline: .now() + wait) { [weak self] in self?.source.cancel() }
            }
        }
    }

    /// May come before `wait`: a source that was cancelled first calls its cancel handler when it is activated.
    func stop() {
        queue.async { [self] in source.cancel() }
    }
}
