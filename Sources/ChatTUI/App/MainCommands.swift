// Carries out each command on the main screen.

import ChatCore
import ChatWords

enum MainCommands {
    static func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) {
        switch command {
        case .help: state.toggle(HelpPane())
        case .palette: state.toggle(PalettePane())
        case .goTo: state.toggle(GoToPane())
        case .transfers: TransfersPane.toggle(&state)
        case .requests: RequestsPane.toggle(&state, &effects)
        case .searchAll: SearchPane.show(scope: nil, "", &state, &effects)
        case .searchHere: SearchPane.show(scope: state.place.openID, "", &state, &effects)
        case .nextUnread: ChatSwitching.openUnread(step: 1, &state, &effects)
        case .previousUnread: ChatSwitching.openUnread(step: -1, &state, &effects)
        case .nextChat: ChatSwitching.openNeighbour(step: 1, &state, &effects)
        case .previousChat: ChatSwitching.openNeighbour(step: -1, &state, &effects)
        case .lastChat:
            if let previousID = state.place.previousID {
                ChatSwitching.open(previousID, &state, &effects)
            } else {
                state.say("No earlier chat to go back to")
            }
        case .chat1, .chat2, .chat3, .chat4, .chat5, .chat6, .chat7, .chat8, .chat9, .chat10:
            ChatSwitching.open(number: command.chatNumber ?? 1, &state, &effects)
        case .links: ChoicePane.showLinks("", &state, &effects)
        case .plainView:
            state.surface.togglePlainView()
            state.say(
                state.surface.isPlain
                    ? "Plain view: no panes, no indentation (\(state.surface.key(.plainView)) ends it)" : "Normal view")
        case .halfPageUp, .halfPageDown, .findOlder, .findNewer, .nextHit, .previousHit, .goToDate, .markUnread,
            .replyTo, .editMessage, .deleteMessage, .react, .forward, .copyText, .copyWithName, .saveFile, .openMessage,
            .messageInfo, .selectRange, .pin:
            // From the help or by a key of the user: browse mode begins with it.
            if state.place.browse == nil { Browsing.start(&state) }
            if state.place.browse != nil { _ = Browsing.perform(command, &state, &effects) }
        case .toggleList:
            toggle(.list, at: \.list, needing: ScreenLayout.columnsForList, &state)
        case .toggleDetails:
            toggle(.details, at: \.details, needing: ScreenLayout.columnsForDetails, &state)
        case .acceptOffer: Offers.answer(accepting: true, &state, &effects)
        case .declineOffer: Offers.answer(accepting: false, &state, &effects)
        case .redraw: effects.append(.redraw)
        case .toggleMouse: Mouse.toggleMouse(&state, &effects)
        case .suspend:
            Drafts.storeDraft(&state, &effects)
            effects.append(.suspend)
        case .quit: quit(&state, &effects)
        case .reconnect:
            state.say("Calling everybody now")
            effects.append(.run(.call(.reconnect(nil))))
        case .back: goBack(&state, &effects)
        case .pageUp, .pageDown, .rowUp, .rowDown, .oldest, .newest, .firstUnread:
            Scrolling.scroll(command, &state, &effects)
        case .send:
            Entering.enter(&state, &effects)
            if state.surface.settings.editMode == .vi { state.composer.vi.restart() }
        case .newline:
            state.composer.input.insert("\n")
            Drafts.changed(&state, &effects)
        case .complete: Completing.complete(step: 1, &state, &effects)
        case .completeBack: Completing.complete(step: -1, &state, &effects)
        case .up: Editing.up(&state, &effects)
        case .down: Editing.down(&state)
        case .clear: Editing.clear(&state, &effects)
        case .sendFile: if !Pastes.sendAsFile(&state, &effects) { FilePicker.show(&state, &effects) }
        case .literal: state.composer.begin(.literal)
        case .searchTyped: TypedPane.show(&state)
        case .editor: Editing.openEditor(&state, &effects)
        case .lineStart, .lineEnd, .left, .right, .wordLeft, .wordRight, .deleteBackward, .deleteForward,
            .killBlankWord, .killWordBackward, .killWordForward, .killToEnd, .killToStart, .yank, .undo:
            if !Editing.edit(command, &state, &effects) { state.composer.endKill() }
        case .top, .bottom, .choose, .nextGroup, .filterList, .closePane, .searchScope, .searchSyntax, .pauseOrResume,
            .cancelTransfer, .acceptTransfer, .declineTransfer, .limitRate, .openTransfer, .copyHash, .markFile,
            .sendMarked, .hiddenFiles, .acceptRequest, .refuseRequest,
            .blockRequest, .numbersMatch, .numbersDiffer, .decideLater, .oldNumberMatches:
            // Keys of panes: bound elsewhere they mean nothing.
            state.say("\(command.name) works only in its pane")
        }
    }

    /// Esc with no overlay open.
    private static func goBack(_ state: inout AppState, _ effects: inout [AppEffect]) {
        if let place = state.place.takeWayBack() {
            ChatSwitching.returnTo(place, &state, &effects)
        } else if state.openChat?.composing != nil {
            Answering.stop(&state)
        } else {
            Browsing.start(&state)
        }
    }

    /// Ctrl-q, /quit, SIGTERM: what was typed is stored first.
    static func quit(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.ending.quit() else { return }
        Drafts.stopTyping(&state.due, &effects)
        Drafts.leaveDrafts(&state, &effects)
        for index in state.world.chats.indices {
            guard let position = state.world.chats[index].takeLastSeen() else { continue }
            effects.append(.run(.call(.markSeen(state.world.chats[index].id, upTo: position))))
        }
        effects.append(.quit)
    }

    // MARK: Panes

    /// F2 and F3. A screen that has no room for the pane says so, and the key does not count.
    private static func toggle(
        _ pane: SidePane, at area: KeyPath<ScreenLayout, Rect?>, needing columns: Int, _ state: inout AppState
    ) {
        let hadPane = ScreenLayout(state)[keyPath: area] != nil
        state.surface.toggle(pane)
        guard !hadPane, ScreenLayout(state)[keyPath: area] == nil else { return }
        state.surface.toggle(pane)
        state.say(noRoom(for: pane.rawValue, columns, state))
    }

    private static func noRoom(for pane: String, _ columns: Int, _ state: AppState) -> String {
        if state.surface.isPlain { return "The plain view has no panes (\(state.surface.key(.plainView)) ends it)" }
        guard state.surface.size.columns >= columns else {
            return "No room for the \(pane): it needs \(columns) columns, you have \(state.surface.size.columns)"
        }
        return state.world.chats.isEmpty
            ? "No contacts yet: nothing to show in the \(pane)" : "The chat needs the space: no room for the \(pane)"
    }
}
