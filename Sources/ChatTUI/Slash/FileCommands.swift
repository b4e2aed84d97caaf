// Slash commands about files.

import ChatCore
import ChatWords

/// Commands about files.
enum FileCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let verb = call.verb
        var scanner = call.scanner
        var ahead = scanner
        if [.accept, .decline, .pause, .resume, .cancel].contains(verb), let word = ahead.next() {
            if let set = NumberSet(word) { return runSeveral(verb, set, &ahead, asked: call.asked, &state, &effects) }
            if NumberSet.isMeant(by: word) {
                return state.note("\(word) is not a list of numbers (all, 4-23 or 4,6,9-12)", isError: true)
            }
        }
        switch verb {
        case .send:
            guard let openID = state.place.openID else {
                state.note("No chat is open: /query WHO opens one", isError: true)
                return
            }
            var paths: [String] = []
            var caption: String?
            while caption == nil, let word = scanner.next() {
                if word == "--" {
                    caption = scanner.remainder() ?? ""
                } else {
                    paths.append(state.surface.expanded(word))
                }
            }
            if paths.isEmpty, caption == nil { return FilePicker.show(&state, &effects) }
            guard !paths.isEmpty else {
                state.note("Which file is the text for? /send PATH -- TEXT", isError: true)
                return
            }
            guard !paths.contains("") else { return state.note(Self.emptyPath, isError: true) }
            effects.append(.run(.sendFiles(paths, caption: caption ?? "", to: openID)))
        case .accept:
            var ahead = scanner
            let word = ahead.next() ?? ""
            guard let number = transferNumber(&scanner, for: verb, &state) else { return }
            let folder = scanner.next()
            guard
                scanner.isEnd(of: "/accept [N] [FOLDER]", hint: "put a folder with spaces in quotes", &state)
            else { return }
            guard folder != "" else { return state.note(Self.emptyPath, isError: true) }
            // Without a number only a word that cannot be anything else is a folder: a mistake would make one.
            if let folder, folder == word, !folder.contains("/"), !["~", ".", ".."].contains(folder) {
                return state.note(
                    "\(SafeText(folder, as: .name).text) is not a transfer (8, #8); write a folder as ./\(folder)",
                    isError: true)
            }
            effects.append(.run(.accept(number, folder: folder.map(state.surface.expanded))))
        case .decline: decline(&scanner, &state, &effects)
        case .pause, .resume, .cancel:
            let isNamed = !scanner.isAtEnd
            guard let number = transferNumber(&scanner, for: verb, &state) else { return }
            state.place.note(named: number)
            // A command that ends a transfer for good either names it, or asks first like x in the transfers.
            let forGood = Errand.call(.cancelFolder(of: number))
            if verb == .cancel, !isNamed, call.asked != forGood {
                state.place.note(asked: forGood)
                let name =
                    state.world.transfers.group(of: number).map { TransferWords(state: state, group: $0).name.text }
                    ?? ""
                return state.note(
                    "This cancels #\(number.rawValue) \(name) for good. Enter y, or the same command again, to do it.")
            }
            if let group = state.world.transfers.group(of: number), group.isFolder, group.number == number {
                let isCancel = verb == .cancel && !group.isOver
                guard isCancel || state.world.transfers.files(of: group).contains(where: { $0.fits(verb) }) else {
                    let word = Sentences.word(for: group.state)
                    return state.note("#\(number.rawValue) is \(word): nothing to \(verb)", isError: true)
                }
                if verb == .cancel { return effects.append(.run(forGood)) }
            }
            for file in state.world.transfers.files(meantBy: number, for: verb) {
                effects.append(.run(.call(verb.call(on: file))))
            }
        case .limit: limitRate(&scanner, &state, &effects)
        case .transfers: TransfersPane.show(scanner.remainder() ?? "", &state)
        // The table sends no other command here.
        default: break
        }
    }

    /// The errands of one command as one: they are carried out one after the other, and reported in one sentence.
    static func one(_ errands: [Errand]) -> Errand? {
        errands.count > 1 ? .several(errands) : errands.first
    }

    /// `/accept 4-23 FOLDER`, `/decline all REASON`, and /pause, /resume, /cancel.
    static func runSeveral(
        _ verb: SlashVerb, _ set: NumberSet, _ scanner: inout ArgumentScanner, asked: Errand?,
        _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        let groups = state.world.transfers.groups(meantBy: set, for: verb).reversed().filter {
            isAnswerable($0, by: verb, state.world)
        }
        guard !groups.isEmpty else {
            let none = set == .all ? nothing(for: verb) : "Cannot do that with these numbers"
            return state.note("\(none) (/transfers lists all files)", isError: true)
        }
        var folder: String?
        if verb == .accept, let word = scanner.next() {
            guard
                scanner.isEnd(of: "/accept [N] [FOLDER]", hint: "put a folder with spaces in quotes", &state)
            else { return }
            guard !word.isEmpty else { return state.note(Self.emptyPath, isError: true) }
            folder = state.surface.expanded(word)
        }
        let reason = verb == .decline ? scanner.remainder() : nil
        if let reason, !Entering.check(reason, &state) { return }
        if [.pause, .resume, .cancel].contains(verb),
            !scanner.isEnd(of: "/\(verb) [N]", hint: "write numbers together: 4-23 or 4,6", &state)
        {
            return
        }
        let errands = groups.flatMap { work(verb, on: $0, into: folder, state.world) }
        guard let errand = one(errands) else { return }
        if verb == .cancel, asked != errand {
            state.place.note(asked: errand)
            let size = groups.reduce(UInt64(0)) { $0.addingClamped($1.size) }
            let what = groups.count == 1 ? "1 transfer" : "\(groups.count) transfers"
            return state.note(
                "This cancels \(what) (\(Units.size(size))) for good. Enter the same command again to do it.")
        }
        effects.append(.run(errand))
        guard let reason else { return }
        // Each contact that offered them hears it once.
        var told: Set<ContactID> = []
        for group in groups where told.insert(group.contact).inserted {
            effects.append(.run(.call(.send(reason, to: group.contact))))
        }
    }

    /// Nothing is taken from a contact that is blocked.
    private static func isAnswerable(_ group: TransferGroup, by verb: SlashVerb, _ world: World) -> Bool {
        verb != .accept || world.chat(group.contact)?.peer.isBlocked != true
    }

    private static func work(_ verb: SlashVerb, on group: TransferGroup, into folder: String?, _ world: World)
        -> [Errand]
    {
        switch verb {
        case .accept: world.transfers.firstOffer(of: group).map { [.accept($0.number, folder: folder)] } ?? []
        case .decline: world.transfers.firstOffer(of: group).map { [.call(.declineTransfer($0.number))] } ?? []
        case .cancel: [cancelling(group)]
        default: world.transfers.files(of: group).filter { $0.fits(verb) }.map { .call(verb.call(on: $0.number)) }
        }
    }

    /// Cancels a file, or all unfinished files of a folder.
    static func cancelling(_ group: TransferGroup) -> Errand {
        .call(group.isFolder ? .cancelFolder(of: group.number) : .cancelTransfer(group.number))
    }

    /// It would mean the working folder, which a user who has typed quotation marks does not want.
    static let emptyPath = "\"\" is not a path (. is the working folder)"

    /// `/decline N REASON`: the news of a transfer carries no words (PROTOCOL 4), so the reason is an answer to the
    /// offer.
    private static func decline(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        guard let number = transferNumber(&scanner, for: .decline, &state) else { return }
        let reason = scanner.remainder()
        if let reason, !Entering.check(reason, &state) { return }
        effects.append(.run(.call(.declineTransfer(number))))
        // A transfer that is no offer to us is not declined, and gets no answer.
        guard let reason, let transfer = state.world.transfers[number], transfer.fits(.decline) else { return }
        if let message = state.world.chat(transfer.contact)?.window.message(.id(transfer.id)) {
            effects.append(.run(.call(.send(reason, to: message.contact, replyTo: message.id))))
        } else {
            effects.append(.run(.call(.send(reason, to: transfer.contact))))
        }
    }

    /// `/limit up|down|N RATE|off`
    private static func limitRate(
        _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard !scanner.isAtEnd else {
            let files = state.world.transfers.unfinished.map { RateScope.transfer($0.number) }
            return effects.append(.ask(.limits([.all(.outgoing), .all(.incoming)] + files)))
        }
        guard let scope = scanner.next().flatMap(RateScope.init(words:)), let word = scanner.next() else {
            state.note(
                "/limit up|down|N RATE: a rate is in bytes per second, like 500k (k is 1000, Ki 1024), or off",
                isError: true)
            return
        }
        guard
            scanner.isEnd(of: "/limit up|down|N RATE|off", hint: "write 500k without a space", &state)
        else { return }
        let rate = Units.bytes(of: word)
        guard rate != nil || word.lowercased() == "off" else {
            state.note("\(SafeText(word, as: .name).text) is not a rate (500k, 2M, off)", isError: true)
            return
        }
        let limit = rate.flatMap { $0 > 0 ? $0 : nil }
        guard case .transfer(let number) = scope else {
            return effects.append(.run(.call(.setRateLimit(limit, of: scope))))
        }
        state.place.note(named: number)
        for file in state.world.transfers.files(meantBy: number, for: .limit) {
            effects.append(.run(.call(.setRateLimit(limit, of: .transfer(file)))))
        }
    }

    /// The answer to `/limit` without words: both directions, and the files that have a limit of their own.
    static func limitLines(_ limits: [RateLimit]) -> [String] {
        limits.compactMap { limit in
            if case .transfer = limit.scope, limit.rate == nil { return nil }
            return limit.scope.words + (limit.rate.map { ": at most \(Units.rate(Double($0)))" } ?? ": no limit")
        }
    }

    /// The transfer that is named (`8`, `#8`), else the only one that fits. The rest of the line stays in the scanner.
    private static func transferNumber(_ scanner: inout ArgumentScanner, for verb: SlashVerb, _ state: inout AppState)
        -> TransferNumber?
    {
        var ahead = scanner
        let word = ahead.next()
        if let word, let value = Int64(word.hasPrefix("#") ? String(word.dropFirst()) : word) {
            scanner = ahead
            return TransferNumber(value)
        }
        // For the other commands the word is a folder or a reason.
        if let word, [.pause, .resume, .cancel].contains(verb) {
            state.note(
                "\(SafeText(word, as: .name).text) is not a transfer (8, #8; /transfers lists them)", isError: true)
            return nil
        }
        var candidates: [TransferNumber] = []
        for file in state.world.transfers.unfinished where file.fits(verb) {
            // An offer is answered by a number that is on offer: the first file of the folder may be decided already.
            let group = state.world.transfers.group(of: file.number)
            let isAnswer = verb == .accept || verb == .decline
            let number = isAnswer ? group.flatMap(state.world.transfers.firstOffer)?.number : group?.number
            if let number, !candidates.contains(number) { candidates.append(number) }
        }
        if candidates.count == 1, let only = candidates.first { return only }
        if candidates.isEmpty {
            state.note("\(nothing(for: verb)) (/transfers lists all files)", isError: true)
        } else {
            let numbers = candidates.map { "#\($0.rawValue)" }.joined(separator: ", ")
            state.note("Which one? \(numbers)", isError: true)
        }
        return nil
    }

    /// Why a command without a number has nothing to do.
    static func nothing(for verb: SlashVerb) -> String {
        switch verb {
        case .accept, .decline: "No offer is waiting"
        case .pause: "No file is being sent or received"
        case .resume: "Nothing is paused"
        default: "No unfinished transfers"
        }
    }
}

