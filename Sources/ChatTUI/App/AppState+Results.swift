// What comes of errands: words for what was done, and nothing lost when it could not be done.

import ChatCore
import ChatWords

extension AppState {
    /// An errand is done.
    mutating func finish(_ errand: Errand, _ result: ErrandResult, _ effects: inout [AppEffect]) {
        switch errand {
        case .reply(_, let message):
            if message.contact == openID, case .message(let answer) = result { follow(answer) }
        case .setPinned(_, let pinned):
            // How the message looks now is news of the chat, in its order with all others.
            say(pinned ? "Pinned (/pins lists all)" : "Unpinned")
        case .markUnread(let contact, let position):
            // What an answer that was on its way has said meanwhile is older.
            if let index = chatIndex(contact), chats[index].keepsUnread {
                chats[index].conversation.readUpTo = HistoryPosition(position.rawValue - 1)
            }
        case .markSeen(let contact, _): seenIsStored(contact, &effects)
        case .deleteHere(let keys, _): say(keys.count == 1 ? "Deleted here" : "Deleted \(keys.count) messages here")
        case .send(_, let contact):
            if contact == openID, case .message(let message) = result { follow(message) }
        case .sendTextFile, .retry:
            if case .message(let message) = result { follow(message) }
        case .sendFiles(let paths, _, _):
            guard case .files(let messages, let folders, let refused) = result else { return }
            messages.forEach { follow($0) }
            folders.forEach { followFolder($0) }
            if !folders.isEmpty { sayOffered(messages.count, folders) }
            for (number, refused) in refused.enumerated() {
                let count = "Offered \(messages.count + folders.count) of \(paths.count),"
                let what = "\(number == 0 ? count : "Also") not \(abbreviated(refused.path))"
                note(Sentences.sentence(for: refused.error, doing: what), isError: true)
            }
        case .edit, .retract, .react:
            // What it changes comes as news, in the order of the commits.
            guard case .retract(_, let count) = errand, case .message(let message) = result else { return }
            say(sentence(deleted: message, of: count))
        case .limitRate(let scope, let limit):
            if case .transfer(let number) = scope { transfers.limits[number] = limit }
            var scope = scope
            if case .transfer(let number) = scope { scope = .transfer(named(number)) }
            if case .transfer(let number) = scope, isFolder(number) {
                let name = "#\(number.rawValue)"
                return say(
                    limit.map { "\(name): at most \(Units.rate(Double($0))) for each file" } ?? "\(name): no limit")
            }
            say(limit.map { "\(scope.words): at most \(Units.rate(Double($0)))" } ?? "\(scope.words): no limit")
        case .addContact, .approve:
            guard case .contact(let peer) = result else { return }
            if case .approve(let id, _, _) = errand { forget(request: id) }
            let name = SafeText(peer.name, as: .name).text
            let compared = peer.trust == .verified ? "" : "; /verify compares numbers"
            let trust = Sentences.word(for: peer.trust) + compared
            if case .addContact(_, let wanted) = errand, isKnown(peer) {
                note(sentence(addedAgain: peer, wanted, trust))
            } else {
                say("\(name) is now a contact (\(trust))")
            }
            adopt(peer, &effects)
        case .removeAddress(let contact, let address):
            say("blipchat no longer calls \(name(of: contact)) at \(SafeText("\(address.endpoint)", as: .line).text)")
        case .rename(_, let name):
            say("Renamed to \(SafeText(name, as: .name).text)")
            if case .settings(let reply) = result { adopt(reply, &effects) }
        case .remove(_, let name):
            say("Deleted \(name) and your history with them")
            if case .settings(let reply) = result { adopt(reply, &effects) }
        case .setBlocked(let contact, let blocked):
            say(
                blocked
                    ? "\(name(of: contact)) is blocked (/unblock \(name(of: contact)))"
                    : "\(name(of: contact)) may call again")
        case .setVerified(let contact): say("\(name(of: contact)) is verified")
        case .acceptNewKey(let contact, _, let verified):
            let words = "\(name(of: contact)) has a new key, \(verified ? "verified" : "unverified")"
            // A line in the chat: from here on it is another key that is talked to.
            if contact == openID { note(words + "; the old one is in /whois") } else { say(words) }
        case .reject(let id):
            forget(request: id)
            say("Refused; you will not see another request of theirs before tomorrow")
        case .blockRequest(let id):
            forget(request: id)
            if case .contact(let peer) = result {
                let name = SafeText(peer.name, as: .name).text
                say("\(name) is blocked (/unblock \(name), /remove \(name))")
            }
        case .several(let errands):
            guard case .failures(let failures) = result else { return }
            for case .approve(let id, _, _) in errands { requests.removeAll { $0.id == id } }
            for case .reject(let id) in errands { requests.removeAll { $0.id == id } }
            if requests.isEmpty, case .requests = overlay { overlay = nil }
            say(sentence(several: errands, failed: failures), isError: failures.count == errands.count)
            for failure in failures.prefix(Self.toldFailures) { fail(failure.errand, failure.error, &effects) }
            if failures.count > Self.toldFailures {
                note(
                    "\(failures.count - Self.toldFailures) more failed for similar reasons", isError: true
                )
            }
            if !failures.isEmpty { effects.append(.ask(.transfers)) }
        case .accept(let number, _): say("#\(shown(number)) is accepted")
        case .decline(let number): say("#\(shown(number)) is declined")
        case .pause(let number): say("#\(shown(number)) is paused (/resume \(shown(number)))")
        case .resume(let number): say("#\(shown(number)) is no longer paused here")
        case .cancel(let number), .cancelFolder(let number): say("#\(shown(number)) is cancelled")
        case .settings(let request):
            guard case .settings(var reply) = result else { return }
            if let key = request.key, unkeptKeys.remove(key) != nil {
                if reply.isError, reply.settings == nil {
                    reply.lines.append("This lasts until blipchat quits; it is not saved")
                } else if !reply.isError {
                    // The command has said so in its own words.
                    reply.lines = []
                }
            }
            adopt(reply, to: request, &effects)
        case .disconnect(let contact):
            say("Disconnected from \(contact.map(name(of:)) ?? "everybody") until you /connect")
        case .setMuted(let contact, let until): say(sentence(muting: contact, until))
        case .setAutomaticAcceptance(let contact, let limit):
            if let index = chatIndex(contact) { chats[index].conversation.peer.acceptsFilesUpTo = limit }
            say(acceptanceWords(contact))
        case .setOwnName(let name):
            say("You are now \(SafeText(name, as: .name).text)")
        case .setAway(let reason):
            say(reason == nil ? "Your contacts see that you are back" : "Your contacts see that you are away (/back)")
        case .setDraft, .setTyping, .reconnect: break
        }
        switch errand {
        case .setTyping, .setDraft, .reconnect, .settings: break
        default: conversations.isDirty = true
        }
    }

