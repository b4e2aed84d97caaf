// From what the clocks on the wall show to the moment at which they show it. Where clocks are put forward some times never
// come, midnight among them; where they are put back some come twice.

/// The one place where a local time becomes a moment. Pure: the zone is a function.
package enum LocalMoment {
    /// No zone is further from UTC (UTC-12 to UTC+14), with room for one change.
    private static let reach: Int64 = 26 * 3600

    /// The first moment, in seconds since 1970, at which clocks show `local` or have been put forward over it.
    ///
    /// - Parameters:
    ///   - local: what the clocks show, in seconds since 1970 as if it were UTC; of the years 0 to 10000.
    ///   - offset: seconds east of UTC at a moment.
    package static func first(showing local: Int64, offset: (Int64) -> Int64) -> Int64 {
        let (earliest, latest) = (local - reach, local + reach)
        let offsets = Set(stride(from: earliest, through: latest, by: 13 * 3600).map(offset))
        let exact = offsets.map { local - $0 }.filter { $0 + offset($0) == local }
        if let first = exact.min() { return first }
        // It never comes: the clocks are put forward over it, at the first moment at which they show more.
        var (before, after) = (earliest, latest)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if middle + offset(middle) < local { before = middle } else { after = middle }
        }
        return after
    }
}
