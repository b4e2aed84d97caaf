// Memory that a long-running process had need of once: given back to the system, so that others can use it.

import CLinux
import Glibc

enum UnusedMemory {
    /// Gives back what is free, until the task is cancelled: soon after the start, which needs most, then from time to
    /// time. It takes less than a millisecond.
    static func keepGivingBack() async {
        do {
            try await Task.sleep(for: .seconds(1))
            var worked = Duration.zero
            while true {
                // Where nothing was done there is nothing to give back, and less to wake up for.
                let isBusy = processorTime - worked > .milliseconds(20)
                if isBusy {
                    malloc_trim(0)
                    returnCode()
                    worked = processorTime
                }
                try await Task.sleep(for: .seconds(isBusy ? 1 : 5))
            }
        } catch {
            // Cancelled: the process ends.
        }
    }

    /// What all threads together have used of the processors so far.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The pages of code that ran once and of constants that were read once, with the 16 neighbours that the kernel maps
    /// along with each. Those that are needed again come back from the page cache, without the disk.
    private static func returnCode() {
        guard let maps = SmallFile.read("/proc/self/maps", limit: 1 << 20) else { return }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            // Never written to, and from a file: what is dropped can be read again. What may only be read may have been
            // written before (relocations), but for the segment at the beginning of a file.
            guard fields.count >= 6, fields[5].hasPrefix("/"),
                fields[1] == "r-xp" || fields[1] == "r--p" && UInt(fields[2], radix: 16) == 0
            else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard ends.count == 2, ends[0] < ends[1], let start = UnsafeMutableRawPointer(bitPattern: ends[0]) else {
                continue
            }
            madvise(start, Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
