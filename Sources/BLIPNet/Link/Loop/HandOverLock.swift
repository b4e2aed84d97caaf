// The lock of an event loop: what other threads hand over to the loop passes through it.

internal import Glibc

/// State under a mutex of the C library. `Synchronization.Mutex` would do, but for the thread sanitizer, which does not
/// see the futex in it: everything that passes from one thread to another through a loop would look like a race.
final class HandOverLock<State>: Sendable {
    private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private nonisolated(unsafe) var state: State

    init(_ state: sending State) {
        self.state = state
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while nobody else is in here. It must not wait for anything, nor come in here again.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }
}
