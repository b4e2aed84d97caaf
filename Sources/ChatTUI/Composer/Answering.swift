// The input is about a message: it replies to it, or changes it.

import ChatCore
import ChatWords

enum Answering {
    /// The edit under way, if any, makes room for something else: what was typed before it is in the input again, and
    /// the changed text in the kill ring.
    static func leaveEdit(_ state: inout AppState) {
        guard let index = state.world.chatIndex(state.place.openID),
            case .edit(_, let saved, _)? = state.world.chats[index].composing
        else {
            return
        }
        if !state.composer.input.isEmpty { state.composer.killRing.add(state.composer.input.text) }
        state.composer.write(saved)
        state.world.chats[index].endComposing()
    }

    /// The input is about a message from now on.
    static func begin(_ composing: Composing, _ state: inout AppState) {
        guard let index = state.world.chatIndex(state.place.openID) else { return }
        state.world.chats[index].begin(composing)
        // Esc cancels what was begun, and leads nowhere else.
        state.place.dropWayBack()
        Browsing.stop(&state)
        state.place.closePane()
        state.composer.vi.insert()
        state.composer.history.leave()
        Drafts.changed(&state)
    }

    /// An earlier draft is what it was again: an answer or an edit, and not the command that it was stored as.
    static func resume(_ draft: String, about message: ChatMessage, _ state: inout AppState) {
        guard state.composer.input.text == draft, message.contact == state.place.openID,
            let index = state.world.chatIndex(state.place.openID),
            state.world.chats[index].composing == nil, let parts = Composing.parts(ofDraft: draft)
        else { return }
        if parts.isEdit {
            guard message.fits(.ownText) else { return }
            state.world.chats[index].begin(.edit(message, saved: InputLine(), answering: nil))
        } else {
            state.world.chats[index].begin(.reply(to: message))
        }
        state.composer.write(InputLine(parts.text))
        SpellChecking.draftChanged(&state)
    }

    /// Esc: the input is for new messages again. Text typed as an answer stays, an edit is cancelled.
    static func stop(_ state: inout AppState) {
        guard let index = state.world.chatIndex(state.place.openID), let composing = state.world.chats[index].composing
        else { return }
        if case .edit = composing { leaveEdit(&state) } else { state.world.chats[index].endComposing() }
        Drafts.changed(&state)
    }

    /// Enter while the input is about a message.
    static func finish(
        _ composing: Composing, with text: String, from source: Entering.LineSource, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        guard Entering.check(text, &state), let index = state.world.chatIndex(state.place.openID) else { return }
        // No message follows that would tell them.
        if case .edit = composing { Drafts.stopTyping(&state.due, &effects) }
        Entering.take(source, &state, &effects)
        switch composing {
        case .reply(let message):
            state.world.chats[index].endComposing()
            ChatNews.answered(at: index, &state)
            if !state.world.chats[index].window.isAtBottom { Scrolling.scroll(.newest, &state, &effects) }
            effects.append(.run(.call(.send(text, to: message.contact, replyTo: message.id))))
        case .edit(let message, let saved, _):
            state.world.chats[index].endComposing()
            state.composer.write(saved)
            guard message.content != .text(text) else { return state.say("Nothing changed") }
            effects.append(.run(.call(.edit(message, to: text))))
        }
    }
}