    /// Of several errands the first so many that failed are told one by one.
    private static let toldFailures = 3

    /// Whether a contact was there before it was added just now: news of a new one may have come already.
    private func isKnown(_ peer: Peer) -> Bool {
        chat(peer.id) != nil && moment.wall.milliseconds - peer.added.milliseconds > 5_000
    }

    /// Somebody was added who was a contact already.
    private func sentence(addedAgain peer: Peer, _ wanted: String?, _ trust: String) -> String {
        let name = SafeText(peer.name, as: .name).text
        var words = "\(name) is already a contact (\(trust))"
        if let first = peer.addresses.first { words += ", now called at \(first.host):\(first.port) first" }
        if let wanted, wanted != peer.name { words += "; /rename changes the name" }
        return words
    }

    /// The number by which the user has named it: a file of a folder may have been named by the folder's.
    private func named(_ number: TransferNumber) -> TransferNumber {
        let shown = transfers.shownNumber(of: number)
        return shown == namedFolder ? shown : number
    }

    private func shown(_ number: TransferNumber) -> Int64 { named(number).rawValue }

    /// The number stands for a folder.
    private func isFolder(_ number: TransferNumber) -> Bool {
        transfers.group(of: number).map { $0.isFolder && $0.number == number && namedFolder == number } ?? false
    }

    /// Who is not there learns it later; who never had the message has nothing to learn.
    private func sentence(deleted message: ChatMessage, of count: Int) -> String {
        let name = name(of: message.contact)
        // Which one it was is not always on the screen.
        let which =
            count > 1
            ? "\(count) messages of yours" : "your message of \(clock.dayAndTime(message.shownTime, now: moment.wall))"
        if count == 1, message.state == .takenBack { return "Deleted \(which); \(name) never got it" }
        let isOnline = chat(message.contact)?.link.isOnline ?? false
        return "Deleted \(which) here" + (isOnline ? " and for \(name)" : "; for \(name) once online")
    }

    /// An own message is stored: it is shown although its event may come later.
    private mutating func follow(_ message: ChatMessage) {
        guard let index = chatIndex(message.contact) else { return }
        // It is as it was when it was stored: what is known of its file is news that came meanwhile.
        if case .file(let transfer) = message.content, transfers.byID[transfer.id] == nil {
            transfers.update(transfer, at: moment.uptime)
        }
        let isKnown = chats[index].window.index(of: .message(message.key)) != nil
        let isInWindow = isKnown || chats[index].window.append(message)
        guard message.contact == openID else { return }
        if case .file = message.content {
            // A text takes the view with it; files are offered beside what is being read.
            if !chats[index].window.isAtBottom {
                say("Offered; the newest messages are further down (\(key(.newest)))")
            }
        } else if !isInWindow {
            say("Sent; the newest messages are further down (\(key(.newest)))")
        }
    }

