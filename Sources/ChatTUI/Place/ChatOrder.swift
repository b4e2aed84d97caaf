// In which order chats are listed. Their numbers, and with them Alt-1 to Alt-0, stay what they are: only the user changes those.

import ChatCore

/// The order of the chats in the list.
enum ChatOrder {
    /// The chats as they are listed, as indices: by `ui.list_order`.
    static func indices(_ state: AppState) -> [Int] {
        switch state.surface.settings.listOrder {
        case .added: Array(state.world.chats.indices)
        case .newest: state.world.chats.indices.sorted(by: state.world.isNewer)
        case .unread:
            state.world.chats.indices.sorted { left, right in
                let (isLeft, isRight) = (isListedUnread(left, state), isListedUnread(right, state))
                return isLeft == isRight ? state.world.isNewer(left, right) : isLeft
            }
        }
    }

    /// The open chat keeps its place among the unread while it is read.
    private static func isListedUnread(_ index: Int, _ state: AppState) -> Bool {
        state.world.chats[index].isUnread || state.world.chats[index].id == state.place.openID
    }
}
