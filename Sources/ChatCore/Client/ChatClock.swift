// The clock by which a ChatClient waits: injected, so that tests live through minutes in no time.

package import BLIPNet

/// Monotonic time and waiting. Wall-clock time, which people see, is `ChatClient`'s `now`.
package struct ChatClock: Sendable {
    let now: @Sendable () -> MonotonicTime
    let wait: @Sendable (Duration) async throws -> Void

    /// `wait` returns after the duration, or throws when its task is cancelled.
    package init(
        now: @escaping @Sendable () -> MonotonicTime, wait: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.wait = wait
    }

    /// The machine's own clock.
    package static let system = ChatClock(now: { .now() }, wait: { try await Task.sleep(for: $0) })
}
