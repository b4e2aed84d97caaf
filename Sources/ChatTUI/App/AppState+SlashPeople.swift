// Slash commands about people.

import ChatCore
import ChatWords

extension AppState {
    mutating func runPeople(
        _ verb: SlashVerb, _ scanner: inout ArgumentScanner, asked: Errand?, _ effects: inout [AppEffect]
    ) {
        var ahead = scanner
        if [.approve, .reject].contains(verb), let set = ahead.next().flatMap(NumberSet.init), ahead.isAtEnd {
            return runSeveral(requests: verb, set, asked: asked, &effects)
        }
        switch verb {
        case .add: add(&scanner, &effects)
        case .requests: showRequests(&effects)
        case .approve:
            guard let id = requestNumber(&scanner) else { return }
            effects.append(.run(.approve(id, name: scanner.name())))
        case .reject: if let id = requestNumber(&scanner) { effects.append(.run(.reject(id))) }
        case .verify: if let id = who(scanner.remainder()) { showVerification(of: .contact(id), &effects) }
        case .fingerprint: if let id = who(scanner.remainder()) { showVerification(of: .contact(id), &effects) }
        case .block: if let id = who(scanner.remainder()) { effects.append(.run(.setBlocked(id, true))) }
        case .unblock:
            guard let id = who(scanner.remainder()) else { return }
            guard chat(id)?.peer.isBlocked == true else { return say("\(name(of: id)) is not blocked") }
            effects.append(.run(.setBlocked(id, false)))
        case .removeAddress: removeAddress(&scanner, &effects)
        case .rename:
            guard let id = nextContact(&scanner) else { return }
            guard let name = scanner.name(), !name.isEmpty else {
                return note("/rename WHO NAME: the new name is missing", isError: true)
            }
            effects.append(.run(.rename(id, to: name)))
        case .remove:
            guard let id = who(scanner.remainder()) else { return }
            let removal = Errand.remove(id, name: name(of: id))
            if asked == removal {
                effects.append(.run(removal))
            } else {
                confirming = removal
                note(
                    "This deletes \(name(of: id)) and your whole history with them. Enter y, or the same command again, to do it."
                )
            }
        case .contacts: note(contactLines(ListFilter(scanner.remainder() ?? "")))
        case .blocked: note(blockedLines(ListFilter(scanner.remainder() ?? "")))
        case .whois: if let id = who(scanner.remainder()), let chat = chat(id) { note(whois(chat)) }
        default: showOwnAddress(&effects)
        }
    }

    private mutating func add(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        do {
            if let quoted = scanner.quoted() {
                let address = try PeerAddress(parsing: quoted)
                return effects.append(.run(.addContact(address, name: scanner.remainder())))
            }
            // A copied address may be broken into rows and words.
            let (text, rest) = PastedAddress.split(scanner.remainder() ?? "")
            let address = try PeerAddress(parsing: text)
            effects.append(.run(.addContact(address, name: rest.isEmpty ? nil : rest)))
        } catch {
            note(Sentences.sentence(for: error), isError: true)
        }
    }

    private mutating func removeAddress(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let id = nextContact(&scanner) else { return }
        guard let text = scanner.next() else {
            return note("/removeaddress WHO ADDRESS: the address is missing (/whois shows them)", isError: true)
        }
        do {
            effects.append(.run(.removeAddress(id, try PeerAddress(parsing: text))))
        } catch {
            note(Sentences.sentence(for: error), isError: true)
        }
    }

    /// The request that is named, else the only one.
    private mutating func requestNumber(_ scanner: inout ArgumentScanner) -> Int64? {
        if let word = scanner.next() {
            if let id = Int64(word.hasPrefix("#") ? String(word.dropFirst()) : word),
                requests.contains(where: { $0.id == id })
            {
                return id
            }
            let named = requests.filter { $0.name.lowercased() == word.lowercased() }
            if named.count == 1 { return named.first?.id }
            note(
                "There is no request \(SafeText(word, as: .name).text) (\(isLineMode ? "/requests" : key(.requests)) lists them)",
                isError: true)
            return nil
        }
        if requests.count == 1 { return requests.first?.id }
        note(requests.isEmpty ? "No contact requests" : "Which one? \(key(.requests)) lists them", isError: true)
        return nil
    }

