// The decisions of users and the configuration about files (PROTOCOL 4 `file-offer`, `file-status`).

import BLIPNet

/// The errands of decisions: stored, then told to the peer.
struct TransferDecisions {
    let core: ClientCore
    let book: TransferBook
    let downloads: Downloads
    let bundles: Bundles
    let uploads: Uploads
    let outbox: OutboxSender
    let folders: FolderBook
    let places: DownloadPlaces
    let roomFiles: RoomFiles

    func acceptTransfer(_ number: TransferNumber, into folder: String?) async throws(ChatError) {
        let transfer = try await book.transfer(number: number)
        guard transfer.direction == .incoming else { throw .ownTransfer }
        guard transfer.state == .offered || transfer.state == .paused else {
            throw .wrongTransferState(transfer.state)
        }
        guard !core.isRoom(transfer.contact) else { return try await roomFiles.accept(transfer, into: folder) }
        try await accept(transfer, into: folder, within: DiskLane.usersPatience)
        if transfer.state == .offered, let place = transfer.place { try await acceptFolder(place, beginning: transfer) }
    }

    func resumeTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await book.transfer(number: number)
        guard transfer.state == .paused else { throw .wrongTransferState(transfer.state) }
        guard transfer.direction == .outgoing else {
            return try await accept(transfer, into: nil, within: DiskLane.usersPatience)
        }
        try await book.change(transfer.id) {
            $0.state = $0.started == nil ? .offered : .accepted
            // Where they have paused it, too, they say so when they hear of this.
            $0.reason = $0.started == nil ? nil : TransferReason.waitingForReceiver
        }
        try await tell(transfer, .accepted)
    }

    /// Prepares the partial file first, so that we promise the sender nothing that the folder cannot take. `limit`: how long its
    /// disk may take for each step; `nil`, where nobody waits: as long as it likes.
    func accept(
        _ transfer: FileTransfer, into folder: String?, within limit: Duration? = nil
    ) async throws(ChatError) {
        guard core.links[transfer.contact]?.peer.isBlocked != true else { throw .blocked }
        // A run that our user has paused lets go of its file first.
        if book.transfers.row(transfer.id)?.state == .paused { await downloads.stopDownload(transfer.id) }
        guard book.transfers.beginAccepting(transfer.id) else { return }
        defer { book.transfers.endAccepting(transfer.id) }
        let known = try await core.records.stored { () async throws(StoreError) in try await book.row(of: transfer.id) }
        guard let transfer = known, transfer.state == .offered || transfer.state == .paused else {
            throw .wrongTransferState(known?.state ?? transfer.state)
        }
        let present = transfer.path.map(PathParts.folder)
        let chosen = try await places.folder(for: transfer, present: present, wanted: folder, within: limit)
        let done = chosen == present ? transfer.transferred : 0
        let partial = PartialFile(of: transfer, in: chosen)
        let limits = core.configuration.limits
        let path = try await DiskLane.runForUser(at: chosen, within: limit) { () throws(FileError) in
            try partial.prepare(done: done, limits: limits)
        }
        if present != chosen { await PartialFile(of: transfer)?.remove() }
        let time = core.now()
        do throws(ChatError) {
            try await book.change(transfer.id) {
                $0.state = .accepted
                $0.reason = nil
                $0.path = path
                $0.transferred = done
                $0.started = $0.started ?? time
            }
        } catch {
            // Somebody has cancelled it meanwhile: nobody else would ever remove the new file.
            if case .wrongTransferState(let state) = error, state != .complete {
                await partial.remove()
            }
            throw error
        }
        // It is accepted now. The sender also learns it from the first request; that the news cannot be stored (a full
        // disk) must not keep the transfer from beginning.
        await book.tellQuietly(transfer.id, transfer.contact, .accepted)
        outbox.pump(transfer.contact)
        await downloads.startDownload(transfer.id)
    }

    /// Accepts offers of one contact by themselves where the configuration says so, or because our user has accepted the folder
    /// that they belong to; what hinders it is left for the user to see.
    func acceptIfAllowed(_ transfers: [FileTransfer]) {
        let open = transfers.filter { transfer in
            transfer.isOpenOffer && (isAcceptedByRule(transfer) || transfer.place != nil)
        }
        guard !open.isEmpty else { return }
        core.tasks.spawn { client in
            var rest = await client.decisions.acceptTogether(open)[...]
            // The first file of a folder makes a place for the others.
            if let first = rest.popFirst() {
                await client.decisions.acceptIfAllowed(first)
                rest = await client.decisions.acceptTogether(Array(rest))[...]
            }
            for transfer in rest {
                guard !Task.isCancelled else { return }
                await client.decisions.acceptIfAllowed(transfer)
            }
        }
    }

    func isAcceptedByRule(_ transfer: FileTransfer) -> Bool {
        core.configuration.accepts(transfer.size, from: core.links[transfer.contact]?.peer)
    }

    private func acceptIfAllowed(_ transfer: FileTransfer) async {
        if await folders.isRefused(transfer) {
            // Where it cannot be stored, the next link finds it offered.
            try? await end(transfer, .declined)
        } else if isAcceptedByRule(transfer) {
            await acceptByRule(transfer)
        } else if await takeFromFolder(transfer) {
            await acceptByItself(transfer)
        }
    }

    func acceptByItself(_ transfer: FileTransfer) async {
        do throws(ChatError) {
            try await accept(transfer, into: nil)
        } catch {
            // A chat that ends decides nothing: the next run tries again.
            guard core.isRunning, let reason = TransferReason.cannotAccept(error) else { return }
            await book.changeQuietly(transfer.id) { $0.reason = reason }
        }
    }

    func declineTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await book.transfer(number: number)
        guard transfer.direction == .incoming else { throw .ownTransfer }
        guard transfer.state == .offered else { throw .wrongTransferState(transfer.state) }
        guard let place = transfer.place else { return try await end(transfer, .declined) }
        try await endFolder(of: transfer, place, as: .declined, offeredOnly: true)
    }

    func cancelTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await book.transfer(number: number)
        guard !transfer.state.isFinal else { throw .wrongTransferState(transfer.state) }
        try await end(transfer, .cancelled)
    }

    func cancelFolder(of number: TransferNumber) async throws(ChatError) {
        let transfer = try await book.transfer(number: number)
        guard let place = transfer.place else { return try await cancelTransfer(number) }
        try await endFolder(of: transfer, place, as: .cancelled, offeredOnly: false)
    }

    func pauseTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await book.transfer(number: number)
        _ = try core.person(transfer.contact, needing: .pauses)
        let isPausable = transfer.direction == .outgoing ? transfer.state == .offered : false
        guard isPausable || transfer.state == .accepted || transfer.state == .running else {
            throw .wrongTransferState(transfer.state)
        }
        try await book.change(transfer.id) {
            $0.state = .paused
            $0.reason = nil
        }
        await downloads.stopDownload(transfer.id)
        await uploads.forgetUpload(transfer.id)
        await downloads.tellPause(of: transfer.id)
    }

    /// Ends a transfer by our user's word and tells the peer.
    private func end(_ stored: FileTransfer, _ state: FileTransfer.State) async throws(ChatError) {
        let time = core.now()
        // As it is now: where its partial file is may have been decided after `stored` was read.
        let transfer = try await book.change(stored.id) {
            $0.state = state
            $0.reason = nil
            $0.finished = time
        }
        await downloads.stopDownload(transfer.id)
        _ = book.transfers.endUpload(transfer.id)
        guard !core.isRoom(transfer.contact) else { return await roomFiles.forget(transfer) }
        if transfer.direction == .incoming { await PartialFile(of: transfer)?.remove() }
        try await tell(transfer, state)
    }

    /// The other side of a transfer says what has become of it.
    func receive(
        _ status: FileStatusRequest, _ request: ReceivedRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        do throws(StoreError) {
            guard let transfer = try await book.row(of: status.id), transfer.contact == contact else {
                let isHeld = try await core.store.holdsFile(status.id, of: contact)
                return link.answer(
                    request,
                    isHeld ? .failure(.busy, "the offer is not shown yet") : .failure(.notFound, "no such transfer"))
            }
            if transfer.direction == .outgoing {
                try await uploads.receiverSays(
                    status, of: transfer, at: ReceiverPause(link: link.number, number: request.number))
            } else {
                try await downloads.senderSays(status, of: transfer)
            }
            link.answer(request, BLIPResponse())
        } catch {
            link.answer(request, .failure(.handlerFailed, "cannot store"))
            core.hub.publish(.notice(.storeFailed(error)))
        }
    }

    /// Before a contact's rows go: what has come of their files would belong to nothing.
    func removePartials(of contact: ContactID) async throws(ChatError) {
        try await book.forEachUnfinished(with: contact) { transfer in
            guard transfer.direction == .incoming else { return true }
            await roomFiles.forget(transfer)
            await downloads.stopDownload(transfer.id)
            let row = book.transfers.row(transfer.id) ?? transfer
            book.transfers.forgetRow(transfer.id)
            await PartialFile(of: row)?.remove()
            return true
        }
    }

    /// Queues news of a transfer for the peer.
    private func tell(_ transfer: FileTransfer, _ state: FileTransfer.State) async throws(ChatError) {
        try await core.records.stored { () async throws(StoreError) in
            try await core.store.enqueueFileStatus(to: transfer.contact, transfer: transfer.id, state: state)
        }
        outbox.pump(transfer.contact)
    }
}
