// Commands about several transfers or requests at once: `/accept all`, `/cancel 4-23`, `/reject 1,3`. What cannot be had
// again, or lets people in, is asked about once for all of them.

import ChatCore
import ChatWords

extension AppState {
    /// The errands of one command as one: they are carried out one after the other, and told in one sentence.
    private func one(_ errands: [Errand]) -> Errand? {
        errands.count > 1 ? .several(errands) : errands.first
    }

    /// `/accept 4-23 FOLDER`, `/decline all REASON`, and /pause, /resume, /cancel.
    mutating func runSeveral(
        _ verb: SlashVerb, _ set: NumberSet, _ scanner: inout ArgumentScanner, asked: Errand?,
        _ effects: inout [AppEffect]
    ) {
        let groups = transfers.groups(meantBy: set, for: verb).reversed().filter { isAnswerable($0, by: verb) }
        guard !groups.isEmpty else {
            let none = set == .all ? nothing(for: verb) : "Cannot do that with these numbers"
            return note("\(none) (/transfers lists all files)", isError: true)
        }
        var folder: String?
        if verb == .accept, let word = scanner.next() {
            guard isEnd(&scanner, of: "/accept [N] [FOLDER]", hint: "put a folder with spaces in quotes")
            else { return }
            guard !word.isEmpty else { return note(Self.emptyPath, isError: true) }
            folder = expanded(word)
        }
        let reason = verb == .decline ? scanner.remainder() : nil
        if let reason, !check(reason) { return }
        if [.pause, .resume, .cancel].contains(verb),
            !isEnd(&scanner, of: "/\(verb) [N]", hint: "write numbers together: 4-23 or 4,6")
        {
            return
        }
        let errands = groups.flatMap { work(verb, on: $0, into: folder) }
        guard let errand = one(errands) else { return }
        if verb == .cancel, asked != errand {
            confirming = errand
            let size = groups.reduce(UInt64(0)) { $0.addingClamped($1.size) }
            let what = groups.count == 1 ? "1 transfer" : "\(groups.count) transfers"
            return note("This cancels \(what) (\(Units.size(size))) for good. Enter the same command again to do it.")
        }
        effects.append(.run(errand))
        guard let reason else { return }
        // Each of those who offered them hears it once.
        var told: Set<ContactID> = []
        for group in groups where told.insert(group.contact).inserted {
            effects.append(.run(.send(reason, to: group.contact)))
        }
    }

    /// From somebody who is blocked nothing is taken.
    private func isAnswerable(_ group: TransferGroup, by verb: SlashVerb) -> Bool {
        verb != .accept || chat(group.contact)?.peer.isBlocked != true
    }

    private func work(_ verb: SlashVerb, on group: TransferGroup, into folder: String?) -> [Errand] {
        switch verb {
        case .accept: transfers.firstOffer(of: group).map { [.accept($0.number, folder: folder)] } ?? []
        case .decline: transfers.firstOffer(of: group).map { [.decline($0.number)] } ?? []
        case .cancel: [group.isFolder ? .cancelFolder(group.number) : .cancel(group.number)]
        default:
            transfers.files(of: group).filter { $0.fits(verb) }.map {
                verb == .pause ? .pause($0.number) : .resume($0.number)
            }
        }
    }

    /// `/approve all`, `/reject 2-5`.
    mutating func runSeveral(
        requests verb: SlashVerb, _ set: NumberSet, asked: Errand?, _ effects: inout [AppEffect]
    ) {
        let meant = requests.filter { set.contains($0.id) }
        let errand = one(meant.map { verb == .approve ? .approve($0.id, name: nil) : .reject($0.id) })
        guard let errand else {
            return note(requests.isEmpty ? "No contact requests" : "No such requests", isError: true)
        }
        guard asked == errand || meant.count == 1 else {
            confirming = errand
            let names = meant.prefix(8).map { SafeText($0.name, as: .name).text }.joined(separator: ", ")
            let rest = meant.count > 8 ? " and \(meant.count - 8) more" : ""
            let what = verb == .approve ? "This accepts" : "This refuses"
            return note("\(what) \(names)\(rest). Enter the same command again to do it.")
        }
        effects.append(.run(errand))
    }

    /// What became of several errands that were one command; `failed` of them could not be done.
    func sentence(several errands: [Errand], failed: [ErrandFailure]) -> String {
        let done = errands.count - failed.count
        guard let first = errands.first else { return "" }
        let of = failed.isEmpty ? "" : " of \(errands.count)"
        func count(_ one: String, _ many: String) -> String {
            "\(done)\(of) \(done == 1 && failed.isEmpty ? one : many)"
        }
        return switch first {
        case .accept: count("offer is", "offers are") + " accepted"
        case .decline: count("offer is", "offers are") + " declined"
        case .pause: count("file is", "files are") + " paused (/resume all)"
        case .resume: count("file is", "files are") + " no longer paused here"
        case .approve: count("request is", "requests are") + " accepted; /verify compares numbers"
        case .reject: count("request is", "requests are") + " refused"
        default: count("transfer is", "transfers are") + " cancelled"
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
}
