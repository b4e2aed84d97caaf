// Time as the protocol state machines see it: passed in, never read from a clock.

/// A point on the monotonic clock, in nanoseconds since an arbitrary origin.
///
/// State machines take the current time as an argument and return deadlines of this type, so that a simulation can
/// run hours in microseconds. Only the driver (`PeerLink`) reads the real clock.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since the origin; never negative in practice.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time `duration` later; saturates instead of overflowing.
    public static func + (time: Self, duration: Duration) -> Self {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.inNanoseconds)
        return Self(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The first multiple of `step`, counted from the origin, that is not earlier; saturates instead of overflowing.
    package func roundedUp(to step: Duration) -> Self {
        let length = max(step.inNanoseconds, 1)
        let over = nanoseconds % length
        return over <= 0 ? self : self + .nanoseconds(length - over)
    }

    /// The earlier of two times that need not be there.
    static func earlier(_ first: Self?, _ second: Self?) -> Self? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    /// How long it is from `earlier` to `later`; saturates instead of overflowing.
    package static func - (later: Self, earlier: Self) -> Duration {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (later > earlier ? .max : .min) : difference)
    }
}

extension Duration {
    /// The whole nanoseconds of this duration, clamped to the range of `Int64` (about 292 years).
    package var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }
}
