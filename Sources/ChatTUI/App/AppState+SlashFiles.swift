// Slash commands about files.

import ChatCore
import ChatWords

extension AppState {
    mutating func runFiles(
        _ verb: SlashVerb, _ scanner: inout ArgumentScanner, asked: Errand?, _ effects: inout [AppEffect]
    ) {
        var ahead = scanner
        if [.accept, .decline, .pause, .resume, .cancel].contains(verb), let word = ahead.next() {
            if let set = NumberSet(word) { return runSeveral(verb, set, &ahead, asked: asked, &effects) }
            if NumberSet.isMeant(by: word) {
                return note("\(word) is not a list of numbers (all, 4-23 or 4,6,9-12)", isError: true)
            }
        }
        switch verb {
        case .send:
            guard let openID else {
                note("No chat is open: /query WHO opens one", isError: true)
                return
            }
            var paths: [String] = []
            var caption: String?
            while caption == nil, let word = scanner.next() {
                if word == "--" { caption = scanner.remainder() ?? "" } else { paths.append(expanded(word)) }
            }
            if paths.isEmpty, caption == nil { return showFilePicker(&effects) }
            guard !paths.isEmpty else {
                note("Which file is the text for? /send PATH -- TEXT", isError: true)
                return
            }
            guard !paths.contains("") else { return note(Self.emptyPath, isError: true) }
            effects.append(.run(.sendFiles(paths, caption: caption ?? "", to: openID)))
        case .accept:
            var ahead = scanner
            let word = ahead.next() ?? ""
            guard let number = transferNumber(&scanner, for: verb) else { return }
            let folder = scanner.next()
            guard isEnd(&scanner, of: "/accept [N] [FOLDER]", hint: "put a folder with spaces in quotes")
            else { return }
            guard folder != "" else { return note(Self.emptyPath, isError: true) }
            // Without a number only what cannot be anything else is a folder: a slip would make one.
            if let folder, folder == word, !folder.contains("/"), !["~", ".", ".."].contains(folder) {
                return note(
                    "\(SafeText(folder, as: .name).text) is not a transfer (8, #8); write a folder as ./\(folder)",
                    isError: true)
            }
            effects.append(.run(.accept(number, folder: folder.map(expanded))))
        case .decline: decline(&scanner, &effects)
        case .pause, .resume, .cancel:
            let isNamed = !scanner.isAtEnd
            guard let number = transferNumber(&scanner, for: verb) else { return }
            namedFolder = number
            // What ends for good is either named, or asked about like x in the transfers.
            let cancelling = Errand.cancelFolder(number)
            if verb == .cancel, !isNamed, asked != cancelling {
                confirming = cancelling
                let name = transfers.group(of: number).map { TransferWords(state: self, group: $0).name.text } ?? ""
                return note(
                    "This cancels #\(number.rawValue) \(name) for good. Enter y, or the same command again, to do it.")
            }
            if let group = transfers.group(of: number), group.isFolder, group.number == number {
                let isCancel = verb == .cancel && !group.isOver
                guard isCancel || transfers.files(of: group).contains(where: { $0.fits(verb) }) else {
                    let state = Sentences.word(for: group.state)
                    return note("#\(number.rawValue) is \(state): nothing to \(verb)", isError: true)
                }
                if verb == .cancel { return effects.append(.run(.cancelFolder(number))) }
            }
            for file in transfers.files(meantBy: number, for: verb) {
                effects.append(.run(verb == .pause ? .pause(file) : verb == .resume ? .resume(file) : .cancel(file)))
            }
        case .limit: limitRate(&scanner, &effects)
        default: showTransfers(scanner.remainder() ?? "")
        }
    }

    /// The working folder would be meant by it, and is not what somebody wants who has typed quotation marks.
    static let emptyPath = "\"\" is not a path (. is the working folder)"

    /// `/decline N REASON`: the news of a transfer carries no words (PROTOCOL 4), so the reason is an answer to the
    /// offer.
    private mutating func decline(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let number = transferNumber(&scanner, for: .decline) else { return }
        let reason = scanner.remainder()
        if let reason, !check(reason) { return }
        effects.append(.run(.decline(number)))
        // What is no offer to us is not declined, and gets no answer.
        guard let reason, let transfer = transfers[number], transfer.fits(.decline) else { return }
        if let message = chat(transfer.contact)?.window.message(.id(transfer.id)) {
            effects.append(.run(.reply(reason, to: message)))
        } else {
            effects.append(.run(.send(reason, to: transfer.contact)))
        }
    }

