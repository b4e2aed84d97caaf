// Input events: which part of the screen gets a key, and the editing of the input line.

import ChatCore
import ChatWords

extension AppState {
    mutating func receive(_ event: InputEvent, _ shown: Picture?, _ effects: inout [AppEffect]) {
        if event.isOfUser { attention.note(inputAt: moment.uptime) }
        if isQuitting, event.isOfUser { return receiveWhileQuitting(event, &effects) }
        switch event {
        case .key(let key):
            let asked = openQuestion
            endNotice()
            press(key, &effects)
            settle(asked)
        case .paste(let text): paste(text, &effects)
        case .resize(let newSize):
            // The same size again: the terminal has shown something else meanwhile, and forgotten our pictures.
            if newSize == size { effects += pictures.commands.map(AppEffect.terminal) }
            size = newSize
        case .focus(let focused):
            isFocused = focused
            attention.focusWasReported()
        case .terminate(let signal): leave(128 &+ signal, &effects)
        case .reload: effects.append(.run(.settings(.reload)))
        case .hangup: leave(129, &effects)
        case .mouse(let mouse):
            let asked = mouse.action == .press ? openQuestion : nil
            if let shown { receive(mouse, on: shown, &effects) }
            settle(asked)
        }
    }

    /// Nobody is there any more to wait for a chat that does not answer.
    private mutating func leave(_ code: Int32, _ effects: inout [AppEffect]) {
        exitCode = code
        quit(&effects)
        effects.append(.giveUp)
    }

    /// Nothing is begun any more; the shell can be had, and the screen anew. Who wants to leave a second time does not
    /// wait for a chat that does not answer.
    private mutating func receiveWhileQuitting(_ event: InputEvent, _ effects: inout [AppEffect]) {
        if case .key(let key) = event, case .action(.command(let command), _) = keymap.resolve([key], in: .main) {
            switch command {
            case .suspend: return effects.append(.suspend)
            case .redraw: return effects.append(.redraw)
            case .quit: effects.append(.giveUp)
            default: break
            }
        }
        say("Finishing up; then blipchat quits")
    }

    /// What a key of browse mode or of a pane has asked. What a command has asked is answered by typing it again.
    private var openQuestion: (status: StatusNotice, confirmation: Confirmation?)? {
        guard let status, status.isQuestion, browse != nil || overlay != nil else { return nil }
        return (status, confirmation)
    }

    /// What was said in browse mode is read when the next key comes: it hides what is selected.
    private mutating func endNotice() {
        if browse != nil, overlay == nil, let status, !status.isQuestion, !status.isError { self.status = nil }
    }

    /// After a key: a question that it has answered, or that it has not, is not to be read any more. One that it has
    /// asked anew is.
    private mutating func settle(_ asked: (status: StatusNotice, confirmation: Confirmation?)?) {
        guard let asked, pendingKeys.isEmpty else { return }
        guard confirmation == nil || confirmation == asked.confirmation else { return }
        // Also when the key has said something in its place: what cannot be read any more is not answered.
        confirmation = nil
        if status == asked.status { status = nil }
    }

    private mutating func press(_ key: Key, _ effects: inout [AppEffect]) {
        // A key proves that somebody is there, also on terminals that report no focus.
        isFocused = true
        if takesLiteral {
            takesLiteral = false
            if let text = key.literalText { return type(text, &effects) }
        }
        if typesLine(key, &effects) || pressInVi(key, &effects) { return }
        let keys = pendingKeys + [key]
        pendingKeys = []
        switch keymap.resolve(keys, in: keyContext) {
        case .prefix: pendingKeys = keys
        case .action(.command(let command), let context): give(command, from: context, &effects)
        case .action(.line(let line), _): runBound(line, &effects)
        // A sequence that means nothing is dropped, as a whole.
        case .nothing where keys.count > 1: break
        case .nothing:
            if let text = key.typedText {
                type(text, &effects)
            } else if overlay == nil, browse != nil {
                refuseInBrowse(key.name)
            }
        }
    }

    /// Where the keys go now.
    var keyContext: KeyContext { overlay?.keyContext ?? (browse == nil ? .main : .browse) }

    /// A command, to the open overlay when it is one of its keys.
    mutating func give(_ command: AppCommand, from context: KeyContext, _ effects: inout [AppEffect]) {
        // These two say nothing about the draft.
        if command != .send, command != .suspend, command != .redraw, withdrawPasteQuestion(), command == .back {
            return
        }
        if command != .complete, command != .completeBack {
            let hadList = completion.map { !$0.candidates.isEmpty } ?? false
            completion = nil
            if command == .back, hadList { return }
        }
        if overlay != nil, context != .anywhere || command == .back {
            performInOverlay(command, &effects)
        } else if browse == nil || !performInBrowse(command, &effects) {
            perform(command, &effects)
        }
    }

