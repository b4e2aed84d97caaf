// Which ranges of a file to ask for next: large enough for a fast link, small enough for a slow one. Pure.

/// A range of a file, in bytes.
struct FileRange: Sendable, Hashable {
    var offset: UInt64
    var length: UInt64
    var end: UInt64 { offset + length }
}

/// Hands out ranges in order. Range size and number in flight follow how long ranges take (PROTOCOL 4) beyond the round trip,
/// and grow as long as the rate does: on a long path much must be on its way, however long each range takes.
struct RangePlanner {
    static let first: UInt64 = 256 << 10
    static let smallest: UInt64 = 32 << 10
    static let largest: UInt64 = 8 << 20
    /// The smallest range under a limit of the rate. Below that the requests themselves would use up most of the rate.
    static let smallestPiece: UInt64 = 4 << 10
    static let mostInFlight = 6
    /// Each lane has a second range to send next, so that it never waits for our request.
    static let inFlightOnLane = 2
    /// Ranges grow that take less beyond the round trip, or less than two round trips.
    private static let short = Duration.milliseconds(500)
    /// They shrink when they take more, and more than eight round trips.
    private static let long = Duration.seconds(2)
    /// The rate grows when a range shows so much more than the best one before it.
    private static let growth = 1.1

    let size: UInt64
    /// All bytes before this offset have been handed out, except for `rests`.
    private var next: UInt64
    /// Handed out, not finished; in order of offset.
    private(set) var inFlight: [FileRange] = []
    /// Gaps before `next`, in order of offset: the sender has given only the beginning of a range, a lane has ended, or an
    /// earlier run has left them.
    private var rests: [FileRange] = []
    private(set) var rangeLength = Self.first
    private(set) var allowedInFlight = 2
    /// How much the sender has lately given at once, because of a limit of its own; `nil`: as much as we ask for.
    private var given: UInt64?
    /// The shortest time from a request to its first bytes: about a round trip. `nil`: not known yet.
    private var roundTrip: Duration?
    /// Bytes of finished ranges.
    private var arrived: UInt64 = 0
    /// How many there were when a range in flight was handed out.
    private var arrivedBefore: [FileRange: UInt64] = [:]
    /// Bytes per second while a range was in flight, of all together.
    private var bestRate = 0.0

    /// A file of `size` bytes of which the first `done` are here already.
    init(size: UInt64, done: UInt64) {
        let done = min(done, size)
        self.init(size: size, missing: done < size ? [FileRange(offset: done, length: size - done)] : [])
    }

    /// A file of `size` bytes of which only these ranges, in order of offset, are not here yet.
    init(size: UInt64, missing: [FileRange]) {
        self.size = size
        let isOpenAtEnd = missing.last?.end == size
        next = isOpenAtEnd ? missing.last?.offset ?? size : size
        rests = isOpenAtEnd ? Array(missing.dropLast()) : missing
    }

    /// How much to send at once under a limit (bytes per second): what it allows in an eighth of a second. So the bytes arrive
    /// evenly, a lowered limit takes effect soon, and no file waits long for a large range of another one.
    static func piece(within limit: UInt64) -> UInt64 { max(limit / 8, smallestPiece) }

    /// The next range to ask for; `nil` when enough are in flight or all are handed out. `lanes`: how many connections share
    /// the file; 0: it goes over the link. `onLink`: so many ranges in flight went over the link before there were lanes.
    mutating func nextRange(within limit: UInt64? = nil, over lanes: Int = 0, onLink: Int = 0) -> FileRange? {
        let allowed = lanes > 0 ? lanes * Self.inFlightOnLane + onLink : allowedInFlight
        guard inFlight.count < allowed, let range = takeNext(within: limit, over: lanes) else { return nil }
        arrivedBefore[range] = arrived
        return range
    }

