// Keeps a record beside a partial file of which ranges have arrived, so that a transfer resumes at once after an
// interruption, without reading the file again first (decision 0035).

import BLIPNet
import Synchronization

/// The ranges of one file that have arrived, and the digests of its prefixes. The queues of several links add ranges to it.
///
/// The kernel keeps a record when the program is killed, but a power cut may lose bytes that the record lists. So after another
/// start of the system only pieces with a kept digest count, and `PrefixDigest` compares each of them while it computes the
/// digest of the file. If the disk takes no record, the next run resumes more slowly; nothing else depends on it.
final class PartMap: Sendable {
    /// The size of a piece in bytes. At the end of each piece the record keeps the digest of everything before.
    static let piece: UInt64 = 1 << 20
    /// We write a new record whenever this many bytes have arrived since the last one: a kill makes us fetch those again.
    static let mostUnrecorded: UInt64 = 512 << 10

    private struct State {
        var ranges = FileRanges()
        /// The record keeps the digests of this many pieces from the beginning.
        var checked: UInt64 = 0
        /// An earlier run received some of the ranges, and this run has not compared them with the sender's file.
        var isOfEarlierRun = false
        var unrecorded: UInt64 = 0
        /// The last record is out of date.
        var hasNews = false
        var number: UInt64 = 0
        /// The file that records are written to; `nil` until a record is begun.
        var record: OpenFile?
        /// We write no more records: the next run may have opened the file by now, or the disk has refused a write.
        var isClosed = false
        var inode: UInt64
    }

    let size: UInt64
    private let modified: Timestamp
    private let start: [UInt8]?
    private let state: Mutex<State>

    /// For a partial file whose first `done` bytes are good. `facts` identify that file; `start` identifies this start of the
    /// system.
    init(
        of transfer: FileTransfer, in facts: FileFacts, done: UInt64 = 0, start: [UInt8]? = SystemStart.mark
    ) {
        size = transfer.size
        modified = transfer.modified
        self.start = start
        var state = State(inode: facts.identity.inode)
        state.ranges.insert(FileRange(offset: 0, length: min(done, transfer.size)))
        self.state = Mutex(state)
    }

    /// Reads what an earlier run wrote to `record`. `nil` when no slot holds a whole record of this very file, or when
    /// we can trust no range in it.
    ///
    /// Throws the errors of reading.
    static func load(
        _ record: OpenFile, of transfer: FileTransfer, in facts: FileFacts, start: [UInt8]? = SystemStart.mark
    ) throws(FileError) -> PartMap? {
        let bytes = try record.contents(upTo: 2 * PartRecord.place)
        let places = [bytes.prefix(PartRecord.place), bytes.dropFirst(PartRecord.place)]
        let newest = places.compactMap { PartRecord(decoding: $0) }
            .filter {
                $0.inode == facts.identity.inode && $0.size == transfer.size && $0.modified == transfer.modified
            }
            .max { $0.number < $1.number }
        guard let newest else { return nil }
        let map = PartMap(of: transfer, in: facts, start: start)
        return map.take(newest, in: record, upTo: facts.size) ? map : nil
    }

    /// Takes over the ranges of an earlier run. After another start of the system only pieces with a kept digest count.
    private func take(_ record: PartRecord, in file: OpenFile, upTo end: UInt64) -> Bool {
        state.withLock { state in
            for range in record.ranges { state.ranges.insert(range) }
            state.checked = min(record.checked, min(state.ranges.contiguous, end) / Self.piece)
            let good = start != nil && record.start == start ? end : state.checked * Self.piece
            if good < size { state.ranges.remove(FileRange(offset: good, length: size - good)) }
            state.number = record.number
            state.record = file
            state.isOfEarlierRun = true
            return state.ranges.count > 0
        }
    }

    /// How many bytes have arrived.
    var count: UInt64 { state.withLock { $0.ranges.count } }

    /// All bytes before this offset have arrived.
    var contiguous: UInt64 { state.withLock { $0.ranges.contiguous } }

