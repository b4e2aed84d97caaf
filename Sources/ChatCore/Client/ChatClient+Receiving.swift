// From the wire to the user: one consumer per link takes its chat requests in order; store, then reply (DESIGN 3.2,
// RELIABILITY D3, D5, D7). Changes are shown in the order of the commits (HistoryStore.watchChanges).

import BLIPNet

extension ChatClient {
    /// How many requests of a peer are stored in one commit at most, and what they may hold in memory: others wait meanwhile.
    private static let mostTogether = (requests: 128, bytes: 128 << 10)

    /// Handles a link's chat requests one after the other until the link has ended and none is left. Requests that have
    /// come together are stored together.
    func consumeChat(of contact: ContactID, on link: ActiveLink) async {
        defer { core.links[contact]?.endConsuming(link.number) }
        while let first = await link.router.chat.next() {
            let (requests, bytes) = Self.mostTogether
            let more = link.router.chat.more(upTo: requests - 1, bytes: bytes - first.heldBytes)
            // A task keeps the memory of its deepest call until it ends, and this one lasts as long as the link.
            let handling = Task { await receive([first] + more, from: contact, on: link) }
            let goesOn = await withTaskCancellationHandler {
                await handling.value
            } onCancel: {
                handling.cancel()
            }
            guard goesOn else { return }
        }
        if link.router.chat.isOverrun { link.close(code: 1008, reason: "too many unanswered requests") }
    }

    /// Handles requests in their order; `false` when the client stops meanwhile.
    private func receive(_ requests: [ReceivedRequest], from contact: ContactID, on link: ActiveLink) async -> Bool {
        let known = await KnownFiles(of: requests, in: book)
        var together = RequestsTogether()
        for request in requests {
            guard link.router.mayHandle(request) else {
                link.answer(request, RequestRouter.helloFirst)
                continue
            }
            let isStored = core.isRunning && request.content.isStored
            guard core.links.counts(isStored: isStored, from: contact, on: link) else { continue }
            // Slow down, lose nothing: while we wait, the sender's window fills and it waits too.
            var wait = Duration.zero
            if await !known.isFree(request, from: contact, core, folders) {
                wait =
                    core.links[contact]?.takeOperation(within: core.configuration.limits, now: core.clock.now())
                    ?? .zero
            }
            if wait > .zero {
                await receive(together.take(), from: contact, on: link)
                do { try await core.clock.wait(wait) } catch { return false }
            }
            if let before = together.add(request, isLastNews: known.isLastNews(request, of: contact)) {
                await receive(before, from: contact, on: link)
            }
            guard !together.has(request) else { continue }
            await receive(request, from: contact, on: link)
        }
        await receive(together.take(), from: contact, on: link)
        return true
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
            // The presence that a contact reports holds until they report another or the link ends.
            core.links[contact]?.peerAway = presence.away
            core.publishLinkState(of: contact)
        case .routes(let told):
            people.hear(told.routes, from: contact)
            reach.upgrades.somethingNew(for: contact)
            link.answer(request, BLIPResponse())
        case .fileLanes(let wanted): uploads.lanes.asked(wanted, by: contact, on: link.number)
        case .punch(let punch): reach.punching.asked(punch, request, by: contact, on: link)
        case .punchGo(let word): reach.punching.go(word, from: contact, on: link)
        case .fileStatus(let status): await decisions.receive(status, request, contact, link)
        case .malformed(let error): link.answer(request, error.response)
        case .fileGet, .fileDigest, .fileBundle: link.answer(request, .failure(.notFound, "no such profile"))
        }
    }
}
