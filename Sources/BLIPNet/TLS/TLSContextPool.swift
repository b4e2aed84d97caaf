// The OpenSSL contexts of one configuration: made when they are first needed, then shared by all its sessions.

internal import Synchronization

/// At most one `TLSContext` for each role.
final class TLSContextPool: Sendable {
    private struct Made {
        var client: TLSContext?
        var server: TLSContext?
    }

    private let made = Mutex(Made())

    /// The context of `role`, made from `configuration` when there is none yet. The configuration is the same each
    /// time, as far as a context depends on it: a changed one has another pool.
    func context(_ role: TLSRole, _ configuration: TLSConfiguration) throws(TLSError) -> TLSContext {
        try made.withLock { made throws(TLSError) in
            if let context = role == .client ? made.client : made.server { return context }
            let context = try TLSContext(role: role, configuration: configuration)
            if role == .client { made.client = context } else { made.server = context }
            return context
        }
    }
}
