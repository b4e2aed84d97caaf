// Stores, then answers, then shows what contacts say (DESIGN 3.2, RELIABILITY D3, D5, D7). The changes of commits are
// shown in the order of the commits (HistoryStore.watchChanges).

import BLIPNet

/// Carries out what `Mail` decides. Belongs to one actor.
final class MailRoom {
    private let core: ClientCore
    private let decisions: TransferDecisions
    private var mail = Mail()

    init(core: ClientCore, decisions: TransferDecisions) {
        self.core = core
        self.decisions = decisions
    }

    var irregularities: Irregularities { mail.irregularities }

    /// Commits together, in their order, and replies.
    func receiveMessages(
        _ messages: [(request: ReceivedRequest, message: IncomingMessage)], _ link: ActiveLink
    ) async {
        var admitted: [(request: ReceivedRequest, message: IncomingMessage)] = []
        for (request, message) in messages {
            if await mayStore(message) {
                admitted.append((request, message))
            } else {
                link.answer(request, Mail.noRoom)
            }
        }
        guard !admitted.isEmpty else { return }
        var changes: [HistoryChange] = []
        do throws(StoreError) {
            let outcomes = try await core.store.appendIncoming(admitted.map(\.message))
            for ((request, message), outcome) in zip(admitted, outcomes) {
                switch outcome {
                case .success(let outcome):
                    link.answer(request, mail.answer(to: outcome))
                    if outcome == .held { releaseLater(message.contact) }
                    changes += outcome.changes
                case .failure(let error):
                    link.answer(request, Mail.answer(to: error))
                    core.hub.publish(.notice(.storeFailed(error)))
                }
            }
        } catch {
            for (request, _) in admitted { link.answer(request, Mail.answer(to: error)) }
            core.hub.publish(.notice(.storeFailed(error)))
        }
        follow(changes)
    }

    /// Commits what somebody in a room has said; `false`: it is not stored. Nobody is answered, so nobody sends it again.
    func receiveRoomMessage(_ message: IncomingMessage) async -> Bool {
        guard await mayStore(message) else { return false }
        var message = message
        let outcome = await core.records.quietly { () async throws(StoreError) in
            // Anybody in a room can choose an id: a line whose id is taken is stored all the same.
            let first = try await core.store.appendIncoming(message)
            guard first == .conflict else { return first }
            message.id = MessageID(at: message.received)
            return try await core.store.appendIncoming(message)
        }
        guard let outcome else { return false }
        _ = mail.answer(to: outcome)
        follow(outcome.changes)
        return true
    }

    /// Whether the disk has room for a message and its sender has not used up their share of the day. A contact may repeat a
    /// message that we have stored at any time.
    private func mayStore(_ message: IncomingMessage) async -> Bool {
        if mail.wantsLook(before: message, now: core.clock.now()) {
            mail.saw(await core.store.space(), now: core.clock.now())
        }
        guard let refusal = mail.refusal(of: message, limits: core.configuration.limits, now: core.now()) else {
            return true
        }
        let known = await core.records.quietly { () async throws(StoreError) in
            try await core.store.message(message.id, of: message.contact, .incoming)
        }
        guard known ?? nil == nil else { return true }
        if mail.refused(message, now: core.now()), !core.isRoom(message.contact) {
            let limit = refusal == .tooMuchToday ? core.configuration.limits.storedBytesPerDay : nil
            core.hub.publish(.notice(.contactStoresTooMuch(message.contact, perDay: limit)))
        }
        return false
    }

    /// What is there now: files may be wanted, and the counts of the conversations are others.
    private func follow(_ changes: [HistoryChange]) {
        guard !changes.isEmpty else { return }
        decisions.acceptIfAllowed(
            changes.compactMap { change in
                guard case .added(let message) = change, case .file(let transfer) = message.content,
                    !message.isRetracted
                else { return nil }
                return transfer
            })
        core.hub.publish(.conversationsChanged)
    }

    // MARK: Gaps (D5)

    /// Shows messages that have overtaken others after a while in any case; one wait for each contact.
    private func releaseLater(_ contact: ContactID) {
        guard core.links[contact] != nil, mail.hold(contact) else { return }
        core.tasks.spawn(after: core.configuration.limits.gapPatience) { await $0.mailRoom.release(contact) }
    }

    func release(_ contact: ContactID) async {
        mail.endHold(contact)
        let changes = await core.records.quietly { () async throws(StoreError) in
            // The contact may have been removed meanwhile.
            do throws(StoreError) { return try await core.store.releaseHeld(for: contact) } catch .notFound {
                return []
            }
        }
        guard let changes else { return releaseLater(contact) }
        follow(changes)
    }

    /// Messages that an earlier run held back have waited long enough.
    func releaseAll() async {
        let contacts = await core.records.quietly { () async throws(StoreError) in
            try await core.store.contactsWithHeld()
        }
        for contact in contacts ?? [] { await release(contact) }
    }

    func receiveRead(
        _ read: ReadRequest, _ request: ReceivedRequest, _ contact: ContactID, _ link: ActiveLink
    ) async {
        let changed = await core.records.quietly { () async throws(StoreError) in
            try await core.store.markOutgoingRead(contact: contact, upTo: read.upTo)
        }
        guard let changed else { return link.answer(request, .failure(.handlerFailed, "cannot store")) }
        // The sender learns nothing of which ids we have.
        link.answer(request, BLIPResponse())
        if changed == nil { mail.noteForeignReceipt() }
    }
}
