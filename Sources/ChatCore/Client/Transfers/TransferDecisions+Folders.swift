// The decisions of users about folders that are sent as a whole: all their files together (Docs/files.md).

extension TransferDecisions {
    /// Our user has accepted one file of a folder: the others that have been offered are accepted with it, and those
    /// that are still to come, up to what the offer said of the whole.
    func acceptFolder(_ place: FolderPlace, beginning first: FileTransfer) async throws(ChatError) {
        guard try await folders.agree(to: place, beginning: first) else { return }
        core.tasks.spawn { client in
            var last: TransferNumber?
            // Files that cannot be read from the store now stay offered.
            while !Task.isCancelled,
                let page = try? await client.book.unfinished(in: first, offeredOnly: true, after: last), !page.isEmpty
            {
                last = page.last?.number
                for other in await client.decisions.acceptTogether(page.filter { $0.id != first.id }) {
                    guard !Task.isCancelled, await client.decisions.takeFromFolder(other) else { continue }
                    await client.decisions.acceptByItself(other)
                }
            }
        }
    }

    /// Accepts a file that the configuration lets in. Where it would let in all of the folder, too, its other files are
    /// no single offers any more, as if our user had accepted the folder.
    func acceptByRule(_ transfer: FileTransfer) async {
        let isOfAgreed = await takeFromFolder(transfer)
        await acceptByItself(transfer)
        guard let place = transfer.place, !isOfAgreed,
            core.configuration.accepts(place.bytes, from: core.links[transfer.contact]?.peer)
        else { return }
        // Where it cannot be stored, the files come one by one.
        try? await folders.agreeByRule(to: place, beginning: transfer)
    }

    /// Accepts small files that come together, in one commit for each folder: those of folders that our user has accepted, or
    /// that the configuration lets in. Returns the others, in their order.
    func acceptTogether(_ offers: [FileTransfer]) async -> [FileTransfer] {
        guard let contact = offers.first?.contact, core.links[contact]?.peer.isBlocked != true,
            core.links.takesBundles(contact)
        else { return offers }
        var accepted: Set<MessageID> = []
        var sets: [MessageID] = []
        for offer in offers { if let set = offer.place?.set, sets.last != set { sets.append(set) } }
        for set in sets where !Task.isCancelled {
            let small = offers.filter {
                $0.place?.set == set && $0.size <= core.configuration.limits.bundles.file && !accepted.contains($0.id)
            }
            // An obstacle is found once more, for each file by itself, and shown with it.
            if let ids = try? await acceptTogether(small, of: set) { accepted.formUnion(ids) }
        }
        if !accepted.isEmpty { bundles.start(from: contact) }
        return offers.filter { !accepted.contains($0.id) }
    }

    /// The same for small files of one folder that has a place already. Returns those that are accepted now.
    private func acceptTogether(
        _ offers: [FileTransfer], of set: MessageID
    ) async throws(ChatError) -> [MessageID] {
        guard offers.count > 1, let first = offers.first, let place = first.place,
            let folder = try await folders.set(at: place, from: first.contact), !folder.path.isEmpty,
            !folder.isRefused
        else { return [] }
        let known = try await core.records.stored { () async throws(StoreError) in
            try await book.rows(of: offers.map(\.id))
        }
        let open = offers.compactMap { known[$0.id] }.filter { $0.state == .offered }
        let agreed = try await folders.take(open, at: place)
        let ids = Set(agreed.map(\.id))
        let wanted = open.filter { ids.contains($0.id) || isAcceptedByRule($0) }
            .filter { book.transfers.beginAccepting($0.id) }
        defer { for transfer in wanted { book.transfers.endAccepting(transfer.id) } }
        guard !wanted.isEmpty else { return [] }
        let limits = core.configuration.limits
        // Small ones, so the sum is, too.
        let total = wanted.reduce(into: UInt64(0)) { $0 += $1.size }
        try await DiskLane.runForUser(at: folder.path, within: nil) { () throws(FileError) in
            try limits.checkSpace(for: total, in: DownloadFolder(path: folder.path))
        }
        let time = core.now()
        let rows = try await core.records.stored { () async throws(StoreError) in
            try await book.changeRows(wanted.map(\.id)) { row in
                guard row.state == .offered, let place = row.place else { return }
                row.state = .accepted
                row.reason = nil
                row.path = PartialFile(of: row, in: folder.folder(of: place)).path
                row.started = time
            }
        }
        return rows.map(\.id)
    }

    /// Ends the unfinished files of a folder by our user's word, with `offeredOnly` those that nobody has decided on,
    /// and tells the peer. Files of it that are still to come are declined, or not offered any more.
    func endFolder(
        of transfer: FileTransfer, _ place: FolderPlace, as state: FileTransfer.State, offeredOnly: Bool
    ) async throws(ChatError) {
        if transfer.direction == .outgoing {
            folders.endOffering(place.set)
        } else {
            try await folders.refuse(place, from: transfer.contact)
        }
        while true {
            let page = try await book.unfinished(in: transfer, offeredOnly: offeredOnly)
            guard !page.isEmpty else { return }
            try await end(page, with: transfer.contact, as: state)
        }
    }

    /// Ends transfers with one contact together, some hundred in a step.
    private func end(
        _ page: [FileTransfer], with contact: ContactID, as state: FileTransfer.State
    ) async throws(ChatError) {
        let time = core.now()
        let ended = book.transfers.end(page, as: state, at: time)
        // Behind a step that fails, what the database has counts.
        defer { for transfer in page { book.transfers.forgetRow(transfer.id) } }
        var rest = ended[...]
        while !rest.isEmpty {
            let part = rest.prefix(500)
            rest = rest.dropFirst(part.count)
            try await core.records.stored { () async throws(StoreError) in
                try await core.store.endTransfers(part.map(\.id), with: contact, as: state, at: time)
            }
            for transfer in part {
                await book.clearAway(transfer)
                await downloads.stopDownload(transfer.id)
                guard transfer.direction == .incoming, transfer.state == state else { continue }
                await PartialFile(of: transfer)?.remove()
            }
            outbox.pump(contact)
        }
    }

    /// Whether our user has agreed to this file by accepting the folder; counts it.
    func takeFromFolder(_ transfer: FileTransfer) async -> Bool {
        guard let place = transfer.place, !book.transfers.isAccepting(transfer.id) else { return false }
        do throws(ChatError) {
            guard try await folders.set(at: place, from: transfer.contact) != nil else { return false }
            let present = try await core.records.stored { () async throws(StoreError) in
                try await book.row(of: transfer.id)
            }
            guard present?.state == .offered, !book.transfers.isAccepting(transfer.id) else { return false }
            return try await !folders.take([transfer], at: place).isEmpty
        } catch {
            // Our user can still accept it by hand.
            return false
        }
    }
}
