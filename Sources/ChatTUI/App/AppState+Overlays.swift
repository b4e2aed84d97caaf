// Opening and closing what stands over the chat, and the keys of help, palette and go-to.

import ChatCore
import ChatWords

extension AppState {
    mutating func show(_ new: Overlay) {
        completion = nil
        lastKill = nil
        status = nil
        overlay = new
    }

    /// A command of the open overlay's own keys, or Esc.
    mutating func performInOverlay(_ command: AppCommand, _ effects: inout [AppEffect]) {
        if command == .back {
            closeOverlay()
            return
        }
        switch overlay {
        case nil: break
        case .help(var pane), .palette(var pane), .goTo(var pane), .typed(var pane):
            perform(command, in: &pane, &effects)
        case .search(var pane): perform(command, in: &pane, &effects)
        case .transfers(var pane): perform(command, in: &pane, &effects)
        case .requests(var pane): perform(command, in: &pane, &effects)
        case .verify(let pane): perform(command, in: pane, &effects)
        case .choice(var pane): performInChoice(command, &pane, &effects)
        case .reader(var pane): performInReader(command, &pane, &effects)
        case .prompt(var pane): performInPrompt(command, &pane, &effects)
        case .files(var picker): perform(command, in: &picker, &effects)
        case .qr: break
        }
    }

    /// Characters for the overlay's filter. Panes without one forget what they asked.
    mutating func typeIntoOverlay(_ text: String, _ effects: inout [AppEffect]) {
        switch overlay {
        case .help(var pane), .palette(var pane), .goTo(var pane), .typed(var pane):
            // By habit: where every letter is for the filter, nothing has to begin it.
            if case .goTo = overlay, pane.filter.isEmpty, text == "/" { return }
            pane.type(text)
            replace(pane)
        case .search(var pane):
            pane.query.insert(text)
            ask(&pane, &effects)
        case .transfers(var pane):
            if pane.limit != nil {
                pane.limit?.insert(text)
            } else if pane.filter.type(text) {
                selectListed(in: &pane)
            } else {
                pane.confirmingCancel = nil
            }
            overlay = .transfers(pane)
        case .requests(var pane):
            guard pane.filter.type(text) else { return }
            selectListed(in: &pane)
            overlay = .requests(pane)
        case .reader(var pane):
            if pane.filter.type(text) { overlay = .reader(pane) }
        case .files(var picker): type(text, into: &picker, &effects)
        case .choice(var pane):
            if pane.list.filter.isEmpty, text == "/" { return }
            pane.list.type(text)
            overlay = .choice(pane)
        case .prompt(var pane):
            pane.field.insert(text)
            overlay = .prompt(pane)
        case .verify, .qr, nil: break
        }
    }

    mutating func closeOverlay() {
        if withdrawQuestion() { return }
        switch overlay {
        case .transfers(let pane): stepBack(in: pane)
        case .requests(var pane): overlay = pane.filter.stepBack() ? .requests(pane) : nil
        case .reader(var pane): overlay = pane.filter.stepBack() ? .reader(pane) : nil
        case .verify(let pane):
            // Others may have gone meanwhile, all of them too.
            if var list = pane.list, !requests.isEmpty {
                selectListed(in: &list)
                overlay = .requests(list)
            } else {
                overlay = nil
            }
        case .search(var pane) where pane.showsSyntax:
            pane.showsSyntax = false
            overlay = .search(pane)
        case .prompt:
            // What was wrong with it is over, too.
            status = nil
            overlay = nil
        default: overlay = nil
        }
    }

    // MARK: Help, palette, go to

    /// The chats that a go-to filter leaves, best first.
    func goToMatches(_ filter: String) -> [Chat] {
        FuzzyMatch.ranked(orderedChats.map { chats[$0] }, filter, \.peer.name)
    }

    /// The chats of the list beside the open chat, as indices: all, or what the filter of the go-to leaves.
    var listedChats: [Int] {
        guard case .goTo(let pane) = overlay else { return orderedChats }
        return orderedChats.filter { FuzzyMatch.score(pane.filter.text, in: chats[$0].peer.name) != nil }
    }

    private func count(in overlay: Overlay?, filter: String) -> Int {
        if case .goTo = overlay { return goToMatches(filter).count }
        if case .typed = overlay { return history.matches(filter).count }
        return items(filter).count
    }

    private mutating func perform(_ command: AppCommand, in pane: inout ListPane, _ effects: inout [AppEffect]) {
        let count = count(in: overlay, filter: pane.filter.text)
        switch command {
        case .up: pane.move(by: -1, count: count)
        case .down: pane.move(by: 1, count: count)
        case .pageUp: turnPage(of: &pane, by: -1, count: count)
        case .pageDown: turnPage(of: &pane, by: 1, count: count)
        case .nextGroup: pane.selected = nextGroup(after: pane, count: count)
        case .choose:
            choose(pane, &effects)
            return
        case .clear: pane = ListPane()
        default:
            if pane.filter.perform(command, yanking: killRing.newest, reordering: settings.reorders) == .ignored {
                return
            }
            pane.selected = 0
        }
        replace(pane)
    }

