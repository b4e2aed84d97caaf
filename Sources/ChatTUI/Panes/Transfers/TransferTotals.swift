// The totals of all transfers of a list, for the title of the pane.

import ChatWords

/// The sums of the unfinished transfers.
struct TransferTotals: Equatable {
    /// On their way, offered to us, waiting for something else.
    private(set) var moving = 0
    private(set) var asked = 0
    private(set) var waiting = 0
    /// Bytes of those that are not over, and how many of them are there.
    private(set) var size: UInt64 = 0
    private(set) var transferred: UInt64 = 0

    init(_ groups: [TransferGroup]) {
        for group in groups {
            switch group.stage {
            case .moving: moving += 1
            case .asked: asked += 1
            case .waiting: waiting += 1
            case .over: continue
            }
            size = size.addingClamped(group.size)
            transferred = transferred.addingClamped(group.transferred)
        }
    }

    /// `2 running`, `17 waiting`, `1.2 of 4.3 GB`, `3.1 MB/s`: nothing where a single transfer already says it all.
    func words(rate: Double) -> [String] {
        guard moving + asked + waiting > 1 else { return [] }
        let counts = [(moving, "running"), (asked, "offered"), (waiting, "waiting")]
        var words = [counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")]
        words.append("\(Units.size(transferred)) of \(Units.size(size))")
        if rate >= 1 { words.append(Units.rate(rate)) }
        return words
    }
}

extension UInt64 {
    /// The sum, or the largest number: sizes are what peers say they are.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
