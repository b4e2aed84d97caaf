// Errands that could be done: words for them, and their changes on the screen.

import ChatCore
import ChatWords

/// Tells the user of an errand's result, and updates the screen.
enum ErrandResults {
    /// An errand is done.
    static func finish(_ errand: Errand, _ result: ErrandResult, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        switch errand {
        case .call(let call): CallResults.finish(call.plain, result, &state, &effects)
        case .sendTextFile: if let message: ChatMessage = result.reply() { follow(message, &state) }
        case .sendFiles(let paths, _, _):
            guard case .files(let messages, let folders, let refused) = result else { return }
            follow(messages, folders, refused, of: paths.count, &state)
        case .retract(_, let count):
            if let message: ChatMessage = result.reply() { state.say(sentence(deleted: message, of: count, state)) }
        case .approve(let id, _, _):
            RequestsPane.forget(id, &state)
            if let peer: Peer = result.reply() { welcome(peer, &state, &effects) }
        case .removeRoute(let contact, let number):
            state.say("Way \(number) to \(state.world.name(of: contact)) is forgotten")
        case .rename(_, let name):
            state.say("Renamed to \(SafeText(name, as: .name).text)")
            if case .settings(let reply) = result { SettingsChange.adopt(reply, &state, &effects) }
        case .remove(_, let name):
            state.say("Deleted \(name) and your history with them")
            if case .settings(let reply) = result { SettingsChange.adopt(reply, &state, &effects) }
        case .several(let errands):
            guard case .failures(let failures) = result else { return }
            finish(several: errands, failures, &state, &effects)
        case .accept(let number, _): state.say("#\(shown(number, state)) is accepted")
        case .settings(let request):
            guard case .settings(let reply) = result else { return }
            return adopt(reply, to: request, &state, &effects)
        }
        switch errand.call {
        case .setTyping, .setDraft, .reconnect, .setRateLimit: break
        // The changes come as news, in the order of the commits.
        case .edit, .react: break
        default: state.due.conversations.somethingChanged()
        }
    }

    /// One command was about several things: one sentence for those that could be done, then why the others could not.
    private static func finish(
        several errands: [Errand], _ failures: [ErrandFailure], _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        for errand in errands where !failures.contains(where: { $0.errand == errand }) {
            if case .approve(let id, _, _) = errand { RequestsPane.forget(id, &state) }
            if case .rejectRequest(let id)? = errand.call { RequestsPane.forget(id, &state) }
        }
        state.say(sentence(several: errands, failed: failures), isError: failures.count == errands.count)
        for failure in failures.prefix(Self.toldFailures) {
            ErrandFailures.tell(failure.errand, failure.error, &state, &effects)
        }
        if failures.count > Self.toldFailures {
            state.note("\(failures.count - Self.toldFailures) more failed for similar reasons", isError: true)
        }
        if !failures.isEmpty { effects.append(.ask(.transfers)) }
    }

    /// How many failures of several errands have a sentence of their own.
    private static let toldFailures = 3

    /// Somebody is a contact now.
    static func welcome(_ peer: Peer, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.say("\(SafeText(peer.name, as: .name).text) is now a contact (\(trust(of: peer)))")
        adopt(peer, &state, &effects)
    }

    static func trust(of peer: Peer) -> String {
        Sentences.word(for: peer.trust) + (peer.trust == .verified ? "" : "; /verify compares numbers")
    }

    /// Tells the user when a setting that is already in effect could not be saved.
    private static func adopt(
        _ reply: SettingsReply, to request: SettingsRequest, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        var reply = reply
        if let key = request.key, state.surface.takeUnsaved(key) {
            if reply.isError, reply.settings == nil {
                reply.lines.append("This lasts until blipchat quits; it is not saved")
            } else if !reply.isError {
                // The command has said so in its own words.
                reply.lines = []
            }
        }
        SettingsChange.adopt(reply, to: request, &state, &effects)
    }

    /// The number by which the user has named it: a file of a folder may have been named by the folder's.
    static func named(_ number: TransferNumber, _ state: AppState) -> TransferNumber {
        let shown = state.world.transfers.shownNumber(of: number)
        return shown == state.place.namedFolder ? shown : number
    }

    static func shown(_ number: TransferNumber, _ state: AppState) -> Int64 { named(number, state).rawValue }

    /// The number means a folder.
    static func isFolder(_ number: TransferNumber, _ state: AppState) -> Bool {
        state.world.transfers.group(of: number).map {
            $0.isFolder && $0.number == number && state.place.namedFolder == number
        }
            ?? false
    }

    /// A peer who is not there learns it later; one who never had the message has nothing to learn.
    private static func sentence(deleted message: ChatMessage, of count: Int, _ state: AppState) -> String {
        let name = state.world.name(of: message.contact)
        // Which one it was is not always on the screen.
        let which =
            count > 1
            ? "\(count) messages of yours"
            : "your message of \(state.surface.clock.dayAndTime(message.shownTime, now: state.surface.moment.wall))"
        if count == 1, message.state == .takenBack { return "Deleted \(which); \(name) never got it" }
        let isOnline = state.world.chat(message.contact)?.link.isOnline ?? false
        return "Deleted \(which) here" + (isOnline ? " and for \(name)" : "; for \(name) once online")
    }

