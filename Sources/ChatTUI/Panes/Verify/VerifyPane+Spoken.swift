// What line mode says of the page with the number: the number, and the lines that answer.

import ChatCore
import ChatWords

extension VerifyPane {
    /// The user has to answer.
    var isWaiting: Bool { true }

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        switch (subject, action) {
        case (.contact(let contact), .answer(.safetyNumber(let asked, let number))) where asked == contact:
            guard let number, self.number == number else {
                return [line("Their key is not known yet: nothing to compare until they first answer")]
            }
            if newKey != nil {
                return [line("The old number:")] + Self.rows(of: number).map(line)
            }
            return numberLines(number) + [
                line(
                    "Enter 1 if they match (verified), 2 if they differ (\(state.world.name(of: contact)) is blocked), "
                        + "anything else for later")
            ]
        case (.contact(let contact), .answer(.newKeyNumber(let asked, let key, let number)))
        where asked == contact && key == newKey:
            return [
                line("A different key answers: they have a new machine, or somebody is in between. Its number:")
            ]
                + Self.rows(of: number).map(line) + [
                    line(
                        "Enter 1 if they read you the same (accepted, verified), 2 to refuse it "
                            + "(\(state.world.name(of: contact)) is blocked), a to accept it unverified, "
                            + "o if the old number matches (it stays, verified), anything else for later"
                    )
                ]
        case (.request(let request), .answer(.requestNumber(let asked, let number))) where asked == request:
            return RequestSentences(state: state).about(request) + numberLines(number) + [
                line(
                    "Enter 1 if they match (verified), 2 if they differ (blocked), 3 to accept them unverified, "
                        + "/reject \(request.id) to refuse them, anything else for later")
            ]
        default: return []
        }
    }

    private func numberLines(_ number: [String]) -> [SafeText] {
        [
            line("Compare by phone or in person. Both sides must have:")
        ] + Self.rows(of: number).map(line)
    }

    private static func rows(of number: [String]) -> [String] {
        [number.prefix(6).joined(separator: " "), number.dropFirst(6).joined(separator: " ")]
    }
}
