// Wall-clock time as it is stored and sent.

/// Milliseconds since 1970-01-01 00:00 UTC. Shown to people, never used for ordering (DESIGN 6.3).
package struct Timestamp: Sendable, Hashable, Comparable {
    package var milliseconds: Int64
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// Later than any time.
    package static let endless = Timestamp(milliseconds: .max)
    /// So much later, or at the end of time.
    func advanced(by duration: Duration) -> Timestamp {
        let (seconds, isTooLong) = duration.components.seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isTooLate) = milliseconds.addingReportingOverflow(seconds)
        return isTooLong || isTooLate ? .endless : Timestamp(milliseconds: sum)
    }
    /// How long `earlier` was before this; nothing if it was not (clocks are set back), and `Int64.max` milliseconds at most.
    func since(_ earlier: Timestamp) -> Duration {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(overflow ? (self > earlier ? .max : 0) : max(0, difference))
    }
    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}
