// The file transfers that the screen knows of: from the store at the start, then from events.

import ChatCore
import ChatWords

/// All unfinished transfers and the latest finished ones.
struct TransferList: Sendable, Equatable {
    /// Finished groups beyond this many are forgotten, oldest first.
    static let finishedLimit = 100

    private(set) var byID: [MessageID: FileTransfer] = [:]
    private(set) var progress: [MessageID: TransferProgress] = [:]
    private var groupsByKey: [TransferGroup.Key: TransferGroup] = [:]
    /// Bytes per second that our user gave single transfers here.
    private(set) var limits: [TransferNumber: UInt64] = [:]
    private var idsByNumber: [TransferNumber: MessageID] = [:]
    private var unfinishedIDs: Set<MessageID> = []
    private var runningIDs: Set<MessageID> = []
    /// Offers to us that nobody has decided: asked for after every action.
    private var openIDs: Set<MessageID> = []
    /// How fast folders are, of which something has moved while we looked.
    private var paces: [TransferGroup.Key: FolderPace] = [:]

    // MARK: Asking

    /// Files and folders as they are listed (`TransferGroup.stage`).
    var groups: [TransferGroup] { groupsByKey.values.sorted { $0.stands(before: $1) } }

    /// Files and folders, newest first.
    var groupsByNumber: [TransferGroup] { groupsByKey.values.sorted { $0.number > $1.number } }

    /// The group that a transfer is in.
    func group(of number: TransferNumber?) -> TransferGroup? {
        guard let number, let transfer = self[number] else { return nil }
        return groupsByKey[TransferGroup.Key(transfer)]
    }

    /// Whether anything of a group has come.
    func knows(_ key: TransferGroup.Key) -> Bool { groupsByKey[key] != nil }

    /// By number, the smallest first.
    func files(of group: TransferGroup) -> [FileTransfer] {
        group.ids.compactMap { byID[$0] }.sorted { $0.number < $1.number }
    }

    var unfinished: [FileTransfer] { transfers(unfinishedIDs) }
    /// How many files and folders are accepted and not finished. An offer is a message until then.
    var begun: Int { groupsByKey.values.count { !$0.state.isFinal && $0.state != .offered } }
    var running: [FileTransfer] { transfers(runningIDs) }

    /// Offers to us that nobody has decided, one for each folder, oldest first.
    var openOffers: [FileTransfer] {
        guard !openIDs.isEmpty else { return [] }
        return groupsByKey.values.filter(\.isOpenOffer).compactMap(firstOffer).sorted { $0.number < $1.number }
    }

    /// The file whose number answers the offer of a group.
    func firstOffer(of group: TransferGroup) -> FileTransfer? {
        group.ids.lazy.compactMap { byID[$0] }.filter { $0.state == .offered }.min { $0.number < $1.number }
    }

    subscript(number: TransferNumber) -> FileTransfer? { idsByNumber[number].flatMap { byID[$0] } }

    private func transfers(_ ids: Set<MessageID>) -> [FileTransfer] {
        ids.compactMap { byID[$0] }.sorted { $0.number < $1.number }
    }

    /// Bytes per second of all that moves at `now` (uptime).
    func rate(at now: Duration) -> Double {
        let folders = paces.compactMapValues { $0.rate(at: now) }
        return runningIDs.reduce(folders.values.reduce(0, +)) { sum, id in
            guard byID[id].map({ folders[TransferGroup.Key($0)] == nil }) ?? false else { return sum }
            return sum + (progress[id]?.rate ?? 0)
        }
    }

    /// The files that run, by number, without those that are only tried again and again.
    func moving(at now: Duration) -> [FileTransfer] {
        running.filter { file in
            groupsByKey[TransferGroup.Key(file)].map { shownState(of: $0, at: now) == .running } ?? true
        }
    }

    /// How many files move in one direction; a folder between two of its small files is one that does.
    func movingCount(_ direction: MessageDirection, at now: Duration) -> Int {
        moving(at: now).count { $0.direction == direction }
            + paces.count { key, pace in
                guard let group = groupsByKey[key], group.direction == direction else { return false }
                return group.count(.running) == 0 && pace.rate(at: now) != nil
            }
    }

    /// The state of a group as a whole at `now` (uptime): between two small files of a folder nothing runs for a
    /// moment, and files that are held back run for a moment each time they are tried.
    func shownState(of group: TransferGroup, at now: Duration) -> FileTransfer.State {
        guard group.isFolder, group.state == .accepted || group.state == .running else { return group.state }
        if paces[group.key]?.rate(at: now) != nil { return .running }
        return group.state == .running && group.isHeld ? .accepted : group.state
    }

