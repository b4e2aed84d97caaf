// A limit as the answer of /limit shows it.

package import ChatCore

/// The rate that something is limited to.
package struct RateLimit: Sendable, Equatable {
    package var scope: RateScope
    /// Bytes per second; `nil`: not at all.
    package var rate: UInt64?
}
