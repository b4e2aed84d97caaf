// Giving files: answers `file-get` for files that were offered to this very contact (PROTOCOL 4); `file-digest`: +Digests.

import BLIPNet

extension ChatClient {
    /// Serves a link's file requests until the link ends. Ranges are cheap to begin; digests are computed beside
    /// (+Digests).
    func consumeFiles(of contact: ContactID, on link: ActiveLink) async {
        while let request = await link.router.files.next() {
            guard links.isPresent(link.number, of: contact) else { return }
            switch request.content {
            case .fileDigest(let wanted): lineUpDigest(wanted, request, of: contact, on: link)
            case .fileGet(let wanted): await give(wanted, request, to: contact, on: link)
            case .malformed(let error): link.answer(request, error.response)
            default: break
            }
        }
        if link.router.files.isOverrun { link.close(code: 1008, reason: "too many unanswered requests") }
    }

    /// Gives a range of an open file at once. One that has to be opened first is given beside: its disk may not answer, and what
    /// is asked of other files does not wait for that.
    private func give(
        _ wanted: FileGetRequest, _ request: ReceivedRequest, to contact: ContactID, on link: ActiveLink
    ) async {
        switch transfers.line(for: wanted.id, of: contact, on: link.number) {
        case .open: await giveInTurn(wanted, request, to: contact, on: link)
        case .full: link.answer(request, .failure(.busy, "too many files at once"))
        case .after(let before):
            let task = spawn { client in
                await before?.value
                await client.giveInTurn(wanted, request, to: contact, on: link)
                client.transfers.leaveLine(for: wanted.id, of: contact)
            }
            transfers.lineUp(task, for: wanted.id, of: contact)
        }
    }