extension TransferList {
    /// The unfinished files and folders that a command can be about and whose numbers are in `set`, newest first. A folder has
    /// the numbers of all of its files.
    func groups(meantBy set: NumberSet, for verb: SlashVerb) -> [TransferGroup] {
        let isAnswer = verb == .accept || verb == .decline
        return groupsByNumber.filter { group in
            guard isAnswer ? group.isOpenOffer : files(of: group).contains(where: { $0.fits(verb) }) else {
                return false
            }
            return files(of: group).contains { set.contains($0.number.rawValue) }
        }
    }

    /// The number of a folder means all of its files that a command can be about. Any other number means its file, even
    /// when the command cannot be about it: the answer says why.
    func files(meantBy number: TransferNumber, for verb: SlashVerb) -> [TransferNumber] {
        guard let group = group(of: number), group.isFolder, group.number == number else { return [number] }
        let files = files(of: group).filter { $0.fits(verb) }.map(\.number)
        return files.isEmpty ? [number] : files
    }

    /// The number by which a transfer is shown: a file of a folder has that of the folder.
    func shownNumber(of number: TransferNumber) -> TransferNumber { group(of: number)?.number ?? number }
}

extension SlashVerb {
    /// The call with which `/pause`, `/resume` and `/cancel` change one file.
    fileprivate func call(on number: TransferNumber) -> ChatCall<NoReply> {
        switch self {
        case .pause: .pauseTransfer(number)
        case .cancel: .cancelTransfer(number)
        default: .resumeTransfer(number)
        }
    }
}

extension FileTransfer {
    /// Whether a command can be about it.
    func fits(_ verb: SlashVerb) -> Bool {
        switch verb {
        case .accept: TransferChange.accept.fits(self)
        case .decline: TransferChange.decline.fits(self)
        case .pause: TransferChange.pause.fits(self)
        case .resume: TransferChange.resume.fits(self)
        default: !state.isFinal
        }
    }
}
