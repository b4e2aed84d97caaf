// Fetching small files together (Docs/protocol.md 10.5): many of them in one answer, one commit, and two syncs of the disk.
// Downloads takes any file with something unusual, and fetches it by itself.

import BLIPNet

/// One task for each contact asks for bundles and takes them, in the order of the line. Belongs to one actor.
final class Bundles {
    private typealias Fetch = (rows: [FileTransfer], answer: PendingResponse)

    private let core: ClientCore
    private let book: TransferBook
    private let outbox: OutboxSender
    private let pacing: TransferPacing
    private var phases: [ContactID: Phase] = [:]

    private enum Phase {
        /// A task fetches. `isAsked`: more may wait than it has seen.
        case fetching(isAsked: Bool)
        /// They, or our history, could not continue: tried again after a while.
        case resting
    }

    init(core: ClientCore, book: TransferBook, outbox: OutboxSender, pacing: TransferPacing) {
        self.core = core
        self.book = book
        self.outbox = outbox
        self.pacing = pacing
    }

    /// Fetches what waits of a contact, unless that is being done.
    func start(from contact: ContactID) {
        guard core.isRunning, core.links.takesBundles(contact) else { return }
        switch phases[contact] {
        case .resting: break
        case .fetching: phases[contact] = .fetching(isAsked: true)
        case nil:
            phases[contact] = .fetching(isAsked: false)
            core.tasks.spawn { await $0.downloads.bundles.run(from: contact) }
        }
    }

    private func run(from contact: ContactID) async {
        var goesOn = true
        while goesOn, !Task.isCancelled, core.links.takesBundles(contact),
            let link = core.links[contact]?.sendingLink
        {
            phases[contact] = .fetching(isAsked: false)
            guard await fetchAll(from: contact, over: link) else { return rest(contact) }
            goesOn = if case .fetching(isAsked: true) = phases[contact] { true } else { false }
        }
        phases[contact] = nil
        core.tasks.spawn { $0.downloads.startWaiting(from: contact) }
    }

    private func rest(_ contact: ContactID) {
        phases[contact] = .resting
        core.tasks.spawn(after: core.configuration.limits.retryDelay) { client in
            client.downloads.bundles.phases[contact] = nil
            client.downloads.bundles.start(from: contact)
        }
    }

    /// Goes once through the line; some bundles are on their way while the one before is written. `false` when it cannot go
    /// on now.
    private func fetchAll(from contact: ContactID, over link: ActiveLink) async -> Bool {
        var fetches: [Fetch] = []
        var last: TransferNumber?
        var isAtEnd = false
        while core.isRunning, !Task.isCancelled, core.links.isPresent(link.number, of: contact) {
            while !isAtEnd, fetches.count < core.configuration.limits.bundles.running {
                guard let next = await next(from: contact, after: last) else {
                    isAtEnd = true
                    break
                }
                last = next.last
                if !next.rows.isEmpty { fetches.append((next.rows, await ask(for: next.rows, over: link))) }
            }
            guard !fetches.isEmpty else { return true }
            let (rows, answer) = fetches.removeFirst()
            guard await take(rows, answer, from: contact) else { break }
        }
        for fetch in fetches { book.transfers.endBundle(fetch.rows.map(\.id)) }
        return false
    }

    /// The next files that come together; `nil` at the end of the line.
    private func next(
        from contact: ContactID, after last: TransferNumber?
    ) async -> (rows: [FileTransfer], last: TransferNumber?)? {
        let page = await core.records.quietly { () async throws(StoreError) in
            try await core.store.acceptedTransfers(from: contact, after: last, limit: WireLimit.bundledFiles)
        }
        guard let page, let first = page.first else { return nil }
        pacing.goes(first.id, throughRelay: core.links[contact]?.link?.routeClass == .relay)
        // Under a limit of the rate as much as it lets go at once.
        let most = pacing.piece(of: core.configuration.limits.bundles.bytes, of: first.id, .incoming)
        return book.transfers.beginBundle(of: page, bytes: most)
    }

    private func ask(for rows: [FileTransfer], over link: ActiveLink) async -> PendingResponse {
        let bytes = rows.reduce(into: UInt64(0)) { $0 += $1.size }
        if let first = rows.first { await pacing.wait(for: bytes, of: first.id, .incoming) }
        return link.connection.submit(FileBundleRequest(ids: rows.map(\.id)).encoded(), bodySink: nil)
    }

