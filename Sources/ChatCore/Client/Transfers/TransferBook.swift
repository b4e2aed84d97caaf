// All files on their way, with what the store has of them: one copy of each unfinished transfer in memory, so that progress
// never overwrites a decision.

/// Decisions are made in `Transfers` and then written. Belongs to one actor.
final class TransferBook {
    private let core: ClientCore
    private let pacing: TransferPacing
    var transfers: Transfers

    init(core: ClientCore, pacing: TransferPacing) {
        self.core = core
        self.pacing = pacing
        transfers = Transfers(limits: core.configuration.limits)
    }

    func transfer(number: TransferNumber) async throws(ChatError) -> FileTransfer {
        let found = try await core.records.stored { () async throws(StoreError) in
            try await core.store.transfer(number: number)
        }
        guard let found else { throw .noSuchTransfer }
        return found
    }

    /// The transfer as it is now. Changes are made to the copy here first and then written in their order.
    func row(of id: MessageID) async throws(StoreError) -> FileTransfer? {
        if let known = transfers.row(id) { return known }
        guard let stored = try await core.store.transfer(id) else { return nil }
        return transfers.read(stored)
    }

    /// The same for tasks that nobody waits for: a failure becomes a notice, and `nil`.
    func rowQuietly(of id: MessageID) async -> FileTransfer? {
        await core.records.quietly { () async throws(StoreError) in try await row(of: id) } ?? nil
    }

    /// Changes an unfinished transfer and shows it; `nil` when it is final (nothing changes any more) or unknown.
    func changeRow(
        _ id: MessageID, showing: Bool = true, _ change: (inout FileTransfer) -> Void
    ) async throws(StoreError) -> FileTransfer? {
        try await changeRows([id], showing: showing, change).first
    }

    /// The transfers as they are now; those that there are.
    func rows(of ids: [MessageID]) async throws(StoreError) -> [MessageID: FileTransfer] {
        let unknown = ids.filter { transfers.row($0) == nil }
        let stored = unknown.isEmpty ? [] : try await core.store.transfers(unknown)
        var rows: [MessageID: FileTransfer] = [:]
        for row in stored { rows[row.id] = transfers.read(row) }
        for id in ids where rows[id] == nil { rows[id] = transfers.row(id) }
        return rows
    }

    /// Changes unfinished transfers together, in one commit. Returns those that there are, as they are now.
    func changeRows(
        _ ids: [MessageID], showing: Bool = true, _ change: (inout FileTransfer) -> Void
    ) async throws(StoreError) -> [FileTransfer] {
        let known = try await rows(of: ids)
        var all: [FileTransfer] = []
        var news: [FileTransfer] = []
        for id in ids where known[id] != nil {
            guard let (row, isNews) = transfers.change(id, change) else { continue }
            all.append(row)
            if isNews { news.append(row) }
        }
        guard !news.isEmpty else { return all }
        do throws(StoreError) {
            try await core.store.updateTransfers(news, reporting: showing)
        } catch {
            for row in news { transfers.forgetRow(row.id) }
            throw error
        }
        for row in news where row.state.isFinal {
            transfers.stored(end: row.id)
            await clearAway(row)
        }
        return all
    }

    /// A run has let go of its file. Removes that file, and the folders that were made for it, if the transfer has ended meanwhile.
    /// `known`: its row as the run knew it, where that may name another folder.
    func clearBehind(_ id: MessageID, as known: FileTransfer? = nil) async {
        guard let row = await rowQuietly(of: id), row.state.isFinal else { return }
        await PartialFile(of: known ?? row)?.remove()
    }

    /// Whether a transfer has ended without its file, as when somebody cancels it while the file gets its name.
    func hasEndedWithoutFile(_ id: MessageID) async -> Bool {
        guard let row = await rowQuietly(of: id) else { return false }
        return row.state.isFinal && row.state != .complete
    }

    /// A transfer has ended: takes back its limit, and removes its source when that was made for being sent and nothing else
    /// needs it.
    func clearAway(_ transfer: FileTransfer) async {
        pacing.forget(transfer.id)
        await SpoolFolder.removeSource(of: transfer, from: core.configuration.spoolFolders) {
            await core.records.quietly { () async throws(StoreError) in try await core.store.unfinishedPaths(.outgoing)
            }
        }
    }

    /// Calls `body` with the unfinished transfers with `contact`, oldest first, until it says `false`. They are read some at
    /// a time: a peer may have offered more than memory should hold.
    func forEachUnfinished(
        with contact: ContactID, _ body: (FileTransfer) async throws(ChatError) -> Bool
    ) async throws(ChatError) {
        let limit = 100
        var last: TransferNumber?
        while true {
            let page = try await core.records.stored { [last] () async throws(StoreError) in
                try await core.store.unfinishedTransfers(with: contact, after: last, limit: limit)
            }
            for transfer in page { guard try await body(transfer) else { return } }
            guard page.count == limit else { return }
            last = page.last?.number
        }
    }

    /// For users: throws when the transfer is final already. Returns it as it is now.
    @discardableResult
    func change(_ id: MessageID, _ change: (inout FileTransfer) -> Void) async throws(ChatError) -> FileTransfer {
        let changed = try await core.records.stored { () async throws(StoreError) in try await changeRow(id, change) }
        if let changed { return changed }
        let present = try await core.records.stored { () async throws(StoreError) in try await core.store.transfer(id) }
        guard let present else { throw .noSuchTransfer }
        throw .wrongTransferState(present.state)
    }

    /// For errands that nobody waits for: a failure becomes a notice.
    @discardableResult func changeQuietly(
        _ id: MessageID, showing: Bool = true, _ change: (inout FileTransfer) -> Void
    ) async -> FileTransfer? {
        await core.records.quietly { () async throws(StoreError) in try await changeRow(id, showing: showing, change) }
            ?? nil
    }

    /// `false` when the news could not be stored: the peer would never hear of it.
    @discardableResult
    func tellQuietly(_ id: MessageID, _ contact: ContactID, _ state: FileTransfer.State) async -> Bool {
        await core.records.quietly { () async throws(StoreError) in
            try await core.store.enqueueFileStatus(to: contact, transfer: id, state: state)
            return true
        } != nil
    }

    /// The unfinished files of the folder that a transfer belongs to, after `number`, at most a few hundred of them;
    /// none when it was sent by itself.
    func unfinished(
        in transfer: FileTransfer, offeredOnly: Bool, after number: TransferNumber? = nil
    ) async throws(ChatError) -> [FileTransfer] {
        guard let place = transfer.place else { return [] }
        return try await core.records.stored { () async throws(StoreError) in
            try await core.store.unfinishedTransfers(
                of: place.set, with: transfer.contact, transfer.direction, offeredOnly: offeredOnly,
                after: number, limit: 500)
        }
    }

    func setRateLimit(_ limit: UInt64?, of scope: RateScope) async throws(ChatError) {
        pacing.setLimit(limit, of: try await pacingScope(scope))
    }

    func rateLimit(of scope: RateScope) async throws(ChatError) -> UInt64? {
        pacing.limit(of: try await pacingScope(scope))
    }

    private func pacingScope(_ scope: RateScope) async throws(ChatError) -> TransferPacing.Scope {
        switch scope {
        case .all(let direction): return .all(direction)
        case .transfer(let number):
            let transfer = try await transfer(number: number)
            guard !transfer.state.isFinal else { throw .wrongTransferState(transfer.state) }
            return .transfer(transfer.id)
        }
    }
}