    /// Typed characters, into the field that has the cursor.
    mutating func type(_ text: String, _ effects: inout [AppEffect]) {
        completion = nil
        _ = withdrawPasteQuestion()
        if overlay != nil {
            typeIntoOverlay(text, &effects)
            return
        }
        if browse != nil { return refuseInBrowse(text) }
        // Who writes stays here.
        returnPlace = nil
        lastKill = nil
        leaveHistory()
        if settings.editMode == .vi, vi.isReplacing {
            vi.overtype(text, in: &input)
        } else {
            input.insert(text)
        }
        draftChanged(&effects)
    }

    /// A key that is bound to a slash command, or a click on one; the half-typed line stays.
    mutating func runBound(_ line: String, _ effects: inout [AppEffect]) {
        switch SlashLine.parse(line, aliases: settings.aliases) {
        case .command(let command, let arguments):
            overlay = nil
            let (chat, typed) = (openID, input)
            runsBoundLine = true
            defer { runsBoundLine = false }
            run(command, arguments, &effects)
            // In another chat it would be another's line.
            if input.isEmpty, openID == chat { input = typed }
        case .message(let text): send(text, from: .key, &effects)
        case .planned, .unknown, .empty:
            say(
                "\(SafeText(line, as: .line).truncated(to: 40).text) is not a command (/bind lists the keys)",
                isError: true)
        }
    }

    /// A paste is text, whatever it contains; several lines stay one draft.
    private mutating func paste(_ text: String, _ effects: inout [AppEffect]) {
        completion = nil
        pendingKeys = []
        takesLiteral = false
        lastKill = nil
        switch overlay {
        case nil:
            // A paste is for the input, wherever the cursor is.
            stopBrowsing()
            leaveHistory()
            insertPaste(text)
            draftChanged()
        default:
            typeIntoOverlay(
                String(text.drop(while: \.isNewline).prefix(Self.overlayPaste).prefix { !$0.isNewline }), &effects)
        }
    }

    /// Characters of a paste into a filter or a question: what is longer was not meant for it.
    private static var overlayPaste: Int { 1_000 }

    /// Editing commands on the input line. `false` when `command` is none.
    mutating func edit(_ command: AppCommand, _ effects: inout [AppEffect]) -> Bool {
        if command == .deleteBackward, settings.editMode == .vi, vi.isReplacing {
            vi.takeBack(in: &input)
            draftChanged(&effects)
            return true
        }
        // Not the text: to put it together takes its time with a megabyte.
        let before = input.characters
        switch input.perform(command, yanking: killRing.newest, reordering: settings.reorders) {
        case .ignored: return false
        case .done: lastKill = nil
        case .killed(let text, let direction):
            killRing.add(text, joining: lastKill == direction ? direction : nil)
            lastKill = text.isEmpty ? nil : direction
        }
        if input.characters != before {
            leaveHistory()
            draftChanged(&effects)
        }
        return true
    }

    /// The shown line of before is edited: the draft that it stood in for is kept where deleted text is.
    mutating func leaveHistory() {
        if let kept = history.keptDraft, !kept.isEmpty { killRing.add(kept) }
        history.leave()
    }

    /// Up: the row above, else the entered line before.
    mutating func inputUp(_ effects: inout [AppEffect]) {
        if settings.upEditsLast, input.isEmpty, editLast(&effects) { return }
        if moveByRow(-1) { return }
        if let line = history.older(than: input.text) {
            input.replace(with: line)
            draftChanged()
        }
    }

    mutating func inputDown() {
        if moveByRow(1) { return }
        if let line = history.newer() {
            input.replace(with: line)
            draftChanged()
        }
    }

    /// Ctrl-c: the text goes to the kill ring.
    mutating func clearInput(_ effects: inout [AppEffect]) {
        guard !input.isEmpty else {
            say("\(key(.quit)) quits")
            return
        }
        killRing.add(input.text)
        input.replace(with: "")
        // What was said about the line is over.
        status = nil
        history.leave()
        draftChanged(&effects)
        say("Cleared; \(key(.yank)) brings it back")
    }

    /// The draft will be stored when the user pauses.
    mutating func draftChanged() {
        if draftTimer == nil { draftTimer = moment.uptime + .seconds(1) }
        if let openID { typedDrafts.insert(openID) }
        spellingChanged()
    }

    /// The same after a key of the user, who is thus typing.
    mutating func draftChanged(_ effects: inout [AppEffect]) {
        draftChanged()
        tellTyping(&effects)
    }
}
