// What each command does on the main screen.

import ChatCore
import ChatWords

extension AppState {
    mutating func perform(_ command: AppCommand, _ effects: inout [AppEffect]) {
        switch command {
        case .help: if case .help = overlay { overlay = nil } else { show(.help(ListPane())) }
        case .palette: if case .palette = overlay { overlay = nil } else { show(.palette(ListPane())) }
        case .goTo: if case .goTo = overlay { overlay = nil } else { show(.goTo(ListPane())) }
        case .transfers: toggleTransfers()
        case .requests: showRequests(&effects)
        case .searchAll: showSearch(scope: nil, "", &effects)
        case .searchHere: showSearch(scope: openID, "", &effects)
        case .nextUnread: openUnread(step: 1, &effects)
        case .previousUnread: openUnread(step: -1, &effects)
        case .nextChat: openNeighbour(step: 1, &effects)
        case .previousChat: openNeighbour(step: -1, &effects)
        case .lastChat:
            if let previousID { open(previousID, &effects) } else { say("No earlier chat to go back to") }
        case .chat1, .chat2, .chat3, .chat4, .chat5, .chat6, .chat7, .chat8, .chat9, .chat10:
            openChat(number: command.chatNumber ?? 1, &effects)
        case .links: showLinks("", &effects)
        case .plainView:
            isPlain.toggle()
            say(isPlain ? "Plain view: no panes, no indentation (\(key(.plainView)) ends it)" : "Normal view")
        case .halfPageUp, .halfPageDown, .findOlder, .findNewer, .nextHit, .previousHit, .goToDate, .markUnread,
            .replyTo, .editMessage, .deleteMessage, .react, .forward, .copyText, .copyWithName, .saveFile, .openMessage,
            .messageInfo, .selectRange, .pin:
            // From the help or by a key of the user: browse mode begins with it.
            if browse == nil { startBrowsing() }
            if browse != nil { _ = performInBrowse(command, &effects) }
        case .toggleList:
            toggle("list", \.listIsHidden, at: \.list, needing: ScreenLayout.columnsForList)
        case .toggleDetails:
            toggle("details", \.detailsAreHidden, at: \.details, needing: ScreenLayout.columnsForDetails)
        case .acceptOffer: answerOffer(accepting: true, &effects)
        case .declineOffer: answerOffer(accepting: false, &effects)
        case .redraw: effects.append(.redraw)
        case .toggleMouse: toggleMouse(&effects)
        case .suspend:
            storeDraft(&effects)
            effects.append(.suspend)
        case .quit: quit(&effects)
        case .reconnect:
            say("Calling everybody now")
            effects.append(.run(.reconnect(nil)))
        case .back: goBack(&effects)
        case .pageUp, .pageDown, .rowUp, .rowDown, .oldest, .newest, .firstUnread: scroll(command, &effects)
        case .send:
            enter(&effects)
            if settings.editMode == .vi { vi = ViMode() }
        case .newline:
            input.insert("\n")
            draftChanged(&effects)
        case .complete: complete(step: 1, &effects)
        case .completeBack: complete(step: -1, &effects)
        case .up: inputUp(&effects)
        case .down: inputDown()
        case .clear: clearInput(&effects)
        case .sendFile: if !sendPasteAsFile(&effects) { showFilePicker(&effects) }
        case .literal: takesLiteral = true
        case .searchTyped: searchTyped()
        case .editor: openEditor(&effects)
        case .lineStart, .lineEnd, .left, .right, .wordLeft, .wordRight, .deleteBackward, .deleteForward,
            .killBlankWord, .killWordBackward, .killWordForward, .killToEnd, .killToStart, .yank, .undo:
            if !edit(command, &effects) { lastKill = nil }
        case .top, .bottom, .choose, .nextGroup, .filterList, .closePane, .searchScope, .searchSyntax, .pauseOrResume,
            .cancelTransfer, .acceptTransfer, .declineTransfer, .limitRate, .openTransfer, .copyHash, .markFile,
            .sendMarked, .hiddenFiles, .acceptRequest, .refuseRequest,
            .blockRequest, .numbersMatch, .numbersDiffer, .decideLater, .oldNumberMatches:
            // Keys of panes: bound elsewhere they mean nothing.
            say("\(command.name) works only in its pane")
        }
    }

