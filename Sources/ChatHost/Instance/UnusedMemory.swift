// Memory that a long-running process had need of once: given back to the system, so that others can use it. Nothing else
// knows of this file but the start of a chat (decision 0025 has the figures with and without it).

import CLinux
import ChatSettings
import Glibc

enum UnusedMemory {
    /// How often we look while the process works, and at most how rarely: each look wakes it up.
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(128)

    /// Gives back what is free, until the task is cancelled: soon after the start, which needs most, then from time to
    /// time. It takes less than a millisecond.
    static func keepGivingBack() async {
        do {
            var worked = Duration.zero
            var pause = Self.shortestPause
            while true {
                try await Task.sleep(for: pause)
                // Where nothing was done there is nothing to give back, and less to wake up for.
                let isBusy = processorTime - worked > .milliseconds(20)
                if isBusy {
                    malloc_trim(0)
                    returnCode()
                    worked = processorTime
                }
                pause = isBusy ? Self.shortestPause : min(pause * 2, Self.longestPause)
            }
        } catch {
            // Cancelled: the process ends.
        }
    }

    /// The processor time that all threads together have used so far.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Gives back the pages of code that ran once and of constants that were read once: two thirds of what the process
    /// holds after its start. The page cache keeps them, so what is needed again costs no access to the disk.
    private static func returnCode() {
        guard let maps = SmallFile.read("/proc/self/maps", limit: 1 << 20) else { return }
        for line in maps.split(separator: "\n") {
            guard let mapping = unwrittenMapping(line) else { continue }
            madvise(mapping.baseAddress, mapping.count, MADV_DONTNEED)
        }
    }

    /// The memory of a line of /proc/self/maps, when it comes from a file and nobody has ever written to it: code, and the
    /// segment at the beginning of a file. Other segments that may only be read now were written to by relocations.
    private static func unwrittenMapping(_ line: Substring) -> UnsafeMutableRawBufferPointer? {
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count >= 6, fields[5].hasPrefix("/"),
            fields[1] == "r-xp" || fields[1] == "r--p" && UInt(fields[2], radix: 16) == 0
        else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1], let start = UnsafeMutableRawPointer(bitPattern: ends[0]) else {
            return nil
        }
        return UnsafeMutableRawBufferPointer(start: start, count: Int(clamping: ends[1] - ends[0]))
    }
}
