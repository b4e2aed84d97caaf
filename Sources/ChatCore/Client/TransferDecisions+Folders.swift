// What users decide of folders that are sent as a whole: all their files together (Docs/files.md).

extension TransferDecisions {
    /// Our user has accepted one file of a folder: the others that have been offered are accepted with it, and those
    /// that are still to come, up to what the offer said of the whole.
    func acceptFolder(_ place: FolderPlace, beginning first: FileTransfer) async throws(ChatError) {
        guard try await folders.agree(to: place, beginning: first) else { return }
        let others = try await book.unfinished(in: first, offeredOnly: true).filter { $0.id != first.id }
        core.tasks.spawn { client in
            for other in others {
                guard !Task.isCancelled, await client.decisions.takeFromFolder(other) else { continue }
                await client.decisions.acceptByItself(other)
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

    /// Ends what is unfinished of a folder by our user's word, with `offeredOnly` what nobody has decided, and tells the
    /// peer. What is still to come of it is declined, or not offered any more.
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
            return try await folders.take(transfer, at: place)
        } catch {
            // Our user can still accept it by hand.
            return false
        }
    }
}
