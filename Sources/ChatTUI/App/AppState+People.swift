// Contact requests and the comparing of safety numbers: overlays that only the user opens.

import ChatCore
import ChatWords

extension AppState {
    /// Alt-r: the page of the only request, or the list of several.
    mutating func showRequests(_ effects: inout [AppEffect]) {
        switch overlay {
        case .requests: overlay = nil
        case .verify(let pane):
            if case .request = pane.subject { overlay = nil } else { openRequests(&effects) }
        default: openRequests(&effects)
        }
    }

    private mutating func openRequests(_ effects: inout [AppEffect]) {
        if requests.isEmpty {
            say("No contact requests. /verify compares numbers with somebody you know")
        } else if requests.count == 1, let only = requests.first {
            showVerification(of: .request(only), &effects)
        } else {
            show(.requests(RequestsPane(selected: requests.first?.id)))
        }
    }

    /// What the filter of the pane leaves.
    func listedRequests(_ pane: RequestsPane) -> [ContactRequest] {
        pane.filter.narrowed(requests) { request in
            "\(request.id) \(request.name) \(request.origin) \(request.address?.host ?? "") \(request.peerID.text)"
        }
    }

    /// The cursor stays on a request that the filter leaves, else it goes to the first of them.
    func selectListed(in pane: inout RequestsPane) {
        let listed = listedRequests(pane)
        if !listed.contains(where: { $0.id == pane.selected }) { pane.selected = listed.first?.id }
    }

    mutating func perform(_ command: AppCommand, in pane: inout RequestsPane, _ effects: inout [AppEffect]) {
        if pane.filter.perform(command, yanking: killRing.newest, reordering: settings.reorders) {
            selectListed(in: &pane)
            overlay = .requests(pane)
            return
        }
        let requests = listedRequests(pane)
        let place = requests.firstIndex { $0.id == pane.selected }
        let index = place ?? 0
        // Of one that has gone the cursor goes to the first: a key that was meant for it decides nothing there.
        let request = place.map { requests[$0] }
        func errand(_ make: (Int64) -> Errand) {
            guard let request else { return }
            effects.append(.run(make(request.id)))
        }
        var next = index
        switch command {
        case .up: next = max(index - 1, 0)
        case .down: next = min(index + 1, max(requests.count - 1, 0))
        case .choose:
            if let request { return showVerification(of: .request(request), from: pane, &effects) }
        case .acceptRequest: errand { .approve($0, name: nil) }
        case .refuseRequest: errand { .reject($0) }
        case .blockRequest: errand { .blockRequest($0) }
        case .closePane:
            overlay = nil
            return
        default: break
        }
        pane.selected = requests.indices.contains(next) ? requests[next].id : nil
        overlay = .requests(pane)
    }

    // MARK: The number

    mutating func showVerification(
        of subject: VerifyPane.Subject, from list: RequestsPane? = nil, _ effects: inout [AppEffect]
    ) {
        var pane = VerifyPane(subject: subject, list: list)
        switch subject {
        case .contact(let contact):
            effects.append(.ask(.safetyNumber(contact)))
            if let peer = chat(contact)?.peer, peer.trust == .keyChanged, let key = peer.newPeerID {
                pane.newKey = key
                effects.append(.ask(.newKeyNumber(contact, key)))
            }
        case .request(let request): effects.append(.ask(.requestNumber(request)))
        }
        show(.verify(pane))
    }

    /// The number of a request has been computed.
    mutating func receive(number: [String], of request: ContactRequest) {
        guard case .verify(var pane) = overlay, pane.subject == .request(request), pane.number == nil else { return }
        pane.number = number
        overlay = .verify(pane)
    }

    mutating func perform(_ command: AppCommand, in pane: VerifyPane, _ effects: inout [AppEffect]) {
        var pane = pane
        let page = VerifyScreen(state: self, pane: pane, layout: ScreenLayout(self)).page
        pane.seen.add(page)
        if let top = page.top(after: command) { pane.top = top }
        overlay = .verify(pane)
        let confirms = command == .numbersMatch || command == .oldNumberMatches
        let accepts = confirms || command == .acceptRequest || (command == .decideLater && pane.isOfRequest)
        guard !confirms || pane.seen.contain(page.number, of: page),
            !accepts || pane.seen.contain(page.caller, of: page)
        else {
            return say("Read it all first: j scrolls", isError: true)
        }
        switch pane.subject {
        case .contact(let contact): decide(command, about: contact, pane, &effects)
        case .request(let request): decide(command, about: request, pane.number, &effects)
        }
    }

    private mutating func decide(
        _ command: AppCommand, about contact: ContactID, _ pane: VerifyPane, _ effects: inout [AppEffect]
    ) {
        guard let chat = chat(contact) else {
            overlay = nil
            return
        }
        let newKey = chat.peer.trust == .keyChanged ? chat.peer.newPeerID : nil
        switch command {
        case .numbersMatch where pane.newKey != nil || newKey != nil, .acceptRequest where pane.newKey != nil:
            guard let key = newKey, key == pane.newKey else {
                showVerification(of: .contact(contact), &effects)
                say("The key just changed: compare again", isError: true)
                return
            }
            // Nobody accepts what they have not seen.
            guard pane.newNumber != nil else { return }
            effects.append(.run(.acceptNewKey(contact, key, verified: command == .numbersMatch)))
            overlay = nil
        case .numbersMatch where pane.number != nil, .oldNumberMatches where pane.newKey != nil && pane.number != nil:
            guard pane.number == chat.safetyNumber else {
                showVerification(of: .contact(contact), &effects)
                say("The number just changed: compare again", isError: true)
                return
            }
            effects.append(.run(.setVerified(contact)))
            overlay = nil
        case .numbersDiffer where pane.newKey != newKey, .blockRequest where pane.newKey != newKey:
            showVerification(of: .contact(contact), &effects)
            let trust = Sentences.word(for: chat.peer.trust)
            say("Already decided elsewhere: \(chat.name.text) is \(trust)", isError: true)
        case .numbersDiffer, .blockRequest:
            effects.append(.run(.setBlocked(contact, true)))
            overlay = nil
        case .decideLater, .closePane:
            say("\(chat.name.text) stays \(Sentences.word(for: chat.peer.trust))")
            overlay = nil
        default: break
        }
    }

    private mutating func decide(
        _ command: AppCommand, about request: ContactRequest, _ number: [String]?, _ effects: inout [AppEffect]
    ) {
        if command == .closePane { return closeOverlay() }
        // Another contact would be made of it, and the old one stay as it is for ever.
        if [.numbersMatch, .decideLater, .acceptRequest].contains(command),
            let chat = chats.first(where: { $0.peer.newPeerID == request.peerID })
        {
            showVerification(of: .contact(chat.id), &effects)
            return say("This is the new key of \(chat.name.text): decide here")
        }
        let decision: Errand? =
            switch command {
            case .numbersMatch: number == nil ? nil : .approve(request.id, name: nil, verified: true)
            case .decideLater, .acceptRequest: .approve(request.id, name: nil)
            case .numbersDiffer, .blockRequest: .blockRequest(request.id)
            case .refuseRequest: .reject(request.id)
            default: nil
            }
        guard let decision else { return }
        overlay = nil
        // A request that is not there any more, or that another key has taken the place of, is not decided here.
        guard requests.contains(where: { $0.id == request.id && $0.peerID == request.peerID }) else {
            say("That request is gone", isError: true)
            return
        }
        effects.append(.run(decision))
    }
}
