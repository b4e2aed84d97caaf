// The only place where the network code reads a clock. The drivers pass what it says down to the state machines.

internal import CLinux
internal import Dispatch
internal import Glibc

extension MonotonicTime {
    /// The kernel's monotonic clock (not affected by changes of the date; stands still while the machine sleeps).
    public static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

extension DispatchTime {
    /// The moment `duration` from now; one that has passed already means at once.
    static func after(_ duration: Duration) -> DispatchTime {
        let nanoseconds = min(max(duration.inNanoseconds, 0), 1 << 60)
        return .now() + .nanoseconds(Int(nanoseconds))
    }
}
