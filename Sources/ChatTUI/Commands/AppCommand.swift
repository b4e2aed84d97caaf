// Everything that a key can do. KeyBindings says which key does it; AppState+Perform does it.

/// A command of the screen, independent of the key that gives it.
enum AppCommand: Sendable, Hashable {
    // Anywhere
    case help, palette, goTo, transfers, requests, searchAll, searchHere
    case nextUnread, previousUnread, nextChat, previousChat, lastChat
    /// The chat with this number in the list, from 1.
    case openChat(Int)
    case toggleList, toggleDetails
    case acceptOffer, declineOffer
    case redraw, suspend, quit, reconnect
    /// One level back, always.
    case back

    // The history, while typing
    case pageUp, pageDown, rowUp, rowDown, oldest, newest, firstUnread

    // The input
    case send, newline, complete, completeBack
    case up, down, lineStart, lineEnd, left, right, wordLeft, wordRight
    case deleteBackward, deleteForward, killBlankWord, killWordBackward, killWordForward, killToEnd, killToStart
    case yank, undo, clear, sendFile
}
