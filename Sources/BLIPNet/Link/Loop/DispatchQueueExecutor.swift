// Runs an actor on a serial dispatch queue: a link with its socket's news, a transfer with its disk.

public import Dispatch

/// A serial executor over a serial `DispatchQueue`. Code that already runs on the queue (news of a socket) enters the
/// actor with `assumeIsolated`; work that waits for a disk stays off Swift's cooperative threads.
public final class DispatchQueueExecutor: SerialExecutor {
    /// The queue on which everything of the actor runs.
    public let queue: DispatchQueue

    /// `label` names the queue in debuggers. `isBackground`: others go first when the processors are busy.
    public init(label: String, isBackground: Bool = false) {
        queue = DispatchQueue(label: label, qos: isBackground ? .background : .unspecified)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
