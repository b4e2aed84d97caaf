// A limit as the answer of /limit shows it.

import ChatCore

/// What something is limited to.
struct RateLimit: Sendable, Equatable {
    var scope: RateScope
    /// Bytes per second; `nil`: not at all.
    var rate: UInt64?
}
