// What a running process uses of the machine, as the kernel counts it.

internal import Glibc
internal import TestSupport

/// Looks at one process; it may be any of this user's.
struct ProcessFigures {
    let processID: pid_t

    /// Processor time of all its threads so far, in seconds (user and system).
    func processorSeconds() throws -> Double {
        var clock = clockid_t()
        guard clock_getcpuclockid(processID, &clock) == 0 else { throw SystemCallFailure("clock_getcpuclockid") }
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { throw SystemCallFailure("clock_gettime") }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Resident memory now, in bytes.
    func residentBytes() throws -> Int {
        let pages = try SmallFile.read("/proc/\(processID)/statm").split(separator: " ").dropFirst().first
        guard let pages = pages.flatMap({ Int($0) }) else { throw SystemCallFailure("statm") }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// How often each of its threads has gone to sleep so far: each time something has woken it before.
    func sleeps() throws -> [Int: Int] {
        var counts: [Int: Int] = [:]
        for name in TestFile.names(in: "/proc/\(processID)/task") {
            guard let thread = Int(name), let status = try? SmallFile.read("/proc/\(processID)/task/\(name)/status")
            else { continue }
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            counts[thread] = line?.split(separator: "\t").last.flatMap { Int($0) }
        }
        return counts
    }

    /// How often its threads were woken since `before`.
    func wakeUps(since before: [Int: Int]) throws -> Int {
        try sleeps().reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
    }
}
