// Contact requests and the comparing of safety numbers: overlays that only the user opens.

import ChatCore

extension AppState {
    mutating func showRequests() {
        if case .requests = overlay {
            overlay = nil
        } else if requests.isEmpty {
            say("No contact requests. /verify compares numbers with somebody you know")
        } else {
            show(.requests(selected: requests.first?.id))
        }
    }

    mutating func press(
        _ key: Key, _ command: AppCommand?, request selected: Int64?, _ effects: inout [AppEffect]
    ) -> Bool {
        let index = requests.firstIndex { $0.id == selected } ?? 0
        let request = requests.indices.contains(index) ? requests[index] : nil
        func errand(_ make: (Int64) -> Errand) {
            guard let request else { return }
            effects.append(.run(make(request.id)))
        }
        var next = index
        switch (command, key.typedText) {
        case (.up, _), (.previousChat, _), (_, "k"): next = max(index - 1, 0)
        case (.down, _), (.nextChat, _), (_, "j"): next = min(index + 1, max(requests.count - 1, 0))
        case (_, "a"): errand { .approve($0, name: nil) }
        case (_, "r"): errand { .reject($0) }
        case (_, "b"): errand { .blockRequest($0) }
        case (_, "q"), (.requests, _):
            overlay = nil
            return true
        default: if Self.passesThrough(command) { return false }
        }
        overlay = .requests(selected: requests.indices.contains(next) ? requests[next].id : nil)
        return true
    }

    mutating func showVerification(of contact: ContactID, _ effects: inout [AppEffect]) {
        effects.append(.ask(.safetyNumber(contact)))
        show(.verify(VerifyPane(contact: contact)))
    }

    mutating func press(
        _ key: Key, _ command: AppCommand?, in pane: VerifyPane, _ effects: inout [AppEffect]
    ) -> Bool {
        let contact = pane.contact
        guard let chat = chat(contact) else {
            overlay = nil
            return true
        }
        switch key.typedText {
        case "1" where pane.number != nil:
            guard pane.number == chat.safetyNumber else {
                say("The number has just changed: compare again", isError: true)
                showVerification(of: contact, &effects)
                return true
            }
            effects.append(.run(.setVerified(contact)))
            overlay = nil
        case "2", "b":
            effects.append(.run(.setBlocked(contact, true)))
            overlay = nil
        case "3", "q":
            say("\(chat.name.text) stays \(Sentences.word(for: chat.peer.trust))")
            overlay = nil
        default: return !Self.passesThrough(command)
        }
        return true
    }
}
