// Tells the peer that we are typing, and that we stopped; stores drafts.

import ChatCore

/// What follows from a changed draft: it is stored, and the peer learns that we are typing.
enum Drafts {
    /// The user changed the draft.
    static func tellTyping(_ state: inout AppState, _ effects: inout [AppEffect]) {
        // The chat decides whether the peer hears of it: contacts have settings of their own.
        guard let openID = state.place.openID, !state.composer.input.isEmpty,
            state.composer.input.characters.first != "/"
        else {
            stopTyping(&state.due, &effects)
            return
        }
        for errand in state.due.typed(for: openID, at: state.surface.moment.uptime) { effects.append(.run(errand)) }
    }

    static func stopTyping(_ due: inout Due, _ effects: inout [AppEffect]) {
        if let errand = due.stopTyping() { effects.append(.run(errand)) }
    }

    /// Stores the open chat's draft when it is not stored yet. Without an open chat there is nowhere to store it.
    static func storeDraft(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.due.takeDraft(), let openID = state.place.openID else { return }
        // A line of before that is only shown is no draft.
        let shown = state.composer.history.keptDraft ?? state.composer.input.text
        store(shown, of: openID, state, &effects)
    }

    /// A half-typed line, as what it is about.
    private static func store(_ line: String, of contact: ContactID, _ state: AppState, _ effects: inout [AppEffect]) {
        let text =
            state.world.chat(contact)?.composing?.draft(line, keepsLines: state.surface.settings.historyCount > 0)
            ?? line
        effects.append(.run(.call(.setDraft(text, for: contact))))
    }

    /// At the end: another screen of this home may have stored its own since, or emptied it by sending. A draft that
    /// was not touched here is the other one's.
    static func leaveDrafts(_ state: inout AppState, _ effects: inout [AppEffect]) {
        let isStoredNow = state.due.draft != nil
        storeDraft(&state, &effects)
        for (contact, line) in typedLines(state) where contact != state.place.openID || !isStoredNow {
            store(line.text, of: contact, state, &effects)
        }
        if state.world.isSecondScreen { leftLines(state).forEach { Editing.remember($0, &state, &effects) } }
    }

    /// The half-typed lines that were begun on this screen, by contact.
    private static func typedLines(_ state: AppState) -> [(key: ContactID, value: InputLine)] {
        var left = state.composer.drafts
        if let openID = state.place.openID {
            left[openID] = state.composer.history.keptDraft.map { InputLine($0) } ?? state.composer.input
        }
        return left.filter { !$0.value.isEmpty && state.composer.typedDrafts.contains($0.key) }.sorted {
            $0.key < $1.key
        }
    }

    /// The same as typed lines of a usual length.
    static func leftLines(_ state: AppState) -> [String] {
        typedLines(state).map(\.value.text).filter { $0.utf8.count < 10_000 }
    }

    /// The draft will be stored when the user pauses.
    static func changed(_ state: inout AppState) {
        state.due.draftChanged(at: state.surface.moment.uptime)
        if let openID = state.place.openID { state.composer.noteTyping(to: openID) }
        SpellChecking.draftChanged(&state)
    }

    /// The same after a key of the user, who is thus typing.
    static func changed(_ state: inout AppState, _ effects: inout [AppEffect]) {
        changed(&state)
        tellTyping(&state, &effects)
    }
}
