// Runs an actor on a serial dispatch queue: a link with its socket's news, a transfer with its disk.

package import Dispatch

/// A serial executor over a serial `DispatchQueue`. Code that already runs on the queue (news of a socket) enters the
/// actor with `assumeIsolated`; work that waits for a disk stays off Swift's cooperative threads.
package final class DispatchQueueExecutor: SerialExecutor {
    /// The queue on which everything of the actor runs.
    package let queue: DispatchQueue

    /// `label` names the queue in debuggers. `isBackground`: others go first when the processors are busy.
    package init(label: String, isBackground: Bool = false) {
        queue = DispatchQueue(label: label, qos: isBackground ? .background : .unspecified)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
