// From the wire to the user: one consumer per link takes its chat requests in order; store, then reply (DESIGN 3.2,
// RELIABILITY D3, D5, D7). What a commit has changed is shown in the order of the commits (HistoryStore.watchChanges).

import BLIPNet

extension ChatClient {
    /// How many requests of a peer are stored in one commit at most, and what they may hold in memory: others wait meanwhile.
    private static let mostTogether = (requests: 128, bytes: 128 << 10)

    /// Handles a link's chat requests one after the other until the link has ended and none is left. What has come
    /// together is stored together.
    func consumeChat(of contact: ContactID, on link: ActiveLink) async {
        defer { core.links[contact]?.endConsuming(link.number) }
        while let first = await link.router.chat.next() {
            let (requests, bytes) = Self.mostTogether
            let more = link.router.chat.more(upTo: requests - 1, bytes: bytes - first.heldBytes)
            guard await receive([first] + more, from: contact, on: link) else { return }
        }
        if link.router.chat.isOverrun { link.close(code: 1008, reason: "too many unanswered requests") }
    }

    /// Handles requests in their order; `false` when the client stops meanwhile.
    private func receive(_ requests: [ReceivedRequest], from contact: ContactID, on link: ActiveLink) async -> Bool {
        let known = await transfers(of: requests)
        var together = RequestsTogether()
        for request in requests {
            let isStored = core.isRunning && request.content.isStored
            guard core.links.counts(isStored: isStored, from: contact, on: link) else { continue }
            // Slow down, lose nothing: while we wait, the sender's window fills and it waits too.
            var wait = Duration.zero
            if await !isFree(request, known, from: contact) {
                wait =
                    core.links[contact]?.takeOperation(within: core.configuration.limits, now: core.clock.now())
                    ?? .zero
            }
            if wait > .zero {
                await receive(together.take(), from: contact, on: link)
                do { try await core.clock.wait(wait) } catch { return false }
            }
            let isLastNews = isLastNews(request, known, of: contact)
            if let before = together.add(request, isLastNews: isLastNews) {
                await receive(before, from: contact, on: link)
            }
            guard !together.has(request) else { continue }
            await receive(request, from: contact, on: link)
        }
        await receive(together.take(), from: contact, on: link)
        return true
    }

    /// What is known of the files that requests are about.
    private func transfers(of requests: [ReceivedRequest]) async -> [MessageID: FileTransfer]? {
        let ids = requests.compactMap { request -> MessageID? in
            switch request.content {
            case .fileStatus(let status): status.id
            case .operation(let head, .file, _): head.id
            default: nil
            }
        }
        // Where the history cannot be read, whoever needs it finds out.
        return ids.isEmpty ? [:] : try? await book.rows(of: ids)
    }

    /// Whether we do not count a request. A file is accepted once and ends once for each offer, which we have counted. Once our
    /// user has accepted a folder, its files are no single offers: our user agreed to so many. Otherwise a folder of small
    /// files would hold up the lines after it for minutes.
    private func isFree(
        _ request: ReceivedRequest, _ known: [MessageID: FileTransfer]?, from contact: ContactID
    ) async -> Bool {
        // `receive` finds out what is wrong with a request.
        switch request.content {
        case .fileStatus(let status):
            guard status.pause == nil, let transfer = known?[status.id], transfer.contact == contact,
                !transfer.state.isFinal
            else { return false }
            return core.links[contact]?.takeNews(of: status.id, isLast: status.state != .accepted) ?? false
        case .operation(let head, .file(_, let size, _, _, _, let place?), _):
            guard let known, (try? await folders.set(at: place, from: contact))?.covers(size) == true else {
                return false
            }
            // One that is here already takes nothing out of what was agreed to.
            return known[head.id] == nil
        default: return false
        }
    }

    /// Whether a request says that a file of ours has come whole.
    private func isLastNews(
        _ request: ReceivedRequest, _ known: [MessageID: FileTransfer]?, of contact: ContactID
    ) -> Bool {
        guard case .fileStatus(let status) = request.content, status.state == .complete,
            let transfer = known?[status.id]
        else { return false }
        return transfer.contact == contact && transfer.direction == .outgoing
    }

    /// Handles what belongs together.
    private func receive(_ group: RequestsTogether.Group, from contact: ContactID, on link: ActiveLink) async {
        switch group {
        case .messages(let requests):
            await mailRoom.receiveMessages(
                requests.compactMap { request in
                    guard case .operation(let head, let content, let replyTo) = request.content else { return nil }
                    if case .text = content { presence.stopsTyping(contact) }
                    return (
                        request,
                        IncomingMessage(
                            id: head.id, contact: contact, sequence: head.sequence, sent: head.sent,
                            received: core.now(), replyTo: replyTo, content: content)
                    )
                }, link)
        case .lastNews(let requests):
            let ids = requests.compactMap { request in
                if case .fileStatus(let status) = request.content { status.id } else { nil }
            }
            let isStored = await core.records.quietly { () async throws(StoreError) in
                try await uploads.receiverHas(ids)
                return true
            }
            for request in requests {
                link.answer(
                    request, isStored == true ? BLIPResponse() : .failure(.handlerFailed, "cannot store"))
            }
        }
    }

    private func receive(_ request: ReceivedRequest, from contact: ContactID, on link: ActiveLink) async {
        switch request.content {
        case .hello(let hello): await receiveHello(hello, request, contact, link)
        case .accepted: updateLink(contact, link.number) { $0.isAdmittedByPeer = true }
        case .operation: await receive(.messages([request]), from: contact, on: link)
        case .read(let read): await mailRoom.receiveRead(read, request, contact, link)
        case .typing(let typing): presence.receiveTyping(typing, contact)
        case .presence(let presence):
            // What a contact says of themselves holds until they say otherwise or the link ends.
            core.links[contact]?.peerAway = presence.away
            core.publishLinkState(of: contact)
        case .routes(let told):
            people.hear(told.routes, from: contact)
            dialling.upgrade(contact)
            link.answer(request, BLIPResponse())
        case .fileStatus(let status): await receiveStatus(status, request, contact, link)
        case .malformed(let error): link.answer(request, error.response)
        case .fileGet, .fileDigest, .fileBundle: link.answer(request, .failure(.notFound, "no such profile"))
        }
    }

    private func receiveStatus(
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
                try await downloads.senderSays(status.state, of: transfer)
            }
            link.answer(request, BLIPResponse())
        } catch {
            link.answer(request, .failure(.handlerFailed, "cannot store"))
            core.hub.publish(.notice(.storeFailed(error)))
        }
    }
}
