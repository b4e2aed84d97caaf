// Slash commands about people.

import ChatCore
import ChatWords

/// Commands about contacts and requests.
enum PeopleCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let verb = call.verb
        var scanner = call.scanner
        var ahead = scanner
        if [.approve, .reject].contains(verb), let set = ahead.next().flatMap(NumberSet.init), ahead.isAtEnd {
            return runSeveral(requests: verb, set, asked: call.asked, &state, &effects)
        }
        switch verb {
        case .add: add(&scanner, &state, &effects)
        case .requests: RequestsPane.toggle(&state, &effects)
        case .approve:
            guard let id = requestNumber(&scanner, &state) else { return }
            effects.append(.run(.approve(id, name: scanner.name())))
        case .reject: if let id = requestNumber(&scanner, &state) { effects.append(.run(.call(.rejectRequest(id)))) }
        case .verify:
            if let id = SlashArguments.contact(scanner.remainder(), &state) {
                VerifyPane.show(of: .contact(id), &state, &effects)
            }
        case .fingerprint:
            if let id = SlashArguments.contact(scanner.remainder(), &state) {
                VerifyPane.show(of: .contact(id), &state, &effects)
            }
        case .block:
            if let id = SlashArguments.contact(scanner.remainder(), &state) {
                effects.append(.run(.call(.setBlocked(id, true))))
            }
        case .unblock:
            guard let id = SlashArguments.contact(scanner.remainder(), &state) else { return }
            guard state.world.chat(id)?.peer.isBlocked == true else {
                return state.say("\(state.world.name(of: id)) is not blocked")
            }
            effects.append(.run(.call(.setBlocked(id, false))))
        case .removeAddress: removeAddress(&scanner, &state, &effects)
        case .rename:
            guard let id = scanner.contact(&state) else { return }
            guard let name = scanner.name(), !name.isEmpty else {
                return state.note("/rename WHO NAME: the new name is missing", isError: true)
            }
            effects.append(.run(.rename(id, to: name)))
        case .remove:
            guard let id = SlashArguments.contact(scanner.remainder(), &state) else { return }
            let removal = Errand.remove(id, name: state.world.name(of: id))
            if call.asked == removal {
                effects.append(.run(removal))
            } else {
                state.place.note(asked: removal)
                state.note(
                    "This deletes \(state.world.name(of: id)) and your whole history with them. Enter y, or the same command again, to do it."
                )
            }
        case .contacts: state.note(contactLines(ListFilter(scanner.remainder() ?? ""), state))
        case .blocked: state.note(blockedLines(ListFilter(scanner.remainder() ?? ""), state.world))
        case .whois:
            if let id = SlashArguments.contact(scanner.remainder(), &state), let chat = state.world.chat(id) {
                if chat.peer.room == nil {
                    state.note(whois(chat, state))
                } else {
                    effects.append(.ask(.call(.room(id))))
                }
            }
        case .myID: showOwnAddress(&state, &effects)
        // The table sends no other command here.
        default: break
        }
    }

    /// `/approve all`, `/reject 2-5`.
    static func runSeveral(
        requests verb: SlashVerb, _ set: NumberSet, asked: Errand?, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        let meant = state.world.requests.filter { set.contains($0.id) }
        let errand = FileCommands.one(
            meant.map { verb == .approve ? .approve($0.id, name: nil) : .call(.rejectRequest($0.id)) })
        guard let errand else {
            return state.note(state.world.requests.isEmpty ? "No contact requests" : "No such requests", isError: true)
        }
        guard asked == errand || meant.count == 1 else {
            state.place.note(asked: errand)
            let names = meant.prefix(8).map { SafeText($0.name, as: .name).text }.joined(separator: ", ")
            let rest = meant.count > 8 ? " and \(meant.count - 8) more" : ""
            let what = verb == .approve ? "This accepts" : "This refuses"
            return state.note("\(what) \(names)\(rest). Enter the same command again to do it.")
        }
        effects.append(.run(errand))
    }

    static func add(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]) {
        do {
            if let quoted = scanner.quoted() {
                let address = try PeerAddress(parsing: quoted)
                return effects.append(.run(.call(.addContact(address, name: scanner.remainder()))))
            }
            // A copied address may be broken into rows and words.
            let (text, rest) = PastedAddress.split(scanner.remainder() ?? "")
            let address = try PeerAddress(parsing: text)
            effects.append(.run(.call(.addContact(address, name: rest.isEmpty ? nil : rest))))
        } catch {
            state.note(Sentences.sentence(for: error), isError: true)
        }
    }

    private static func removeAddress(
        _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let id = scanner.contact(&state) else { return }
        guard let text = scanner.next() else {
            return state.note("/removeaddress WHO ADDRESS: the address is missing (/whois shows them)", isError: true)
        }
        do {
            effects.append(.run(.call(.removeAddress(try PeerAddress(parsing: text), of: id))))
        } catch {
            state.note(Sentences.sentence(for: error), isError: true)
        }
    }

    /// The request that is named, else the only one.
    private static func requestNumber(_ scanner: inout ArgumentScanner, _ state: inout AppState) -> Int64? {
        if let word = scanner.next() {
            if let id = Int64(word.hasPrefix("#") ? String(word.dropFirst()) : word),
                state.world.requests.contains(where: { $0.id == id })
            {
                return id
            }
            let named = state.world.requests.filter { $0.name.lowercased() == word.lowercased() }
            if named.count == 1 { return named.first?.id }
            state.note(
                "There is no request \(SafeText(word, as: .name).text) (\(state.surface.isLineMode ? "/requests" : state.surface.key(.requests)) lists them)",
                isError: true)
            return nil
        }
        if state.world.requests.count == 1 { return state.world.requests.first?.id }
        state.note(
            state.world.requests.isEmpty
                ? "No contact requests" : "Which one? \(state.surface.key(.requests)) lists them", isError: true)
        return nil
    }

    private static func contactLines(_ filter: ListFilter, _ state: AppState) -> [String] {
        guard !state.world.chats.isEmpty else { return ["No contacts yet: /add ADDRESS"] }
        let lines = ChatOrder.indices(state).map { index in
            let chat = state.world.chats[index]
            let link = chat.peer.isBlocked ? "blocked" : Sentences.words(for: chat.link)
            let mute = state.surface.muteWords(chat.peer).map { ", \($0)" } ?? ""
            let twin = chat.nameWarning.map { " (\($0.text))" } ?? ""
            return "\(index + 1) \(chat.name.text)\(twin): \(RoomWords.standing(of: chat.peer)), \(link)\(mute)"
        }
        return Self.contacts(lines, filter)
    }

    /// The lines about contacts that match the words after the command.
    static func contacts(_ lines: [String], _ filter: ListFilter, title: [String] = []) -> [String] {
        let listed = filter.narrowed(lines) { $0 }
        return listed.isEmpty ? ["No contact matches"] : title + listed
    }

    private static func blockedLines(_ filter: ListFilter, _ world: World) -> [String] {
        let names = world.chats.filter(\.peer.isBlocked).map(\.name.text)
        guard !names.isEmpty else { return ["Nobody is blocked (/block WHO)"] }
        return Self.contacts(names, filter, title: ["Blocked (/unblock WHO lets them call again):"])
    }

    private static func whois(_ chat: Chat, _ state: AppState) -> [String] {
        let peer = chat.peer
        var trust = Sentences.word(for: peer.trust)
        if let day = peer.verifiedAt, peer.trust == .verified { trust += " since \(state.surface.clock.date(day))" }
        if let day = peer.metAt, peer.trust != .verified {
            trust += ", met by invitation on \(state.surface.clock.date(day))"
        }
        let link = peer.isBlocked ? "blocked (/unblock)" : Sentences.words(for: chat.link)
        var lines = ["\(chat.name.text): \(trust), \(link)"]
        if case .online(let details) = chat.link {
            lines.append(
                "from \(details.remoteAddress)" + (details.roundTrip.map { ", \(Units.milliseconds($0))" } ?? ""))
            if let reason = details.away {
                lines.append(reason.isEmpty ? "away" : "away: \(SafeText(reason, as: .line).text)")
            }
        } else if let seen = peer.lastSeen {
            lines.append("last seen \(state.surface.clock.dayAndTime(seen, now: state.surface.moment.wall))")
        }
        if let words = chat.nameWarning {
            lines.append(words.text + (chat.twin == nil ? "" : ", but is somebody else"))
        }
        if let words = state.surface.muteWords(peer) { lines.append("\(words) (/mute \(chat.name.text) off)") }
        if peer.acceptsFilesUpTo != nil { lines.append(PresenceCommands.acceptanceWords(chat.id, state.world)) }
        lines.append("key " + (peer.peerID.map { $0.text } ?? "not known until they first answer"))
        if let key = peer.newPeerID { lines.append("new key \(key.text) answers instead (/verify)") }
        lines += peer.formerPeerIDs.reversed().map { "old key \($0.text)" }
        if let number = chat.safetyNumber { lines.append("safety " + number.joined(separator: " ")) }
        lines += peer.addresses.map { address in
            switch address.origin {
            case .user: "address \(address)"
            case .heard: "address \(address) (named by them, confirmed)"
            case .told: "address \(address) (named by them)"
            case .seen: "address \(address) (seen in this network)"
            }
        }
        lines.append("contact since \(state.surface.clock.day(peer.added))")
        return lines
    }

    /// Shows our address, and puts it on the clipboard: on a narrow screen it runs over several rows, with panes beside them.
    private static func showOwnAddress(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let address = state.world.identity.address else {
            return state.note([
                "You are not listening, so nobody can call you. Your key: \(state.world.identity.peerID)"
            ])
        }
        let limits = address.leadsOutside ? [] : [ReachWords.unreachable]
        guard !state.surface.isLineMode else { return state.note(["Give this to others:", "\(address)"] + limits) }
        effects.append(.terminal(.copy("\(address)")))
        state.note(
            ["Give this to others; it is on the clipboard now, if the terminal allows that:", "\(address)"] + limits)
        state.say("Copied your address: paste it to somebody")
    }
}
