// The SHA-256 of a file's first bytes, computed while the file streams, so that the end of a transfer is quick.

import BLIPNet
import Glibc

/// Reads behind the transfer on a queue of its own: the bytes are still in the page cache. Both sides use it.
actor PrefixDigest {
    /// Waits until so many more bytes may be read; `false`: they are not to be read any more.
    typealias Permission = @Sendable (UInt64) async -> Bool

    /// How much is read with one permission.
    private static let step: UInt64 = 4 << 20

    private let file: OpenFile
    private let queue = DispatchQueueExecutor(label: "blipchat.digest", isBackground: true)
    private var marks = DigestMarks()
    /// What of the file is there, and what its digests have been; `nil`: all of it.
    private var map: PartMap?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// With a `map` only what is there is read, and it is compared with what an earlier run has read.
    init(file: OpenFile, map: PartMap? = nil) {
        self.file = file
        self.map = map
    }

    /// From now on, only what `map` has is read.
    func follow(_ map: PartMap) { self.map = map }

    /// Hex of the first `length` bytes; `nil` when the file is shorter, or not all of them are there. Quick when `advance` has come close. Ends with
    /// `ECANCELED` when the task is cancelled, or `permission` refuses.
    func hex(of length: UInt64, permission: Permission? = nil) async throws(FileError) -> String? {
        var state = marks.start(for: length)
        while state.position < length {
            let wanted = min(Self.step, length - state.position)
            let isPermitted = if let permission { await permission(wanted) } else { true }
            guard isPermitted, !Task.isCancelled else {
                throw FileError(call: "digest", errno: ECANCELED, path: file.path)
            }
            // The transfer may have come further meanwhile.
            let known = marks.start(for: length)
            if known.position > state.position {
                state = known
                continue
            }
            let end = state.position + wanted
            try feed(&state, to: end)
            guard state.position == end else { return nil }
        }
        return state.digest.finish().hex
    }

    /// Reads on to `offset`, because everything before it is there; `false` when the file is shorter.
    @discardableResult func advance(to offset: UInt64) throws(FileError) -> Bool {
        guard offset > marks.front.position else { return true }
        var state = marks.start(for: offset)
        try feed(&state, to: offset)
        return state.position == offset
    }

    /// The same, unless the first `begin` bytes have not been read: they are not in the page cache, or are being read.
    func advance(to offset: UInt64, after begin: UInt64) throws(FileError) {
        if marks.front.position >= begin { try advance(to: offset) }
    }

    /// What the file is now.
    func facts() throws(FileError) -> FileFacts { try file.facts() }

    /// The same, without waiting. A read error shows again, and is reported, when somebody asks for the digest.
    nonisolated func advanceLater(to offset: UInt64, after begin: UInt64) {
        Task { try? await self.advance(to: offset, after: begin) }
    }

    /// How much of the file has been read for its digest: the state that has come furthest.
    var position: UInt64 { marks.front.position }

    /// Takes what is in the file up to `end`. When it throws, `state` is of no more use; what is kept is.
    private func feed(_ state: inout DigestMarks.State, to end: UInt64) throws(FileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
        defer { buffer.deallocate() }
        let end = map.map { min(end, $0.contiguous) } ?? end
        while state.position < end {
            let stop = min(end, DigestMarks.next(after: state.position), nextCheck(after: state.position))
            let wanted = Int(min(UInt64(buffer.count), stop - state.position))
            let count = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted)), at: state.position)
            if count == 0 { break }
            state.digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
            state.position += UInt64(count)
            guard isAsBefore(state) else {
                // Somebody has to bring the last piece again first.
                marks.forget(behind: state.position - PartMap.piece)
                state = marks.start(for: state.position)
                return
            }
            if state.position.isMultiple(of: DigestMarks.spacing) { marks.keep(state) }
            // Whoever wants to run next to this waits for the next tick of the clock otherwise, and so do keys.
            sched_yield()
        }
        marks.keep(state)
    }

    private func nextCheck(after position: UInt64) -> UInt64 {
        guard map != nil else { return .max }
        let (next, overflow) = (position / PartMap.piece + 1).multipliedReportingOverflow(by: PartMap.piece)
        return overflow ? .max : next
    }

    /// Whether an earlier run has read the same, if it has read that far.
    private func isAsBefore(_ state: DigestMarks.State) -> Bool {
        guard let map, state.position.isMultiple(of: PartMap.piece) else { return true }
        return map.check(state.position, state.digest.finish())
    }
}
