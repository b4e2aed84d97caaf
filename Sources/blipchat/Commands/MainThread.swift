// The first thread of the process as an actor: the command runs there, and may block there.

import Dispatch
import Synchronization

/// The actor of what the command line does between its waits.
///
/// Not the main actor, whose first wait ends the thread (`dispatchMain`): glibc loads libgcc_s to unwind a thread that
/// ends, and another one is started for what comes next, both while somebody waits for the first picture.
@globalActor
actor MainThread {
    static let shared = MainThread()
    private static let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

    /// Runs everything of the actor on this thread, for as long as the process lives.
    static func runForever() -> Never { executor.runForever() }

    private final class Executor: SerialExecutor {
        private let jobs = Mutex<[UnownedJob]>([])
        private let added = DispatchSemaphore(value: 0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
            added.signal()
        }

        func runForever() -> Never {
            while true {
                added.wait()
                // As many were added as the semaphore was signalled.
                if let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    job.runSynchronously(on: asUnownedSerialExecutor())
                }
            }
        }
    }
}
