// The page with the number that two people compare: about a contact, or about somebody who asks to become one.

import ChatCore

/// The state of the verification page.
struct VerifyPane: Sendable, Equatable {
    enum Subject: Sendable, Equatable {
        case contact(ContactID)
        /// As it was when the page was opened: what is decided is decided about this key.
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

    var isOfRequest: Bool { if case .request = subject { true } else { false } }

    /// What answers it; in line mode each is a line.
    var answers: [String] { ["1", "2", "b", "3"] + (newKey == nil ? [] : ["a", "o"]) }
}
