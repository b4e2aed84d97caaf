// From the wire to the user: one consumer per link takes its chat requests in order; store, then reply (DESIGN 3.2,
// RELIABILITY D3, D5, D7). What a commit has changed is shown in the order of the commits (HistoryStore.watchChanges).

import BLIPNet

extension ChatClient {
    /// Handles a link's chat requests one after the other until the link has ended and none is left.
    func consumeChat(of contact: ContactID, on link: ActiveLink) async {
        defer { sessions[contact]?.endConsuming(link.number) }
        while let request = await link.router.chat.next() {
            guard counts(request, from: contact, on: link) else { continue }
            // Slow down, lose nothing: while we wait, the sender's window fills and it waits too.
            var wait = Duration.zero
            if await !isFree(request, from: contact) {
                wait = sessions[contact]?.takeOperation(within: configuration.limits, now: clock.now()) ?? .zero
            }
            if wait > .zero { do { try await clock.wait(wait) } catch { return } }
            do throws(WireError) {
                try await receive(request, from: contact, on: link)
            } catch {
                answer(request, on: link, error.response)
            }
        }
        if link.router.chat.isOverrun { link.close(code: 1008, reason: "too many unanswered requests") }
    }

    /// News that a file is accepted or over come once for each offer, which has been counted. Those of a folder of small
    /// files would hold up what somebody writes behind them for many seconds.
    private func isFree(_ request: BLIPIncomingRequest, from contact: ContactID) async -> Bool {
        guard request.properties.profile.flatMap(ChatProfile.init) == .fileStatus else { return false }
        do {
            let status = try FileStatusRequest(decoding: request)
            guard status.pause == nil, let transfer = try await row(of: status.id), transfer.contact == contact,
                !transfer.state.isFinal
            else { return false }
            return sessions[contact]?.takeNews(of: status.id, isLast: status.state != .accepted) ?? false
        } catch {
            // What is wrong with it is found when it is handled.
            return false
        }
    }

    /// Whether a request is to be handled: on the contact's present link each one is. Of what waited when the link ended,
    /// that which is stored still counts: who said it may be gone for days.
    private func counts(_ request: BLIPIncomingRequest, from contact: ContactID, on link: ActiveLink) -> Bool {
        guard let session = sessions[contact] else { return false }
        if session.link?.number == link.number { return true }
        guard phase == .running, session.peer.peerID == link.peerID, !session.peer.isBlocked,
            session.peer.trust != .keyChanged
        else { return false }
        return request.properties.profile.flatMap(ChatProfile.init)?.isStored ?? false
    }

    private func receive(
        _ request: BLIPIncomingRequest, from contact: ContactID, on link: ActiveLink
    ) async throws(WireError) {
        switch request.properties.profile.flatMap(ChatProfile.init) {
        case .hello: await receiveHello(try HelloRequest(decoding: request), request, contact, link)
        case .accepted: updateLink(contact, link.number) { $0.isAdmittedByPeer = true }
        case .message: await receiveMessage(try MessageRequest(decoding: request), request, contact, link)
        case .edit:
            let edit = try EditRequest(decoding: request)
            await receiveOperation(.edit(text: edit.text), edit.head, request, contact, link)
        case .retract:
            await receiveOperation(.retract, try RetractRequest(decoding: request).head, request, contact, link)
        case .react:
            let react = try ReactRequest(decoding: request)
            await receiveOperation(.react(emoji: react.emoji), react.head, request, contact, link)
        case .read: await receiveRead(try ReadRequest(decoding: request), request, contact, link)
        case .typing: receiveTyping(try TypingRequest(decoding: request), contact)
        case .presence: receivePresence(try PresenceRequest(decoding: request), contact)
        case .fileOffer: await receiveOffer(try FileOfferRequest(decoding: request), request, contact, link)
        case .fileStatus: await receiveStatus(try FileStatusRequest(decoding: request), request, contact, link)
        case .fileGet, .fileDigest, nil: answer(request, on: link, .failure(.notFound, "no such profile"))
        }
    }

    private func receiveMessage(
        _ message: MessageRequest, _ request: BLIPIncomingRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        if sessions[contact]?.typing.peerSaid(false) == true { hub.publish(.typing(contact, false)) }
        let stored = incoming(message.head, from: contact, replyTo: message.replyTo, .text(message.text))
        await store(stored, request, link)
    }

    private func receiveOffer(
        _ offer: FileOfferRequest, _ request: BLIPIncomingRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        let content = IncomingMessage.Content.file(
            name: offer.name, size: offer.size, modified: offer.modified, contentType: offer.contentType,
            caption: offer.caption, place: offer.place)
        await store(incoming(offer.head, from: contact, content), request, link)
    }