    private mutating func followFolder(_ offer: FolderOffer) {
        for message in offer.messages { follow(message) }
        guard !isCut(offer) else { return }
        let count = offer.messages.count
        // Their program takes so many at once, then 20 a second (RELIABILITY 3), and lines come in their order.
        if count > 500 {
            let minutes = max(1, (count - 100) / 20 / 60)
            let time = minutes == 1 ? "a minute" : "\(minutes) minutes"
            let words = "\(Units.grouped(count)) offers take about \(time) to go out"
            note("\(words); what you write meanwhile arrives after them")
        }
    }

    /// All that came of one command, single files and folders.
    private mutating func sayOffered(_ single: Int, _ folders: [FolderOffer]) {
        // Of one that was cancelled meanwhile this was said.
        let whole = folders.filter { !isCut($0) }
        guard !whole.isEmpty else { return }
        let count = single + whole.reduce(0) { $0 + $1.messages.count }
        let skipped = whole.reduce(0) { $0 + $1.skipped }
        let kinds = skipped == 1 ? "link or device" : "links and devices"
        let links = skipped > 0 ? ", \(skipped) \(kinds) left out" : ""
        let leftOut = whole.flatMap(\.leftOut)
        let offered = count == 0 ? "Offered nothing" : "Offered \(Units.files(count))"
        guard !leftOut.isEmpty else { return say(offered + links) }
        let what = "\(Units.files(leftOut.count)) could not be sent"
        note([what + ":"] + Sentences.lines(for: leftOut, atMost: Self.namedLeftOut), isError: true)
        say("\(offered)\(links); \(what) (the chat names them)", isError: true)
    }

    /// So many files that were not sent are named in the chat.
    private static var namedLeftOut: Int { 20 }

    /// It was cancelled while it was offered.
    private func isCut(_ offer: FolderOffer) -> Bool {
        guard case .file(let file)? = offer.messages.first?.content, let place = file.place else { return false }
        return UInt64(offer.messages.count) < place.files
    }

    private mutating func forget(request id: Int64) {
        requests.removeAll { $0.id == id }
        if requests.isEmpty, case .requests = overlay {
            overlay = nil
            // The next key may still be meant for the list.
            lineQuestion.noteClosed(at: moment.uptime)
        }
    }

    /// A contact that the user has just made: its chat opens at once unless something is being typed.
    private mutating func adopt(_ peer: Peer, _ effects: inout [AppEffect]) {
        if chatIndex(peer.id) == nil {
            let conversation = Conversation(
                peer: peer, lastMessage: nil, unreadCount: 0, readUpTo: nil, queuedCount: 0)
            let place = chats.firstIndex { $0.id > peer.id } ?? chats.count
            chats.insert(Chat(conversation: conversation), at: place)
            findTwins()
            effects.append(.ask(.links([peer.id])))
        }
        if input.isEmpty, overlay == nil { open(peer.id, &effects) }
    }

    private mutating func sentence(muting contact: ContactID, _ until: Timestamp?) -> String {
        guard let index = chatIndex(contact) else { return "" }
        chats[index].conversation.peer.mutedUntil = until
        let name = chats[index].name.text
        return muteWords(chats[index].peer).map { "\(name) is \($0) (/mute \(name) off)" } ?? "\(name) is not muted"
    }

    /// Words behind a path look like further paths.
    private func missingAdvice(_ error: ChatError, _ paths: [String], _ caption: String) -> String {
        guard case .cannotRead(let path, let errno) = error, errno == 2 else { return "" }
        if path.contains(where: { "*?[".contains($0) }) {
            return " (no wildcards here: \(key(.sendFile)) marks several files)"
        }
        guard paths.count > 1, caption.isEmpty else { return "" }
        guard !path.hasSuffix(paths[0]) else { return " (put a name with spaces in quotes)" }
        return " (text for the files goes after --: /send PATH -- TEXT)"
    }

    private mutating func seenIsStored(_ contact: ContactID, _ effects: inout [AppEffect]) {
        guard let index = chatIndex(contact) else { return }
        chats[index].seenOnItsWay = max(0, chats[index].seenOnItsWay - 1)
        chats[index].seenStored = moment.uptime
        sendSeen(at: index, &effects)
    }

