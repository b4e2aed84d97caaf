// From the wire to the user: one consumer per link takes its chat requests in order; store, then reply (DESIGN 3.2,
// RELIABILITY D3, D5, D7). What a commit has changed is shown in the order of the commits (HistoryStore.watchChanges).

import BLIPNet

extension ChatClient {
    /// Handles a link's chat requests one after the other until the link has ended and none is left.
    func consumeChat(of contact: ContactID, on link: ActiveLink) async {
        defer { core.links[contact]?.endConsuming(link.number) }
        while let request = await link.router.chat.next() {
            let isStored = core.isRunning && request.content.isStored
            guard core.links.counts(isStored: isStored, from: contact, on: link) else { continue }
            // Slow down, lose nothing: while we wait, the sender's window fills and it waits too.
            var wait = Duration.zero
            if await !isFree(request, from: contact) {
                wait =
                    core.links[contact]?.takeOperation(within: core.configuration.limits, now: core.clock.now())
                    ?? .zero
            }
            if wait > .zero { do { try await core.clock.wait(wait) } catch { return } }
            await receive(request, from: contact, on: link)
        }
        if link.router.chat.isOverrun { link.close(code: 1008, reason: "too many unanswered requests") }
    }

    /// Whether we do not count a request. A file is accepted once and ends once for each offer, which we have counted. Once our
    /// user has accepted a folder, its files are no single offers: our user agreed to so many. Otherwise a folder of small
    /// files would hold up the lines after it for minutes.
    private func isFree(_ request: ReceivedRequest, from contact: ContactID) async -> Bool {
        // `receive` finds out what is wrong with a request.
        switch request.content {
        case .fileStatus(let status):
            guard status.pause == nil, let transfer = try? await book.row(of: status.id),
                transfer.contact == contact, !transfer.state.isFinal
            else { return false }
            return core.links[contact]?.takeNews(of: status.id, isLast: status.state != .accepted) ?? false
        case .operation(let head, .file(_, let size, _, _, _, let place?), _):
            guard (try? await folders.set(at: place, from: contact))?.covers(size) == true else { return false }
            // One that is here already takes nothing out of what was agreed to.
            do { return try await book.row(of: head.id) == nil } catch { return false }
        default: return false
        }
    }

    private func receive(_ request: ReceivedRequest, from contact: ContactID, on link: ActiveLink) async {
        switch request.content {
        case .hello(let hello): await receiveHello(hello, request, contact, link)
        case .accepted: updateLink(contact, link.number) { $0.isAdmittedByPeer = true }
        case .operation(let head, let content, let replyTo):
            if case .text = content { presence.stopsTyping(contact) }
            let message = IncomingMessage(
                id: head.id, contact: contact, sequence: head.sequence, sent: head.sent, received: core.now(),
                replyTo: replyTo, content: content)
            await mailRoom.receiveMessage(message, request, link)
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
        case .fileGet, .fileDigest: link.answer(request, .failure(.notFound, "no such profile"))
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