    /// An own message is stored: it is shown although its event may come later.
    static func follow(_ message: ChatMessage, _ state: inout AppState) {
        guard let index = state.world.chatIndex(message.contact) else { return }
        // It is as it was when it was stored: what is known of its file is news that came meanwhile.
        if case .file(let transfer) = message.content, state.world.transfers.byID[transfer.id] == nil {
            state.world.transfers.update(transfer, at: state.surface.moment.uptime)
        }
        let isKnown = state.world.chats[index].window.index(of: .message(message.key)) != nil
        let isInWindow = isKnown || state.world.chats[index].window.append(message)
        guard message.contact == state.place.openID else { return }
        if case .file = message.content {
            // A text takes the view with it; files are offered beside what is being read.
            if !state.world.chats[index].window.isAtBottom {
                state.say("Offered; the newest messages are further down (\(state.surface.key(.newest)))")
            }
        } else if !isInWindow {
            state.say("Sent; the newest messages are further down (\(state.surface.key(.newest)))")
        }
    }

    /// Files and folders of one command are offered; `refused` says why others of its `count` paths are not.
    private static func follow(
        _ messages: [ChatMessage], _ folders: [FolderOffer], _ refused: [RefusedOffer], of count: Int,
        _ state: inout AppState
    ) {
        messages.forEach { follow($0, &state) }
        folders.forEach { followFolder($0, &state) }
        if !folders.isEmpty { sayOffered(messages.count, folders, &state) }
        for (number, refused) in refused.enumerated() {
            let offered = "Offered \(messages.count + folders.count) of \(count),"
            let what = "\(number == 0 ? offered : "Also") not \(state.surface.abbreviated(refused.path))"
            state.note(Sentences.sentence(for: refused.error, doing: what), isError: true)
        }
    }

    private static func followFolder(_ offer: FolderOffer, _ state: inout AppState) {
        for message in offer.messages { follow(message, &state) }
        guard !isCut(offer) else { return }
        let count = offer.messages.count
        // Their program takes so many at once, then 20 a second (RELIABILITY 3), and lines come in their order.
        if count > 500 {
            let minutes = max(1, (count - 100) / 20 / 60)
            let time = minutes == 1 ? "a minute" : "\(minutes) minutes"
            let words = "\(Units.grouped(count)) offers take about \(time) to go out"
            state.note("\(words); what you write meanwhile arrives after them")
        }
    }

    /// Says what one command has offered, single files and folders.
    private static func sayOffered(_ single: Int, _ folders: [FolderOffer], _ state: inout AppState) {
        // This was said already of a folder that was cancelled meanwhile.
        let whole = folders.filter { !isCut($0) }
        guard !whole.isEmpty else { return }
        let count = single + whole.reduce(0) { $0 + $1.messages.count }
        let skipped = whole.reduce(0) { $0 + $1.skipped }
        let kinds = skipped == 1 ? "link or device" : "links and devices"
        let links = skipped > 0 ? ", \(skipped) \(kinds) left out" : ""
        let leftOut = whole.flatMap(\.leftOut)
        let offered = count == 0 ? "Offered nothing" : "Offered \(Units.files(count))"
        guard !leftOut.isEmpty else { return state.say(offered + links) }
        let what = "\(Units.files(leftOut.count)) could not be sent"
        state.note([what + ":"] + Sentences.lines(for: leftOut, atMost: Self.namedLeftOut), isError: true)
        state.say("\(offered)\(links); \(what) (the chat names them)", isError: true)
    }

    /// So many files that were not sent are named in the chat.
    private static var namedLeftOut: Int { 20 }

    /// It was cancelled while it was offered.
    private static func isCut(_ offer: FolderOffer) -> Bool {
        guard case .file(let file)? = offer.messages.first?.content, let place = file.place else { return false }
        return UInt64(offer.messages.count) < place.files
    }

    /// A contact that the user has just made: its chat opens at once unless something is being typed.
    static func adopt(_ peer: Peer, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if state.world.add(peer) { effects.append(.ask(.links([peer.id]))) }
        if state.composer.input.isEmpty, state.place.overlay == nil { ChatSwitching.open(peer.id, &state, &effects) }
    }

    /// A sentence about several errands that were one command; `failed` of them could not be done.
    static func sentence(several errands: [Errand], failed: [ErrandFailure]) -> String {
        let done = errands.count - failed.count
        guard let first = errands.first else { return "" }
        let of = failed.isEmpty ? "" : " of \(errands.count)"
        func count(_ one: String, _ many: String) -> String {
            "\(done)\(of) \(done == 1 && failed.isEmpty ? one : many)"
        }
        if case .accept = first { return count("offer is", "offers are") + " accepted" }
        if case .approve = first { return count("request is", "requests are") + " accepted; /verify compares numbers" }
        return switch first.call {
        case .declineTransfer: count("offer is", "offers are") + " declined"
        case .pauseTransfer: count("file is", "files are") + " paused (/resume all)"
        case .resumeTransfer: count("file is", "files are") + " no longer paused here"
        case .rejectRequest: count("request is", "requests are") + " refused"
        default: count("transfer is", "transfers are") + " cancelled"
        }
    }
}
