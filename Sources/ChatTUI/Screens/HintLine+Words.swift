// What a hint says where the user is: the same key means another thing in each list, and what a key cannot do to the line
// under the cursor leaves its place to what can be done.

import ChatCore
import ChatWords

extension HintLine {
    /// The words of the hint of `command`, which are `usual` in most places; `nil` where it would be no help.
    static func words(_ usual: String, for command: AppCommand, _ state: AppState) -> String? {
        switch state.overlay {
        case .help, nil: usual
        // Only the help shows its groups.
        case .palette, .goTo, .typed, .choice: command == .nextGroup ? nil : listWords(usual, for: command, state)
        case .transfers(let pane): transferWords(usual, for: command, state, pane)
        // Where nothing matches nothing can be opened.
        case .files(let pane): command == .choose && pane.selectedRow == nil && pane.marked.isEmpty ? nil : usual
        case .search(let pane):
            command == .searchScope && pane.scope != nil ? "all chats" : usual
        // A key is accepted on the page about another one only.
        case .verify(let pane):
            switch command {
            case .acceptRequest, .oldNumberMatches: pane.newKey == nil ? nil : usual
            // Nothing can match a number that is not there, nor comes.
            case .numbersMatch:
                if case .contact(let id) = pane.subject, pane.newKey == nil, state.chat(id)?.peer.peerID == nil {
                    nil
                } else {
                    usual
                }
            // There are more answers to stand beside it.
            case .decideLater: pane.newKey == nil ? usual : "later"
            default: usual
            }
        default: usual
        }
    }

    /// What Enter does in a list.
    private static func listWords(_ usual: String, for command: AppCommand, _ state: AppState) -> String {
        guard command == .choose else { return usual }
        switch state.overlay {
        case .goTo: return "open"
        case .typed: return "use the line"
        case .choice(let pane):
            switch pane.kind {
            case .reaction: return "react"
            case .forward: return "forward"
            case .pins: return "show"
            case .links: return "open"
            }
        default: return usual
        }
    }

    /// Of the transfer under the cursor: what ended cannot be paused, and only an offer is accepted.
    private static func transferWords(
        _ usual: String, for command: AppCommand, _ state: AppState, _ pane: TransfersPane
    ) -> String? {
        guard pane.limit == nil, !pane.filter.isOpen else { return usual }
        guard let group = state.transfers.group(of: pane.selected) else {
            return command == .filterList && pane.filter.isShown ? usual : nil
        }
        switch command {
        case .acceptTransfer, .declineTransfer: return group.isOpenOffer ? usual : nil
        case .pauseOrResume:
            if group.count(.running) + group.count(.accepted) > 0 { return "pause" }
            return group.count(.paused) > 0 ? "resume" : nil
        case .cancelTransfer: return group.isOver ? nil : usual
        case .limitRate: return group.state.isFinal || group.isOpenOffer ? nil : usual
        case .openTransfer: return group.direction == .outgoing || group.count(.complete) > 0 ? usual : nil
        case .choose: return pane.showsDetails ? "list" : usual
        case .filterList: return pane.showsDetails ? nil : usual
        default: return usual
        }
    }
}
