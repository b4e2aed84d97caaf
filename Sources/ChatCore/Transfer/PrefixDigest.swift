// The SHA-256 of a file's first bytes, computed while the file streams, so that the end of a transfer is quick.

import BLIPNet
import Glibc

/// Follows the transfer on a queue of its own, and reads bytes while they are still in the page cache. Both sides use it.
actor PrefixDigest {
    /// Waits until this many more bytes may be read. `false`: nobody wants the digest any more.
    typealias Permission = @Sendable (UInt64) async -> Bool

    /// How much is read with one permission.
    private static let step: UInt64 = 4 << 20

    private let file: OpenFile
    private let queue = DispatchQueueExecutor(label: "blipchat.digest", isBackground: true)
    private var marks = DigestMarks()
    /// Which ranges have arrived, and the digests that earlier runs kept; `nil` where the whole file may be read.
    private var map: PartMap?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// With a `map` it reads only up to the first gap, and compares each piece with the digest that an earlier run kept.
    init(file: OpenFile, map: PartMap? = nil) {
        self.file = file
        self.map = map
    }

    /// From now on it reads only up to the first gap of `map`.
    func follow(_ map: PartMap) { self.map = map }

    /// The digest of the first `length` bytes in hex; `nil` when the file is shorter, or some of them have not arrived. Quick
    /// when `advance` has come close. Throws `ECANCELED` when the task is cancelled or `permission` refuses.
    func hex(of length: UInt64, permission: Permission? = nil) async throws(FileError) -> String? {
        var state = marks.start(for: length)
        while state.position < length {
            let wanted = min(Self.step, length - state.position)
            let isPermitted = if let permission { await permission(wanted) } else { true }
            guard isPermitted, !Task.isCancelled else {
                throw FileError(call: "digest", errno: ECANCELED, path: file.path)
            }
            // `advance` may have read further while we waited for the permission.
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

    /// Reads up to `offset`; the caller knows that all bytes before it have arrived. `false` when the file is shorter.
    @discardableResult func advance(to offset: UInt64) throws(FileError) -> Bool {
        guard offset > marks.front.position else { return true }
        var state = marks.start(for: offset)
        try feed(&state, to: offset)
        return state.position == offset
    }

    /// The same, but only once the first `begin` bytes have been read. Those came earlier: either another task reads them now, or
    /// they are not in the page cache, and reading them would hold up what follows.
    func advance(to offset: UInt64, after begin: UInt64) throws(FileError) {
        if marks.front.position >= begin { try advance(to: offset) }
    }

    /// The facts about the file as it is now.
    func facts() throws(FileError) -> FileFacts { try file.facts() }

    /// As `advance(to:after:)`, without waiting. Ignores read errors: `hex` meets them again and reports them.
    nonisolated func advanceLater(to offset: UInt64, after begin: UInt64) {
        Task { try? await self.advance(to: offset, after: begin) }
    }

    /// How much of the file has been read for its digest: the state that has come furthest.
    var position: UInt64 { marks.front.position }

    /// Feeds `state` from the file, up to `end` or the first gap. After an error `state` is spoilt; the kept states are not.
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
                // The last piece is damaged. The receiver has to fetch it again before the digest can continue.
                marks.forget(behind: state.position - PartMap.piece)
                state = marks.start(for: state.position)
                return
            }
            if state.position.isMultiple(of: DigestMarks.spacing) { marks.keep(state) }
            // Otherwise other threads wait for the scheduler's next tick, and a typed key appears late.
            sched_yield()
        }
        marks.keep(state)
    }

    private func nextCheck(after position: UInt64) -> UInt64 {
        guard map != nil else { return .max }
        let (next, overflow) = (position / PartMap.piece + 1).multipliedReportingOverflow(by: PartMap.piece)
        return overflow ? .max : next
    }

    /// Whether the file has the same bytes up to here as when an earlier run read it; true where none has read this far.
    private func isAsBefore(_ state: DigestMarks.State) -> Bool {
        guard let map, state.position.isMultiple(of: PartMap.piece) else { return true }
        return map.check(state.position, state.digest.finish())
    }
}
