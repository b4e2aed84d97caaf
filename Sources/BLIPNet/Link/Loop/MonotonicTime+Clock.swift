// The only place where the network code reads a clock. The drivers pass what it says down to the state machines.

internal import CLinux
internal import Glibc

extension MonotonicTime {
    /// The kernel's monotonic clock (not affected by changes of the date; stops while the machine sleeps).
    public static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