    /// An errand could not be done.
    mutating func fail(_ errand: Errand, _ error: ChatError, _ effects: inout [AppEffect]) {
        if case .markSeen(let contact, _) = errand { seenIsStored(contact, &effects) }
        if isQuitting { leave(undone: errand, &effects) }
        switch errand {
        case .send(let text, let contact):
            giveBack(Self.entered(text), to: contact)
            note(Sentences.sentence(for: error, doing: "Your line was not stored"), isError: true)
        case .edit(let message, let text):
            giveBack("/edit #\(message.id.short) \(text)", to: message.contact)
            note(Sentences.sentence(for: error, doing: "The message was not changed"), isError: true)
        case .reply(let text, let message):
            giveBack("/reply #\(message.id.short) \(text)", to: message.contact)
            note(Sentences.sentence(for: error, doing: "Your reply was not stored"), isError: true)
        case .retract, .react, .setPinned, .deleteHere, .markUnread:
            note(Sentences.sentence(for: error, doing: "The message was not changed"), isError: true)
        case .sendFiles(let paths, let caption, _):
            // Most reasons name the path.
            let isNamed = paths.first.map { Sentences.reason(of: error).contains($0) } ?? false
            let what = paths.count == 1 && !isNamed ? "\(abbreviated(paths[0])) was not offered" : "Nothing was offered"
            note(Sentences.sentence(for: error, doing: what) + missingAdvice(error, paths, caption), isError: true)
        case .sendTextFile(let text, let name, let contact):
            giveBack(text, asPaste: true, to: contact)
            note(Sentences.sentence(for: error, doing: "\(name) was not offered"), isError: true)
        case .setDraft, .setTyping, .markSeen:
            switch error {
            case .instanceLost(let reason): return say("Cannot reach the chat: \(reason)", isError: true)
            case .instanceStopped:
                return say("Cannot reach the chat: it is stopped (fg in its shell resumes it)", isError: true)
            default: break
            }
            say(Sentences.sentence(for: error, doing: "Cannot write the history"), isError: true)
        case .accept(let number, _), .decline(let number), .pause(let number), .resume(let number),
            .cancel(let number), .cancelFolder(let number):
            // What was shown as decided may not be: the offer comes back.
            effects.append(.ask(.transfers))
            // Of the files of a folder some may be over in the meantime.
            if case .wrongTransferState = error, isFolder(named(number)) { return }
            var sentence = Sentences.sentence(for: error, doing: "#\(number.rawValue)")
            // It goes on when the other side lets it: what it waits for says more than its state.
            if case .resume = errand, case .wrongTransferState(.accepted) = error, let transfer = transfers[number] {
                sentence = "#\(number.rawValue): " + TransferWords(state: self, group: TransferGroup(transfer)).words
            }
            note(sentence, isError: true)
            // The chat is behind the pane in which the key was pressed.
            if overlay != nil { say(sentence, isError: true) }
        case .addContact(let address, _):
            note(Sentences.sentence(for: error, doing: "\(address) was not added"), isError: true)
        case .retry, .disconnect, .setMuted, .setAutomaticAcceptance, .setOwnName, .setAway, .rename, .removeAddress,
            .remove, .setBlocked, .setVerified, .acceptNewKey, .approve, .reject, .blockRequest, .reconnect,
            .limitRate, .settings, .several:
            note(Sentences.sentence(for: error, doing: "That did not work"), isError: true)
        }
    }

    /// Nobody will see it on this screen: it is said when that is gone, and a line is found again by Up.
    private mutating func leave(undone errand: Errand, _ effects: inout [AppEffect]) {
        switch errand {
        case .send(let text, _), .reply(let text, _), .edit(_, let text): remember(text, &effects)
        case .setTyping, .markSeen: return
        default: break
        }
        hasLeftUndone = true
    }

    /// What was entered to send `text`: behind the slash of a command there is another one.
    private static func entered(_ text: String) -> String {
        text.hasPrefix("/") && ActionText.deed(in: text) == nil ? "/" + text : text
    }

    /// A line with which nothing was done goes back to where it was typed, or to the kill ring.
    mutating func giveBack(_ text: String, asPaste isPaste: Bool = false, to contact: ContactID) {
        var line = InputLine(isPaste ? "" : text)
        if isPaste { _ = line.insertPaste(text) }
        if contact == openID, input.isEmpty {
            input = line
            draftChanged()
        } else if contact != openID, drafts[contact] == nil {
            drafts[contact] = line
            typedDrafts.insert(contact)
        } else {
            killRing.add(text)
            say("Your unused line is in the kill ring (\(key(.yank)))", isError: true)
        }
    }
}