    // MARK: An answer

    /// Takes a bundle. `false` when no further one is to be taken now.
    private func take(_ rows: [FileTransfer], _ answer: PendingResponse, from contact: ContactID) async -> Bool {
        let ids = rows.map(\.id)
        let response: BLIPResponse
        do throws(LinkError) {
            response = try await answer.value()
        } catch {
            // The next link fetches them.
            book.transfers.endBundle(ids)
            return false
        }
        guard let reply = try? FileBundleReply(decoding: response), response.error == nil else {
            let isBusy = response.error == .busy || response.error == .tooManyRequests
            book.transfers.endBundle(ids, alone: !isBusy)
            return !isBusy
        }
        let files = files(of: reply, for: rows)
        let kept = await DiskLane.of(rows.first?.path ?? "").value { IncomingBundle.write(files) } ?? []
        guard let finished = await finish(kept, from: contact) else {
            // The history does not take it now: what was written is written again.
            book.transfers.endBundle(ids)
            return false
        }
        book.transfers.endBundle(ids.filter { !finished.contains($0) }, alone: true)
        book.transfers.endBundle(finished)
        return true
    }

    /// The files that came, in the order in which we asked for them.
    private func files(
        of reply: FileBundleReply, for rows: [FileTransfer]
    ) -> [(transfer: FileTransfer, content: FileBundleReply.File)] {
        var wanted = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
        return reply.parts.compactMap { id, part in
            guard case .file(let content) = part, let transfer = wanted.removeValue(forKey: id) else { return nil }
            return (transfer, content)
        }
    }

    /// Gives written files their names and says so; what our user has decided meanwhile counts. Returns what is over, `nil`
    /// when the history does not take it.
    private func finish(_ kept: [IncomingBundle.Kept], from contact: ContactID) async -> Set<MessageID>? {
        guard let first = kept.first else { return [] }
        let paths = Dictionary(kept.map { ($0.id, $0) }) { first, _ in first }
        // Before they get their names: after a crash the next run finds them there.
        let rows = await core.records.quietly { () async throws(StoreError) in
            try await book.changeRows(kept.map(\.id), showing: false) { row in
                guard row.state == .accepted, let file = paths[row.id] else { return }
                row.state = .running
                row.reason = nil
                row.path = file.path
                row.sha256 = file.sha256
                row.transferred = row.size
            }
        }
        guard let rows else { return nil }
        let wanted = Set(rows.filter { $0.state == .running }.map(\.id))
        let unwanted = kept.filter { !wanted.contains($0.id) }
        let named = kept.filter { wanted.contains($0.id) }
        let finished =
            await DiskLane.of(first.path).value { () -> Set<MessageID> in
                IncomingBundle.drop(unwanted)
                return IncomingBundle.finish(named)
            } ?? []
        guard let late = await tell(finished, to: contact) else { return nil }
        var ended: [IncomingBundle.Kept] = []
        for file in named where late.contains(file.id) {
            if await book.hasEndedWithoutFile(file.id) { ended.append(file) }
        }
        if !ended.isEmpty { await DiskLane.of(first.path).clear { [ended] in IncomingBundle.remove(ended) } }
        for file in unwanted + ended { await book.clearBehind(file.id) }
        return finished.union(unwanted.map(\.id))
    }

    /// The news first: should we die between the two, the next run finds the files and says it again. Returns those whose
    /// rows do not say so; `nil` when the history does not take it.
    private func tell(_ finished: Set<MessageID>, to contact: ContactID) async -> Set<MessageID>? {
        guard !finished.isEmpty else { return [] }
        let isQueued = await core.records.quietly { () async throws(StoreError) in
            try await core.store.enqueueFileStatus(to: contact, transfers: Array(finished), state: .complete)
            return true
        }
        guard isQueued == true else { return nil }
        // They go out before our rows say so: whoever waits for the last of them ends then, and the link with them.
        await outbox.pumped(contact)
        let time = core.now()
        let rows = await core.records.quietly { () async throws(StoreError) in
            try await book.changeRows(Array(finished)) { row in
                row.state = .complete
                row.reason = nil
                row.finished = time
            }
        }
        return rows.map { rows in finished.subtracting(rows.filter { $0.state == .complete }.map(\.id)) }
    }
}
