// Giving files: answers `file-get` for files that were offered to this very contact (PROTOCOL 4); `file-digest`: +Digests.

import BLIPNet

/// Carries out what `Transfers` decides of outgoing files.
struct Uploads {
    let core: ClientCore
    let book: TransferBook
    let pacing: TransferPacing
    let lanes: FileLanes

    /// Why a file request is refused, as a response.
    struct ServingError: Error {
        var response: BLIPResponse
    }

    /// Serves a link's file requests until the link ends. Ranges are cheap to begin; digests are computed beside
    /// (+Digests).
    func consumeFiles(of contact: ContactID, on link: ActiveLink) async {
        while let request = await link.router.files.next() {
            guard core.links.isPresent(link.number, of: contact) else { return }
            await handle(request, of: contact, on: link)
        }
        if link.router.files.isOverrun { link.close(code: 1008, reason: "too many unanswered requests") }
    }

    /// Not inlined: the task of `consumeFiles` lasts as long as the link, and most links carry no files.
    @inline(never)
    private func handle(_ request: ReceivedRequest, of contact: ContactID, on link: ActiveLink) async {
        switch request.content {
        case .fileDigest(let wanted): lineUpDigest(wanted, request, of: contact, on: link)
        case .fileGet(let wanted): await give(wanted, request, to: contact, on: link)
        case .fileBundle(let wanted): give(wanted, request, to: contact, on: link)
        case .malformed(let error): link.answer(request, error.response)
        default: break
        }
    }

    /// Gives a range of an open file at once. One that has to be opened first is given beside: its disk may not answer, and what
    /// is asked of other files does not wait for that.
    private func give(
        _ wanted: FileGetRequest, _ request: ReceivedRequest, to contact: ContactID, on link: ActiveLink
    ) async {
        switch book.transfers.line(for: wanted.id, of: contact, on: link.number) {
        case .open: await giveInTurn(wanted, request, to: contact, on: link)
        case .full: link.answer(request, .failure(.busy, "too many files at once"))
        case .after(let before):
            let task = core.tasks.spawn { client in
                await before?.value
                await client.uploads.giveInTurn(wanted, request, to: contact, on: link)
                client.book.transfers.leaveLine(for: wanted.id, of: contact)
            }
            book.transfers.lineUp(task, for: wanted.id, of: contact)
        }
    }

    private func giveInTurn(
        _ wanted: FileGetRequest, _ request: ReceivedRequest, to contact: ContactID, on link: ActiveLink
    ) async {
        do throws(ServingError) {
            let upload = try await upload(wanted.id, to: contact, on: link, asked: link.place(of: request))
            do throws(OutgoingFileError) {
                giveInTime(try upload.file.range(wanted, overLane: link.isLane), to: request, of: contact, on: link)
            } catch {
                throw refusal(error, wanted.id)
            }
        } catch {
            link.answer(request, error.response)
        }
    }

    /// Answers when the limits of the rate allow it, with as much as they let go at once where the receiver takes less;
    /// what our user has decided meanwhile counts.
    private func giveInTime(
        _ range: ReadyRange, to request: ReceivedRequest, of contact: ContactID, on link: ActiveLink
    ) {
        let get = range.request
        pacing.goes(get.id, throughRelay: link.routeClass == .relay)
        guard pacing.limit(of: get.id, .outgoing) != nil else {
            let piece = get.takesLess ? lanes.piece(of: get.length, to: contact, over: link) : get.length
            return link.answer(request, range.response(upTo: piece))
        }
        core.tasks.spawn { client in
            // The receiver asks anew for ranges whose link has ended: the old ones must cost nothing.
            let isWanted = { client.core.links.isPresent(link.number, of: contact) }
            client.book.transfers.holdRange(of: get.id)
            let granted: UInt64?
            if get.takesLess {
                granted = await client.pacing.grant(upTo: get.length, of: get.id, .outgoing, while: isWanted)
            } else {
                await client.pacing.wait(for: get.length, of: get.id, .outgoing, while: isWanted)
                granted = get.length
            }
            client.book.transfers.releaseRange(of: get.id)
            guard let granted, isWanted() else { return }
            let answer = await client.uploads.response { () async throws(ServingError) in
                _ = try await client.uploads.upload(get.id, to: contact, on: link, asked: link.place(of: request))
                return range.response(upTo: granted)
            }
            link.answer(request, answer)
        }
    }

    func response(_ body: () async throws(ServingError) -> BLIPResponse) async -> BLIPResponse {
        do throws(ServingError) { return try await body() } catch { return error.response }
    }

