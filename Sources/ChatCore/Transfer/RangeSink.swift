// Takes the bytes of one range from the link's queue straight to the partial file.

import BLIPNet
import Synchronization

/// The body sink of one `file-get` response.
final class RangeSink: BodySink {
    private let file: OpenFile
    private let range: FileRange
    private let share: DiskShare?
    private let map: PartMap?
    /// Only the link's queue adds; anybody may look.
    private let count = Atomic<UInt64>(0)
    private let error = Mutex<FileError?>(nil)
    private let begun = Mutex<ContinuousClock.Instant?>(nil)
    private let stopped = Mutex(false)

    /// Writes no more than `share` allows, which keeps part of the disk free (`nil`: the disk may fill up), and adds what it has
    /// written to `map`.
    init(file: OpenFile, range: FileRange, share: DiskShare? = nil, map: PartMap? = nil) {
        self.file = file
        self.range = range
        self.share = share
        self.map = map
    }

    /// Bytes of the range that are written.
    var written: UInt64 { count.load(ordering: .acquiring) }

    /// When the first bytes came.
    var firstBytes: ContinuousClock.Instant? { begun.withLock { $0 } }

    /// Why the file could not take the bytes.
    var failure: FileError? { error.withLock { $0 } }

    /// Whatever else comes is dropped. Returns how many bytes of the range are written, once a write that is under way has ended.
    func stop() -> UInt64 {
        stopped.withLock { stopped in
            stopped = true
            return written
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try stopped.withLock { stopped in
            guard !stopped else { throw RangeStopped() }
            try store(bytes)
        }
    }

    private func store(_ bytes: UnsafeRawBufferPointer) throws {
        let done = count.load(ordering: .relaxed)
        if done == 0 { begun.withLock { $0 = $0 ?? .now } }
        guard UInt64(bytes.count) <= range.length - done else { throw RangeOverrun() }
        do throws(FileError) {
            try share?.take(UInt64(bytes.count))
            try file.write(bytes, at: range.offset + done)
        } catch {
            self.error.withLock { $0 = error }
            throw error
        }
        count.store(done + UInt64(bytes.count), ordering: .releasing)
        map?.add(FileRange(offset: range.offset + done, length: UInt64(bytes.count)))
        if done + UInt64(bytes.count) == range.length { file.beginWriteback(at: range.offset, count: range.length) }
    }
}

/// The peer sent more bytes than we asked for.
struct RangeOverrun: Error, Equatable {}

/// We fetch the rest of the range in another way.
struct RangeStopped: Error, Equatable {}