    private func receiveOperation(
        _ action: ChatOperation.Action, _ head: OperationHead, _ request: BLIPIncomingRequest, _ contact: ContactID,
        _ link: ActiveLink
    ) async {
        await store(
            incoming(head.stored, from: contact, .operation(action, target: head.target)), request, link)
    }

    private func incoming(
        _ head: StoredHead, from contact: ContactID, replyTo: MessageID? = nil, _ content: IncomingMessage.Content
    ) -> IncomingMessage {
        IncomingMessage(
            id: head.id, contact: contact, sequence: head.sequence, sent: head.sent, received: now(), replyTo: replyTo,
            content: content)
    }

    /// Commits, replies.
    private func store(_ message: IncomingMessage, _ request: BLIPIncomingRequest, _ link: ActiveLink) async {
        guard await refusal(of: message) == nil else {
            irregularities.refused += 1
            return answer(request, on: link, .failure(.insufficientStorage, "no room for more of you now"))
        }
        do throws(StoreError) {
            switch try await store.appendIncoming(message) {
            case .stored(let changes):
                answer(request, on: link, BLIPResponse())
                follow(changes)
            case .held:
                answer(request, on: link, BLIPResponse())
                irregularities.heldBack += 1
                releaseLater(message.contact)
            case .duplicate:
                answer(request, on: link, BLIPResponse())
                irregularities.duplicates += 1
            case .conflict:
                answer(request, on: link, .failure(.conflict, "another operation has this id"))
                irregularities.refused += 1
            case .forbidden:
                answer(request, on: link, .failure(.forbidden, "not your message"))
                irregularities.refused += 1
            case .meaningless: answer(request, on: link, .failure(.badRequest, "a file has no text"))
            }
        } catch {
            answer(request, on: link, Self.response(to: error))
            hub.publish(.notice(.storeFailed(error)))
        }
    }

    /// What is there now: files may be wanted, and the counts of the conversations are others.
    private func follow(_ changes: [HistoryChange]) {
        guard !changes.isEmpty else { return }
        for case .added(let message) in changes {
            if case .file(let transfer) = message.content, !message.isRetracted { acceptIfAllowed(transfer) }
        }
        hub.publish(.conversationsChanged)
    }

    // MARK: Gaps (D5)

    /// What has overtaken others is shown after a while in any case; one wait for each contact.
    private func releaseLater(_ contact: ContactID) {
        guard holdingContacts.insert(contact).inserted else { return }
        spawn(after: configuration.limits.gapPatience) { await $0.release(contact) }
    }

    private func release(_ contact: ContactID) async {
        holdingContacts.remove(contact)
        let changes = await quietly { () async throws(StoreError) in
            // The contact may have been removed meanwhile.
            do throws(StoreError) { return try await store.releaseHeld(for: contact) } catch .notFound { return [] }
        }
        guard let changes else { return releaseAgainLater(contact) }
        follow(changes)
    }

    private func releaseAgainLater(_ contact: ContactID) {
        guard sessions[contact] != nil else { return }
        releaseLater(contact)
    }

    /// What an earlier run held back has waited long enough.
    func releaseAll() async {
        let contacts = await quietly { () async throws(StoreError) in try await store.contactsWithHeld() }
        for contact in contacts ?? [] { await release(contact) }
    }

    /// The sender keeps what we could not store and tries again.
    private static func response(to error: StoreError) -> BLIPResponse {
        switch error {
        case .diskFull: .failure(.insufficientStorage, "the disk is full")
        case .replaced: .failure(.insufficientStorage, "cannot store now")
        default: .failure(.handlerFailed, "cannot store")
        }
    }

    private func receiveRead(
        _ read: ReadRequest, _ request: BLIPIncomingRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        let changed = await quietly { () async throws(StoreError) in
            try await store.markOutgoingRead(contact: contact, upTo: read.upTo)
        }
        guard let changed else { return answer(request, on: link, .failure(.handlerFailed, "cannot store")) }
        // The sender learns nothing of which ids we have.
        answer(request, on: link, BLIPResponse())
        if changed == nil { irregularities.foreignReceipts += 1 }
    }

    private func receiveTyping(_ typing: TypingRequest, _ contact: ContactID) {
        let isNews = sessions[contact]?.typing.peerSaid(typing.isComposing) == true
        if isNews { hub.publish(.typing(contact, typing.isComposing)) }
        guard typing.isComposing, let generation = sessions[contact]?.typing.generation else { return }
        spawn(after: TypingState.believedFor) { client in
            guard client.sessions[contact]?.typing.generation == generation else { return }
            if client.sessions[contact]?.typing.peerSaid(false) == true { client.hub.publish(.typing(contact, false)) }
        }
    }
}