    /// `/limit up|down|N RATE|off`
    private mutating func limitRate(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard !scanner.isAtEnd else {
            let files = transfers.unfinished.map { RateScope.transfer($0.number) }
            return effects.append(.ask(.limits([.all(.outgoing), .all(.incoming)] + files)))
        }
        guard let scope = scanner.next().flatMap(RateScope.init(words:)), let word = scanner.next() else {
            note(
                "/limit up|down|N RATE: a rate is in bytes per second, like 500k (k is 1000, Ki 1024), or off",
                isError: true)
            return
        }
        guard isEnd(&scanner, of: "/limit up|down|N RATE|off", hint: "write 500k without a space") else { return }
        let rate = Units.bytes(of: word)
        guard rate != nil || word.lowercased() == "off" else {
            note("\(SafeText(word, as: .name).text) is not a rate (500k, 2M, off)", isError: true)
            return
        }
        let limit = rate.flatMap { $0 > 0 ? $0 : nil }
        guard case .transfer(let number) = scope else { return effects.append(.run(.limitRate(scope, limit))) }
        namedFolder = number
        for file in transfers.files(meantBy: number, for: .limit) {
            effects.append(.run(.limitRate(.transfer(file), limit)))
        }
    }

    /// What `/limit` without words says: both directions, and the files that have a limit of their own.
    func limitLines(_ limits: [RateLimit]) -> [String] {
        limits.compactMap { limit in
            if case .transfer = limit.scope, limit.rate == nil { return nil }
            return limit.scope.words + (limit.rate.map { ": at most \(Units.rate(Double($0)))" } ?? ": no limit")
        }
    }

    /// The transfer that is named (`8`, `#8`), else the only one that fits. What follows stays in the scanner.
    private mutating func transferNumber(_ scanner: inout ArgumentScanner, for verb: SlashVerb) -> TransferNumber? {
        var ahead = scanner
        let word = ahead.next()
        if let word, let value = Int64(word.hasPrefix("#") ? String(word.dropFirst()) : word) {
            scanner = ahead
            return TransferNumber(value)
        }
        // Of the others the word is a folder or a reason.
        if let word, [.pause, .resume, .cancel].contains(verb) {
            note("\(SafeText(word, as: .name).text) is not a transfer (8, #8; /transfers lists them)", isError: true)
            return nil
        }
        var candidates: [TransferNumber] = []
        for file in transfers.unfinished where file.fits(verb) {
            // An offer is answered by a number that is on offer: the first file of the folder may be decided.
            let group = transfers.group(of: file.number)
            let isAnswer = verb == .accept || verb == .decline
            let number = isAnswer ? group.flatMap(transfers.firstOffer)?.number : group?.number
            if let number, !candidates.contains(number) { candidates.append(number) }
        }
        if candidates.count == 1, let only = candidates.first { return only }
        if candidates.isEmpty {
            note("\(nothing(for: verb)) (/transfers lists all files)", isError: true)
        } else {
            let numbers = candidates.map { "#\($0.rawValue)" }.joined(separator: ", ")
            note("Which one? \(numbers)", isError: true)
        }
        return nil
    }

    /// Why a command without a number has nothing to do.
    func nothing(for verb: SlashVerb) -> String {
        switch verb {
        case .accept, .decline: "No offer is waiting"
        case .pause: "No file is being sent or received"
        case .resume: "Nothing is paused"
        default: "No unfinished transfers"
        }
    }
}

extension TransferList {
    /// The number of a folder stands for all of its files that a command can be about. Any other number stands for its
    /// file, also when the command cannot be: the answer says why.
    func files(meantBy number: TransferNumber, for verb: SlashVerb) -> [TransferNumber] {
        guard let group = group(of: number), group.isFolder, group.number == number else { return [number] }
        let files = files(of: group).filter { $0.fits(verb) }.map(\.number)
        return files.isEmpty ? [number] : files
    }

    /// The number by which a transfer is shown: a file of a folder has that of the folder.
    func shownNumber(of number: TransferNumber) -> TransferNumber { group(of: number)?.number ?? number }
}

extension FileTransfer {
    /// Whether a command can be about it.
    func fits(_ verb: SlashVerb) -> Bool {
        switch verb {
        case .accept, .decline: state == .offered && direction == .incoming
        case .pause: state == .running || state == .accepted
        case .resume: state == .paused
        default: !state.isFinal
        }
    }
}