    /// The open file of the transfer `id`, if it was offered to `contact` and may be given now. `asked`: the number of
    /// the request on its link.
    func upload(
        _ id: MessageID, to contact: ContactID, on link: ActiveLink, asked: UInt64
    ) async throws(ServingError) -> Upload {
        let row = try await givableRow(id, to: contact, on: link, asked: asked)
        if let present = book.transfers.upload(id, on: link.number) {
            book.transfers.asked(for: id, now: .now())
            return present
        }
        if let idle = book.transfers.closedForAnother(of: contact) {
            await forgetUpload(idle, reason: TransferReason.receiverStopped)
        }
        let file: OutgoingFile
        let limit = core.configuration.limits.servedRanges
        switch await OutgoingFile.open(row, rangeLimit: limit, notOf: core.configuration.privateFiles) {
        case .success(let opened): file = opened
        case .failure(let error): throw refusal(error, id)
        // The receiver asks again after a while.
        case nil: throw ServingError(response: .failure(.handlerFailed, "its disk does not answer"))
        }
        // While its disk was asked another request may have opened it, and either side may have ended it.
        _ = try await givableRow(id, to: contact, on: link, asked: asked)
        guard core.links.isPresent(link.number, of: contact) else {
            throw ServingError(response: .failure(.handlerFailed, "the link is over"))
        }
        if let present = book.transfers.upload(id, on: link.number) { return present }
        let upload = Upload(file: file, contact: contact, link: link.number, lastAsked: .now())
        book.transfers.begin(upload, of: id)
        let time = core.now()
        core.tasks.spawn { client in
            // Either side may have paused it meanwhile.
            guard client.book.transfers.upload(id, on: link.number) != nil else { return }
            await client.book.changeQuietly(id) {
                guard $0.state != .paused else { return }
                $0.state = .running
                $0.started = $0.started ?? time
                $0.reason = nil
            }
            await client.uploads.followUpload(id, on: link.number)
        }
        return upload
    }

    /// The transfer `id`, if it was offered to `contact` and may be given now.
    func givableRow(
        _ id: MessageID, to contact: ContactID, on link: ActiveLink, asked: UInt64
    ) async throws(ServingError) -> FileTransfer {
        let found = await core.records.quietly { () async throws(StoreError) in try await book.row(of: id) }
        guard let found else { throw ServingError(response: .failure(.handlerFailed, "cannot read the history")) }
        guard let row = found, row.direction == .outgoing, row.contact == contact, row.path != nil else {
            throw ServingError(response: .failure(.forbidden, "not offered to you"))
        }
        guard core.maySend(to: contact) else {
            throw ServingError(response: .failure(.tooManyRequests, "not verified yet"))
        }
        guard !book.transfers.isPaused(id, for: asked, on: link.number) else {
            throw ServingError(response: .failure(.tooManyRequests, "you paused it"))
        }
        switch row.state {
        case .offered, .accepted, .running: break
        case .paused: throw ServingError(response: .failure(.tooManyRequests, "paused"))
        case .failed:
            // The receiver may ask again after it lost the first answer.
            let isGone = row.reason == TransferReason.sourceGone
            throw ServingError(response: isGone ? .failure(.notFound, "gone") : .failure(.conflict, "changed"))
        case .declined, .cancelled, .complete:
            throw ServingError(response: .failure(.forbidden, "no longer offered"))
        }
        return row
    }

    /// The error response; a source that is gone or changed ends the transfer, which is stored and shown beside: a program
    /// that waits for the end of the transfer and stops then shall not be faster than the response.
    func refusal(_ error: OutgoingFileError, _ id: MessageID) -> ServingError {
        switch error {
        case .badRange: return ServingError(response: .failure(.badRange, "outside of the file"))
        case .stopped: return ServingError(response: .failure(.tooManyRequests, "no longer given"))
        case .tooManyRanges: return ServingError(response: .failure(.tooManyRequests, "too many ranges at once"))
        case .gone:
            failUpload(id, TransferReason.sourceGone)
            return ServingError(response: .failure(.notFound, "gone"))
        case .changed:
            failUpload(id, TransferReason.sourceChanged)
            return ServingError(response: .failure(.conflict, "changed since the offer"))
        }
    }

    /// The receiver may never see the response, and hears it as news, too. That goes out before our row says so: whoever waits
    /// for this file alone ends then, and the link with them.
    private func failUpload(_ id: MessageID, _ reason: TransferReason) {
        _ = book.transfers.endUpload(id)
        let time = core.now()
        core.tasks.spawn { client in
            let row = await client.book.changeQuietly(id, showing: false) { $0.reason = reason }
            if let row, await client.book.tellQuietly(id, row.contact, .failed) {
                await client.outbox.pumped(row.contact)
            }
            await client.book.changeQuietly(id) {
                $0.state = .failed
                $0.reason = reason
                $0.finished = time
            }
        }
    }

