// Running the accepted incoming transfers: starts them when their sender is online, writes down how they go.

import BLIPNet

/// An incoming transfer that runs over one link.
struct Download {
    let task: Task<Void, Never>
    let contact: ContactID
    let link: LinkNumber
    var meter: ProgressMeter
    /// Bytes from the start that are in the partial file.
    var transferred: UInt64
}

extension ChatClient {
    /// At the start of the program nothing runs, whatever the last run left in the store.
    func restTransfers() async {
        let left = await quietly { () async throws(StoreError) in try await store.runningTransfers() }
        // Calls are taken already: what has begun anew runs.
        for transfer in left ?? [] where downloads[transfer.id] == nil && uploads[transfer.id] == nil {
            let isOurs = transfer.direction == .outgoing
            await setWaiting(
                transfer.id, reason: isOurs ? TransferReason.waitingForReceiver : TransferReason.waitingForPeer)
        }
    }

    /// A running transfer waits for the next link.
    private func setWaiting(
        _ id: MessageID, transferred: UInt64? = nil, reason: TransferReason = TransferReason.waitingForPeer
    )
        async
    {
        await changeQuietly(id) {
            $0.transferred = transferred ?? $0.transferred
            guard $0.state == .running || $0.state == .accepted else { return }
            $0.state = .accepted
            $0.reason = reason
        }
    }

    /// So many of one contact may rest: of a folder of thousands that has no room, or that its sender has paused, only
    /// some are tried each time.
    private static let mostResting = 32

    /// Leaves a transfer alone for a while. After that it is its turn again, behind those that have not been tried yet.
    private func rest(_ id: MessageID, from contact: ContactID) {
        restingDownloads[id] = contact
        spawn(after: configuration.limits.retryDelay) { client in
            guard client.restingDownloads.removeValue(forKey: id) != nil else { return }
            client.startWaiting(from: contact)
        }
    }

    /// Starts what waits for `contact`: accepted transfers, oldest first, and offers that need no asking.
    func resumeTransfers(with contact: ContactID) {
        guard phase == .running, sessions[contact]?.sendingLink != nil else { return }
        spawn { client in
            do throws(ChatError) {
                var pauses = 0
                try await client.forEachUnfinished(with: contact) { transfer in
                    guard client.sessions[contact]?.sendingLink != nil else { return false }
                    guard transfer.direction == .incoming else { return true }
                    if transfer.state == .paused, pauses < Self.mostPausesTold {
                        pauses += 1
                        await client.tellPause(of: transfer.id)
                    }
                    client.acceptIfAllowed(transfer)
                    let waits = transfer.state == .accepted || transfer.state == .running
                    if waits, client.restingDownloads[transfer.id] == nil {
                        await client.startDownload(transfer.id, inTurn: true)
                    }
                    return true
                }
            } catch {
                if case .store(let error) = error { client.hub.publish(.notice(.storeFailed(error))) }
            }
        }
    }

    /// A transfer has ended, or has rested: the next ones in the line begin, in turns.
    private func startWaiting(from contact: ContactID) {
        spawn { client in
            // Behind the one that was tried last, then from the beginning.
            for start in [client.sessions[contact]?.lastTried, nil] {
                guard client.hasTurn(for: contact) else { return }
                let limit = 2 * client.configuration.limits.runningTransfers + Self.mostResting
                let waiting = await client.quietly { () async throws(StoreError) in
                    try await client.store.acceptedTransfers(from: contact, after: start, limit: limit)
                }
                guard let waiting else {
                    // The next time it may be read.
                    return client.spawn(after: client.configuration.limits.retryDelay) {
                        $0.startWaiting(from: contact)
                    }
                }
                for transfer in waiting {
                    guard client.hasTurn(for: contact) else { return }
                    let isUnderWay = client.downloads[transfer.id] != nil || client.restingDownloads[transfer.id] != nil
                    guard !isUnderWay else { continue }
                    client.sessions[contact]?.lastTried = transfer.number
                    await client.startDownload(transfer.id)
                }
                if start == nil { return }
            }
        }
    }

    /// Whether one more file of a contact may begin.
    private func hasTurn(for contact: ContactID) -> Bool {
        phase == .running && sessions[contact]?.sendingLink != nil
            && runningDownloads(from: contact) < configuration.limits.runningTransfers
            && restingDownloads.values.count { $0 == contact } < Self.mostResting
    }

    private func runningDownloads(from contact: ContactID) -> Int { downloads.values.count { $0.contact == contact } }

    /// Runs an accepted transfer if its sender is online and few enough run already. `inTurn`: not before its turn, with
    /// many that wait.
    func startDownload(_ id: MessageID, inTurn: Bool = false) async {
        let found = await quietly { () async throws(StoreError) in try await row(of: id) }
        restingDownloads[id] = nil
        guard let row = found ?? nil, row.direction == .incoming, row.state == .accepted || row.state == .running,
            let path = row.path, downloads[id] == nil, !arrivedDownloads.contains(id), phase == .running
        else { return }
        guard let link = sessions[row.contact]?.sendingLink else {
            await changeQuietly(id) {
                $0.state = .accepted
                $0.reason = TransferReason.waitingForPeer
            }
            return
        }
        guard runningDownloads(from: row.contact) < configuration.limits.runningTransfers,
            !inTurn || hasTurn(for: row.contact)
        else {
            await changeQuietly(id) { $0.reason = TransferReason.waitingForTurn }
            return
        }
        let folder = PathParts.folder(of: path)
        let task = spawn { client in
            let work = Task { await client.download(row, to: folder, over: link) }
            // A disk that does not answer must not keep us from going on, nor from ending.
            let outcome = await Settlement.value(of: work, grace: Self.downloadGrace)
            await client.downloadEnded(id, outcome ?? .interrupted)
        }
        downloads[id] = Download(
            task: task, contact: row.contact, link: link.number, meter: ProgressMeter(id: id, of: row),
            transferred: row.transferred)
    }

