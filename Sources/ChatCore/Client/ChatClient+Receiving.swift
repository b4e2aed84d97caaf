// From the wire to the user: one consumer per link takes its chat requests in order; store, then reply (DESIGN 3.2,
// RELIABILITY D3, D5, D7). What a commit has changed is shown in the order of the commits (HistoryStore.watchChanges).

import BLIPNet

extension ChatClient {
    /// Handles a link's chat requests one after the other until the link has ended and none is left.
    func consumeChat(of contact: ContactID, on link: ActiveLink) async {
        defer { links[contact]?.endConsuming(link.number) }
        while let request = await link.router.chat.next() {
            let isStored = phase == .running && request.content.isStored
            guard links.counts(isStored: isStored, from: contact, on: link) else { continue }
            // Slow down, lose nothing: while we wait, the sender's window fills and it waits too.
            var wait = Duration.zero
            if await !isFree(request, from: contact) {
                wait = links[contact]?.takeOperation(within: configuration.limits, now: clock.now()) ?? .zero
            }
            if wait > .zero { do { try await clock.wait(wait) } catch { return } }
            await receive(request, from: contact, on: link)
        }
        if link.router.chat.isOverrun { link.close(code: 1008, reason: "too many unanswered requests") }
    }

    /// News that a file is accepted or over come once for each offer, which has been counted. Those of a folder of small
    /// files would hold up what somebody writes behind them for many seconds.
    private func isFree(_ request: ReceivedRequest, from contact: ContactID) async -> Bool {
        guard case .fileStatus(let status) = request.content, status.pause == nil,
            // What is wrong with it is found when it is handled.
            let transfer = try? await row(of: status.id), transfer.contact == contact, !transfer.state.isFinal
        else { return false }
        return links[contact]?.takeNews(of: status.id, isLast: status.state != .accepted) ?? false
    }

    private func receive(_ request: ReceivedRequest, from contact: ContactID, on link: ActiveLink) async {
        switch request.content {
        case .hello(let hello): await receiveHello(hello, request, contact, link)
        case .accepted: updateLink(contact, link.number) { $0.isAdmittedByPeer = true }
        case .operation(let head, let content, let replyTo):
            if case .text = content { stopsTyping(contact) }
            let message = IncomingMessage(
                id: head.id, contact: contact, sequence: head.sequence, sent: head.sent, received: now(),
                replyTo: replyTo, content: content)
            await receiveMessage(message, request, link)
        case .read(let read): await receiveRead(read, request, contact, link)
        case .typing(let typing): receiveTyping(typing, contact)
        case .presence(let presence):
            // What a contact says of themselves holds until they say otherwise or the link ends.
            links[contact]?.peerAway = presence.away
            publishLinkState(of: contact)
        case .fileStatus(let status): await receiveStatus(status, request, contact, link)
        case .malformed(let error): link.answer(request, error.response)
        case .fileGet, .fileDigest: link.answer(request, .failure(.notFound, "no such profile"))
        }
    }

    /// Commits, replies.
    private func receiveMessage(_ message: IncomingMessage, _ request: ReceivedRequest, _ link: ActiveLink) async {
        guard await mayStore(message) else { return link.answer(request, Mail.noRoom) }
        do throws(StoreError) {
            let outcome = try await store.appendIncoming(message)
            link.answer(request, mail.answer(to: outcome))
            if outcome == .held { releaseLater(message.contact) }
            follow(outcome.changes)
        } catch {
            link.answer(request, Mail.answer(to: error))
            hub.publish(.notice(.storeFailed(error)))
        }
    }

    /// Whether the disk has room for a message, and its sender has not had their share. What is stored already may be said
    /// again at any time.
    private func mayStore(_ message: IncomingMessage) async -> Bool {
        if mail.wantsLook(before: message, now: clock.now()) { mail.saw(await store.space(), now: clock.now()) }
        guard let refusal = mail.refusal(of: message, limits: configuration.limits, now: now()) else { return true }
        let known = await records.quietly { () async throws(StoreError) in
            try await store.message(message.id, of: message.contact, .incoming)
        }
        guard known ?? nil == nil else { return true }
        if mail.refused(message, now: now()) {
            let limit = refusal == .tooMuchToday ? configuration.limits.storedBytesPerDay : nil
            hub.publish(.notice(.contactStoresTooMuch(message.contact, perDay: limit)))
        }
        return false
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
        guard links[contact] != nil, mail.hold(contact) else { return }
        spawn(after: configuration.limits.gapPatience) { await $0.release(contact) }
    }

    private func release(_ contact: ContactID) async {
        mail.endHold(contact)
        let changes = await records.quietly { () async throws(StoreError) in
            // The contact may have been removed meanwhile.
            do throws(StoreError) { return try await store.releaseHeld(for: contact) } catch .notFound { return [] }
        }
        guard let changes else { return releaseLater(contact) }
        follow(changes)
    }

    /// What an earlier run held back has waited long enough.
    func releaseAll() async {
        let contacts = await records.quietly { () async throws(StoreError) in try await store.contactsWithHeld() }
        for contact in contacts ?? [] { await release(contact) }
    }

    private func receiveRead(
        _ read: ReadRequest, _ request: ReceivedRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        let changed = await records.quietly { () async throws(StoreError) in
            try await store.markOutgoingRead(contact: contact, upTo: read.upTo)
        }
        guard let changed else { return link.answer(request, .failure(.handlerFailed, "cannot store")) }
        // The sender learns nothing of which ids we have.
        link.answer(request, BLIPResponse())
        if changed == nil { mail.noteForeignReceipt() }
    }

    private func receiveTyping(_ typing: TypingRequest, _ contact: ContactID) {
        let isNews = links[contact]?.typing.peerSaid(typing.isComposing) == true
        if isNews { hub.publish(.typing(contact, typing.isComposing)) }
        guard typing.isComposing, let generation = links[contact]?.typing.generation else { return }
        spawn(after: TypingState.believedFor) { client in
            guard client.links[contact]?.typing.generation == generation else { return }
            client.stopsTyping(contact)
        }
    }

    /// They are not typing any more.
    func stopsTyping(_ contact: ContactID) {
        if links[contact]?.typing.peerSaid(false) == true { hub.publish(.typing(contact, false)) }
    }
}
