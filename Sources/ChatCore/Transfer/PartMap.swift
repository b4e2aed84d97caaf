// Keeps a record beside a partial file of which ranges have arrived, so that a transfer resumes at once after an
// interruption, without reading the file again first (decision 0035).

import BLIPNet
import Synchronization

/// The ranges that have come of one file, and the digests of its beginnings. The queues of several links add to it.
///
/// A record survives the end of the program, not that of the system: what the disk has not got may be lost then. So after
/// another start of the system only pieces count whose digests are kept, and all of those are compared while the digest of
/// the file is made. A record that cannot be written makes a resume slower, and nothing else.
final class PartMap: Sendable {
    /// Bytes of a piece: at the end of each the digest of everything before is kept.
    static let piece: UInt64 = 1 << 20
    /// When so many bytes have come since the last record, there is a new one: they come again after a kill.
    static let mostUnrecorded: UInt64 = 512 << 10

    private struct State {
        var ranges = FileRanges()
        /// The digests of so many pieces from the beginning are kept.
        var checked: UInt64 = 0
        /// An earlier run has brought some of it, and nobody has compared that with the sender's file.
        var isOfEarlierRun = false
        var unrecorded: UInt64 = 0
        /// There is something that the last record does not say.
        var hasNews = false
        var number: UInt64 = 0
        /// Where it is written; `nil`: nowhere.
        var record: OpenFile?
        /// Nothing is written any more: the next run may have the record, or the disk does not take it.
        var isClosed = false
        var inode: UInt64
    }

    let size: UInt64
    private let modified: Timestamp
    private let start: [UInt8]?
    private let state: Mutex<State>

    /// Of a partial file of which the first `done` bytes are good. `facts`: what the partial file is; `start`: which start of
    /// the system this is.
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

    /// What an earlier run has written down in `record`; `nil` when that is nothing that can be used.
    ///
    /// Throws what reading does.
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

    /// Bytes that are there.
    var count: UInt64 { state.withLock { $0.ranges.count } }

    /// Everything before this offset is there.
    var contiguous: UInt64 { state.withLock { $0.ranges.contiguous } }

    /// The ranges that have not arrived, in order of offset.
    var missing: [FileRange] { state.withLock { $0.ranges.missing(of: size) } }

    /// The ranges that have arrived, in order of offset.
    var present: [FileRange] { state.withLock { $0.ranges.all } }

    var isComplete: Bool { count == size }

    /// An earlier run has brought some of it, and nobody has compared that with the sender's file.
    var isOfEarlierRun: Bool { state.withLock { $0.isOfEarlierRun } }

    /// It is written down nowhere. A small file comes again sooner than that is worth.
    var needsRecord: Bool { size > Self.piece && state.withLock { $0.record == nil && !$0.isClosed } }

    /// These bytes have been written to the partial file. Writes them down when there are many.
    func add(_ range: FileRange) {
        state.withLock { state in
            state.ranges.insert(range)
            state.unrecorded += range.length
            state.hasNews = true
            if state.unrecorded >= Self.mostUnrecorded { write(&state) }
        }
    }

    /// What has come of this range does not count.
    func forget(_ range: FileRange) {
        state.withLock { state in
            state.ranges.remove(range)
            state.hasNews = true
        }
    }

    /// Writes down what is there from now on, in an empty file.
    func keep(in record: OpenFile) {
        state.withLock { state in
            state.record = record
            write(&state)
        }
    }

    /// Writes down what has come since the last time. Blocks as long as its disk does.
    func recordNews() { state.withLock { if $0.hasNews { write(&$0) } } }

    /// The same once more, and nothing after that.
    func close() {
        recordNews()
        state.withLock { $0.isClosed = true }
    }

    /// The digest of the first `position` bytes (a multiple of the piece) as they are in the partial file. `false`: an
    /// earlier run has found another one there. Then the last piece before it, and all behind whose digests were kept, are
    /// not there any more.
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
            // It counts as not looked at.
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
            // What the last record says stays true.
            state.isClosed = true
        }
    }
}
