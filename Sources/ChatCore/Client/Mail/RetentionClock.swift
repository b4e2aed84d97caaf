// Whether our clock is believed when old messages are deleted. Once they are gone, it does not help that it goes right
// again. Pure: times are passed in.

/// A record of the clock from earlier looks; one line in the settings of the store.
struct RetentionClock: Equatable {
    /// The last time that was believed, in milliseconds since 1970.
    private var believed: Int64?
    /// A time far ahead of that, which is believed when the clock still says so later.
    private var doubted: Int64?

    static let key = "retention.clock"
    /// A user who has not run blipchat for longer waits for the second look.
    private static let ordinaryStep: Int64 = 8 * 86_400_000
    private static let patience: Int64 = 3_600_000

    /// Reads the text that `text` gives.
    init(_ text: String?) {
        let numbers = text?.split(separator: " ").map { Int64($0) } ?? []
        believed = numbers.first ?? nil
        doubted = numbers.count > 1 ? numbers[1] : nil
    }

    var text: String { "\(believed ?? 0)" + (doubted.map { " \($0)" } ?? "") }

    /// Whether messages may be deleted by what the clock says now.
    mutating func believes(_ now: Timestamp) -> Bool {
        let now = now.milliseconds
        guard let believed, now &- believed > Self.ordinaryStep else { return accept(now) }
        if let doubted, (Self.patience...Self.ordinaryStep).contains(now &- doubted) { return accept(now) }
        // Looked at again within the hour, it is the same doubt.
        if let doubted, (0..<Self.patience).contains(now &- doubted) { return false }
        doubted = now
        return false
    }

    private mutating func accept(_ now: Int64) -> Bool {
        doubted = nil
        // Written down now and then: each time costs a commit.
        if believed.map({ now < $0 || now &- $0 >= Self.patience }) ?? true { believed = now }
        return true
    }
}
