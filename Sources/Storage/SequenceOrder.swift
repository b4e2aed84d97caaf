// Where an incoming operation belongs among those of its sender (RELIABILITY D5). Pure: the numbers are passed in.

/// Judges a sender's sequence numbers.
struct SequenceOrder: Equatable {
    enum Place: Equatable {
        /// It is the next one.
        case next
        /// It has overtaken so many.
        case ahead(missing: Int64)
        /// It is one of those that we no longer wait for.
        case missing
        /// Its sender counts anew (they have lost or restored their history, or we ours): nothing is known to be missing.
        case anew
    }

    /// No sender has more waiting than their outbox holds (RELIABILITY 3), so a larger step is no gap.
    static let largestGap: Int64 = 10_000
    /// Before anything has come from a sender: so many may have overtaken the first one. More, and the sender has
    /// counted on while we had no history with them.
    static let firstGap: Int64 = 64

    /// The number that comes next, from 1.
    var expected: Int64

    /// `isMissing`: we stopped waiting for the number earlier.
    func place(of sequence: Int64, isMissing: Bool) -> Place {
        if sequence == expected { return .next }
        if isMissing { return .missing }
        guard sequence > expected else { return .anew }
        let missing = sequence - expected
        return missing <= (expected == 1 ? Self.firstGap : Self.largestGap) ? .ahead(missing: missing) : .anew
    }

    /// After `sequence` was entered. It never goes back by itself.
    mutating func entered(_ sequence: Int64) { expected = max(expected, Self.next(after: sequence)) }

    /// The sender counts anew, and has come to `sequence`.
    mutating func begunAnew(at sequence: Int64) { expected = Self.next(after: sequence) }

    /// Behind the last number there is none; its sender can only count anew.
    private static func next(after sequence: Int64) -> Int64 { sequence == .max ? sequence : sequence + 1 }
}
