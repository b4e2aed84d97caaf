// Changing transfers: one copy of each unfinished transfer in memory, so that progress never overwrites a decision.

extension ChatClient {
    /// The transfer as it is now. Changes are made to the copy here first and then written in their order.
    func row(of id: MessageID) async throws(StoreError) -> FileTransfer? {
        if let known = transfers.row(id) { return known }
        guard let stored = try await store.transfer(id) else { return nil }
        return transfers.read(stored)
    }

    /// Changes an unfinished transfer and shows it; `nil` when it is final (nothing changes any more) or unknown.
    func changeRow(
        _ id: MessageID, showing: Bool = true, _ change: (inout FileTransfer) -> Void
    ) async throws(StoreError) -> FileTransfer? {
        guard try await row(of: id) != nil, let (row, isNews) = transfers.change(id, change) else { return nil }
        guard isNews else { return row }
        do throws(StoreError) {
            try await store.updateTransfer(row, reporting: showing)
        } catch {
            transfers.forgetRow(id)
            throw error
        }
        if row.state.isFinal {
            transfers.stored(end: id)
            await clearAway(row)
        }
        return row
    }

    /// A transfer has ended: takes back its limit, and removes its source when that was made for being sent and nothing else
    /// needs it.
    func clearAway(_ transfer: FileTransfer) async {
        pacing.setLimit(nil, of: .transfer(transfer.id))
        await SpoolFolder.removeSource(of: transfer, from: configuration.spoolFolders) {
            await records.quietly { () async throws(StoreError) in try await store.unfinishedPaths(.outgoing) }
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
            let page = try await records.stored { [last] () async throws(StoreError) in
                try await store.unfinishedTransfers(with: contact, after: last, limit: limit)
            }
            for transfer in page { guard try await body(transfer) else { return } }
            guard page.count == limit else { return }
            last = page.last?.number
        }
    }

    /// For users: throws when the transfer is final already.
    func change(_ id: MessageID, _ change: (inout FileTransfer) -> Void) async throws(ChatError) {
        let changed = try await records.stored { () async throws(StoreError) in try await changeRow(id, change) }
        guard changed == nil else { return }
        let present = try await records.stored { () async throws(StoreError) in try await store.transfer(id) }
        guard let present else { throw .noSuchTransfer }
        throw .wrongTransferState(present.state)
    }

    /// For errands that nobody waits for: a failure becomes a notice.
    @discardableResult func changeQuietly(
        _ id: MessageID, showing: Bool = true, _ change: (inout FileTransfer) -> Void
    ) async -> FileTransfer? {
        await records.quietly { () async throws(StoreError) in try await changeRow(id, showing: showing, change) }
            ?? nil
    }
}
