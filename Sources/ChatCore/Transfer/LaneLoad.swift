// Which connection the next range of a file goes over. Pure.

/// The ranges that one incoming file has asked for, and over which lanes.
struct LaneLoad {
    /// Ranges that go over a lane; what goes over the link itself is not here.
    private var lanes: [FileRange: Int] = [:]
    /// A lane that has failed once is not used again by this file, though it may not know yet that it has ended.
    private var failed: Set<Int> = []

    /// Bytes have come over the link: the sender has heard there that the file continues.
    private var isBegun = false

    /// So many bytes of one range are here. The first ones count, and not the end of the range: where much is lost that
    /// takes many seconds, and lanes that bring nothing until then are closed again (`LanePlan`).
    mutating func note(written bytes: UInt64) { if bytes > 0 { isBegun = true } }

    /// Those of `open` that may be used.
    func usable(_ open: some Sequence<Int>) -> [Int] { isBegun ? open.filter { !failed.contains($0) }.sorted() : [] }

    /// The lane for one more range: the one with the fewest.
    func next(of usable: [Int]) -> Int? {
        usable.min { left, right in count(left) < count(right) }
    }

    /// Whether one of them has nothing to do.
    func hasIdle(of usable: [Int]) -> Bool { usable.contains { count($0) == 0 } }

    func isOnLink(_ range: FileRange) -> Bool { lanes[range] == nil }

    private func count(_ lane: Int) -> Int { lanes.values.count { $0 == lane } }

    mutating func begin(_ range: FileRange, on lane: Int) { lanes[range] = lane }

    mutating func end(_ range: FileRange) { lanes[range] = nil }

    /// The lane over which we asked for a range has ended.
    mutating func fail(_ range: FileRange) {
        if let lane = lanes.removeValue(forKey: range) { failed.insert(lane) }
    }
}