    /// The ranges that have not arrived, in order of offset.
    var missing: [FileRange] { state.withLock { $0.ranges.missing(of: size) } }

    /// The ranges that have arrived, in order of offset.
    var present: [FileRange] { state.withLock { $0.ranges.all } }

    var isComplete: Bool { count == size }

    /// Whether an earlier run received some of the ranges, and this run has not compared them with the sender's file.
    var isOfEarlierRun: Bool { state.withLock { $0.isOfEarlierRun } }

    /// Whether to begin a record now. For a small file fetching everything again costs less than a record.
    var needsRecord: Bool { size > Self.piece && state.withLock { $0.record == nil && !$0.isClosed } }

    /// A link has written these bytes to the partial file. Writes a record once enough bytes have arrived since the last one.
    func add(_ range: FileRange) {
        state.withLock { state in
            state.ranges.insert(range)
            state.unrecorded += range.length
            state.hasNews = true
            if state.unrecorded >= Self.mostUnrecorded { write(&state) }
        }
    }

    /// Counts a range as missing, because what was written there may not be from the file.
    func forget(_ range: FileRange) {
        state.withLock { state in
            state.ranges.remove(range)
            state.hasNews = true
        }
    }

    /// Begins to write records, to an empty file.
    func keep(in record: OpenFile) {
        state.withLock { state in
            state.record = record
            write(&state)
        }
    }

    /// Writes a record if the last one is out of date. Blocks as long as its disk does.
    func recordNews() { state.withLock { if $0.hasNews { write(&$0) } } }

    /// Writes a last record. Later calls write nothing.
    func close() {
        recordNews()
        state.withLock { $0.isClosed = true }
    }

    /// Takes the digest of the first `position` bytes (a multiple of `piece`) as the partial file has them now. Keeps it, or
    /// compares it with the one that an earlier run kept. `false` when they differ: then the piece that ends at `position` and
    /// all later pieces with a kept digest count as missing, so that the receiver fetches them again.
    func check(_ position: UInt64, _ digest: [UInt8]) -> Bool {
        state.withLock { state in
            guard let record = state.record, !state.isClosed else { return true }
            let pieces = position / Self.piece
            if pieces > state.checked {
                guard pieces == state.checked + 1 else { return true }
                keep(digest, of: pieces, in: record, &state)
                return true
            }
            guard !isKept(digest, of: pieces, in: record) else { return true }
            let good = (pieces - 1) * Self.piece
            state.ranges.remove(FileRange(offset: good, length: state.checked * Self.piece - good))
            state.checked = pieces - 1
            write(&state)
            return false
        }
    }

    private func keep(_ digest: [UInt8], of pieces: UInt64, in record: OpenFile, _ state: inout State) {
        do throws(FileError) {
            try digest.withUnsafeBytes { bytes in
                Result { () throws(FileError) in try record.write(bytes, at: PartRecord.offset(ofDigest: pieces)) }
            }.get()
            state.checked = pieces
            state.hasNews = true
        } catch {
            // Without its digest the next run treats this piece as one that nobody has read.
            state.isClosed = true
        }
    }

    private func isKept(_ digest: [UInt8], of pieces: UInt64, in record: OpenFile) -> Bool {
        var kept = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
        let count = kept.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try record.read(into: buffer, at: PartRecord.offset(ofDigest: pieces)) }
        }
        guard case .success(kept.count) = count else { return false }
        return kept == digest
    }

    private func write(_ state: inout State) {
        guard let file = state.record, !state.isClosed else { return }
        state.unrecorded = 0
        state.hasNews = false
        state.number &+= 1
        let record = PartRecord(
            number: state.number, inode: state.inode, size: size, modified: modified,
            start: start ?? [UInt8](repeating: 0, count: SystemStart.byteCount), checked: state.checked,
            ranges: state.ranges.all)
        do throws(FileError) {
            try record.encoded().withUnsafeBytes { bytes in
                Result { () throws(FileError) in try file.write(bytes, at: record.offset) }
            }.get()
        } catch {
            // The record in the other slot is still whole: the next run resumes from that.
            state.isClosed = true
        }
    }
}
