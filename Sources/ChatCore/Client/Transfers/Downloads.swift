// Running the accepted incoming transfers: starts them when their sender is online, writes down how they go.

import BLIPNet

/// Carries out what `Transfers` decides of incoming files.
struct Downloads {
    let core: ClientCore
    let book: TransferBook
    let outbox: OutboxSender
    let pacing: TransferPacing
    let bundles: Bundles
    let lanes: FileLanes
    /// The space that running downloads still need on each disk.
    let diskRooms = DiskRooms()

    /// When a link begins we tell the sender of so many paused files at most: a paused folder has thousands, and nobody waits
    /// for this news.
    static let mostPausesTold = 100
    /// We look at this many open offers together when a link begins.
    private static let offersTogether = 100
    /// How long a stopped download may take to write down how far it is.
    private static let downloadGrace = Duration.seconds(2)

    /// At the start of the program nothing runs, whatever the last run left in the store.
    func restTransfers() async {
        let left = await core.records.quietly { () async throws(StoreError) in try await core.store.runningTransfers() }
        // We take calls already, so that a peer may have started some of them again: those run.
        for transfer in left ?? [] where !book.transfers.isRunning(transfer.id) {
            let isOurs = transfer.direction == .outgoing
            await setWaiting(
                transfer.id, reason: isOurs ? TransferReason.waitingForReceiver : TransferReason.waitingForPeer)
        }
    }

    /// Starts what waits for `contact`: accepted transfers, oldest first, and offers that need no asking.
    func resumeTransfers(with contact: ContactID) {
        guard core.isRunning, core.links[contact]?.sendingLink != nil else { return }
        core.tasks.spawn { client in
            do throws(ChatError) {
                var pauses = 0
                var offers: [FileTransfer] = []
                try await client.book.forEachUnfinished(with: contact) { transfer in
                    guard client.core.links[contact]?.sendingLink != nil else { return false }
                    guard transfer.direction == .incoming else { return true }
                    if transfer.state == .paused, pauses < Self.mostPausesTold {
                        pauses += 1
                        await client.downloads.tellPause(of: transfer.id)
                    }
                    offers.append(transfer)
                    if offers.count >= Self.offersTogether {
                        client.decisions.acceptIfAllowed(offers)
                        offers = []
                    }
                    let waits = transfer.state == .accepted || transfer.state == .running
                    if waits, !client.book.transfers.isResting(transfer.id) {
                        await client.downloads.startDownload(transfer.id, inTurn: true)
                    }
                    return true
                }
                client.decisions.acceptIfAllowed(offers)
            } catch {
                if case .store(let error) = error { client.core.hub.publish(.notice(.storeFailed(error))) }
            }
        }
    }

    /// A transfer has ended, or has rested: the next ones in the line begin, in turns.
    func startWaiting(from contact: ContactID) {
        core.tasks.spawn { client in
            // Behind the one that was tried last, then from the beginning.
            for start in [client.core.links[contact]?.lastTried, nil] {
                guard client.downloads.hasTurn(for: contact) else { return }
                let limit = client.book.transfers.mostWaiting
                let waiting = await client.core.records.quietly { () async throws(StoreError) in
                    try await client.core.store.acceptedTransfers(from: contact, after: start, limit: limit)
                }
                guard let waiting else {
                    // The next time it may be read.
                    return client.core.tasks.spawn(after: client.core.configuration.limits.retryDelay) {
                        $0.downloads.startWaiting(from: contact)
                    }
                }
                for transfer in waiting {
                    guard client.downloads.hasTurn(for: contact) else { return }
                    guard !client.book.transfers.isUnderWay(transfer.id) else { continue }
                    guard !client.downloads.comesTogether(transfer) else {
                        client.downloads.bundles.start(from: contact)
                        continue
                    }
                    client.core.links[contact]?.lastTried = transfer.number
                    await client.downloads.startDownload(transfer.id)
                }
                if start == nil { return }
            }
        }
    }

    /// Whether a file waits for others to come together with.
    private func comesTogether(_ stored: FileTransfer) -> Bool {
        let row = book.transfers.row(stored.id) ?? stored
        return core.links.takesBundles(row.contact) && book.transfers.fitsBundle(row)
    }

    /// Whether one more file of a contact may begin.
    func hasTurn(for contact: ContactID) -> Bool {
        core.isRunning && core.links[contact]?.sendingLink != nil
            && book.transfers.hasTurn(contact)
    }

