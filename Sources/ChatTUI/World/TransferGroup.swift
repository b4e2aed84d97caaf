// One entry of the transfers: a file, or all the files of a folder that was sent as a whole. TransferList keeps its
// counts up to date, so that a folder of thousands of files costs no more to draw than one file.

import ChatCore
import ChatWords

/// A file or a folder that the user sees, pauses, cancels and answers as one.
struct TransferGroup: Sendable, Equatable {
    enum Key: Sendable, Hashable {
        case file(MessageID)
        case folder(MessageID, ContactID, MessageDirection)

        init(_ transfer: FileTransfer) {
            if let place = transfer.place {
                self = .folder(place.set, transfer.contact, transfer.direction)
            } else {
                self = .file(transfer.id)
            }
        }
    }

    let key: Key
    let contact: ContactID
    let direction: MessageDirection
    /// The file, or the one with the smallest number of a folder; its number is that of the whole.
    private(set) var lead: FileTransfer
    /// Its files that are known, in no certain order.
    private(set) var ids: [MessageID] = []
    private var counts: [FileTransfer.State: Int] = [:]
    /// Bytes of the files that are known.
    private var knownSize: UInt64 = 0
    private var knownTransferred: UInt64 = 0
    /// When the first of its files was accepted, and when the last one ended.
    private(set) var started: Timestamp?
    private(set) var finished: Timestamp?
    /// Why files of a folder are in these states, the latest ones.
    private var reasons: [FileTransfer.State: TransferReason] = [:]

    init(_ first: FileTransfer) {
        key = Key(first)
        contact = first.contact
        direction = first.direction
        lead = first
    }

    // MARK: Kind and state

    var number: TransferNumber { lead.number }
    var isFolder: Bool { lead.place != nil }
    /// How many files it has in all, also those whose offers have not come yet.
    var fileCount: UInt64 { max(lead.place?.files ?? 1, UInt64(ids.count)) }

    /// Raw: the name of the file, or of the folder as its sender calls it.
    var name: String {
        guard let place = lead.place else { return lead.name }
        return place.path.split(separator: "/").first.map(String.init) ?? lead.name
    }

    /// Where it is on this disk: the file, or the folder with all its files.
    var path: String? { lead.pathOfFolder ?? lead.path }

    var size: UInt64 { max(lead.place?.bytes ?? lead.size, knownSize) }
    var transferred: UInt64 { min(knownTransferred, size) }

    func count(_ state: FileTransfer.State) -> Int { counts[state] ?? 0 }

    /// An offer of theirs that our user can answer.
    var isOpenOffer: Bool { direction == .incoming && count(.offered) > 0 }

    /// The state of the whole: that of the liveliest file; at the end the worst.
    var state: FileTransfer.State {
        let order: [FileTransfer.State] = [
            .running, .accepted, .paused, .offered, .failed, .cancelled, .declined, .complete,
        ]
        if isOpenOffer, count(.running) == 0 { return .offered }
        return order.first { count($0) > 0 } ?? lead.state
    }

    /// Where it is listed: what is on its way, what our user is asked about, what waits, what is over.
    enum Stage: Int, Comparable {
        case moving, asked, waiting, over

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// A transfer that has begun counts as moving until it is paused or over: between two files of a folder, and while
    /// it is tried again, it keeps its place.
    var stage: Stage {
        if state.isFinal { return .over }
        if isOpenOffer, count(.running) == 0 { return .asked }
        return state == .running || (state == .accepted && transferred > 0) ? .moving : .waiting
    }

    /// By stage; of one stage the newest first.
    func stands(before other: TransferGroup) -> Bool {
        stage == other.stage ? number > other.number : stage < other.stage
    }

    /// How much of a folder is done when some of its files were cancelled or declined; `nil` when it ended otherwise.
    var partlyDone: String? {
        guard isFolder, state == .cancelled || state == .declined, count(.complete) > 0 else { return nil }
        let all = Units.files(Int(clamping: fileCount))
        return "\(count(.complete)) of \(all) done, the rest \(Sentences.word(for: state))"
    }

    /// Nothing of it is to come any more.
    var isOver: Bool {
        guard state.isFinal else { return false }
        return UInt64(ids.count) >= fileCount || state == .cancelled || state == .declined
    }

    /// Why it waits or has failed.
    var reason: TransferReason? { isFolder ? reasons[isHeld ? .accepted : state] : lead.reason }

    /// Files of a folder that runs could not be fetched, and nothing has moved since.
    var isHeld: Bool {
        guard isFolder, state == .running, let reason = reasons[.accepted] else { return false }
        return reason != TransferReason.waitingForTurn
    }

    /// Milliseconds that all of it took; `nil` until all of it is there.
    var duration: Int64? {
        guard state == .complete, let started, let finished, finished >= started else { return nil }
        return finished.milliseconds - started.milliseconds
    }

    // MARK: Changes

    /// A file of it has come (`old` is `nil`) or changed.
    mutating func change(from old: FileTransfer?, to new: FileTransfer) {
        if let old { count(old, by: -1) } else { ids.append(new.id) }
        count(new, by: 1)
        if new.id == lead.id || new.number < lead.number { lead = new }
        if new.transferred > old?.transferred ?? 0 { reasons[.accepted] = nil }
        note(new.reason, of: new.state)
        started = [started, new.started].compactMap { $0 }.min()
        finished = [finished, new.finished].compactMap { $0 }.max()
    }

    /// That one file waits for the others of its folder is no news beside what they wait for.
    private mutating func note(_ reason: TransferReason?, of state: FileTransfer.State) {
        switch state {
        case .running, .complete: break
        case .accepted where reason == nil || reason == TransferReason.waitingForTurn:
            if reasons[.accepted] == nil { reasons[.accepted] = reason }
        default: reasons[state] = reason
        }
    }

    private mutating func count(_ transfer: FileTransfer, by step: Int) {
        counts[transfer.state, default: 0] += step
        func change(_ sum: inout UInt64, _ bytes: UInt64) {
            let result = step > 0 ? sum.addingReportingOverflow(bytes) : sum.subtractingReportingOverflow(bytes)
            sum = result.overflow ? (step > 0 ? .max : 0) : result.partialValue
        }
        change(&knownSize, transfer.size)
        change(&knownTransferred, transfer.transferred)
    }
}
