// What only line mode does to the state: it enters whole lines, and prints what a screen keeps showing.

import ChatCore
import ChatWords

extension AppState {
    /// A line was entered: sent, or run when it is a command. What stands over the chat is left by that.
    mutating func enter(line: String, _ effects: inout [AppEffect]) {
        // Whoever decides nothing about a number tells the program so, not the chat.
        if case .verify(let pane) = overlay {
            decideLater(pane)
            guard line.hasPrefix("/") else { return }
        }
        overlay = nil
        enter(line, from: .lineMode(line), &effects)
    }

    /// What was no answer to the question that stands there: nothing is decided and nothing is sent.
    private mutating func decideLater(_ pane: VerifyPane) {
        overlay = nil
        switch pane.subject {
        case .contact(let contact):
            let trust = chat(contact).map { " and stays \(Sentences.word(for: $0.peer.trust))" } ?? ""
            say("Nothing decided: \(name(of: contact)) hears nothing\(trust)")
        case .request(let request):
            say(
                "Nothing decided: \(SafeText(request.name, as: .name).text) hears nothing, the request stays (/requests)"
            )
        }
    }

    /// What was printed is done with: the end of the open chat is next.
    mutating func leavePrinted(_ effects: inout [AppEffect]) {
        overlay = nil
        if let index = chatIndex(openID), chats[index].window.isLoaded, !chats[index].window.isAtBottom {
            scroll(.newest, &effects)
        }
    }
}
