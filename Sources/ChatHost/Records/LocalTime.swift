// Moments as lines for people have them.

package import ChatCore
import ChatWords

/// Times for people: `2026-11-21 09:02` in this machine's time zone.
package enum LocalTime {
    /// The years 0 to 9999 (in UTC, others are clamped); the zone may make that a bit of the year 10000.
    package static func text(_ time: Timestamp) -> String { text(time, offset: LocalClock.system.offset) }

    /// The same in another zone: `offset` is east of UTC at a second since 1970.
    static func text(_ time: Timestamp, offset: (Int64) -> Int64) -> String {
        let second = RFC3339.clamped(time).flooredQuotient(by: 1000)
        let local = max(second + offset(second), RFC3339.range.lowerBound / 1000)
        let day = local.flooredQuotient(by: 86_400)
        let ofDay = local - day * 86_400
        return CivilDate(daysSince1970: day).text + " " + RFC3339.padded(ofDay / 3600, 2) + ":"
            + RFC3339.padded(ofDay / 60 % 60, 2)
    }
}