    private func giveInTurn(
        _ wanted: FileGetRequest, _ request: ReceivedRequest, to contact: ContactID, on link: ActiveLink
    ) async {
        do throws(ServingError) {
            let upload = try await upload(wanted.id, to: contact, on: link, asked: request.number)
            do throws(OutgoingFileError) {
                giveInTime(try upload.file.range(wanted), to: request, of: contact, on: link)
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
        guard pacing.limit(of: get.id, .outgoing) != nil else {
            return link.answer(request, range.response(upTo: get.length))
        }
        spawn { client in
            // Ranges that were asked for over a link that has ended are asked for anew: they must not be paid for.
            let isWanted = { client.links.isPresent(link.number, of: contact) }
            client.transfers.holdRange(of: get.id)
            let granted: UInt64?
            if get.takesLess {
                granted = await client.pacing.grant(upTo: get.length, of: get.id, .outgoing, while: isWanted)
            } else {
                await client.pacing.wait(for: get.length, of: get.id, .outgoing, while: isWanted)
                granted = get.length
            }
            client.transfers.releaseRange(of: get.id)
            guard let granted, isWanted() else { return }
            let answer = await client.response { () async throws(ServingError) in
                _ = try await client.upload(get.id, to: contact, on: link, asked: request.number)
                return range.response(upTo: granted)
            }
            link.answer(request, answer)
        }
    }

    /// Why a file request is refused, as a response.
    struct ServingError: Error {
        var response: BLIPResponse
    }

    func response(_ body: () async throws(ServingError) -> BLIPResponse) async -> BLIPResponse {
        do throws(ServingError) { return try await body() } catch { return error.response }
    }

    /// The open file behind `id`, if it was offered to `contact` and may be given now. `asked`: the number of the request on
    /// its link.
    func upload(
        _ id: MessageID, to contact: ContactID, on link: ActiveLink, asked: UInt64
    ) async throws(ServingError) -> Upload {
        let row = try await givableRow(id, to: contact, on: link, asked: asked)
        if let present = transfers.upload(id, on: link.number) {
            transfers.asked(for: id, now: .now())
            return present
        }
        try await makeRoom(for: contact)
        let file: OutgoingFile
        let limit = configuration.limits.servedRanges
        switch await OutgoingFile.open(row, rangeLimit: limit, notOf: configuration.privateFiles) {
        case .success(let opened): file = opened
        case .failure(let error): throw refusal(error, id)
        // The receiver asks again after a while.
        case nil: throw ServingError(response: .failure(.handlerFailed, "its disk does not answer"))
        }
        // While its disk was asked another request may have opened it, and either side may have ended it.
        _ = try await givableRow(id, to: contact, on: link, asked: asked)
        guard links.isPresent(link.number, of: contact) else {
            throw ServingError(response: .failure(.handlerFailed, "the link is over"))
        }
        if let present = transfers.upload(id, on: link.number) { return present }
        let upload = Upload(file: file, contact: contact, link: link.number, lastAsked: .now())
        transfers.begin(upload, of: id)
        let time = now()
        spawn { client in
            // Either side may have paused it meanwhile.
            guard client.transfers.upload(id, on: link.number) != nil else { return }
            await client.changeQuietly(id) {
                guard $0.state != .paused else { return }
                $0.state = .running
                $0.started = $0.started ?? time
                $0.reason = nil
            }
            await client.followUpload(id, on: link.number)
        }
        return upload
    }

    /// The transfer `id`, if it was offered to `contact` and may be given now.
    private func givableRow(
        _ id: MessageID, to contact: ContactID, on link: ActiveLink, asked: UInt64
    ) async throws(ServingError) -> FileTransfer {
        let found = await records.quietly { () async throws(StoreError) in try await row(of: id) }
        guard let found else { throw ServingError(response: .failure(.handlerFailed, "cannot read the history")) }
        guard let row = found, row.direction == .outgoing, row.contact == contact, row.path != nil else {
            throw ServingError(response: .failure(.forbidden, "not offered to you"))
        }
        guard maySend(to: contact) else { throw ServingError(response: .failure(.tooManyRequests, "not verified yet")) }
        guard !transfers.isPaused(id, for: asked, on: link.number) else {
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

    /// One file more for `contact`: refused while as many as may run are being sent.
    private func makeRoom(for contact: ContactID) async throws(ServingError) {
        switch transfers.room(for: contact) {
        case .free: break
        case .none: throw ServingError(response: .failure(.busy, "too many files at once"))
        case .afterClosing(let idle): await forgetUpload(idle, reason: TransferReason.receiverStopped)
        }
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

    private func failUpload(_ id: MessageID, _ reason: TransferReason) {
        _ = transfers.endUpload(id)
        let time = now()
        spawn { client in
            await client.changeQuietly(id) {
                $0.state = .failed
                $0.reason = reason
                $0.finished = time
            }
        }
    }

    // MARK: Progress

    /// Tells how far the receiver has come, while it pulls over this link.
    private func followUpload(_ id: MessageID, on number: LinkNumber) async {
        var meter = ProgressMeter(id: id, of: transfers.row(id))
        var isMeasuring = false
        var looked = MonotonicTime.now()
        while let upload = transfers.upload(id, on: number), transfers.row(id)?.state == .running {
            do { try await Task.sleep(for: ProgressMeter.interval) } catch { break }
            if transfers.isAbandoned(id, after: configuration.limits.uploadPatience, now: .now()) {
                return await forgetUpload(id, reason: TransferReason.receiverStopped)
            }
            // Before the first range only digests are asked for, and what the peer has already is no progress.
            guard let begin = upload.file.begin else {
                looked = .now()
                continue
            }
            if !isMeasuring { meter.begin(at: begin, looked) }
            isMeasuring = true
            let limit = transfers.sharersOfLimit(with: id)
                .flatMap { pacing.limit(of: id, .outgoing, sharedBy: UInt64($0)) }
            let step = meter.note(upload.file.transferred, at: .now(), limit: limit)
            if let progress = step.progress { hub.publish(.transferProgress(progress)) }
            if step.isWorthStoring {
                await changeQuietly(id, showing: false) { $0.transferred = upload.file.transferred }
            }
        }
    }

    /// The link or the user ended an upload: what is known of it is stored, and the file is closed.
    func forgetUpload(_ id: MessageID, reason: TransferReason = TransferReason.waitingForReceiver) async {
        if let upload = transfers.endUpload(id) { await rememberUpload(id, upload, reason: reason) }
    }

    func rememberUpload(_ id: MessageID, _ upload: Upload, reason: TransferReason = TransferReason.waitingForReceiver)
        async
    {
        await changeQuietly(id) {
            $0.transferred = max($0.transferred, upload.file.transferred)
            if $0.state == .running {
                $0.state = .accepted
                $0.reason = reason
            }
        }
    }
}
