// The way back after a jump.

import ChatCore

/// Where Esc leads back to after a jump from a list.
struct ReturnPlace: Sendable, Equatable {
    let contact: ContactID
    let scroll: ChatWindow.Scroll
    /// Where that was in the conversation: the jump may have taken its page out of memory.
    let position: HistoryPosition?
    let unreadLine: ChatWindow.UnreadLine?
    let search: SearchPane?

    init(_ chat: Chat, search: SearchPane?) {
        contact = chat.id
        scroll = chat.window.scroll
        position = chat.window.anchorPosition
        unreadLine = chat.window.unreadLine
        self.search = search
    }
}
