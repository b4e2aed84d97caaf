// Which ranges of a file to ask for next: large enough for a fast link, small enough for a slow one. Pure.

/// A range of a file, in bytes.
struct FileRange: Sendable, Hashable {
    var offset: UInt64
    var length: UInt64
    var end: UInt64 { offset + length }
}

/// Hands out ranges in order. Range size and number in flight follow how long ranges take (PROTOCOL 4).
struct RangePlanner {
    static let first: UInt64 = 256 << 10
    static let smallest: UInt64 = 32 << 10
    static let largest: UInt64 = 8 << 20
    static let mostInFlight = 6

    let size: UInt64
    /// Everything before has been handed out.
    private var next: UInt64
    /// Handed out, not finished; in order of offset.
    private(set) var inFlight: [FileRange] = []
    private(set) var rangeLength = Self.first
    private(set) var allowedInFlight = 2

    /// A file of `size` bytes of which the first `done` are here already.
    init(size: UInt64, done: UInt64) {
        self.size = size
        next = min(done, size)
    }

    /// The next range to ask for; `nil` when enough are in flight or all are handed out. Under a limit (bytes per
    /// second) a range is what may come in half a second, so that the bytes come evenly.
    mutating func nextRange(within limit: UInt64? = nil) -> FileRange? {
        guard inFlight.count < allowedInFlight, next < size else { return nil }
        let most = limit.map { max($0 / 2, Self.smallest / 2) } ?? .max
        let range = FileRange(offset: next, length: min(rangeLength, most, size - next))
        next = range.end
        inFlight.append(range)
        return range
    }

    /// A range has arrived in full after `duration`. Aims at half a second to two seconds for each.
    mutating func finished(_ range: FileRange, after duration: Duration) {
        inFlight.removeAll { $0 == range }
        if duration < .milliseconds(500) {
            rangeLength = min(rangeLength * 2, Self.largest)
            allowedInFlight = min(allowedInFlight + 1, Self.mostInFlight)
        } else if duration > .seconds(2) {
            rangeLength = max(rangeLength / 2, Self.smallest)
            if duration > .seconds(8) { allowedInFlight = max(allowedInFlight - 1, 2) }
        }
    }

    /// Everything before this offset has arrived; in the first open range `written(range)` bytes more have.
    func contiguous(_ written: (FileRange) -> UInt64) -> UInt64 {
        guard let first = inFlight.first else { return next }
        return first.offset + min(written(first), first.length)
    }

    var isComplete: Bool { next == size && inFlight.isEmpty }
}
