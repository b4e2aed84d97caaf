// The bytes of one direction of a TCP connection, put in order from recorded segments. Pure, without I/O.

/// Takes segments in any order, with repetitions and overlaps; gives every byte once and in order. Bytes that a capture
/// lacks become a gap: as soon as the other side has acknowledged them, as too much waits after them, or at the end.
struct TCPReassembly {
    enum Output: Sendable, Equatable {
        case bytes(ArraySlice<UInt8>)
        case gap(byteCount: UInt64)
    }

    private struct Waiting {
        var sequence: UInt32
        var bytes: ArraySlice<UInt8>
        var missing: Int
    }

    /// Segments that may wait for one before them, and their bytes.
    static let maxWaiting = 1_024
    static let maxWaitingBytes = 4 << 20

    /// The sequence number of the next byte; `nil` before the first segment.
    private(set) var next: UInt32?
    /// In order, all of them beyond `next`.
    private var waiting: [Waiting] = []
    private(set) var waitingBytes = 0
    /// The number after the last byte, once a FIN has come.
    private var end: UInt32?

    /// Everything to the end has come.
    var isComplete: Bool { end != nil && end == next }

    /// The connection begins: the next byte has this number. Later ones mean nothing.
    mutating func begin(at sequence: UInt32) { if next == nil { next = sequence } }

    /// A FIN follows the byte before this number.
    mutating func finish(at sequence: UInt32) { if end == nil { end = sequence } }

    /// Takes a segment's bytes, of which `missing` more were not kept.
    mutating func take(_ sequence: UInt32, _ bytes: ArraySlice<UInt8>, missing: Int) -> [Output] {
        let next = next ?? sequence
        self.next = next
        guard bytes.count + missing > 0 else { return [] }
        var output: [Output] = []
        if Self.distance(from: next, to: sequence) <= 0 {
            deliver(Waiting(sequence: sequence, bytes: bytes, missing: missing), &output)
            flush(&output)
            return output
        }
        insert(Waiting(sequence: sequence, bytes: Array(bytes)[...], missing: missing), behind: next)
        while waiting.count > Self.maxWaiting || waitingBytes > Self.maxWaitingBytes { skip(&output) }
        return output
    }

    /// The other side has everything before this number: what the capture has not of it will not come.
    mutating func acknowledged(_ number: UInt32) -> [Output] {
        var output: [Output] = []
        while let first = waiting.first, Self.distance(from: first.sequence, to: number) >= 0 { skip(&output) }
        return output
    }

    /// Nothing more comes.
    mutating func finish() -> [Output] {
        var output: [Output] = []
        while !waiting.isEmpty { skip(&output) }
        return output
    }

    /// How far `later` is beyond `earlier`, modulo 2^32 (RFC 9293 section 3.4).
    private static func distance(from earlier: UInt32, to later: UInt32) -> Int {
        Int(Int32(bitPattern: later &- earlier))
    }

    private mutating func insert(_ segment: Waiting, behind next: UInt32) {
        let place = Self.distance(from: next, to: segment.sequence)
        // Most come in order among themselves.
        var index = waiting.count
        while index > 0, Self.distance(from: next, to: waiting[index - 1].sequence) > place { index -= 1 }
        waiting.insert(segment, at: index)
        waitingBytes += segment.bytes.count
    }

    /// Gives up what is missing before the first segment that waits.
    private mutating func skip(_ output: inout [Output]) {
        guard let next, let first = waiting.first else { return }
        let count = Self.distance(from: next, to: first.sequence)
        if count > 0 {
            output.append(.gap(byteCount: UInt64(count)))
            self.next = first.sequence
        }
        flush(&output)
    }

    /// Gives what is in order now.
    private mutating func flush(_ output: inout [Output]) {
        var count = 0
        for segment in waiting {
            guard let next, Self.distance(from: next, to: segment.sequence) <= 0 else { break }
            deliver(segment, &output)
            waitingBytes -= segment.bytes.count
            count += 1
        }
        waiting.removeFirst(count)
    }

    /// Gives what is new in a segment that begins at `next` or before it.
    private mutating func deliver(_ segment: Waiting, _ output: inout [Output]) {
        guard let next else { return }
        // Not the signed distance, which is below zero for 2^31.
        let old = Int(next &- segment.sequence)
        let new = segment.bytes.dropFirst(old)
        if !new.isEmpty { output.append(.bytes(new)) }
        let missing = min(segment.missing, segment.bytes.count + segment.missing - old)
        if missing > 0 { output.append(.gap(byteCount: UInt64(missing))) }
        self.next = next &+ UInt32(truncatingIfNeeded: new.count + max(missing, 0))
    }
}
