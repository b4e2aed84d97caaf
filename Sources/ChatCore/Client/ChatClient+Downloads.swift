// Running the accepted incoming transfers: starts them when their sender is online, writes down how they go.

import BLIPNet

extension ChatClient {
    /// At the start of the program nothing runs, whatever the last run left in the store.
    func restTransfers() async {
        let left = await records.quietly { () async throws(StoreError) in try await store.runningTransfers() }
        // Calls are taken already: what has begun anew runs.
        for transfer in left ?? [] where !transfers.isRunning(transfer.id) {
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

    /// Leaves a transfer alone for a while. After that it is its turn again, behind those that have not been tried yet.
    private func rest(_ id: MessageID, from contact: ContactID) {
        transfers.rest(id, from: contact)
        spawn(after: configuration.limits.retryDelay) { client in
            guard client.transfers.endRest(id) else { return }
            client.startWaiting(from: contact)
        }
    }

    /// Starts what waits for `contact`: accepted transfers, oldest first, and offers that need no asking.
    func resumeTransfers(with contact: ContactID) {
        guard phase == .running, links[contact]?.sendingLink != nil else { return }
        spawn { client in
            do throws(ChatError) {
                var pauses = 0
                try await client.forEachUnfinished(with: contact) { transfer in
                    guard client.links[contact]?.sendingLink != nil else { return false }
                    guard transfer.direction == .incoming else { return true }
                    if transfer.state == .paused, pauses < Self.mostPausesTold {
                        pauses += 1
                        await client.tellPause(of: transfer.id)
                    }
                    client.acceptIfAllowed(transfer)
                    let waits = transfer.state == .accepted || transfer.state == .running
                    if waits, !client.transfers.isResting(transfer.id) {
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
            for start in [client.links[contact]?.lastTried, nil] {
                guard client.hasTurn(for: contact) else { return }
                let limit = client.transfers.mostWaiting
                let waiting = await client.records.quietly { () async throws(StoreError) in
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
                    guard !client.transfers.isUnderWay(transfer.id) else { continue }
                    client.links[contact]?.lastTried = transfer.number
                    await client.startDownload(transfer.id)
                }
                if start == nil { return }
            }
        }
    }

    /// Whether one more file of a contact may begin.
    private func hasTurn(for contact: ContactID) -> Bool {
        phase == .running && links[contact]?.sendingLink != nil
            && transfers.hasTurn(contact)
    }

    /// Runs an accepted transfer if its sender is online and few enough run already. `inTurn`: not before its turn, with
    /// many that wait.
    func startDownload(_ id: MessageID, inTurn: Bool = false) async {
        _ = await records.quietly { () async throws(StoreError) in try await row(of: id) }
        guard phase == .running else { return }
        switch transfers.start(id, isOnline: { links[$0]?.sendingLink != nil }, inTurn: inTurn) {
        case .stays: break
        case .waitsForPeer:
            await changeQuietly(id) {
                $0.state = .accepted
                $0.reason = TransferReason.waitingForPeer
            }
        case .waitsForTurn: await changeQuietly(id) { $0.reason = TransferReason.waitingForTurn }
        case .begins(let row, let folder):
            guard let link = links[row.contact]?.sendingLink else { return }
            let task = spawn { client in
                let work = Task { await client.download(row, to: folder, over: link) }
                // A disk that does not answer must not keep us from going on, nor from ending.
                let outcome = await Settlement.value(of: work, grace: Self.downloadGrace)
                await client.downloadEnded(id, outcome ?? .interrupted)
            }
            let download = Download(
                task: task, contact: row.contact, link: link.number, meter: ProgressMeter(id: id, of: row),
                transferred: row.transferred)
            transfers.begin(download, of: id)
        }
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
        guard let download = transfers.download(id) else { return }
        download.task.cancel()
        await download.task.value
    }

    /// The link is over: its transfers stop and wait for the next one.
    func stopTransfers(on number: LinkNumber) {
        for id in transfers.linkEnded(number) { spawn { await $0.forgetUpload(id) } }
    }

    /// News from a running download; `false` stops it.
    private func note(_ news: IncomingTransfer.News, of id: MessageID) async -> Bool {
        switch news {
        case .progress(let transferred):
            let limit = pacing.limit(of: id, .incoming)
            guard let step = transfers.note(transferred, of: id, at: .now(), limit: limit) else { return true }
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
        guard let download = transfers.endDownload(id, arrived: outcome.isComplete) else { return }
        switch outcome {
        case .complete(let path, let sha256):
            defer { transfers.endArrival(id) }
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
            if links[download.contact]?.link?.number == download.link { rest(id, from: download.contact) }
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
        if let row = transfers.row(id) { await PartialFile(of: row)?.remove() }
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
        await records.quietly { () async throws(StoreError) in
            try await store.enqueueFileStatus(to: contact, transfer: id, state: state)
            return true
        } != nil
    }
}