    private mutating func takeNext(within limit: UInt64?, over lanes: Int) -> FileRange? {
        var most = min(rangeLength, limit.map(Self.piece) ?? .max)
        // Smaller ranges towards the end keep all lanes busy until the file is complete.
        if lanes > 0 {
            let left = rests.reduce(size - next) { $0 + $1.length }
            most = min(most, max(left / UInt64(2 * lanes), Self.smallest))
        }
        if let rest = rests.first {
            let range = FileRange(offset: rest.offset, length: min(rest.length, most))
            rests.removeFirst()
            if range.end < rest.end { rests.insert(FileRange(offset: range.end, length: rest.end - range.end), at: 0) }
            inFlight.insert(range, at: inFlight.firstIndex { $0.offset > range.offset } ?? inFlight.endIndex)
            return range
        }
        guard next < size else { return nil }
        let range = FileRange(offset: next, length: min(most, size - next))
        next = range.end
        inFlight.append(range)
        return range
    }

    /// The sender has given only the first `count` bytes of a range, because of a limit of its own. We ask for the rest first, in
    /// ranges of that size, so that the file grows from its beginning.
    mutating func finished(_ range: FileRange, upTo count: UInt64) {
        rangeLength = max(min(rangeLength, count), Self.smallestPiece)
        given = rangeLength
        takeBack(range, after: count)
    }

    /// Nothing more of a range will arrive after its first `count` bytes: the planner hands out the rest again.
    mutating func takeBack(_ range: FileRange, after count: UInt64 = 0) {
        inFlight.removeAll { $0 == range }
        arrivedBefore[range] = nil
        arrived += count
        guard count < range.length else { return }
        let rest = FileRange(offset: range.offset + count, length: range.length - count)
        rests.insert(rest, at: rests.firstIndex { $0.offset > rest.offset } ?? rests.endIndex)
    }

    /// A range has arrived in full after `duration`, its first bytes after `firstBytes`, both from when we asked for it.
    mutating func finished(_ range: FileRange, after duration: Duration, firstBytes: Duration? = nil) {
        inFlight.removeAll { $0 == range }
        arrived += range.length
        if let firstBytes { roundTrip = min(firstBytes, roundTrip ?? firstBytes) }
        let rate = Double(arrived - (arrivedBefore.removeValue(forKey: range) ?? 0)) / max(duration / .seconds(1), 1e-6)
        let isGrowing = rate > bestRate * Self.growth
        bestRate = max(bestRate, rate)
        if let given {
            if range.length >= given { probe(behind: range) }
            return
        }
        let trip = roundTrip ?? .zero
        let took = duration - trip
        let isVeryLong = took > max(Self.long, trip * 8) * 4
        if took < max(Self.short, trip * 2) || (isGrowing && !isVeryLong) {
            rangeLength = min(rangeLength * 2, Self.largest)
            allowedInFlight = min(allowedInFlight + 1, Self.mostInFlight)
        } else if took > max(Self.long, trip * 8) {
            rangeLength = max(rangeLength / 2, min(rangeLength, Self.smallest))
            if isVeryLong { allowedInFlight = max(allowedInFlight - 1, 2) }
        }
    }

    /// Asks for twice as much as the sender has given at once, because its limit may be gone. It asks for no more than that, so
    /// that only a little arrives ahead of a gap.
    private mutating func probe(behind range: FileRange) {
        given = range.length < Self.first ? range.length : nil
        rangeLength = min(2 * range.length, Self.largest)
    }

    /// All bytes before this offset have arrived. Of the first range in flight `written(range)` bytes count, too.
    func contiguous(_ written: (FileRange) -> UInt64) -> UInt64 {
        let rest = rests.first?.offset ?? next
        guard let first = inFlight.first, first.offset < rest else { return rest }
        return first.offset + min(written(first), first.length)
    }

    /// Nothing is left to ask for.
    var isHandedOut: Bool { next == size && rests.isEmpty }

    var isComplete: Bool { isHandedOut && inFlight.isEmpty }
}
