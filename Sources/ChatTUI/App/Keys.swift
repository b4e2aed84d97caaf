// Input events: which part of the screen gets a key, a paste, a click.

import ChatCore
import ChatWords

/// Gives each input event to the part of the screen that it is for.
enum Keys {
    static func receive(_ event: InputEvent, _ shown: Picture?, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if event.isOfUser { state.surface.noteInput() }
        if state.ending.isQuitting, event.isOfUser { return receiveWhileQuitting(event, &state, &effects) }
        switch event {
        case .key(let key):
            let asked = state.place.openQuestion
            state.place.endNotice()
            press(key, &state, &effects)
            settle(asked, &state)
        case .paste(let text): paste(text, &state, &effects)
        case .resize(let newSize):
            // The same size again: the terminal has shown something else meanwhile, and forgotten our pictures.
            if newSize == state.surface.size { effects += state.world.pictures.commands.map(AppEffect.terminal) }
            state.surface.resize(to: newSize)
        case .focus(let focused): state.surface.focusChanged(to: focused)
        case .terminate(let signal): leave(128 &+ signal, &state, &effects)
        case .reload: effects.append(.run(.settings(.reload)))
        case .hangup: leave(129, &state, &effects)
        case .mouse(let mouse):
            let asked = mouse.action == .press ? state.place.openQuestion : nil
            if let shown { Mouse.receive(mouse, on: shown, &state, &effects) }
            settle(asked, &state)
        }
    }

    /// Nobody is there any more to wait for a chat that does not answer.
    private static func leave(_ code: Int32, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.ending.end(with: code)
        MainCommands.quit(&state, &effects)
        effects.append(.giveUp)
    }

    /// Nothing new is begun; the user can still suspend the program or repaint the screen. A user who quits a second
    /// time does not wait for a chat that does not answer.
    private static func receiveWhileQuitting(_ event: InputEvent, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        if case .key(let key) = event,
            case .action(.command(let command), _) = state.surface.keymap.resolve([key], in: .main)
        {
            switch command {
            case .suspend: return effects.append(.suspend)
            case .redraw: return effects.append(.redraw)
            case .quit: effects.append(.giveUp)
            default: break
            }
        }
        state.say("Finishing up; then blipchat quits")
    }

    /// After a key, unless it has only begun a sequence.
    private static func settle(_ asked: (status: StatusNotice, confirmation: Confirmation?)?, _ state: inout AppState) {
        if let asked, state.composer.pendingKeys.isEmpty { state.place.settle(asked) }
    }

    private static func press(_ key: Key, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.surface.noteFocus()
        if state.composer.takeLiteral(), let text = key.literalText { return type(text, &state, &effects) }
        if StrayLines.typesLine(key, &state, &effects) || ViKeys.press(key, &state, &effects) { return }
        let keys = state.composer.takeSequence(endingWith: key)
        switch state.surface.keymap.resolve(keys, in: state.place.keyContext) {
        case .prefix: state.composer.begin(.sequence(keys))
        case .action(.command(let command), let context): give(command, from: context, &state, &effects)
        case .action(.line(let line), _): runBound(line, &state, &effects)
        // A sequence that means nothing is dropped, as a whole.
        case .nothing where keys.count > 1: break
        case .nothing:
            if let text = key.typedText {
                type(text, &state, &effects)
            } else if state.place.overlay == nil, state.place.browse != nil {
                Browsing.refuse(key.name, &state)
            }
        }
    }

    /// A command, to the open overlay when it is one of its keys.
    static func give(
        _ command: AppCommand, from context: KeyContext, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        // These two say nothing about the draft.
        if command != .send, command != .suspend, command != .redraw, Pastes.withdrawQuestion(&state), command == .back
        {
            return
        }
        if command != .complete, command != .completeBack {
            let hadList = state.composer.completion.map { !$0.candidates.isEmpty } ?? false
            state.composer.dropCompletion()
            if command == .back, hadList { return }
        }
        if state.place.overlay != nil, context != .anywhere || command == .back {
            state.performInOverlay(command, &effects)
        } else if state.place.browse == nil || !Browsing.perform(command, &state, &effects) {
            MainCommands.perform(command, &state, &effects)
        }
    }

    /// Typed characters, into the field that has the cursor.
    static func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.composer.dropCompletion()
        _ = Pastes.withdrawQuestion(&state)
        if state.place.overlay != nil {
            state.typeIntoOverlay(text, &effects)
            return
        }
        if state.place.browse != nil { return Browsing.refuse(text, &state) }
        // A user who types stays here.
        state.place.dropWayBack()
        state.composer.endKill()
        state.composer.leaveHistory()
        if state.surface.settings.editMode == .vi, state.composer.vi.replacement != nil {
            state.composer.vi.replacement?.overtype(text, in: &state.composer.input)
        } else {
            state.composer.input.insert(text)
        }
        Drafts.changed(&state, &effects)
    }

    /// A key that is bound to a slash command, or a click on one; the half-typed line stays.
    static func runBound(_ line: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        switch SlashLine.parse(line, aliases: state.surface.settings.aliases) {
        case .command(let command, let arguments):
            state.place.closePane()
            let (chat, typed) = (state.place.openID, state.composer.input)
            state.composer.run(.bound)
            defer { state.composer.run(.none) }
            command.run(arguments, &state, &effects)
            // In another chat it would be another's line.
            if state.composer.input.isEmpty, state.place.openID == chat { state.composer.write(typed) }
        case .message(let text): Entering.send(text, from: .key, &state, &effects)
        case .planned, .unknown, .empty:
            state.say(
                "\(SafeText(line, as: .line).truncated(to: 40).text) is not a command (/bind lists the keys)",
                isError: true)
        }
    }

    /// A paste is text, whatever it contains; several lines stay one draft.
    private static func paste(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.composer.turnAway()
        state.composer.begin(.nothing)
        switch state.place.overlay {
        case nil:
            // A paste is for the input, wherever the cursor is.
            Browsing.stop(&state)
            state.composer.leaveHistory()
            Pastes.insert(text, &state)
            Drafts.changed(&state)
        default:
            state.typeIntoOverlay(
                String(text.drop(while: \.isNewline).prefix(Self.overlayPaste).prefix { !$0.isNewline }), &effects)
        }
    }

    /// Characters of a paste into a filter or a question: what is longer was not meant for it.
    private static var overlayPaste: Int { 1_000 }
}
