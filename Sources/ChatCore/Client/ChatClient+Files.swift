// What users ask of files, and what the two sides tell each other of them (PROTOCOL 4 `file-offer`, `file-status`).

import BLIPNet
import Glibc

extension ChatClient {
    // MARK: Deciding

    package func transfers(unfinishedOnly: Bool) async throws(ChatError) -> [FileTransfer] {
        try await records.stored { () async throws(StoreError) in
            let unfinished = try await store.transfers(unfinishedOnly: true, limit: Self.unfinishedLimit)
            if unfinishedOnly { return unfinished }
            // Whatever is open can be answered, however much has ended since.
            let newest = try await store.transfers(unfinishedOnly: false, limit: Self.transferLimit)
            let known = Set(newest.map(\.id))
            return (newest + unfinished.filter { !known.contains($0.id) }).sorted { $0.number > $1.number }
        }
    }

    private static let transferLimit = 1000
    private static let unfinishedLimit = 10_000

    package func transfer(number: TransferNumber) async throws(ChatError) -> FileTransfer {
        let found = try await records.stored { () async throws(StoreError) in try await store.transfer(number: number) }
        guard let found else { throw .noSuchTransfer }
        return found
    }

    package func acceptTransfer(_ number: TransferNumber, into folder: String?) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard transfer.direction == .incoming else { throw .ownTransfer }
        guard transfer.state == .offered || transfer.state == .paused else {
            throw .wrongTransferState(transfer.state)
        }
        try await accept(transfer, into: folder, within: DiskLane.usersPatience)
        if transfer.state == .offered, let place = transfer.place { try await acceptFolder(place, beginning: transfer) }
    }

    package func resumeTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard transfer.state == .paused else { throw .wrongTransferState(transfer.state) }
        guard transfer.direction == .outgoing else {
            return try await accept(transfer, into: nil, within: DiskLane.usersPatience)
        }
        try await change(transfer.id) {
            $0.state = $0.started == nil ? .offered : .accepted
            // Where they have paused it, too, they say so when they hear of this.
            $0.reason = $0.started == nil ? nil : TransferReason.waitingForReceiver
        }
        try await tell(transfer, .accepted)
    }

    /// Prepares the partial file, so that a folder that cannot take it is known before anything is promised. `limit`: how long
    /// its disk may take for each step; as long as it likes where nobody waits.
    func accept(
        _ transfer: FileTransfer, into folder: String?, within limit: Duration? = nil
    ) async throws(ChatError) {
        guard links[transfer.contact]?.peer.isBlocked != true else { throw .blocked }
        // A run that our user has paused lets go of its file first.
        if transfers.row(transfer.id)?.state == .paused { await stopDownload(transfer.id) }
        guard transfers.beginAccepting(transfer.id) else { return }
        defer { transfers.endAccepting(transfer.id) }
        let known = try await records.stored { () async throws(StoreError) in try await row(of: transfer.id) }
        guard let transfer = known, transfer.state == .offered || transfer.state == .paused else {
            throw .wrongTransferState(known?.state ?? transfer.state)
        }
        let present = transfer.path.map(PathParts.folder)
        let chosen = try await places.folder(for: transfer, present: present, wanted: folder, within: limit)
        let done = chosen == present ? transfer.transferred : 0
        let partial = PartialFile(of: transfer, in: chosen)
        let limits = configuration.limits
        let path = try await DiskLane.runForUser(at: chosen, within: limit) { () throws(FileError) in
            try partial.prepare(done: done, limits: limits)
        }
        if present != chosen { await PartialFile(of: transfer)?.remove() }
        let time = now()
        do throws(ChatError) {
            try await change(transfer.id) {
                $0.state = .accepted
                $0.reason = nil
                $0.path = path
                $0.transferred = done
                $0.started = $0.started ?? time
            }
        } catch {
            // It was cancelled meanwhile: nobody would ever remove its file.
            if case .wrongTransferState(let state) = error, state != .complete {
                await partial.remove()
            }
            throw error
        }
        // It is accepted now. The sender also learns it from the first request; that the news cannot be stored (a full
        // disk) must not keep the transfer from beginning.
        await tellQuietly(transfer.id, transfer.contact, .accepted)
        pump(transfer.contact)
        await startDownload(transfer.id)
    }

    /// Accepts an offer by itself where the configuration says so, or because our user has accepted the folder that it
    /// belongs to; what hinders it is left for the user to see.
    func acceptIfAllowed(_ transfer: FileTransfer) {
        guard transfer.state == .offered, transfer.direction == .incoming else { return }
        let isSmall = configuration.accepts(transfer, from: links[transfer.contact]?.peer)
        guard isSmall || transfer.place != nil else { return }
        spawn { client in
            if await client.folders.isRefused(transfer) {
                // Where it cannot be stored, the next link finds it offered.
                try? await client.end(transfer, .declined)
                return
            }
            if !isSmall {
                guard await client.takeFromFolder(transfer) else { return }
            }
            await client.acceptByItself(transfer)
        }
    }

    func acceptByItself(_ transfer: FileTransfer) async {
        do throws(ChatError) {
            try await accept(transfer, into: nil)
        } catch {
            // A chat that ends decides nothing: the next run tries again.
            guard phase == .running, let reason = TransferReason.cannotAccept(error) else { return }
            await changeQuietly(transfer.id) { $0.reason = reason }
        }
    }

    package func declineTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard transfer.direction == .incoming else { throw .ownTransfer }
        guard transfer.state == .offered else { throw .wrongTransferState(transfer.state) }
        guard let place = transfer.place else { return try await end(transfer, .declined) }
        try await endFolder(of: transfer, place, as: .declined, offeredOnly: true)
    }

    package func cancelTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard !transfer.state.isFinal else { throw .wrongTransferState(transfer.state) }
        try await end(transfer, .cancelled)
    }

    package func cancelFolder(of number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        guard let place = transfer.place else { return try await cancelTransfer(number) }
        try await endFolder(of: transfer, place, as: .cancelled, offeredOnly: false)
    }

    package func pauseTransfer(_ number: TransferNumber) async throws(ChatError) {
        let transfer = try await transfer(number: number)
        let isPausable = transfer.direction == .outgoing ? transfer.state == .offered : false
        guard isPausable || transfer.state == .accepted || transfer.state == .running else {
            throw .wrongTransferState(transfer.state)
        }
        try await change(transfer.id) {
            $0.state = .paused
            $0.reason = nil
        }
        await stopDownload(transfer.id)
        await forgetUpload(transfer.id)
        await tellPause(of: transfer.id)
    }

    package func downloadsSpace() async -> (folder: String, freeBytes: UInt64)? {
        // A picture of the screen waits for it.
        let limit = Duration.seconds(1)
        guard let folder = try? await places.downloads(within: limit),
            let space = try? await DiskLane.run(
                at: folder, within: limit, { () throws(FileError) in try DownloadFolder(path: folder).space() })
        else { return nil }
        return (folder, space.free)
    }

    /// Ends a transfer by our user's word and tells the peer.
    private func end(_ transfer: FileTransfer, _ state: FileTransfer.State) async throws(ChatError) {
        let time = now()
        try await change(transfer.id) {
            $0.state = state
            $0.reason = nil
            $0.finished = time
        }
        await stopDownload(transfer.id)
        _ = transfers.endUpload(transfer.id)
        if transfer.direction == .incoming { await PartialFile(of: transfer)?.remove() }
        try await tell(transfer, state)
    }

    /// Queues news of a transfer for the peer.
    private func tell(_ transfer: FileTransfer, _ state: FileTransfer.State) async throws(ChatError) {
        try await records.stored { () async throws(StoreError) in
            try await store.enqueueFileStatus(to: transfer.contact, transfer: transfer.id, state: state)
        }
        pump(transfer.contact)
    }

    // MARK: What the peer tells

    func receiveStatus(
        _ status: FileStatusRequest, _ request: ReceivedRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        do throws(StoreError) {
            guard let transfer = try await row(of: status.id), transfer.contact == contact else {
                let isHeld = try await store.holdsFile(status.id, of: contact)
                return link.answer(
                    request,
                    isHeld ? .failure(.busy, "the offer is not shown yet") : .failure(.notFound, "no such transfer"))
            }
            if transfer.direction == .outgoing {
                try await receiverSays(
                    status, of: transfer, at: ReceiverPause(link: link.number, number: request.number))
            } else {
                try await senderSays(status.state, of: transfer)
            }
            link.answer(request, BLIPResponse())
        } catch {
            link.answer(request, .failure(.handlerFailed, "cannot store"))
            hub.publish(.notice(.storeFailed(error)))
        }
    }

    private func receiverSays(
        _ status: FileStatusRequest, of transfer: FileTransfer, at place: ReceiverPause
    ) async throws(StoreError) {
        if let pause = status.pause { return try await notePause(pause, of: transfer, at: place) }
        let time = now()
        if status.state != .accepted { _ = transfers.endUpload(transfer.id) }
        _ = try await changeRow(transfer.id) { row in
            switch status.state {
            case .accepted:
                // It goes on, though perhaps behind others.
                if row.state == .accepted, row.reason?.isPauseOfReceiver == true {
                    row.reason = TransferReason.waitingForReceiver
                }
                guard row.state == .offered else { return }
                row.state = .accepted
                row.started = time
            case .declined:
                row.state = .declined
                row.reason = TransferReason.declinedByPeer
            case .cancelled:
                let isDamaged = status.reason == .digest
                row.state = isDamaged ? .failed : .cancelled
                row.reason = isDamaged ? TransferReason.digestDiffers : TransferReason.cancelledByPeer
            case .complete:
                row.state = .complete
                row.reason = nil
                row.transferred = row.size
            }
            if row.state.isFinal { row.finished = time }
        }
    }

    private func senderSays(_ state: FileStatusRequest.State, of transfer: FileTransfer) async throws(StoreError) {
        switch state {
        case .accepted:
            await startDownload(transfer.id)
            await tellPause(of: transfer.id)
        case .complete: break
        case .declined, .cancelled:
            let time = now()
            _ = try await changeRow(transfer.id) {
                $0.state = .cancelled
                $0.reason = TransferReason.cancelledByPeer
                $0.finished = time
            }
            // After the answer: their next request does not wait for our disk.
            spawn { client in
                await client.stopDownload(transfer.id)
                if transfer.state != .complete { await PartialFile(of: transfer)?.remove() }
            }
        }
    }

    // MARK: Parts

    /// Before a contact's rows go: what has come of their files would belong to nothing.
    func removePartials(of contact: ContactID) async throws(ChatError) {
        try await forEachUnfinished(with: contact) { transfer in
            guard transfer.direction == .incoming else { return true }
            await stopDownload(transfer.id)
            transfers.forgetRow(transfer.id)
            await PartialFile(of: transfer)?.remove()
            return true
        }
    }
}
