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
}
