// How many contact requests one network address may leave in a day (RELIABILITY D13). Pure: time is passed in.

/// Counts new contact requests per host over days that begin with the first one.
struct CallerQuota {
    private struct Count {
        var since: Timestamp
        var requests: Int
    }
    private static let day: Int64 = 86_400_000
    /// Hosts that are remembered; beyond it the oldest are forgotten, so that a flood cannot fill the memory.
    private static let maximumHosts = 1024

    let perDay: Int
    private var counts: [String: Count] = [:]

    init(perDay: Int) { self.perDay = perDay }

    /// Whether `host` may leave one more request now; counts it if so.
    mutating func admit(_ host: String, now: Timestamp) -> Bool {
        if let count = counts[host], (0..<Self.day).contains(now.milliseconds &- count.since.milliseconds) {
            guard count.requests < perDay else { return false }
            counts[host] = Count(since: count.since, requests: count.requests + 1)
            return true
        }
        if counts.count >= Self.maximumHosts, let oldest = counts.min(by: { $0.value.since < $1.value.since }) {
            counts[oldest.key] = nil
        }
        counts[host] = Count(since: now, requests: 1)
        return perDay > 0
    }
}
