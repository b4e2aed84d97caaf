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
    state.composer.begin(onlyTyping: false)
    state.place.begin(isNews: action.isNews)
    state.surface.advance(to: moment)
    state.expire(&effects)
    switch action {
    case .input(let event): Keys.receive(event, shown, &state, &effects)
    case .line(let text): if !state.ending.isQuitting { LineMode.enter(line: text, &state, &effects) }
    case .printed: LineMode.leavePrinted(&state, &effects)
    case .chat(let event): ChatNews.receive(event, &state, &effects)
    case .clock: break
    case .done(let errand, let result): ErrandResults.finish(errand, result, &state, &effects)
    case .failed(let errand, let error): ErrandFailures.tell(errand, error, &state, &effects)
    case .edited(let outcome): Editing.receive(outcome, &state)
    case .answer(let answer): Answers.receive(answer, &state, &effects)
    case .launchFailed(let program, let errno):
        ProgramReports.say(notStarted: program, errno, &state)
    case .programFailed(let program, let failure): ProgramReports.say(failed: program, failure, &state)
    }
    state.settle(&effects)
    return effects
}

extension AppState {
    /// The text that `key` adds to the input, when that is all that comes of it: everything else of the picture stays.
    /// `nil` where more may happen, as most of `update` then has to look. This is the way of nearly every key, so it is
    /// short.
    fileprivate func typedOnly(_ key: Key, at moment: Moment) -> String? {
        guard moment.uptime < deadline, place.keyContext == .main, surface.isFocused, composer.completion == nil,
            place.returnPlace == nil,
            !composer.hasAskedPaste, composer.begun == .nothing, !isViNormal, !ending.isQuitting
        else { return nil }
        // Nothing that begins with a character can be bound where characters are typed (KeyOverride).
        return key.typedText
    }

    fileprivate mutating func typeOnly(_ text: String, at moment: Moment, _ effects: inout [AppEffect]) {
        composer.begin(onlyTyping: true)
        surface.advance(to: moment)
        surface.noteInput()
        Keys.type(text, &self, &effects)
    }

    /// Does what follows from the state, whatever changed it.
    fileprivate mutating func settle(_ effects: inout [AppEffect]) {
        Offers.settle(&self, &effects)
        Browsing.settle(&self)
        ViKeys.settleCursor(&self, &effects)
        Scrolling.settleAtBottom(&self)
        Pages.loadWhatIsMissing(&self, &effects)
        Previews.ask(&self, &effects)
        SeenMessages.mark(&self, &effects)
        if let time = due.conversations.due, time <= surface.moment.uptime { expire(&effects) }
    }
}
