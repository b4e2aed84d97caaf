// What only line mode does to the state: it enters whole lines, and prints what a screen keeps showing.

import ChatCore
import ChatWords

/// What only line mode does.
enum LineMode {
    /// A line was entered: sent, or run when it is a command. What stands over the chat is left by that.
    static func enter(line: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        // Whoever decides nothing about a number tells the program so, not the chat.
        if case .verify(let pane) = state.place.overlay {
            decideLater(pane, &state)
            guard line.hasPrefix("/") else { return }
        }
        state.place.overlay = nil
        Entering.enter(line, from: .lineMode(line), &state, &effects)
    }

    /// What was no answer to the question that stands there: nothing is decided and nothing is sent.
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

    /// Leaves what it has printed: the end of the open chat is next.
    static func leavePrinted(_ state: inout AppState, _ effects: inout [AppEffect]) {
        state.place.overlay = nil
        if let index = state.world.chatIndex(state.place.openID), state.world.chats[index].window.isLoaded,
            !state.world.chats[index].window.isAtBottom
        {
            Scrolling.scroll(.newest, &state, &effects)
        }
    }
}
