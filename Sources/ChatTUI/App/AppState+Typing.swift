// Tells the peer that we are typing, and that we stopped; stores drafts when the user pauses.

import ChatCore
import ChatWords

extension AppState {
    /// "Composing" is repeated after this time, so that it does not run out at the peer.
    static let typingRepeat = Duration.seconds(4)
    /// Without a key for so long we are not typing any more.
    static let typingPause = Duration.seconds(6)
    /// A peer that says nothing more for so long is not typing any more.
    static let peerTypingLimit = Duration.seconds(12)
    /// A link has been measured so long after it was made.
    static let linkRefreshDelay = Duration.seconds(2)

    /// The user changed the draft.
    mutating func tellTyping(_ effects: inout [AppEffect]) {
        // Whether it is told is for the chat to know: contacts have settings of their own.
        guard let openID, !input.isEmpty, input.characters.first != "/" else {
            stopTyping(&effects)
            return
        }
        if var own = typing, own.contact == openID {
            own.lastKey = moment.uptime
            if moment.uptime - own.toldAt >= Self.typingRepeat {
                own.toldAt = moment.uptime
                effects.append(.run(.setTyping(true, openID)))
            }
            typing = own
            return
        }
        stopTyping(&effects)
        typing = OwnTyping(contact: openID, toldAt: moment.uptime, lastKey: moment.uptime)
        effects.append(.run(.setTyping(true, openID)))
    }

    mutating func stopTyping(_ effects: inout [AppEffect]) {
        guard let own = typing else { return }
        typing = nil
        effects.append(.run(.setTyping(false, own.contact)))
    }

    /// Stores the open chat's draft when it is not stored yet. Without an open chat there is nowhere to store it.
    mutating func storeDraft(_ effects: inout [AppEffect]) {
        guard draftTimer != nil else { return }
        draftTimer = nil
        guard let openID else { return }
        // A line of before that is only shown is no draft.
        let shown = history.keptDraft ?? input.text
        store(shown, of: openID, &effects)
    }

    /// A half-typed line, as what it is about.
    private func store(_ line: String, of contact: ContactID, _ effects: inout [AppEffect]) {
        let text = chat(contact)?.composing?.draft(line, keepsLines: settings.historyCount > 0) ?? line
        effects.append(.run(.setDraft(text, contact)))
    }

    /// At the end: another screen of this home may have stored its own since, or emptied it by sending. What was not
    /// touched here is the other one's.
    mutating func leaveDrafts(_ effects: inout [AppEffect]) {
        let isStoredNow = draftTimer != nil
        storeDraft(&effects)
        for (contact, line) in typedLines where contact != openID || !isStoredNow {
            store(line.text, of: contact, &effects)
        }
        if isSecondScreen { leftLines.forEach { remember($0, &effects) } }
    }

    /// What was begun on this screen, by contact.
    private var typedLines: [(key: ContactID, value: InputLine)] {
        var left = drafts
        if let openID { left[openID] = history.keptDraft.map { InputLine($0) } ?? input }
        return left.filter { !$0.value.isEmpty && typedDrafts.contains($0.key) }.sorted { $0.key < $1.key }
    }

    /// The same as typed lines of a usual length.
    var leftLines: [String] { typedLines.map(\.value.text).filter { $0.utf8.count < 10_000 } }

    /// Whatever is due by now.
    mutating func expire(_ effects: inout [AppEffect]) {
        let now = moment.uptime
        if let until = status?.until, until <= now { status = nil }
        for index in chats.indices {
            if let until = chats[index].typingUntil, until <= now { chats[index].typingUntil = nil }
        }
        if let timer = draftTimer, timer <= now { storeDraft(&effects) }
        checkSpelling(&effects)
        searchAgain(&effects)
        showProgress()
        if let due = linkRefresh, due <= now {
            linkRefresh = nil
            if let openID { effects.append(.ask(.links([openID]))) }
        }
        if let own = typing, own.lastKey + Self.typingPause <= now { stopTyping(&effects) }
        announceDue(&effects)
        if let due = conversations.due, due <= now {
            conversations = Refresh(isRunning: true, isDirty: false, lastStart: now)
            effects.append(.ask(.conversations))
        }
    }

    /// When (uptime) something becomes due or the shown clock changes.
    var deadline: Duration {
        let millisecondsInMinute = ((moment.wall.milliseconds % 60_000) + 60_000) % 60_000
        var next = moment.uptime + .milliseconds(60_000 - millisecondsInMinute)
        func consider(_ time: Duration?) {
            if let time, time < next { next = time }
        }
        consider(status?.until)
        // By their places: a chat is not copied to be asked.
        for index in chats.indices { consider(chats[index].typingUntil) }
        consider(draftTimer)
        consider(progressNews.due)
        if !spelling.isRunning { consider(spelling.due) }
        consider(linkRefresh)
        if case .search(let pane) = overlay { consider(pane.due) }
        consider(typing.map { $0.lastKey + Self.typingPause })
        consider(conversations.due)
        consider(announcements.deadline)
        return next
    }
}
