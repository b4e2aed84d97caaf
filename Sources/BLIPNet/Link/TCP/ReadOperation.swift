// One read that waits for its bytes.

/// The goal of a caller of `TCPConnection.read`, and how far the read is.
struct ReadOperation {
    enum Goal: Equatable {
        case exactly(Int)
        case through([UInt8], max: Int)
        case some(max: Int)
        /// Nothing: from here on the bytes belong to the TLS handshake with this number.
        case upgrade(UInt64)
    }

    /// Whether the bytes that have arrived meet the goal.
    enum Outcome: Equatable {
        case incomplete
        /// The first so many bytes are the ones that the caller wants.
        case complete(Int)
        case delimiterMissing(max: Int)
    }

    let number: UInt64
    let goal: Goal
    var clock: OperationClock
    let meter: ProgressMeter?
    let waiter: Waiter<[UInt8]>?
    /// Bytes that have been searched for the delimiter, or counted as progress.
    private var seen = 0

    init(
        number: UInt64, goal: Goal, clock: OperationClock, meter: ProgressMeter? = nil,
        waiter: Waiter<[UInt8]>? = nil
    ) {
        self.number = number
        self.goal = goal
        self.clock = clock
        self.meter = meter
        self.waiter = waiter
    }

    /// How many bytes may be needed at most.
    var need: Int {
        switch goal {
        case .exactly(let count): count
        case .through(_, let max), .some(let max): max
        case .upgrade: 0
        }
    }

    /// How many of the bytes that have arrived are this read's.
    func bytesDone(of input: ByteQueue) -> Int { min(input.count, need) }

    /// Looks at what has arrived since the last time; `true` when there is more than then.
    mutating func examine(_ input: ByteQueue) -> (outcome: Outcome, hasMoved: Bool) {
        let count = bytesDone(of: input)
        defer { seen = count }
        return (outcome(count, input), count > seen)
    }

    private func outcome(_ count: Int, _ input: ByteQueue) -> Outcome {
        switch goal {
        case .exactly(let wanted): return count == wanted ? .complete(wanted) : .incomplete
        case .some: return count > 0 ? .complete(count) : .incomplete
        case .upgrade: return .incomplete
        case .through(let delimiter, let max):
            // It may have begun in the bytes that were searched before.
            let start = Swift.max(0, seen - delimiter.count + 1)
            if let end = input.end(of: delimiter, from: start, to: count) { return .complete(end) }
            return count == max ? .delimiterMissing(max: max) : .incomplete
        }
    }

    func finish(_ result: Result<[UInt8], NetError>) {
        waiter?.resume(returning: result)
    }
}

extension ByteQueue {
    /// Where the first `delimiter` that lies in `from..<to` ends; `nil` when there is none. The delimiter is not
    /// empty.
    func end(of delimiter: [UInt8], from: Int, to: Int) -> Int? {
        withUnsafeBytes { bytes in
            delimiter.withUnsafeBytes { delimiter in
                guard let first = delimiter.first, to <= bytes.count else { return nil }
                var position = from
                while position + delimiter.count <= to {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[position..<(to - delimiter.count + 1)])
                    guard let offset = rest.firstIndex(of: first) else { return nil }
                    position += offset
                    let candidate = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + delimiter.count)])
                    if candidate.elementsEqual(delimiter) { return position + delimiter.count }
                    position += 1
                }
                return nil
            }
        }
    }
}
