// How much the incoming files that run may still write to each disk, so that together they leave the bytes that must
// stay free (RELIABILITY 3).

import Glibc
import Synchronization

/// The disks to which files come, by device number.
final class DiskRooms: Sendable {
    private let rooms = Mutex<[UInt64: DiskRoom]>([:])

    /// The same one for the same disk.
    func room(on device: UInt64) -> DiskRoom {
        rooms.withLock { rooms in
            let room = rooms[device] ?? DiskRoom()
            rooms[device] = room
            return room
        }
    }
}

/// The room on one disk, and the files that share it.
final class DiskRoom: Sendable {
    /// Bytes that we may write, and the size of the disk.
    typealias Look = @Sendable () throws(FileError) -> (free: UInt64, total: UInt64)

    /// A download looks at the disk before each so many bytes.
    static let step: UInt64 = 4 << 20

    /// Whether a file may begin.
    enum Answer {
        case yes(DiskShare)
        /// It has no room, also alone.
        case no(free: UInt64)
        /// It would have room, but for the files that come already.
        case later
    }

    private struct Share {
        /// Bytes that are still to be written.
        var left: UInt64
        /// Those of them for which room was found at the last look.
        var granted: UInt64 = 0
    }

    private struct State {
        var shares: [UInt64: Share] = [:]
        var next: UInt64 = 0
    }

    /// Locked while we look at the disk: what we grant to others meanwhile would count for neither.
    private let state = Mutex(State())

    /// Asks for room for `needed` bytes, beside what the other files still have to write. The errors are those of `look`;
    /// `folder` is for messages.
    func begin(
        _ needed: UInt64, limits: ChatLimits, folder: String, look: @escaping Look
    ) throws(FileError) -> Answer {
        try state.withLock { state throws(FileError) in
            // A file that is here already needs none, however full the disk is.
            if needed > 0 {
                let (free, total) = try look()
                guard limits.fits(needed, free: free, total: total) else { return .no(free: free) }
                let all = state.shares.values.reduce(needed) { $0.addingClamped($1.left) }
                guard limits.fits(all, free: free, total: total) else { return .later }
            }
            state.next += 1
            state.shares[state.next] = Share(left: needed)
            return .yes(DiskShare(room: self, number: state.next, limits: limits, folder: folder, look: look))
        }
    }

    fileprivate func take(_ bytes: UInt64, for share: DiskShare) throws(FileError) {
        try state.withLock { state throws(FileError) in
            guard var own = state.shares[share.number] else { return }
            if own.granted < bytes {
                let others = state.shares.reduce(0 as UInt64) { sum, other in
                    other.key == share.number ? sum : sum.addingClamped(other.value.granted)
                }
                own.granted = try Self.grant(bytes, own.left, besides: others, for: share)
            }
            own.granted -= bytes
            own.left = own.left.subtractingClamped(bytes)
            state.shares[share.number] = own
        }
    }

    /// How much of `left` may be written until the next look, at least `bytes`.
    private static func grant(
        _ bytes: UInt64, _ left: UInt64, besides others: UInt64, for share: DiskShare
    ) throws(FileError) -> UInt64 {
        let wanted = max(min(left, step), bytes)
        let (free, total) = try share.look()
        let kept = share.limits.kept(of: total)
        // Nothing must stay free: the disk itself says when it is full.
        guard kept > 0 else { return wanted }
        let room = free.subtractingClamped(kept).subtractingClamped(others)
        guard room >= bytes else {
            throw FileError(
                call: "statvfs", errno: ENOSPC, path: share.folder, space: .init(needed: bytes, free: free))
        }
        return min(wanted, room)
    }

    fileprivate func end(_ number: UInt64) { state.withLock { $0.shares[number] = nil } }
}

/// The room into which one file may still write. The others have it when this goes away.
final class DiskShare: Sendable {
    private let room: DiskRoom
    fileprivate let number: UInt64
    fileprivate let limits: ChatLimits
    fileprivate let folder: String
    fileprivate let look: DiskRoom.Look

    fileprivate init(
        room: DiskRoom, number: UInt64, limits: ChatLimits, folder: String, look: @escaping DiskRoom.Look
    ) {
        self.room = room
        self.number = number
        self.limits = limits
        self.folder = folder
        self.look = look
    }

    deinit { room.end(number) }

    /// Before so many bytes are written.
    ///
    /// Throws ENOSPC with a `space` when less would stay free than must.
    func take(_ bytes: UInt64) throws(FileError) { try room.take(bytes, for: self) }
}

extension UInt64 {
    fileprivate func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    fileprivate func subtractingClamped(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
