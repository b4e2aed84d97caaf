// Why a transfer waits, is paused or has failed, in words for people.

package import ChatCore
import Glibc

extension TransferReason {
    package var words: String {
        switch self {
        case .waitingForPeer: "waiting for the contact to be online"
        case .waitingForReceiver: "waiting for the contact to fetch it"
        case .waitingForTurn: "waiting for its turn"
        case .pausedByPeer: "paused by the sender"
        case .pausedByReceiver: "paused by the receiver"
        case .receiversDisk: "the receiver's disk takes no more"
        case .senderBusy: "the sender gives other files first"
        case .senderCannotRead: "the sender could not read the file; it is asked again"
        case .receiverStopped: "the receiver does not fetch it now"
        case .partialReplaced: "another program changed the unfinished file; it is fetched anew"
        case .sourceChanged: "the file changed after it was offered (it has to be sent again)"
        case .sourceGone: "the file is no longer there (it has to be sent again)"
        case .keyChanged: "it was offered to their old key (it has to be sent again)"
        case .digestDiffers: "the received bytes differ from the sender's file"
        case .sentAgain: "sent again"
        case .cancelledByPeer: "cancelled by the other side"
        case .declinedByPeer: "declined by the other side"
        case .historyRestored: "the history was restored; send the file again"
        case .incompleteInExport: "not complete before the export"
        case .stateDamaged: "its state in the history was damaged"
        case .noSpace(let needed, let free, let folder):
            "not enough space: \(Units.size(needed)) needed, \(Units.size(free)) free in \(folder)"
        case .diskNearlyFull(let free, let folder): "the disk is nearly full: \(Units.size(free)) free for \(folder)"
        case .waitingForRoom(let folder):
            "waiting for other files to end: with this one the disk of \(folder) would be nearly full"
        case .disk(let call, let errno, let path): Self.disk(call, errno, path)
        case .tooLargeForRoom(let limit): "the server of the room takes at most \(Units.size(limit))"
        case .refused(let code): "the sender answered with error \(code)"
        case .other(let words): words
        }
    }

    private static func disk(_ call: String, _ errno: Int32, _ path: String) -> String {
        switch errno {
        case ENOSPC, EDQUOT: "the disk is full (\(path))"
        case EACCES, EPERM, EROFS: "\(path) cannot be written"
        case ELOOP: "\(path) has become a link, which is not followed"
        default: "\(call) failed on \(path): \(String(cString: strerror(errno)))"
        }
    }

    /// The state that the words name already: `cancelled by the other side`.
    private var namedState: FileTransfer.State? {
        switch self {
        case .pausedByPeer, .pausedByReceiver: .paused
        case .cancelledByPeer: .cancelled
        case .declinedByPeer: .declined
        default: nil
        }
    }

    /// Whether the words say all of `state` by themselves.
    package func names(_ state: FileTransfer.State) -> Bool { namedState == state }
}
