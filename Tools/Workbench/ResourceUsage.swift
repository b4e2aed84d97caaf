// The machine's resources that this process has used.

internal import CLinux
internal import Glibc

/// Processor time and the largest resident memory so far (getrusage(2)).
package struct ResourceUsage: Sendable {
    /// Seconds of processor time.
    package var user: Double
    package var system: Double
    /// The high-water mark of resident memory, in MiB.
    package var maxResidentMiB: Int

    package static func current() -> ResourceUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ResourceUsage(
            user: seconds(usage.ru_utime), system: seconds(usage.ru_stime), maxResidentMiB: usage.ru_maxrss / 1024)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// User and system time together.
    package var processorSeconds: Double { user + system }

    /// As the profile `rusage` answers.
    package var record: JSONRecord {
        ["user": .number(user), "sys": .number(system), "maxrss_mb": .integer(Int64(maxResidentMiB))]
    }
}