    private func contactLines(_ filter: ListFilter) -> [String] {
        guard !chats.isEmpty else { return ["No contacts yet: /add ADDRESS"] }
        let lines = orderedChats.map { index in
            let chat = chats[index]
            let link = chat.peer.isBlocked ? "blocked" : Sentences.words(for: chat.link)
            let mute = muteWords(chat.peer).map { ", \($0)" } ?? ""
            let twin = chat.nameWarning.map { " (\($0.text))" } ?? ""
            return "\(index + 1) \(chat.name.text)\(twin): \(Sentences.word(for: chat.peer.trust)), \(link)\(mute)"
        }
        return Self.contacts(lines, filter)
    }

    /// Those lines about contacts that the words behind the command leave.
    static func contacts(_ lines: [String], _ filter: ListFilter, title: [String] = []) -> [String] {
        let listed = filter.narrowed(lines) { $0 }
        return listed.isEmpty ? ["No contact matches"] : title + listed
    }

    private func blockedLines(_ filter: ListFilter) -> [String] {
        let names = chats.filter(\.peer.isBlocked).map(\.name.text)
        guard !names.isEmpty else { return ["Nobody is blocked (/block WHO)"] }
        return Self.contacts(names, filter, title: ["Blocked (/unblock WHO lets them call again):"])
    }

    private func whois(_ chat: Chat) -> [String] {
        let peer = chat.peer
        var trust = Sentences.word(for: peer.trust)
        if let day = peer.verifiedAt, peer.trust == .verified { trust += " since \(clock.date(day))" }
        let link = peer.isBlocked ? "blocked (/unblock)" : Sentences.words(for: chat.link)
        var lines = ["\(chat.name.text): \(trust), \(link)"]
        if case .online(let details) = chat.link {
            lines.append(
                "from \(details.remoteAddress)" + (details.roundTrip.map { ", \(Units.milliseconds($0))" } ?? ""))
            if let reason = details.away {
                lines.append(reason.isEmpty ? "away" : "away: \(SafeText(reason, as: .line).text)")
            }
        } else if let seen = peer.lastSeen {
            lines.append("last seen \(clock.dayAndTime(seen, now: moment.wall))")
        }
        if let words = chat.nameWarning {
            lines.append(words.text + (chat.twin == nil ? "" : ", but is somebody else"))
        }
        if let words = muteWords(peer) { lines.append("\(words) (/mute \(chat.name.text) off)") }
        if peer.acceptsFilesUpTo != nil { lines.append(acceptanceWords(chat.id)) }
        lines.append("key " + (peer.peerID.map { $0.text } ?? "not known until they first answer"))
        if let key = peer.newPeerID { lines.append("new key \(key.text) answers instead (/verify)") }
        lines += peer.formerPeerIDs.reversed().map { "old key \($0.text)" }
        if let number = chat.safetyNumber { lines.append("safety " + number.joined(separator: " ")) }
        lines += peer.addresses.map { "address \($0)" + ($0.isLearned ? " (named by them, confirmed)" : "") }
        lines.append("contact since \(clock.day(peer.added))")
        return lines
    }

    /// Shows our address, and puts it on the clipboard: on a narrow screen it runs over several rows, with panes beside them.
    private mutating func showOwnAddress(_ effects: inout [AppEffect]) {
        guard let address = identity.address else {
            return note(["You are not listening, so nobody can call you. Your key: \(identity.peerID)"])
        }
        guard !isLineMode else { return note(["Give this to others:", "\(address)"]) }
        effects.append(.terminal(.copy("\(address)")))
        note(["Give this to others; it is on the clipboard now, if the terminal allows that:", "\(address)"])
        say("Copied your address: paste it to somebody")
    }
}