    /// How fast a group is at `now` (uptime); `nil` when nothing of it runs, or has just done so.
    func progress(of group: TransferGroup, at now: Duration) -> TransferProgress? {
        if let rate = paces[group.key]?.rate(at: now), let id = group.ids.first {
            return TransferProgress(id: id, transferred: group.transferred, rate: rate, stalled: .zero)
        }
        guard group.count(.running) > 0 else { return nil }
        let parts = runningIDs.filter { id in byID[id].map(TransferGroup.Key.init) == group.key }
            .compactMap { progress[$0] }
        guard let first = parts.first else { return nil }
        return TransferProgress(
            id: first.id, transferred: group.transferred, rate: parts.reduce(0) { $0 + $1.rate },
            stalled: parts.map(\.stalled).min() ?? .zero)
    }

    // MARK: News

    /// Our user gives a transfer of ours at most so many bytes per second; `nil`: as many as there are.
    mutating func setLimit(_ limit: UInt64?, of number: TransferNumber) { limits[number] = limit }

    /// The news of a transfer at `now` (uptime).
    mutating func update(_ transfer: FileTransfer, at now: Duration) {
        let key = TransferGroup.Key(transfer)
        let wasFinal = groupsByKey[key]?.state.isFinal ?? false
        take(transfer, key)
        measure(key, at: now)
        if !wasFinal, groupsByKey[key]?.state.isFinal == true { forgetOldest() }
    }

    /// The store's answer: many at once.
    mutating func update(_ transfers: [FileTransfer]) {
        for transfer in transfers { take(transfer, TransferGroup.Key(transfer)) }
        forgetOldest()
    }

    private mutating func take(_ transfer: FileTransfer, _ key: TransferGroup.Key) {
        groupsByKey[key, default: TransferGroup(transfer)].change(from: byID[transfer.id], to: transfer)
        byID[transfer.id] = transfer
        idsByNumber[transfer.number] = transfer.id
        Self.set(transfer.id, in: &unfinishedIDs, !transfer.state.isFinal)
        Self.set(transfer.id, in: &openIDs, transfer.isOpenOffer)
        Self.set(transfer.id, in: &runningIDs, transfer.state == .running)
        if transfer.state != .running { progress[transfer.id] = nil }
    }

    /// Folders as a whole; single files are measured where their bytes come and go.
    private mutating func measure(_ key: TransferGroup.Key, at now: Duration) {
        guard let group = groupsByKey[key], group.isFolder else { return }
        if group.state.isFinal || group.state == .paused {
            paces[key] = nil
        } else {
            paces[key, default: FolderPace()].note(group.transferred, at: now)
        }
    }

    mutating func update(_ news: TransferProgress, at now: Duration) {
        guard let old = byID[news.id] else { return }
        var transfer = old
        transfer.transferred = news.transferred
        groupsByKey[TransferGroup.Key(old)]?.change(from: old, to: transfer)
        byID[news.id] = transfer
        progress[news.id] = news
        measure(TransferGroup.Key(old), at: now)
    }

    private static func set(_ id: MessageID, in set: inout Set<MessageID>, _ isMember: Bool) {
        if isMember { set.insert(id) } else { set.remove(id) }
    }

    /// Forgets the transfers of contacts that are not there any more.
    mutating func keep(of contacts: Set<ContactID>) {
        for group in groupsByKey.values where !contacts.contains(group.contact) { forget(group) }
    }

    private mutating func forgetOldest() {
        guard groupsByKey.count > Self.finishedLimit else { return }
        let finished = groupsByKey.values.filter(\.state.isFinal)
        guard finished.count > Self.finishedLimit else { return }
        for group in finished.sorted(by: { $0.number > $1.number }).dropFirst(Self.finishedLimit) { forget(group) }
    }

    /// Messages with a contact were deleted: the store says next which files of theirs are left. A transfer that is not
    /// over stays: the chat reports its end.
    mutating func forgetFinished(of contact: ContactID) {
        for group in groupsByKey.values where group.contact == contact && group.state.isFinal { forget(group) }
    }

    private mutating func forget(_ group: TransferGroup) {
        for id in group.ids {
            if let number = byID[id]?.number {
                idsByNumber[number] = nil
                limits[number] = nil
            }
            byID[id] = nil
            progress[id] = nil
            for set in [\Self.unfinishedIDs, \.runningIDs, \.openIDs] { self[keyPath: set].remove(id) }
        }
        groupsByKey[group.key] = nil
        paces[group.key] = nil
    }
}
