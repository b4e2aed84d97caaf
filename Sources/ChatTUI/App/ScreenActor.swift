// Where the screen runs: one piece of work after the other, on a queue that the reader of keys can step into.

package import Dispatch

/// The actor of everything that concerns the terminal and the state of the screen.
///
/// Not the main actor: the thread that waits for keys runs what they cause itself, by `sync` on this queue, so that an
/// echo costs one change of threads and not two. The main queue, which belongs to a thread, does not promise that.
@globalActor
package actor ScreenActor {
    package static let shared = ScreenActor()
    /// The queue on which everything of the actor runs.
    package static let queue = DispatchQueue(label: "blipchat.screen", qos: .userInteractive)
    private static let executor = Executor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

    /// Runs `body` on the actor.
    package static func run<Value: Sendable>(_ body: @Sendable @ScreenActor () throws -> Value) async rethrows -> Value
    {
        try await body()
    }

    /// Runs `body`, which the caller knows to be on the queue.
    static func assumeIsolated<Value: Sendable>(_ body: @ScreenActor () throws -> Value) rethrows -> Value {
        dispatchPrecondition(condition: .onQueue(queue))
        // The same function without its isolation, which was just checked.
        return try withoutActuallyEscaping(body) { try unsafeBitCast($0, to: (() throws -> Value).self)() }
    }

    /// Runs `work` on the actor after the work that is queued already.
    static func enqueue(_ work: @escaping @Sendable @ScreenActor () -> Void) {
        queue.async { assumeIsolated(work) }
    }

    /// Runs `work` on the actor after `delay`, and after the work that is queued by then.
    static func after(_ delay: Duration, _ work: @escaping @Sendable @ScreenActor () -> Void) {
        guard delay > .zero else { return enqueue(work) }
        queue.asyncAfter(deadline: .now() + delay.dispatchInterval) { assumeIsolated(work) }
    }

    private final class Executor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            ScreenActor.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { dispatchPrecondition(condition: .onQueue(ScreenActor.queue)) }
    }
}