    /// Esc with no overlay open.
    private mutating func goBack(_ effects: inout [AppEffect]) {
        if let place = returnPlace {
            returnPlace = nil
            returnTo(place, &effects)
        } else if openChat?.composing != nil {
            stopComposing()
        } else {
            startBrowsing()
        }
    }

    /// Whether the status line comes to the offer that waits: nothing that is more important stands there.
    var showsOffer: Bool {
        pendingKeys.isEmpty && !takesLiteral && status == nil && overlay == nil && browse == nil
            && openChat?.composing == nil
    }

    /// Alt-y and Alt-n; in the pane they mean the offer under its cursor.
    mutating func answerOffer(accepting: Bool, _ effects: inout [AppEffect]) {
        if case .transfers(var pane) = overlay, pane.limit == nil {
            return perform(accepting ? .acceptTransfer : .declineTransfer, in: &pane, &effects)
        }
        // One that came behind a pane has not been shown yet: it is asked about first, like every other.
        shownOffer = shownOffer ?? nextOffer
        guard let shown = shownOffer, let transfer = transfers[shown.number] else {
            say("No offer is waiting")
            return
        }
        let offers = offers(of: shown)
        guard let since = shown.since, moment.uptime - since >= Self.offerArming else {
            let group = transfers.group(of: shown.number) ?? TransferGroup(transfer)
            let what = TransferWords(state: self, group: group).name(width: 30).text
            let more = offers.count > 1 ? " and \(offers.count - 1) more" : ""
            let question =
                "Offer #\(shown.number.rawValue) \(what)\(more) from \(name(of: transfer.contact)): look, then press again"
            say(question: question, short: "Offer #\(shown.number.rawValue)\(more): look, then again")
            shownOffer?.question = question
            return
        }
        // It is answered; the next one, if any, has to be on the screen for a while first.
        if let question = shown.question, status?.text == question { status = nil }
        shownOffer = nil
        for offer in offers {
            var decided = offer
            decided.state = accepting ? .accepted : .declined
            transfers.update(decided, at: moment.uptime)
        }
        let errands = offers.map { accepting ? Errand.accept($0.number, folder: nil) : .decline($0.number) }
        effects += errands.count > 1 ? [.run(.several(errands))] : errands.map(AppEffect.run)
    }

    /// Ctrl-q, /quit, SIGTERM: what was typed is stored first.
    mutating func quit(_ effects: inout [AppEffect]) {
        guard !isQuitting else { return }
        isQuitting = true
        stopTyping(&effects)
        leaveDrafts(&effects)
        for index in chats.indices {
            guard let position = chats[index].seenNext else { continue }
            chats[index].seenNext = nil
            effects.append(.run(.markSeen(chats[index].id, position)))
        }
        effects.append(.quit)
    }

    // MARK: Panes

    /// F2 and F3. A screen that has no room for the pane says so, and the key does not count.
    private mutating func toggle(
        _ pane: String, _ isHidden: WritableKeyPath<AppState, Bool>, at area: KeyPath<ScreenLayout, Rect?>,
        needing columns: Int
    ) {
        let hadPane = ScreenLayout(self)[keyPath: area] != nil
        self[keyPath: isHidden].toggle()
        guard !hadPane, ScreenLayout(self)[keyPath: area] == nil else { return }
        self[keyPath: isHidden].toggle()
        say(noRoom(for: pane, columns))
    }

    private func noRoom(for pane: String, _ columns: Int) -> String {
        if isPlain { return "The plain view has no panes (\(key(.plainView)) ends it)" }
        guard size.columns >= columns else {
            return "No room for the \(pane): it needs \(columns) columns, you have \(size.columns)"
        }
        return chats.isEmpty
            ? "No contacts yet: nothing to show in the \(pane)" : "The chat needs the space: no room for the \(pane)"
    }
}
