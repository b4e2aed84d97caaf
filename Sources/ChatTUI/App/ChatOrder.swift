// In which order chats are listed. Their numbers, and with them Alt-1 to Alt-0, stay what they are: only the user changes those.

import ChatCore

extension AppState {
    /// The chats as they are listed, as indices: by `ui.list_order`.
    var orderedChats: [Int] {
        switch settings.listOrder {
        case .added: Array(chats.indices)
        case .newest: chats.indices.sorted(by: isNewer)
        case .unread:
            chats.indices.sorted { left, right in
                let (isLeft, isRight) = (isListedUnread(left), isListedUnread(right))
                return isLeft == isRight ? isNewer(left, right) : isLeft
            }
        }
    }

    /// The open chat keeps its place among the unread while it is read.
    private func isListedUnread(_ index: Int) -> Bool { chats[index].isUnread || chats[index].id == openID }

    /// By what was stored last; those without any message last, as they were added.
    private func isNewer(_ left: Int, _ right: Int) -> Bool {
        let newest = HistoryPosition(.min)
        let (one, other) = (
            chats[left].conversation.lastMessage?.position ?? newest,
            chats[right].conversation.lastMessage?.position ?? newest
        )
        return one == other ? left < right : one > other
    }
}