    /// PgUp and PgDn: the help has pages, other lists have not.
    private func turnPage(of pane: inout ListPane, by step: Int, count: Int) {
        guard case .help = overlay else { return pane.move(by: 10 * step, count: count) }
        pane.selected =
            HelpScreen(pane: pane, keymap: keymap, layout: ScreenLayout(self)).selection(turningPages: step)
    }

    /// The lines of the help or the palette.
    private func items(_ filter: String) -> [CommandItem] {
        if case .help = overlay { return CommandItem.matching(filter, keymap, for: .help) }
        return CommandItem.matching(filter, keymap, for: .palette)
    }

    /// The open list is `pane` from now on.
    mutating func replace(_ pane: ListPane) {
        switch overlay {
        case .help: overlay = .help(pane)
        case .palette: overlay = .palette(pane)
        case .typed: overlay = .typed(pane)
        default: overlay = .goTo(pane)
        }
    }

    /// Tab in the help: the first line of the next group.
    private func nextGroup(after pane: ListPane, count: Int) -> Int {
        switch overlay {
        case .goTo, .typed: return count == 0 ? 0 : (pane.selected + 1) % count
        default: break
        }
        let items = items(pane.filter.text)
        guard items.indices.contains(pane.selected) else { return 0 }
        let group = items[pane.selected].group
        return items.indices.first { $0 > pane.selected && items[$0].group != group } ?? 0
    }

    /// The contact under the cursor of a list of contacts.
    var chosenContact: ContactID? {
        switch overlay {
        case .goTo(let pane):
            let matches = goToMatches(pane.filter.text)
            return matches.indices.contains(pane.selected) ? matches[pane.selected].id : nil
        case .choice(let pane):
            guard case .forward = pane.kind else { return nil }
            let choices = choices(of: pane)
            guard choices.indices.contains(pane.list.selected),
                case .contact(let id) = choices[pane.list.selected].target
            else { return nil }
            return id
        default: return nil
        }
    }

    /// The cursor stays on a contact when the list has changed, and on nobody when that contact has gone.
    mutating func choose(contact: ContactID) {
        switch overlay {
        case .goTo(var pane):
            pane.selected = goToMatches(pane.filter.text).firstIndex { $0.id == contact } ?? -1
            overlay = .goTo(pane)
        case .choice(var pane):
            pane.list.selected =
                choices(of: pane).firstIndex {
                    if case .contact(contact) = $0.target { true } else { false }
                } ?? -1
            overlay = .choice(pane)
        default: break
        }
    }

    /// Enter: opens the chat, or runs the line under the cursor.
    private mutating func choose(_ pane: ListPane, _ effects: inout [AppEffect]) {
        if case .goTo = overlay {
            let matches = goToMatches(pane.filter.text)
            guard matches.indices.contains(pane.selected) else { return }
            open(matches[pane.selected].id, &effects)
            return
        }
        if case .typed = overlay { return takeTyped(pane) }
        let items = items(pane.filter.text)
        guard items.indices.contains(pane.selected) else { return }
        switch items[pane.selected].action {
        case .nothing: break
        case .command(let command, let context): runFromList(command, context, &effects)
        case .slash(let command):
            overlay = nil
            // What is taken away for good is seen in the input before it happens, too.
            if command.needsArgument || command.verb.isFinal { begin(command) } else { run(command, "", &effects) }
        }
    }

    /// A command in the input, to be completed there: typing goes to it, and the half-typed line can be had again.
    private mutating func begin(_ command: SlashCommand) {
        stopBrowsing()
        if !input.isEmpty {
            let (undo, yank) = (key(.undo), key(.yank))
            say("Your line is safe: \(undo) swaps it back in, \(yank) inserts it later")
        }
        killRing.add(input.text)
        history.leave()
        input.replace(with: "/\(command.name) ")
        draftChanged()
    }

    /// A line of help or palette about a key. Keys of a pane open it; what they do needs a line under the cursor.
    private mutating func runFromList(_ command: AppCommand, _ context: KeyContext, _ effects: inout [AppEffect]) {
        overlay = nil
        switch context {
        case .anywhere, .history, .edit, .main, .browse:
            // What is done to the input goes on there.
            if context == .edit || context == .main { stopBrowsing() }
            // What Enter itself does would send the half-typed line: the help must not.
            if command == .send {
                say("\(key(.send)) sends the line you typed")
            } else {
                perform(command, &effects)
            }
        case .picker: showFilePicker(&effects)
        case .transfers: perform(.transfers, &effects)
        case .search: perform(.searchAll, &effects)
        case .requests, .decision: perform(.requests, &effects)
        case .verify: if let openID { showVerification(of: .contact(openID), &effects) }
        case .list, .typed: perform(.palette, &effects)
        case .reader, .prompt, .filter: break
        }
    }
}