    /// What a download that was stopped has left to write down how far it is.
    private static let downloadGrace = Duration.seconds(2)

    /// Runs an incoming transfer over one link. Its disk is asked in its lane before a thread of the transfer's own waits for it.
    private func download(
        _ row: FileTransfer, to path: String, over link: ActiveLink
    ) async -> IncomingTransfer.Outcome {
        let id = row.id
        let folder: DownloadFolder
        do throws(FileError) {
            folder = try await DiskLane.run(at: path) { () throws(FileError) in try DownloadFolder(path: path) }
        } catch {
            return Task.isCancelled ? .interrupted : IncomingTransfer.paused(by: error).outcome
        }
        let run = IncomingTransfer(
            transfer: row, folder: folder, connection: link.connection, limits: configuration.limits, pacing: pacing,
            rooms: diskRooms
        ) { [weak self] news in
            await self?.note(news, of: id) ?? false
        }
        if let outcome = await run.begin() { return outcome }
        await changeQuietly(id) {
            guard $0.state == .accepted else { return }
            $0.state = .running
            $0.reason = nil
        }
        return await run.run()
    }

    /// Stops a running download and waits until it has let go of its file, as long as its disk answers.
    func stopDownload(_ id: MessageID) async {
        guard let download = downloads[id] else { return }
        download.task.cancel()
        await download.task.value
    }

    /// The link is over: its transfers stop and wait for the next one.
    func stopTransfers(on number: LinkNumber) {
        for download in downloads.values where download.link == number { download.task.cancel() }
        for line in digestLines.values { line.cancel(on: number) }
        receiverPauses = receiverPauses.filter { $0.value.link != number }
        for (id, upload) in uploads where upload.link == number { spawn { await $0.forgetUpload(id) } }
    }

    /// At the end of the program: writes down how far the uploads are. Downloads have done so themselves.
    func rememberTransfers() async {
        for id in uploads.keys { await forgetUpload(id) }
    }

    /// News from a running download; `false` stops it.
    private func note(_ news: IncomingTransfer.News, of id: MessageID) async -> Bool {
        switch news {
        case .progress(let transferred):
            downloads[id]?.transferred = transferred
            let limit = pacing.limit(of: id, .incoming)
            guard let step = downloads[id]?.meter.note(transferred, at: .now(), limit: limit) else { return true }
            if let progress = step.progress { hub.publish(.transferProgress(progress)) }
            if step.isWorthStoring { await changeQuietly(id, showing: false) { $0.transferred = transferred } }
            return true
        case .finishing(let path, let sha256):
            let changed = await changeQuietly(id, showing: false) {
                $0.path = path
                $0.sha256 = sha256
                $0.transferred = $0.size
            }
            return changed?.state == .running
        }
    }

    private func downloadEnded(_ id: MessageID, _ outcome: IncomingTransfer.Outcome) async {
        guard let download = downloads.removeValue(forKey: id) else { return }
        switch outcome {
        case .complete(let path, let sha256):
            arrivedDownloads.insert(id)
            defer { arrivedDownloads.remove(id) }
            let time = now()
            // The news first: should we die between the two, the next run finds the file and says it again.
            guard await tellQuietly(id, download.contact, .complete) else {
                rest(id, from: download.contact)
                return await setWaiting(id, transferred: download.transferred)
            }
            // It goes out before our row says so: whoever waits for this file alone ends then, and the link with them.
            await pumped(download.contact)
            await changeQuietly(id) {
                $0.state = .complete
                $0.reason = nil
                $0.path = path
                $0.sha256 = sha256
                $0.transferred = $0.size
                $0.finished = time
            }
        case .interrupted:
            // The link may still be there: the sender left an answer unfinished.
            if sessions[download.contact]?.link?.number == download.link { rest(id, from: download.contact) }
            await setWaiting(id, transferred: download.transferred)
        case .waiting(let reason):
            rest(id, from: download.contact)
            await setWaiting(id, transferred: download.transferred, reason: reason)
        case .paused(let reason):
            await changeQuietly(id) {
                $0.transferred = download.transferred
                $0.state = .paused
                $0.reason = reason
            }
            await tellPause(of: id)
        case .withdrawn: await giveUp(id, .cancelled, TransferReason.cancelledByPeer)
        case .failed(let reason, let tellsPeer):
            // The reason first: it is told with the state.
            await changeQuietly(id, showing: false) { $0.reason = reason }
            if tellsPeer, await !tellQuietly(id, download.contact, .failed) {
                rest(id, from: download.contact)
                return await setWaiting(id, transferred: download.transferred)
            }
            await giveUp(id, .failed, reason)
        }
        pump(download.contact)
        startWaiting(from: download.contact)
    }

    /// Ends a download without a file.
    private func giveUp(_ id: MessageID, _ state: FileTransfer.State, _ reason: TransferReason) async {
        if let row = transferRows[id] { await removePartial(of: row) }
        let time = now()
        await changeQuietly(id) {
            $0.state = state
            $0.reason = reason
            $0.finished = time
        }
    }

    /// `false` when the news could not be stored: the peer would never hear of it.
    @discardableResult
    func tellQuietly(_ id: MessageID, _ contact: ContactID, _ state: FileTransfer.State) async -> Bool {
        await quietly { () async throws(StoreError) in
            try await store.enqueueFileStatus(to: contact, transfer: id, state: state)
            return true
        } != nil
    }
}
