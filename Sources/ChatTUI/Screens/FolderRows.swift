// A folder in the history: one line for all of its files, that lives as long as the transfer, or the box of its offer.

import ChatCore
import ChatWords

/// The rows of the message that represents its folder (ChatWindow+Folders).
struct FolderRows {
    let message: MessageRows
    /// The file of the message.
    let head: FileTransfer

    private var state: AppState { message.state }

    /// All files that are known; when the transfers have forgotten the folder, those in the window.
    private var group: TransferGroup { state.world.folderGroup(of: message.message, head, in: message.chat.window) }

    /// The line or the box, followed by the head's own file when the folder is open.
    var rows: [StyledLine] {
        let group = group
        let isOpen = message.chat.window.isOpen(message.message)
        let offer =
            group.isOpenOffer && !message.chat.peer.isBlocked ? state.world.transfers.firstOffer(of: group) : nil
        var rows =
            if let offer { FileRows(message: message, transfer: offer).offerRows } else { line(group, isOpen: isOpen) }
        rows += FileRows(message: message, transfer: head).captionRows
        return isOpen ? rows + FileRows(message: message, transfer: head).lineRows : rows
    }

    /// `↑ photos/ (31 files) 48 MB [████░░] 40% 3.1 MB/s 9 s  #8`
    private func line(_ group: TransferGroup, isOpen: Bool) -> [StyledLine] {
        let words = TransferWords(state: state, group: group)
        var text = words.name + SafeText(" \(Units.size(group.size)) \(happening(to: group))", as: .line)
        if words.shownState == .running || group.state == .paused {
            text += SafeText(" · \(group.count(.complete)) of \(group.fileCount) done", as: .line)
        }
        text += SafeText("  #\(group.number.rawValue)", as: .line)
        if isOpen { text += SafeText(literal: ":") }
        let rows = FileRows(message: message, transfer: head).rows(
            of: text, style: group.state == .failed ? Theme.error : .plain, target: .choose(message.message.key))
        return rows
    }

    private func happening(to group: TransferGroup) -> String {
        let words = TransferWords(state: state, group: group)
        switch words.shownState {
        case .offered: return "· " + OfferWords.words(offering: head, state)
        case .accepted:
            return TransferWords.waiting(
                group.transferred, OfferWords.whatHolds(group.contact, group.direction, else: group.reason, state),
                bar: bar(group),
                percent: words.pace.percent)
        case .running:
            let parts = [words.pace.percent, words.pace.rate, words.pace.remaining].compactMap { $0 }
            return ([bar(group)] + parts).joined(separator: " ")
        case .paused: return "\(bar(group)) \(words.pace.percent) paused" + (group.reason.map { ": \($0.words)" } ?? "")
        case .complete:
            let place = group.direction == .outgoing ? "on their disk" : group.path.map(state.surface.abbreviated)
            let duration = group.duration.map { Units.duration($0 / 1000) }
            return (["· done"] + [place, duration].compactMap { $0 }).joined(separator: " · ")
        case .failed, .declined, .cancelled:
            guard group.partlyDone != nil, group.direction == .incoming, let path = group.path else {
                return "· " + words.words
            }
            return "· \(words.words) · \(state.surface.abbreviated(path))"
        }
    }

    private func bar(_ group: TransferGroup) -> String {
        ProgressBar.text(group.transferred, of: group.size, width: 10)
    }
}
