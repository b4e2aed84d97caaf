// The changes that only line mode makes to the state: it enters whole lines, and prints what a screen keeps showing.

import ChatCore
import ChatWords

/// The actions of line mode alone.
enum LineMode {
    /// A line was entered: sends it, or runs it when it is a command. This leaves the pane over the chat.
    static func enter(line: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        // A line that decides nothing about the number is meant for the program, not for the chat.
        if case .verify(let pane) = state.place.overlay {
            decideLater(pane, &state)
            guard line.hasPrefix("/") else { return }
        }
        state.place.overlay = nil
        Entering.enter(line, from: .lineMode(line), &state, &effects)
    }

    /// The line was no answer to the open question: nothing is decided and nothing is sent.
    private static func decideLater(_ pane: VerifyPane, _ state: inout AppState) {
        state.place.overlay = nil
        switch pane.subject {
        case .contact(let contact):
            let trust = state.world.chat(contact).map { " and stays \(Sentences.word(for: $0.peer.trust))" } ?? ""
            state.say("Nothing decided: \(state.world.name(of: contact)) hears nothing\(trust)")
        case .request(let request):
            state.say(
                "Nothing decided: \(SafeText(request.name, as: .name).text) hears nothing, the request stays (/requests)"
            )
        }
    }

    /// Leaves the pane that it has printed: the end of the open chat is next.
    static func leavePrinted(_ state: inout AppState, _ effects: inout [AppEffect]) {
        state.place.overlay = nil
        if let index = state.world.chatIndex(state.place.openID), state.world.chats[index].window.isLoaded,
            !state.world.chats[index].window.isAtBottom
        {
            Scrolling.scroll(.newest, &state, &effects)
        }
    }
}
