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

    mutating func perform(_ command: AppCommand, request selected: Int64?, _ effects: inout [AppEffect]) {
        let index = requests.firstIndex { $0.id == selected } ?? 0
        let request = requests.indices.contains(index) ? requests[index] : nil
        func errand(_ make: (Int64) -> Errand) {
            guard let request else { return }
            effects.append(.run(make(request.id)))
        }
        var next = index
        switch command {
        case .up: next = max(index - 1, 0)
        case .down: next = min(index + 1, max(requests.count - 1, 0))
        case .acceptRequest: errand { .approve($0, name: nil) }
        case .refuseRequest: errand { .reject($0) }
        case .blockRequest: errand { .blockRequest($0) }
        case .closePane:
            overlay = nil
            return
        default: break
        }
        overlay = .requests(selected: requests.indices.contains(next) ? requests[next].id : nil)
    }

    mutating func showVerification(of contact: ContactID, _ effects: inout [AppEffect]) {
        effects.append(.ask(.safetyNumber(contact)))
        show(.verify(VerifyPane(contact: contact)))
    }

    mutating func perform(_ command: AppCommand, in pane: VerifyPane, _ effects: inout [AppEffect]) {
        let contact = pane.contact
        guard let chat = chat(contact) else {
            overlay = nil
            return
        }
        switch command {
        case .numbersMatch where pane.number != nil:
            guard pane.number == chat.safetyNumber else {
                say("The number has just changed: compare again", isError: true)
                showVerification(of: contact, &effects)
                return
            }
            effects.append(.run(.setVerified(contact)))
            overlay = nil
        case .numbersDiffer:
            effects.append(.run(.setBlocked(contact, true)))
            overlay = nil
        case .decideLater:
            say("\(chat.name.text) stays \(Sentences.word(for: chat.peer.trust))")
            overlay = nil
        default: break
        }
    }
}
