// The time zone of the system. It may change while the program runs: who travels sets another one.

import CLinux
import Glibc

/// The time zone by TZ or /etc/localtime. The C library reads it once and keeps it, until it is asked to look again.
package enum SystemZone {
    /// Seconds east of UTC at a moment in seconds since 1970; 0 where the C library has no answer.
    package static func offset(at second: Int64) -> Int64 {
        var time = time_t(second)
        var parts = tm()
        return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
    }

    /// Looks whether /etc/localtime is another one now: one `stat`, and a small file to read when it is.
    package static func lookAgain() { tzset() }
}

/// Says when to look at the zone: before anything that happens, but at most twice a second.
package struct ZoneWatch {
    private static let pause = Duration.milliseconds(500)
    private var next: Duration?

    package init() {}

    /// Whether it is time to look again at `uptime`.
    package mutating func isDue(at uptime: Duration) -> Bool {
        if let next, uptime < next { return false }
        next = uptime + Self.pause
        return true
    }
}
