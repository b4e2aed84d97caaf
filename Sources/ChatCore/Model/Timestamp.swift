// Wall-clock time as it is stored and sent.

/// Milliseconds since 1970-01-01 00:00 UTC. Shown to people, never used for ordering (DESIGN 6.3).
public struct Timestamp: Sendable, Hashable, Comparable {
    public var milliseconds: Int64
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// Later than any time.
    public static let endless = Timestamp(milliseconds: .max)
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}
