// The changes that only line mode makes to the state: it enters whole lines, and prints what a screen keeps showing.

import ChatCore
import ChatWords

/// The actions of line mode alone.
enum LineMode {
    /// A line was entered: sends it, or runs it when it is a command. This leaves the pane over the chat.
    static func enter(line: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let pane = state.place.overlay?.pane
        state.place.closePane()
        guard pane?.leave(with: line, &state) ?? true else { return }
        Entering.enter(line, from: .lineMode(line), &state, &effects)
    }

    /// Leaves the pane that it has printed: the end of the open chat is next.
    static func leavePrinted(_ state: inout AppState, _ effects: inout [AppEffect]) {
        state.place.closePane()
        if let index = state.world.chatIndex(state.place.openID), state.world.chats[index].window.isLoaded,
            !state.world.chats[index].window.isAtBottom
        {
            Scrolling.scroll(.newest, &state, &effects)
        }
    }
}
