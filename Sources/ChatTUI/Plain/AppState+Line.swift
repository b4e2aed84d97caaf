// What only line mode does to the state: it enters whole lines, and prints what a screen keeps showing.

import ChatCore

extension AppState {
    /// A line was entered: sent, or run when it is a command. What stands over the chat is left by that, and a draft that
    /// was written on a screen stays.
    mutating func enter(line: String, _ effects: inout [AppEffect]) {
        overlay = nil
        let chat = openID
        let draft = input
        input = InputLine(line)
        enter(&effects)
        if openID == chat { input = draft }
    }

    /// What was printed is done with: the end of the open chat is next.
    mutating func leavePrinted(_ effects: inout [AppEffect]) {
        overlay = nil
        if let index = chatIndex(openID), chats[index].window.isLoaded, !chats[index].window.isAtBottom {
            scroll(.newest, &effects)
        }
    }
}
