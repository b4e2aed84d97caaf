// The time of day of one installation under test: that of the machine, or days later.

import ChatCore
import Glibc
import Synchronization

final class WallClock: Sendable {
    private let shift = Mutex<Int64>(0)

    func advance(days: Int64) { shift.withLock { $0 += days * 86_400_000 } }

    var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return Timestamp(milliseconds: milliseconds + shift.withLock { $0 })
    }
}
