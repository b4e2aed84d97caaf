// Everything that a key can do. KeyBindings says which key does it where; MainCommands, Browsing and the panes do it.

import ChatWords

/// A command of the screen, independent of the key that gives it. Its name in `/bind` and in [keys] is the name of the
/// case in lower case with hyphens: `nextUnread` is `next-unread`.
enum AppCommand: String, Sendable, Hashable, CaseIterable {
    // Anywhere
    case help, palette, goTo, transfers, requests, searchAll, searchHere
    case nextUnread, previousUnread, nextChat, previousChat, lastChat
    case chat1, chat2, chat3, chat4, chat5, chat6, chat7, chat8, chat9, chat10
    case toggleList, toggleDetails
    case acceptOffer, declineOffer
    case redraw, suspend, quit, reconnect, toggleMouse
    /// One level back, always.
    case back

    // The history, while typing
    case pageUp, pageDown, rowUp, rowDown, oldest, newest, firstUnread

    // The input
    case send, newline, complete, completeBack
    case up, down, lineStart, lineEnd, left, right, wordLeft, wordRight
    case deleteBackward, deleteForward, killBlankWord, killWordBackward, killWordForward, killToEnd, killToStart
    case yank, undo, clear, sendFile
    /// The next key types what it is, whatever it does otherwise.
    case literal
    case searchTyped, editor

    // Reading
    case links, plainView
    /// Browse mode, about the message under the cursor; up, down, top, bottom and choose belong to it too.
    case halfPageUp, halfPageDown
    case findOlder, findNewer, nextHit, previousHit, goToDate, markUnread
    case replyTo, editMessage, deleteMessage, react, forward
    case copyText, copyWithName, saveFile, openMessage, messageInfo, selectRange, pin

    // Lists and panes; up, down, pageUp and pageDown move their cursor too.
    case top, bottom
    /// Enter: what the line under the cursor is for.
    case choose
    /// Tab: the first line of the next group.
    case nextGroup
    /// Begins to type what narrows the list.
    case filterList
    /// Closes the pane by a letter; Esc is `back`.
    case closePane

    // The search
    case searchScope, searchSyntax

    // The transfers pane, about the transfer under the cursor
    case pauseOrResume, cancelTransfer, acceptTransfer, declineTransfer, limitRate, openTransfer, copyHash

    // The file picker
    case markFile, sendMarked, hiddenFiles

    // Contact requests and the page with the number to compare
    case acceptRequest, refuseRequest, blockRequest
    case numbersMatch, numbersDiffer, decideLater
    /// Of two numbers, the one of the key that was known before.
    case oldNumberMatches
}

extension AppCommand {
    /// As `/bind` writes it.
    var name: String {
        var name = ""
        for character in rawValue {
            if character.isUppercase { name.append("-") }
            name += character.lowercased()
        }
        return name
    }

    /// The command with that name, in any case.
    init?(named name: String) {
        guard let command = Self.byName[name.lowercased()] else { return nil }
        self = command
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// Alt-1 to Alt-0: the commands that open a chat by its number in the list.
    static let chatNumbers: [AppCommand] = [
        .chat1, .chat2, .chat3, .chat4, .chat5, .chat6, .chat7, .chat8, .chat9, .chat10,
    ]

    /// The number of the chat that it opens, from 1.
    var chatNumber: Int? { Self.chatNumbers.firstIndex(of: self).map { $0 + 1 } }
}