    /// Tells how far the receiver has come, while it pulls over this link.
    private func followUpload(_ id: MessageID, on number: LinkNumber) async {
        var meter = ProgressMeter(id: id, of: book.transfers.row(id))
        var isMeasuring = false
        var looked = MonotonicTime.now()
        while let upload = book.transfers.upload(id, on: number), book.transfers.row(id)?.state == .running {
            do { try await Task.sleep(for: ProgressMeter.interval) } catch { break }
            await lanes.look(at: upload.contact, on: number)
            if book.transfers.isAbandoned(id, after: core.configuration.limits.uploadPatience, now: .now()) {
                return await forgetUpload(id, reason: TransferReason.receiverStopped)
            }
            // Before the first range the peer asks only for digests, and what it has already is no progress.
            guard let begin = upload.file.begin else {
                looked = .now()
                continue
            }
            if !isMeasuring { meter.begin(at: begin, looked) }
            isMeasuring = true
            let limit = book.transfers.sharersOfLimit(with: id)
                .flatMap { pacing.limit(of: id, .outgoing, sharedBy: UInt64($0)) }
            let step = meter.note(upload.file.transferred, at: .now(), limit: limit)
            if let progress = step.progress { core.hub.publish(.transferProgress(progress)) }
            if step.isWorthStoring {
                await book.changeQuietly(id, showing: false) { $0.transferred = upload.file.transferred }
            }
        }
    }

    /// The link or the user ended an upload: what is known of it is stored, and the file is closed.
    func forgetUpload(_ id: MessageID, reason: TransferReason = .waitingForReceiver) async {
        if let upload = book.transfers.endUpload(id) { await rememberUpload(id, upload, reason: reason) }
    }

    func rememberUpload(_ id: MessageID, _ upload: Upload, reason: TransferReason = .waitingForReceiver)
        async
    {
        await book.changeQuietly(id) {
            $0.transferred = max($0.transferred, upload.file.transferred)
            if $0.state == .running {
                $0.state = .accepted
                $0.reason = reason
            }
        }
    }

    /// The link is over: its transfers stop and wait for the next one.
    func stopTransfers(on number: LinkNumber) {
        lanes.end(beside: number)
        for id in book.transfers.linkEnded(number) { core.tasks.spawn { await $0.uploads.forgetUpload(id) } }
    }

    func receiverSays(
        _ status: FileStatusRequest, of transfer: FileTransfer, at place: ReceiverPause
    ) async throws(StoreError) {
        if let pause = status.pause { return try await notePause(pause, of: transfer, at: place) }
        if status.state == .complete { return try await receiverHas([transfer.id]) }
        let time = core.now()
        if status.state != .accepted { _ = book.transfers.endUpload(transfer.id) }
        _ = try await book.changeRow(transfer.id) { row in
            switch status.state {
            case .accepted:
                // It continues, though perhaps after others.
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
                row.state = status.reason == nil ? .cancelled : .failed
                row.reason = status.reason?.transferReason ?? TransferReason.cancelledByPeer
            case .complete: break
            }
            if row.state.isFinal { row.finished = time }
        }
    }

    /// Files of ours have come whole at their receiver.
    func receiverHas(_ ids: [MessageID]) async throws(StoreError) {
        let time = core.now()
        for id in ids { _ = book.transfers.endUpload(id) }
        _ = try await book.changeRows(ids) { row in
            row.state = .complete
            row.reason = nil
            row.transferred = row.size
            row.finished = time
        }
    }

    /// The receiver fetches nothing more of a file of ours for now, as the request `place` says.
    func notePause(
        _ pause: FileStatusRequest.Pause, of transfer: FileTransfer, at place: ReceiverPause
    ) async throws(StoreError) {
        guard !transfer.state.isFinal else { return }
        if let upload = book.transfers.pause(transfer.id, at: place) { await rememberUpload(transfer.id, upload) }
        let time = core.now()
        _ = try await book.changeRow(transfer.id) { row in
            // A file that our user has paused is not theirs to pause.
            guard row.state != .paused else { return }
            row.state = .accepted
            row.started = row.started ?? time
            row.reason =
                switch pause {
                case .user: TransferReason.pausedByReceiver
                case .disk: TransferReason.receiversDisk
                }
        }
    }
}
