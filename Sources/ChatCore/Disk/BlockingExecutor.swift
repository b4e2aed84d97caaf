// Runs straight-line code that waits for disks in many places on a thread of its own, and not on one of Swift's few.

import Dispatch

/// A thread for one long errand: an import, a command of the command line inside the screen.
package final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    private init(_ label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Carries `operation` out on a thread of its own, as far as it belongs to no actor. `label` names it in debuggers.
    @concurrent package static func run<Value: Sendable, Failure: Error>(
        _ label: String, _ operation: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(BlockingExecutor(label), operation: operation)
    }
}