    /// Runs an accepted transfer if its sender is online and few enough run already. `inTurn`: not before its turn, with
    /// many that wait.
    func startDownload(_ id: MessageID, inTurn: Bool = false) async {
        _ = await book.rowQuietly(of: id)
        guard core.isRunning else { return }
        let start = book.transfers.start(
            id, isOnline: { core.links[$0]?.sendingLink != nil },
            takesBundles: core.links.takesBundles, inTurn: inTurn)
        switch start {
        case .stays: break
        case .bundled: if let contact = book.transfers.row(id)?.contact { bundles.start(from: contact) }
        case .waitsForPeer:
            await book.changeQuietly(id) {
                $0.state = .accepted
                $0.reason = TransferReason.waitingForPeer
            }
        case .waitsForTurn: await book.changeQuietly(id) { $0.reason = TransferReason.waitingForTurn }
        case .begins(let row, let folder):
            guard let link = core.links[row.contact]?.sendingLink else { return }
            let task = core.tasks.spawn { client in
                let work = Task { await client.downloads.download(row, to: folder, over: link) }
                // A disk that does not answer must hold up neither other transfers nor the end of the program.
                let outcome = await Settlement.value(of: work, grace: Self.downloadGrace)
                await client.downloads.downloadEnded(id, outcome ?? .interrupted)
                guard outcome == nil else { return }
                // This run may still make its file after we have removed that of an ended transfer. Nobody waits for it.
                Task { [weak client] in
                    _ = await work.value
                    await client?.run { await $0.book.clearBehind(id, as: row) }
                }
            }
            let download = Download(
                task: task, contact: row.contact, link: link.number, meter: ProgressMeter(id: id, of: row),
                transferred: row.transferred)
            book.transfers.begin(download, of: id)
        }
    }

