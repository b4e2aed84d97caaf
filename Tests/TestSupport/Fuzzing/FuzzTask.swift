// Lets a fuzz target, which is called synchronously, drive actors.

import Dispatch
import Synchronization

/// Runs `body` in the pool and waits for its end. For targets only: the calling thread is libFuzzer's or
/// that of `FuzzCorpus.faults`, never one of the pool.
package func fuzzTask(_ body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = FuzzOutcome()
    let end = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await body() } catch { outcome.error.withLock { $0 = error } }
        end.signal()
    }
    end.wait()
    if let error = outcome.error.withLock({ $0 }) { throw error }
}

private final class FuzzOutcome: Sendable {
    let error = Mutex<(any Error)?>(nil)
}
