// The page with the number that two people compare: about a contact, or about somebody who asks to become one.

import ChatCore
import ChatWords

/// The state of the verification page.
struct VerifyPane: Pane {
    enum Subject: Sendable, Equatable {
        case contact(ContactID)
        /// As it was when the page was opened: the decision is about this key.
        case request(ContactRequest)
    }

    var subject: Subject
    /// The list from which the page was opened: there Esc leads back.
    var list: RequestsPane?
    /// The number as it was shown first: only this one can be confirmed.
    var number: [String]?
    /// The key that answers in place of the contact's, as it was when the page was opened: the decision is about it.
    var newKey: PeerID?
    var newNumber: [String]?
    /// The first row on the screen, where the page does not fit.
    var top = 0
    var seen = SeenRows()

    var overlay: Overlay { .verify(self) }
    var keyContext: KeyContext { isOfRequest ? .decision : .verify }

    var isOfRequest: Bool { if case .request = subject { true } else { false } }

    // MARK: Line mode

    /// Its keys, each as a line.
    func takes(answer line: String) -> Bool {
        ["1", "2", "b", "3"].contains(line) || (newKey != nil && ["a", "o"].contains(line))
    }

    /// Nothing is decided, and a line that is no command is not sent.
    func leave(with line: String, _ state: inout AppState) -> Bool {
        switch subject {
        case .contact(let contact):
            let trust = state.world.chat(contact).map { " and stays \(Sentences.word(for: $0.peer.trust))" } ?? ""
            state.say("Nothing decided: \(state.world.name(of: contact)) hears nothing\(trust)")
        case .request(let request):
            let name = SafeText(request.name, as: .name).text
            state.say("Nothing decided: \(name) hears nothing, the request stays (/requests)")
        }
        return line.hasPrefix("/")
    }

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        VerifyScreen(state: state, pane: self, layout: layout).draw(on: &canvas)
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        if let place = VerifyScreen(state: state, pane: self, layout: layout).page.place {
            return SafeText("j/k: \(place)", as: .line)
        }
        guard case .request(let request) = subject else { return nil }
        return SafeText(literal: "CONTACT REQUEST from \"") + SafeText(request.name, as: .name)
            + SafeText(literal: "\" · nothing is shown until you accept")
    }

    var hidesActivity: Bool { isOfRequest }

    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? {
        switch command {
        // Only the page about a changed key can accept a key.
        case .acceptRequest, .oldNumberMatches: return newKey == nil ? nil : usual
        // Nothing can match a number that is not there and will not come.
        case .numbersMatch:
            guard case .contact(let id) = subject, newKey == nil, state.world.chat(id)?.peer.peerID == nil else {
                return usual
            }
            return nil
        // More answers are shown beside it.
        case .decideLater: return newKey == nil ? usual : "later"
        default: return usual
        }
    }
}
