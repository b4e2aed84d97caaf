// Calls that were carried out: words for them, and their changes on the screen. A call without a line here is silent.

import ChatCore
import ChatWords

/// Tells the user of a call's reply, and updates the screen.
enum CallResults {
    /// A call is done.
    static func finish(_ call: AnyCall, _ result: ErrandResult, _ state: inout AppState, _ effects: inout [AppEffect]) {
        switch call {
        // Messages. How an old one looks now is news of the chat, in its order with all others.
        case .send(let contact, _, _):
            if contact == state.place.openID, let message: ChatMessage = result.reply() {
                ErrandResults.follow(message, &state)
            }
        case .retry: if let message: ChatMessage = result.reply() { ErrandResults.follow(message, &state) }
        case .setPinned(_, let pinned): state.say(pinned ? "Pinned (/pins lists all)" : "Unpinned")
        case .deleteMessages(_, let keys):
            state.say(keys.count == 1 ? "Deleted here" : "Deleted \(keys.count) messages here")
        case .markUnread(let contact, let position):
            // An answer that was on its way may have changed this meanwhile, but it is older.
            if let index = state.world.chatIndex(contact) {
                state.world.chats[index].unreadIsStored(after: HistoryPosition(position.rawValue - 1))
            }
        case .markSeen(let contact, _): SeenMessages.isStored(contact, &state, &effects)

        // Files
        case .declineTransfer(let number): state.say("\(hashed(number, state)) is declined")
        case .pauseTransfer(let number):
            state.say("\(hashed(number, state)) is paused (/resume \(ErrandResults.shown(number, state)))")
        case .resumeTransfer(let number): state.say("\(hashed(number, state)) is no longer paused here")
        case .cancelTransfer(let number), .cancelFolder(let number):
            state.say("\(hashed(number, state)) is cancelled")
        case .setRateLimit(let scope, let limit): state.say(words(limiting: scope, to: limit, &state))

        // Contacts
        case .addContact(_, let wanted):
            guard let peer: Peer = result.reply() else { return }
            guard isKnown(peer, state) else { return ErrandResults.welcome(peer, &state, &effects) }
            state.note(words(addedAgain: peer, wanted))
            ErrandResults.adopt(peer, &state, &effects)
        case .meet: if let peer: Peer = result.reply() { ErrandResults.welcome(peer, &state, &effects) }
        case .joinRoom(let url, _):
            guard let peer: Peer = result.reply() else { return }
            let name = SafeText(peer.name, as: .name).text
            state.note("\(name) is a room (\(RoomWords.title(of: url))): \(RoomWords.warning(of: url))")
            ErrandResults.adopt(peer, &state, &effects)
        case .leaveRoom(let contact):
            let name = state.world.name(of: contact)
            state.say("You have left \(name); its history stays (/remove \(name) deletes it)")
        case .setBlocked(let contact, let blocked):
            let name = state.world.name(of: contact)
            state.say(blocked ? Sentences.blocked(name) + offerOfRenewal(state) : "\(name) may call again")
        case .setVerified(let contact): state.say("\(state.world.name(of: contact)) is verified")
        case .acceptNewKey(let contact, _, let verified):
            let words = "\(state.world.name(of: contact)) has a new key, \(verified ? "verified" : "unverified")"
            // A line in the chat: from here on it is another key that is talked to.
            if contact == state.place.openID {
                state.note(words + "; the old one is in /whois")
            } else {
                state.say(words)
            }
        case .rejectRequest(let id):
            RequestsPane.forget(id, &state)
            state.say("Refused; you will not see another request of theirs before tomorrow")
        case .blockRequest(let id):
            RequestsPane.forget(id, &state)
            guard let peer: Peer = result.reply() else { return }
            let name = SafeText(peer.name, as: .name).text
            state.say("\(name) is blocked (/unblock \(name), /remove \(name))" + offerOfRenewal(state))
        case .setMuted(let contact, let until): state.say(words(muting: contact, until, &state))
        case .setAutomaticAcceptance(let contact, let limit):
            if let index = state.world.chatIndex(contact) { state.world.chats[index].acceptFiles(upTo: limit) }
            state.say(PresenceCommands.acceptanceWords(contact, state.world))

        // Reach
        case .removeAddress(let contact, let address):
            let place = SafeText("\(address.endpoint)", as: .line).text
            state.say("blipchat no longer calls \(state.world.name(of: contact)) at \(place)")
        case .addRoute(let contact, let route):
            let way = SafeText("\(route.endpoint)", as: .line).text
            state.say("\(state.world.name(of: contact)) is called by \(way), too")
        case .renewReach:
            state.say(
                "You have new mailboxes, and with Tor another onion service: contacts hear of them, old addresses end")
        case .invite:
            guard let invitation: Invitation = result.reply() else { return }
            if !state.surface.isLineMode, let address = invitation.address {
                effects.append(.terminal(.copy("\(address)")))
            }
            let (clock, now) = (state.surface.clock, state.surface.moment.wall)
            state.note(ReachWords.lines(invitation) { clock.dayAndTime($0, now: now) })
        case .disconnect(let contact):
            state.say("Disconnected from \(contact.map(state.world.name(of:)) ?? "everybody") until you /connect")

        // Ourselves
        case .setOwnName(let name): state.say("You are now \(SafeText(name, as: .name).text)")
        case .setAway(let reason):
            state.say(
                reason == nil ? "Your contacts see that you are back" : "Your contacts see that you are away (/back)")
        default: break
        }
    }

    /// `#8`: a transfer by the number under which the user knows it.
    private static func hashed(_ number: TransferNumber, _ state: AppState) -> String {
        "#\(ErrandResults.shown(number, state))"
    }

    private static func words(limiting scope: RateScope, to limit: UInt64?, _ state: inout AppState) -> String {
        var (scope, each) = (scope, "")
        if case .transfer(let number) = scope {
            state.world.transfers.setLimit(limit, of: number)
            let named = ErrandResults.named(number, state)
            scope = .transfer(named)
            if ErrandResults.isFolder(named, state) { each = " for each file" }
        }
        return "\(scope.words): " + (limit.map { "at most \(Units.rate(Double($0)))\(each)" } ?? "no limit")
    }

    /// Whether a contact was there before it was added just now: news of a new one may have come already.
    private static func isKnown(_ peer: Peer, _ state: AppState) -> Bool {
        state.world.chat(peer.id) != nil && state.surface.moment.wall.milliseconds - peer.added.milliseconds > 5_000
    }

    /// Somebody was added who was a contact already.
    private static func words(addedAgain peer: Peer, _ wanted: String?) -> String {
        let name = SafeText(peer.name, as: .name).text
        var words = "\(name) is already a contact (\(ErrandResults.trust(of: peer)))"
        if let first = peer.addresses.first { words += ", now called at \(first.host):\(first.port) first" }
        if let wanted, wanted != peer.name { words += "; /rename changes the name" }
        return words
    }

    private static func offerOfRenewal(_ state: AppState) -> String {
        Sentences.blockedStillSees(state.world.identity.address, renewal: "/reach renew").map { " and " + $0 } ?? ""
    }

    private static func words(muting contact: ContactID, _ until: Timestamp?, _ state: inout AppState) -> String {
        guard let index = state.world.chatIndex(contact) else { return "" }
        state.world.chats[index].mute(until: until)
        let name = state.world.chats[index].name.text
        return state.surface.muteWords(state.world.chats[index].peer).map { "\(name) is \($0) (/mute \(name) off)" }
            ?? "\(name) is not muted"
    }
}
