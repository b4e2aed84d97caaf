// The heart of the screen: a pure function from state and action to the next state and the effects to carry out.

import ChatCore
import ChatWords

/// Changes `state` by one action that happened at `moment`, and returns what must be done, in order. A click means what
/// was on the screen: the picture that was `shown` there then; there is none in line mode.
package func update(
    _ state: inout AppState, _ action: AppAction, at moment: Moment, shown: Picture? = nil
) -> [AppEffect] {
    var effects: [AppEffect] = []
    if case .input(.key(let key)) = action, let text = state.typedOnly(key, at: moment) {
        state.typeOnly(text, at: moment, &effects)
        return effects
    }
    state.hasOnlyTyped = false
    state.isNews = action.isNews
    state.moment = moment
    state.expire(&effects)
    switch action {
    case .input(let event): state.receive(event, shown, &effects)
    case .line(let text): if !state.isQuitting { state.enter(line: text, &effects) }
    case .printed: state.leavePrinted(&effects)
    case .chat(let event): state.receive(event, &effects)
    case .clock: break
    case .done(let errand, let result): state.finish(errand, result, &effects)
    case .failed(let errand, let error): state.fail(errand, error, &effects)
    case .edited(let outcome): state.receive(outcome)
    case .answer(let answer): state.receive(answer, &effects)
    case .launchFailed(let program, let errno):
        state.say(notStarted: program, errno)
    case .programFailed(let program, let failure): state.say(failed: program, failure)
    }
    state.settle(&effects)
    return effects
}

extension AppState {
    /// What `key` adds to the input, when that is all that comes of it: everything else of the picture stays. `nil`
    /// where more may happen, as most of `update` then has to look. This is the way of nearly every key, so it is short.
    fileprivate func typedOnly(_ key: Key, at moment: Moment) -> String? {
        guard moment.uptime < deadline, keyContext == .main, isFocused, completion == nil, returnPlace == nil,
            !takesLiteral,
            !hasAskedPaste, pendingKeys.isEmpty, !isViNormal, !isQuitting
        else { return nil }
        // Nothing that begins with a character can be bound where characters are typed (KeyOverride).
        return key.typedText
    }

    fileprivate mutating func typeOnly(_ text: String, at moment: Moment, _ effects: inout [AppEffect]) {
        hasOnlyTyped = true
        self.moment = moment
        attention.note(inputAt: moment.uptime)
        type(text, &effects)
    }

    /// A program of the settings is not there, or may not be run.
    fileprivate mutating func say(notStarted program: String, _ errno: Int32) {
        say("Cannot start \(program): \(Sentences.words(forErrno: errno))\(advice(about: program))", isError: true)
    }

    /// A program of the settings was started, and has not done its work.
    fileprivate mutating func say(failed program: String, _ failure: ProgramFailure) {
        let end =
            switch failure {
            case .code(let code): "it exited with code \(code)"
            case .signal(let signal): "signal \(signal) killed it"
            }
        let isOpener = CommandLine.words(of: settings.openCommand)?.first == program
        say("\(program) \(isOpener ? "opened nothing" : "failed"): \(end)\(advice(about: program))", isError: true)
    }

    private func advice(about program: String) -> String {
        let keys = [("files.open_command", settings.openCommand), ("notify.command", settings.notifyCommand)]
        let key = keys.first { CommandLine.words(of: $0.1)?.first == program }?.0
        return key.map { " (/set \($0) to another)" } ?? ""
    }

    /// What follows from the state, whatever changed it.
    fileprivate mutating func settle(_ effects: inout [AppEffect]) {
        settleOffer(&effects)
        settleSelection()
        settleCursor(&effects)
        settleAtBottom()
        loadWhatIsMissing(&effects)
        askForPictures(&effects)
        markSeen(&effects)
        if let due = conversations.due, due <= moment.uptime { expire(&effects) }
    }

    /// Offers that can be answered: of somebody who is blocked nothing is taken.
    var openOffers: [FileTransfer] { transfers.openOffers.filter { chat($0.contact)?.peer.isBlocked != true } }

    /// The oldest offer that waits, with all others of the same contact: they are asked about once.
    var nextOffer: ShownOffer? {
        let offers = openOffers
        guard let first = offers.first else { return nil }
        return ShownOffer(
            number: first.number,
            others: offers.dropFirst().filter { $0.contact == first.contact }.map(\.number))
    }

    /// The offers that the keys answer now; some of those that were shown may have been decided about meanwhile.
    func offers(of shown: ShownOffer) -> [FileTransfer] {
        openOffers.filter { $0.number == shown.number || shown.others.contains($0.number) }
    }

    /// Of an offer: the bytes of the file, or of the folder that it belongs to.
    func wholeSize(of offer: FileTransfer) -> UInt64 { transfers.group(of: offer.number)?.size ?? offer.size }

    /// Keeps the shown offer until it is answered, then takes the oldest open one. Its arming time runs only while it
    /// can be seen.
    private mutating func settleOffer(_ effects: inout [AppEffect]) {
        let offers = openOffers
        if let shown = shownOffer, !offers.contains(where: { $0.number == shown.number }) {
            if shown.since != nil { lineQuestion.noteClosed(at: moment.uptime) }
            shownOffer = nil
        }
        if overlay == nil, shownOffer == nil, let next = nextOffer {
            shownOffer = next
            // Beside it stands how much room there is.
            effects.append(.ask(.downloads))
        }
        guard var shown = shownOffer else { return }
        shown.since = isInSight(shown) ? shown.since ?? moment.uptime : nil
        shown.firstSince = shown.firstSince ?? shown.since
        join(offers, to: &shown)
        shownOffer = shown
    }

    /// What comes at once with an offer is asked about with it, as long as no key answers the question yet; then it has to be
    /// in sight anew, but not for ever.
    private func join(_ offers: [FileTransfer], to shown: inout ShownOffer) {
        if let first = shown.firstSince, moment.uptime - first >= Self.offerArming { return }
        guard let contact = transfers[shown.number]?.contact else { return }
        let others = offers.filter { $0.contact == contact && $0.number != shown.number }.map(\.number)
        guard others != shown.others else { return }
        shown.others = others
        if shown.since != nil { shown.since = moment.uptime }
    }

    /// On the status line: in its turn, or because a key has asked for it.
    private func isInSight(_ offer: ShownOffer) -> Bool {
        guard let status else { return showsOffer }
        return status.text == offer.question
    }

    /// Messages that are drawn at the bottom of the open chat count as seen.
    private mutating func markSeen(_ effects: inout [AppEffect]) {
        guard settings.readMark == .visible, overlay == nil, isFocused, !isQuitting, let index = chatIndex(openID),
            chats[index].window.isAtBottom, chats[index].window.isLoaded, !chats[index].keepsUnread
        else { return }
        guard let newest = chats[index].window.newestIncoming(),
            chats[index].conversation.readUpTo.map({ $0 < newest }) ?? true
        else { return }
        chats[index].conversation.readUpTo = newest
        chats[index].conversation.unreadCount = 0
        chats[index].mentionCount = 0
        // One at a time: in a flood each message would be one.
        chats[index].seenNext = newest
        sendSeen(at: index, &effects)
    }

    /// Gives the store what was seen, unless it is busy with what was seen before.
    mutating func sendSeen(at index: Int, _ effects: inout [AppEffect]) {
        guard chats[index].seenOnItsWay == 0, let position = chats[index].seenNext else { return }
        chats[index].seenNext = nil
        chats[index].seenOnItsWay += 1
        effects.append(.run(.markSeen(chats[index].id, position)))
    }
}
