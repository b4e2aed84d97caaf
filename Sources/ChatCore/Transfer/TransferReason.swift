// Why a transfer waits, is paused or has failed. ChatWords has the words for it; the store keeps `stored`.

package enum TransferReason: Sendable, Hashable {
    case waitingForPeer
    case waitingForReceiver
    case waitingForTurn
    case pausedByPeer
    case pausedByReceiver
    case receiversDisk
    case senderBusy
    /// The sender stopped reading in the middle: the next question finds out why.
    case senderCannotRead
    case receiverStopped
    case partialReplaced
    case sourceChanged
    case sourceGone
    /// It was offered to a key that the contact no longer has.
    case keyChanged
    case digestDiffers
    /// A failed file of ours that has been offered anew, as a file of its own.
    case sentAgain
    case cancelledByPeer
    case declinedByPeer
    /// It was under way when the history was copied that is restored now.
    case historyRestored
    /// It was under way when the history was exported that is imported now.
    case incompleteInExport
    /// Its state in the history could not be read and was repaired.
    case stateDamaged
    /// Bytes needed and free.
    case noSpace(needed: UInt64, free: UInt64, folder: String)
    /// The disk has filled up while the file came.
    case diskNearlyFull(free: UInt64, folder: String)
    /// The disk has room for this file alone, but not beside those that are coming already.
    case waitingForRoom(folder: String)
    /// A system call failed on our disk.
    case disk(call: String, errno: Int32, path: String)
    /// The server of the room takes at most so many bytes.
    case tooLargeForRoom(limit: UInt64)
    /// An answer of the sender that we do not expect.
    case refused(code: Int32)
    /// Words of an export or of an earlier version of the history.
    case other(String)

    /// A disk that does not take the file.
    static func local(_ error: FileError) -> Self {
        if let space = error.space { return .diskNearlyFull(free: space.free, folder: error.path) }
        return .disk(call: error.call, errno: error.errno, path: error.path)
    }

    /// Why an offer was not accepted by itself; `nil` when there is nothing to say.
    static func cannotAccept(_ error: ChatError) -> Self? {
        switch error {
        case .notEnoughSpace(let needed, let free, let folder): .noSpace(needed: needed, free: free, folder: folder)
        case .cannotWrite(let path, let errno): .disk(call: "open", errno: errno, path: path)
        default: nil
        }
    }

    /// The receiver has to do something before the file continues.
    package var isPauseOfReceiver: Bool { self == .pausedByReceiver || self == .receiversDisk }
}

// MARK: As it is stored

extension TransferReason: StoredReason {
    private static let plain: [Self: String] = [
        .waitingForPeer: "waiting-for-peer", .waitingForReceiver: "waiting-for-receiver",
        .waitingForTurn: "waiting-for-turn", .pausedByPeer: "paused-by-peer", .pausedByReceiver: "paused-by-receiver",
        .receiversDisk: "receivers-disk", .senderBusy: "sender-busy", .senderCannotRead: "sender-cannot-read",
        .receiverStopped: "receiver-stopped", .partialReplaced: "partial-replaced", .sourceChanged: "source-changed",
        .sourceGone: "source-gone", .keyChanged: "key-changed", .digestDiffers: "digest-differs",
        .sentAgain: "sent-again", .cancelledByPeer: "cancelled-by-peer", .declinedByPeer: "declined-by-peer",
        .historyRestored: "history-restored", .incompleteInExport: "incomplete-in-export",
        .stateDamaged: "state-damaged",
    ]
    private static let byCode = Dictionary(uniqueKeysWithValues: plain.map { ($1, $0) })

    package var stored: String {
        switch self {
        case .noSpace(let needed, let free, let folder): "no-space \(needed) \(free) \(folder)"
        case .diskNearlyFull(let free, let folder): "disk-nearly-full \(free) \(folder)"
        case .waitingForRoom(let folder): "waiting-for-room \(folder)"
        case .disk(let call, let errno, let path): "disk \(call) \(errno) \(path)"
        case .refused(let code): "refused \(code)"
        case .tooLargeForRoom(let limit): "room-limit \(limit)"
        case .other(let words): "other \(words)"
        default: Self.plain[self] ?? ""
        }
    }

    package init(stored: String) {
        if let plain = Self.byCode[stored] {
            self = plain
            return
        }
        let parts = stored.split(scalar: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count == 2 ? parts[1] : ""
        // A path comes last, since it may have blanks.
        func values(_ count: Int) -> [Substring]? {
            let values = rest.split(scalar: " ", maxSplits: count - 1, omittingEmptySubsequences: false)
            return parts.count == 2 && values.count == count ? values : nil
        }
        let known: Self? =
            switch parts.first {
            case "no-space": values(3).flatMap(Self.noSpace)
            case "disk-nearly-full": values(2).flatMap(Self.diskNearlyFull)
            case "waiting-for-room": values(1).map { .waitingForRoom(folder: String($0[0])) }
            case "disk": values(3).flatMap(Self.disk)
            case "refused": Int32(rest).map { .refused(code: $0) }
            case "room-limit": UInt64(rest).map { .tooLargeForRoom(limit: $0) }
            case "other": values(1).map { .other(String($0[0])) }
            default: nil
            }
        self = known ?? .other(stored)
    }

    private static func noSpace(_ values: [Substring]) -> Self? {
        guard let needed = UInt64(values[0]), let free = UInt64(values[1]) else { return nil }
        return .noSpace(needed: needed, free: free, folder: String(values[2]))
    }

    private static func diskNearlyFull(_ values: [Substring]) -> Self? {
        UInt64(values[0]).map { .diskNearlyFull(free: $0, folder: String(values[1])) }
    }

    private static func disk(_ values: [Substring]) -> Self? {
        Int32(values[1]).map { .disk(call: String(values[0]), errno: $0, path: String(values[2])) }
    }
}
