// Runs an actor on a serial dispatch queue, so that the actor and the socket's dispatch sources share one thread of
// control and nothing changes threads between the two.

internal import Dispatch

/// A serial executor over a serial `DispatchQueue`. Code that already runs on the queue (an event handler of a
/// dispatch source) enters the actor with `assumeIsolated`.
final class DispatchQueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