    /// Runs an incoming transfer over one link. Opens the folder in the lane of its disk first, so that a disk that does not
    /// answer blocks that lane alone, and no thread of this transfer.
    func download(
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
            transfer: row, folder: folder, connection: link.connection,
            lanes: lanes.open(with: row.contact, beside: link), limits: core.configuration.limits, pacing: pacing,
            rooms: diskRooms
        ) { [weak client = core.tasks.client] news in
            await client?.run { await $0.downloads.note(news, of: id) } ?? false
        }
        if let outcome = await run.begin() { return outcome }
        pacing.goes(id, throughRelay: link.routeClass == .relay)
        await book.changeQuietly(id) {
            guard $0.state == .accepted else { return }
            $0.state = .running
            $0.reason = nil
        }
        return await run.run()
    }

    /// Stops a running download and waits until it has let go of its file, as long as its disk answers.
    func stopDownload(_ id: MessageID) async {
        guard let download = book.transfers.download(id) else { return }
        download.task.cancel()
        await download.task.value
    }

    /// News from a running download; `false` stops it.
    func note(_ news: IncomingTransfer.News, of id: MessageID) async -> Bool {
        switch news {
        case .progress(let transferred):
            let limit = pacing.limit(of: id, .incoming)
            guard let step = book.transfers.note(transferred, of: id, at: .now(), limit: limit) else { return true }
            if let progress = step.progress { core.hub.publish(.transferProgress(progress)) }
            if step.isWorthStoring { await book.changeQuietly(id, showing: false) { $0.transferred = transferred } }
            return true
        case .finishing(let path, let sha256):
            let changed = await book.changeQuietly(id, showing: false) {
                $0.path = path
                $0.sha256 = sha256
                $0.transferred = $0.size
            }
            return changed?.state == .running
        }
    }

    func downloadEnded(_ id: MessageID, _ outcome: IncomingTransfer.Outcome) async {
        guard let download = book.transfers.endDownload(id, isFinal: outcome.isFinal) else { return }
        defer { book.transfers.endEnding(id) }
        switch outcome {
        case .complete(let path, let sha256):
            let time = core.now()
            // The news first: should we die between the two, the next run finds the file and says it again.
            guard await book.tellQuietly(id, download.contact, .complete) else {
                rest(id, from: download.contact)
                return await setWaiting(id, transferred: download.transferred)
            }
            // It goes out before our row says so: whoever waits for this file alone ends then, and the link with them.
            await outbox.pumped(download.contact)
            await book.changeQuietly(id) {
                $0.state = .complete
                $0.reason = nil
                $0.path = path
                $0.sha256 = sha256
                $0.transferred = $0.size
                $0.finished = time
            }
            await clearUnwanted(path, of: id)
        case .interrupted:
            // The link may still be there: the sender left an answer unfinished.
            if core.links[download.contact]?.link?.number == download.link { rest(id, from: download.contact) }
            await setWaiting(id, transferred: download.transferred)
        case .waiting(let reason):
            rest(id, from: download.contact)
            await setWaiting(id, transferred: download.transferred, reason: reason)
        case .paused(let reason):
            await book.changeQuietly(id) {
                $0.transferred = download.transferred
                $0.state = .paused
                $0.reason = reason
            }
            await tellPause(of: id)
        case .withdrawn: await giveUp(id, .cancelled, TransferReason.cancelledByPeer)
        case .failed(let reason, let tellsPeer):
            // The reason first: `tellQuietly` sends it with the state.
            await book.changeQuietly(id, showing: false) { $0.reason = reason }
            if tellsPeer, await !book.tellQuietly(id, download.contact, .failed) {
                rest(id, from: download.contact)
                return await setWaiting(id, transferred: download.transferred)
            }
            await giveUp(id, .failed, reason)
        }
        outbox.pump(download.contact)
        startWaiting(from: download.contact)
    }

    /// A file that was cancelled while it got its name goes again: its row says that there is none.
    private func clearUnwanted(_ path: String, of id: MessageID) async {
        guard await book.hasEndedWithoutFile(id) else { return }
        await PartialFile.remove(PathParts.lastName(of: path), in: PathParts.folder(of: path))
        await book.clearBehind(id)
    }

    /// Ends a download without a file.
    private func giveUp(_ id: MessageID, _ state: FileTransfer.State, _ reason: TransferReason) async {
        if let row = await book.rowQuietly(of: id) { await PartialFile(of: row)?.remove() }
        let time = core.now()
        await book.changeQuietly(id) {
            $0.state = state
            $0.reason = reason
            $0.finished = time
        }
    }

    /// A running transfer waits for the next link.
    private func setWaiting(
        _ id: MessageID, transferred: UInt64? = nil, reason: TransferReason = .waitingForPeer
    ) async {
        await book.changeQuietly(id) {
            $0.transferred = transferred ?? $0.transferred
            guard $0.state == .running || $0.state == .accepted else { return }
            $0.state = .accepted
            $0.reason = reason
        }
    }

    /// Does not try a transfer for a while. Then it has its turn again, after those that have not been tried yet.
    private func rest(_ id: MessageID, from contact: ContactID) {
        book.transfers.rest(id, from: contact)
        core.tasks.spawn(after: core.configuration.limits.retryDelay) { client in
            guard client.book.transfers.endRest(id) else { return }
            client.downloads.startWaiting(from: contact)
        }
    }

    /// Tells the sender of a paused incoming file why we fetch no more of it. We do not store that: we say it again over
    /// the next link, and fetching takes it back.
    func tellPause(of id: MessageID) async {
        guard let row = await book.rowQuietly(of: id), row.direction == .incoming, row.state == .paused,
            let link = core.links[row.contact]?.sendingLink
        else { return }
        let pause: FileStatusRequest.Pause = row.reason == nil ? .user : .disk
        link.connection.submitNoReply(FileStatusRequest(id: id, state: .accepted, pause: pause).encoded())
    }

    func senderSays(_ status: FileStatusRequest, of transfer: FileTransfer) async throws(StoreError) {
        switch status.state {
        case .accepted:
            await startDownload(transfer.id)
            await tellPause(of: transfer.id)
        case .complete: break
        case .declined, .cancelled:
            let time = core.now()
            let changed = try await book.changeRow(transfer.id) {
                $0.state = status.reason == nil ? .cancelled : .failed
                $0.reason = status.reason?.transferReason ?? TransferReason.cancelledByPeer
                $0.finished = time
            }
            // After the answer: their next request does not wait for our disk.
            core.tasks.spawn { client in
                await client.downloads.stopDownload(transfer.id)
                // By the row as it is now: an acceptance may have stored the path after `transfer` was read.
                if let changed { await PartialFile(of: changed)?.remove() }
            }
        }
    }
}
