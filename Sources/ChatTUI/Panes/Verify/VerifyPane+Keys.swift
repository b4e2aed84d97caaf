// What the keys do on the page with the number: nobody decides about what they have not seen, or what has changed since.

import ChatCore
import ChatWords

extension VerifyPane {
    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        let page = VerifyScreen(state: state, pane: self, layout: ScreenLayout(state)).page
        seen.add(page)
        if let top = page.top(after: command) { self.top = top }
        state.place.put(overlay)
        let confirms = command == .numbersMatch || command == .oldNumberMatches
        let accepts = confirms || command == .acceptRequest || (command == .decideLater && isOfRequest)
        guard !confirms || seen.contain(page.number, of: page),
            !accepts || seen.contain(page.caller, of: page)
        else {
            state.say("Read it all first: j scrolls", isError: true)
            return .left
        }
        switch subject {
        case .contact(let contact): decide(command, about: contact, &state, &effects)
        case .request(let request): decide(command, about: request, &state, &effects)
        }
        return .left
    }

    mutating func stepBack(_ state: inout AppState) -> PaneStep {
        // Others may have gone meanwhile, all of them too.
        guard var list, !state.world.requests.isEmpty else { return .closes }
        list.selectListed(in: state)
        state.place.put(.requests(list))
        return .left
    }

    private func decide(
        _ command: AppCommand, about contact: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let chat = state.world.chat(contact) else {
            state.place.closePane()
            return
        }
        let now = chat.peer.trust == .keyChanged ? chat.peer.newPeerID : nil
        switch command {
        case .numbersMatch where newKey != nil || now != nil, .acceptRequest where newKey != nil:
            guard let key = now, key == newKey else {
                VerifyPane.show(of: .contact(contact), &state, &effects)
                state.say("The key just changed: compare again", isError: true)
                return
            }
            // Nobody accepts what they have not seen.
            guard newNumber != nil else { return }
            effects.append(.run(.call(.acceptNewKey(key, of: contact, verified: command == .numbersMatch))))
            state.place.closePane()
        case .numbersMatch where number != nil, .oldNumberMatches where newKey != nil && number != nil:
            guard number == chat.safetyNumber else {
                VerifyPane.show(of: .contact(contact), &state, &effects)
                state.say("The number just changed: compare again", isError: true)
                return
            }
            effects.append(.run(.call(.setVerified(contact))))
            state.place.closePane()
        case .numbersDiffer where newKey != now, .blockRequest where newKey != now:
            VerifyPane.show(of: .contact(contact), &state, &effects)
            let trust = Sentences.word(for: chat.peer.trust)
            state.say("Already decided elsewhere: \(chat.name.text) is \(trust)", isError: true)
        case .numbersDiffer, .blockRequest:
            effects.append(.run(.call(.setBlocked(contact, true))))
            state.place.closePane()
        case .decideLater, .closePane:
            state.say("\(chat.name.text) stays \(Sentences.word(for: chat.peer.trust))")
            state.place.closePane()
        default: break
        }
    }

    private func decide(
        _ command: AppCommand, about request: ContactRequest, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        if command == .closePane { return state.closeOverlay() }
        // Another contact would be made of it, and the old one stay as it is forever.
        if [.numbersMatch, .decideLater, .acceptRequest].contains(command),
            let chat = state.world.chats.first(where: { $0.peer.newPeerID == request.peerID })
        {
            VerifyPane.show(of: .contact(chat.id), &state, &effects)
            return state.say("This is the new key of \(chat.name.text): decide here")
        }
        let decision: Errand? =
            switch command {
            case .numbersMatch: number == nil ? nil : .approve(request.id, name: nil, verified: true)
            case .decideLater, .acceptRequest: .approve(request.id, name: nil)
            case .numbersDiffer, .blockRequest: .call(.blockRequest(request.id))
            case .refuseRequest: .call(.rejectRequest(request.id))
            default: nil
            }
        guard let decision else { return }
        state.place.closePane()
        // A request that is not there any more, or that another key has taken the place of, is not decided here.
        guard state.world.requests.contains(where: { $0.id == request.id && $0.peerID == request.peerID }) else {
            state.say("That request is gone", isError: true)
            return
        }
        effects.append(.run(decision))
    }
}

extension VerifyPane {
    static func show(
        of subject: VerifyPane.Subject, from list: RequestsPane? = nil, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        if case .contact(let contact) = subject, let peer = state.world.chat(contact)?.peer, peer.room != nil {
            return state.note(Sentences.reason(of: .isRoom(name: peer.name, .key)), isError: true)
        }
        var pane = VerifyPane(subject: subject, list: list)
        switch subject {
        case .contact(let contact):
            effects.append(.ask(.safetyNumber(contact)))
            if let peer = state.world.chat(contact)?.peer, peer.trust == .keyChanged, let key = peer.newPeerID {
                pane.newKey = key
                effects.append(.ask(.newKeyNumber(contact, key)))
            }
        case .request(let request): effects.append(.ask(.requestNumber(request)))
        }
        state.show(.verify(pane))
    }

    /// The number of a request has been computed.
    static func receive(number: [String], of request: ContactRequest, _ state: inout AppState) {
        guard case .verify(var pane) = state.place.overlay, pane.subject == .request(request), pane.number == nil else {
            return
        }
        pane.number = number
        state.place.put(.verify(pane))
    }

    /// The number of a contact has come.
    static func receive(safetyNumber number: [String]?, of contact: ContactID, _ state: inout AppState) {
        if let index = state.world.chatIndex(contact) { state.world.chats[index].receive(safetyNumber: number) }
        guard case .verify(var pane) = state.place.overlay, pane.subject == .contact(contact), pane.number == nil else {
            return
        }
        pane.number = number
        state.place.put(.verify(pane))
    }

    /// The number with the key that answers in place of a contact's.
    static func receive(newNumber number: [String]?, with key: PeerID, of contact: ContactID, _ state: inout AppState) {
        guard case .verify(var pane) = state.place.overlay, pane.subject == .contact(contact), pane.newKey == key else {
            return
        }
        pane.newNumber = number
        state.place.put(.verify(pane))
    }
}
