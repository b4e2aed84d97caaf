// How much of our disk one contact may fill with messages (RELIABILITY 3, D9). Pure: time and the state of the disk are
// passed in.

import BLIPNet

/// The free space on a disk, and its size, in bytes.
package struct DiskSpace: Sendable, Equatable {
    package var free: UInt64
    package var total: UInt64

    package init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }
}

/// Counts what each contact has had stored in a day that begins with its first operation.
struct StorageQuota {
    /// Why something is not stored now. Its sender keeps it, and it comes later.
    enum Refusal: Equatable {
        /// They have sent as much as one contact may in a day.
        case tooMuchToday
        /// The disk is nearly full, and they are among those who have sent most.
        case diskNearlyFull
    }

    private struct Count {
        var since: Timestamp
        var bytes: UInt64 = 0
        /// We have told our user.
        var isTold = false
    }

    private static let day: Int64 = 86_400_000
    /// The space that an operation takes beside its text: rows, indexes, the log.
    static let overhead: UInt64 = 512
    /// While the disk is nearly full, everybody may still send so much in a day: a few thousand lines.
    static let scarceBytes: UInt64 = 1 << 20
    /// One part in this many of the space that must stay free is ours: for what our user writes, and for the database
    /// itself.
    static let ownShare: UInt64 = 8

    private var counts: [ContactID: Count] = [:]

    /// Counts an operation with a text of `bytes` that is about to be stored; `nil`: it may be.
    mutating func admit(
        _ bytes: Int, from contact: ContactID, disk: DiskSpace?, limits: ChatLimits, now: Timestamp
    ) -> Refusal? {
        var count = present(of: contact, now)
        let size = UInt64(max(bytes, 0)) + Self.overhead
        guard count.bytes + size <= limits.storedBytesPerDay else { return .tooMuchToday }
        if let disk {
            let kept = limits.kept(of: disk.total)
            if disk.free < kept, disk.free < kept / Self.ownShare || count.bytes + size > Self.scarceBytes {
                return .diskNearlyFull
            }
        }
        count.bytes += size
        counts[contact] = count
        return nil
    }

    /// Whether our user is to hear of a refusal: once a day for each contact.
    mutating func isNews(for contact: ContactID, now: Timestamp) -> Bool {
        var count = present(of: contact, now)
        defer { counts[contact] = count }
        guard !count.isTold else { return false }
        count.isTold = true
        return true
    }

    private func present(of contact: ContactID, _ now: Timestamp) -> Count {
        guard let count = counts[contact], (0..<Self.day).contains(now.milliseconds &- count.since.milliseconds) else {
            return Count(since: now)
        }
        return count
    }
}

/// When to look at the disk of the history again: not for every message, but before much has come.
struct DiskWatch {
    private static let interval = Duration.seconds(10)
    private static let step = 4 << 20

    private(set) var space: DiskSpace?
    private var looked: MonotonicTime?
    private var bytes = 0

    /// Whether to look before `size` bytes more are stored.
    mutating func isDue(before size: Int, now: MonotonicTime) -> Bool {
        bytes += min(size, Self.step)
        guard let looked else { return true }
        return bytes >= Self.step || now - looked >= Self.interval
    }

    mutating func saw(_ space: DiskSpace?, now: MonotonicTime) {
        self.space = space
        looked = now
        bytes = 0
    }
}
