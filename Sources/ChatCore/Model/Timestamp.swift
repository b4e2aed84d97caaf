// Wall-clock time as it is stored and sent.

/// Milliseconds since 1970-01-01 00:00 UTC. Shown to people, never used for ordering (DESIGN 6.3).
package struct Timestamp: Sendable, Hashable, Comparable {
    package var milliseconds: Int64
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// Later than any time.
    package static let endless = Timestamp(milliseconds: .max)
    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}
