// Why a transfer waits, paused or failed, in words for people (FileTransfer.reason); the only place that makes them.

import Glibc

package enum TransferReason {
    static let waitingForPeer = "waiting for the contact to be online"
    static let waitingForReceiver = "waiting for the contact to fetch it"
    package static let waitingForTurn = "waiting for its turn"
    static let pausedByPeer = "paused by the sender"
    static let pausedByReceiver = "paused by the receiver"
    static let receiversDisk = "the receiver's disk takes no more"
    static let senderBusy = "the sender gives other files first"
    /// What was read of it ended before its time: the next question finds out why.
    static let senderCannotRead = "the sender could not read the file; it is asked again"
    static let receiverStopped = "the receiver does not fetch it now"
    static let partialReplaced = "another program changed the unfinished file; it is fetched anew"
    package static let sourceChanged = "the file changed after it was offered (it has to be sent again)"
    package static let sourceGone = "the file is no longer there (it has to be sent again)"
    static let keyChanged = "it was offered to their old key (it has to be sent again)"
    package static let digestDiffers = "the received bytes differ from the sender's file"
    /// A failed file of ours that has been offered anew, as a file of its own.
    package static let sentAgain = DeliveryState.sentAgainReason
    package static let cancelledByPeer = "cancelled by the other side"
    static let declinedByPeer = "declined by the other side"

    /// Whether the receiver has to do something before anything goes on.
    package static func isPauseOfReceiver(_ reason: String?) -> Bool {
        reason == pausedByReceiver || reason == receiversDisk
    }

    static func noSpace(needed: UInt64, free: UInt64, folder: String) -> String {
        "not enough space: \(ByteSize.words(needed)) needed, \(ByteSize.words(free)) free in \(folder)"
    }

    /// A disk that does not take the file.
    static func local(_ error: FileError) -> String {
        if let space = error.space { return diskNearlyFull(free: space.free, folder: error.path) }
        return switch error.errno {
        case ENOSPC, EDQUOT: "the disk is full (\(error.path))"
        case EACCES, EPERM, EROFS: "\(error.path) cannot be written"
        case ELOOP: "\(error.path) has become a link, which is not followed"
        default: "\(error.call) failed on \(error.path): \(String(cString: strerror(error.errno)))"
        }
    }

    /// The disk has filled up while the file came.
    static func diskNearlyFull(free: UInt64, folder: String) -> String {
        "the disk is nearly full: \(ByteSize.words(free)) free for \(folder)"
    }

    /// It has room alone, but not with the files that come already.
    static func waitingForRoom(folder: String) -> String {
        "waiting for other files to end: with this one the disk of \(folder) would be nearly full"
    }

    /// Why an offer was not accepted by itself; `nil` when there is nothing to say.
    static func cannotAccept(_ error: ChatError) -> String? {
        switch error {
        case .notEnoughSpace(let needed, let free, let folder): noSpace(needed: needed, free: free, folder: folder)
        case .cannotWrite(let path, let errno): local(FileError(call: "open", errno: errno, path: path))
        default: nil
        }
    }

    /// An answer of the peer that nobody expects.
    static func refused(code: Int32) -> String { "the sender answered with error \(code)" }
}
