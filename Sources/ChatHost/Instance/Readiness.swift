// Waits until a descriptor can be read or written, for the few connections of the control socket.

/// The state to wait for.
package enum Readiness: Sendable {
    case readable, writable

    /// Returns `true` when `descriptor` is ready (or at its end), `false` when `timeout` has passed or the task is
    /// cancelled. When it returns, nothing watches the descriptor any more: it may be closed.
    package func wait(on descriptor: Int32, timeout: Duration?) async -> Bool {
        guard let watch = try? ReadinessWatch.shared() else { return false }
        return await watch.wait(for: self, on: descriptor, timeout: timeout)
    }
}
