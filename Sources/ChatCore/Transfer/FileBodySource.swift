// Reads one range of an offered file, frame by frame, when the link has room for it.

import BLIPNet
import Synchronization

/// The body of one `file-get` response.
final class FileBodySource: BodySource {
    private let file: OpenFile
    private let range: FileRange
    private let number: Int
    private let progress: ServedRanges
    private let position = Atomic<UInt64>(0)
    private let length: Atomic<UInt64>

    /// `number` is what `progress` gave for `range`.
    init(file: OpenFile, range: FileRange, number: Int, progress: ServedRanges) {
        self.file = file
        self.range = range
        self.number = number
        self.progress = progress
        length = Atomic(range.length)
    }

    /// Only the first `count` bytes of the range go. Before anything of it is read.
    func shorten(to count: UInt64) {
        length.store(min(count, range.length), ordering: .relaxed)
        progress.shorten(number, to: count)
    }

    deinit { progress.close(number) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let done = position.load(ordering: .relaxed)
        let wanted = min(UInt64(buffer.count), length.load(ordering: .relaxed) - done)
        guard wanted > 0 else { return 0 }
        let count = try file.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(wanted))), at: range.offset + done)
        // The file was as long as offered when the range began; now it is shorter.
        guard count > 0 else {
            progress.noteShort()
            throw SourceShrank()
        }
        position.store(done + UInt64(count), ordering: .relaxed)
        progress.advance(number, read: done + UInt64(count))
        return count
    }
}

/// The source ended before the range did.
struct SourceShrank: Error, Equatable {}

/// How far the ranges of one file have been read, as the sender's idea of the progress.
final class ServedRanges: Sendable {
    private struct State {
        /// By number: the receiver may ask for the same range again after it cancelled the first request.
        var open: [Int: (range: FileRange, read: UInt64)] = [:]
        var nextNumber = 0
        /// Where the first range began; `nil` before there is one.
        var begin: UInt64?
        /// Everything from `begin` to here has been served.
        var front: UInt64 = 0
        /// Ranges that we have served beyond a gap, in order of offset: receivers ask in any order, and a limit cuts ranges into
        /// pieces.
        var ahead: [FileRange] = []
        var isShort = false
        /// How many bytes after `begin` the receiver says it has from an earlier run.
        var present: UInt64 = 0
        /// Some of them go over lanes.
        var usesLanes = false

        /// Moves the front back when the receiver asks for bytes before it: because it begins again, because its first requests
        /// came in another order, or because a lane has lost what we gave it. A lane's loss leaves what other lanes have served.
        mutating func begins(_ range: FileRange) {
            guard begin == nil || range.offset < front else { return }
            if usesLanes, let begin, range.offset > begin {
                if range.end < front {
                    ahead.insert(FileRange(offset: range.end, length: front - range.end), at: 0)
                }
            } else {
                ahead = []
            }
            begin = min(begin ?? range.offset, range.offset)
            front = range.offset
        }

        /// The receiver has `count` bytes before `offset` from an earlier run: they count as served.
        mutating func has(_ count: UInt64, before offset: UInt64) {
            guard count > 0, let begin, count <= offset, offset - count >= begin,
                count <= ServedRanges.mostPresent - present
            else { return }
            present += count
            served(FileRange(offset: offset - count, length: count))
        }

        mutating func served(_ range: FileRange) {
            ahead.insert(range, at: ahead.firstIndex { $0.offset > range.offset } ?? ahead.endIndex)
            while let first = ahead.first, first.offset <= front {
                front = max(front, first.end)
                ahead.removeFirst()
            }
            // A receiver that leaves more gaps than it can have ranges open does not get the last of them counted.
            if ahead.count > ServedRanges.mostAhead { ahead.removeLast() }
        }
    }
    private static let mostAhead = 64
    /// More than an honest receiver has beyond its first gap. We read such bytes for the digest without sending them, so this
    /// limits how much a receiver can make us read.
    static let mostPresent: UInt64 = 128 << 20
    private let state = Mutex(State())

    /// A range begins; returns its number, `nil` when `limit` are open already. `present`: how many bytes before it the receiver
    /// has from an earlier run.
    func open(_ range: FileRange, present: UInt64 = 0, overLane: Bool = false, limit: Int) -> Int? {
        state.withLock { state in
            guard state.open.count < limit else { return nil }
            defer { state.nextNumber += 1 }
            if overLane { state.usesLanes = true }
            state.begins(range)
            state.has(present, before: range.offset)
            state.open[state.nextNumber] = (range, 0)
            return state.nextNumber
        }
    }

    /// Only the first `count` bytes of a range go.
    func shorten(_ number: Int, to count: UInt64) {
        state.withLock { state in
            guard let range = state.open[number]?.range else { return }
            state.open[number]?.range.length = min(count, range.length)
        }
    }

    func advance(_ number: Int, read: UInt64) {
        state.withLock { $0.open[number]?.read = read }
    }

    func close(_ number: Int) {
        state.withLock { state in
            guard let (range, read) = state.open.removeValue(forKey: number), read == range.length else { return }
            state.served(range)
        }
    }

    /// The file ended before a range did. Its size need not tell: files of the kernel say more than they hold, and each
    /// range of theirs would fail again.
    func noteShort() { state.withLock { $0.isShort = true } }

    var isShort: Bool { state.withLock { $0.isShort } }

    /// A range is open: it is being sent, or waits for its turn.
    var isActive: Bool { state.withLock { !$0.open.isEmpty } }

    /// Where the first range began: what the peer has from earlier. `nil` before there is one.
    var begin: UInt64? { state.withLock { $0.begin } }

    /// Bytes from the start that have been handed to the link.
    var contiguous: UInt64 {
        state.withLock { state in
            state.open.values.reduce(state.front) { front, open in
                open.range.offset <= state.front ? max(front, open.range.offset + open.read) : front
            }
        }
    }
}
