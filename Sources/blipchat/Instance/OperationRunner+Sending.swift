// Sends a message and waits for what becomes of it: the events of the chat decide.

import ChatCore
import ChatWords

extension OperationRunner {
    func send(
        _ text: String, as id: MessageID?, to who: String, within timeout: Duration?, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        // Events are asked for first, so that none can be missed.
        let events = await service.events()
        let call: ChatCall<ChatMessage> = id.map { .send(text, as: $0, to: peer.id) } ?? .send(text, to: peer.id)
        let message = try await ask(call, about: who)
        await records(Records.stored(message.id))
        return try await finish(message, to: who, peer, timeout.map { EventWait($0) }, events, records)
    }

    /// Waits for messages or files that another process has stored and could not wait for to the end: `timeout` is what
    /// is left of `whole`.
    func wait(
        for ids: [MessageID], to who: String, within timeout: Duration, of whole: Duration, standstill: Duration?,
        _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        let events = await service.events()
        let messages = try await ask(.messages(ids, of: peer.id), about: who)
            .filter { $0.direction == .outgoing }
        guard let first = messages.first else {
            throw Self.deleted(peer)
        }
        let wait = EventWait(timeout, of: whole)
        guard case .text = first.content else {
            return try await self.wait(
                forFiles: messages, to: who, peer, wait, standstill: standstill ?? Self.stallLimit, events, records)
        }
        return try await finish(first, to: who, peer, wait, events, records)
    }

    /// Waits for what becomes of a message, and tells it.
    private func finish(
        _ message: ChatMessage, to who: String, _ peer: Peer, _ wait: EventWait?, _ events: AsyncStream<ChatEvent>,
        _ records: RecordSink
    ) async throws(CommandError) -> ExitCode {
        let result: Result<ExitCode, CommandError>
        do throws(CommandError) {
            result = .success(try await self.wait(for: message, to: who, peer, wait, events))
        } catch {
            result = .failure(error)
            // There is nothing any more that a record could be about.
            if error.exit == .notFound { throw error }
        }
        // As it is at the end: who reads the record wants to know what has become of the message.
        let present = try? await service.ask(.messages([message.id], of: peer.id)).first { $0.direction == .outgoing }
        if let all = try? await currentRecords() { await records(all.record(of: present ?? message)) }
        return try result.get()
    }

    /// Returns when `message` is delivered; throws when it is refused, deleted, or not delivered in time.
    private func wait(
        for message: ChatMessage, to who: String, _ peer: Peer, _ wait: EventWait?, _ events: AsyncStream<ChatEvent>
    ) async throws(CommandError) -> ExitCode {
        guard let wait else { return .done }
        var outcome = Self.outcome(of: message.state, who)
        if outcome == nil {
            if peer.trust == .keyChanged { throw Self.keyChanged(who) }
            if await holdsBack(peer.id) { throw Self.unverified(who) }
            outcome = await self.outcome(of: message, to: who, peer, wait, events)
        }
        switch outcome {
        case .done(let code): return code
        case .failed(let error): throw error
        case nil, .again: throw await queued(peer, what: "the message", after: wait.lastTimeout)
        }
    }

    private func outcome(
        of message: ChatMessage, to who: String, _ peer: Peer, _ wait: EventWait, _ events: AsyncStream<ChatEvent>
    ) async -> ControlResult? {
        await wait.first(in: events) { event -> ControlResult? in
            switch event {
            // Only our own message: somebody else may have given theirs the same id.
            case .messageChanged(let changed) where changed.key == message.key && changed.contact == message.contact:
                Self.outcome(of: changed.state, who)
            case .notice(.keyChanged(peer.id)): .failed(Self.keyChanged(who))
            case .conversationsChanged, .messagesDeleted(peer.id):
                await deletion(of: message.id, peer).map(ControlResult.failed)
            default: nil
            }
        }
    }

    /// Why nothing more becomes of a message to `peer`: our user has deleted it, perhaps with the contact. `nil` when it
    /// is there.
    func deletion(of id: MessageID, _ peer: Peer) async -> CommandError? {
        do throws(ChatError) {
            guard try await service.ask(.messages([id], of: peer.id)).isEmpty else { return nil }
            let isKnown = try await service.ask(.conversations).contains { $0.peer.id == peer.id }
            guard !isKnown else { return Self.deleted(peer) }
            return CommandError(.notFound, peer.name, "the contact was removed, along with everything waiting for them")
        } catch {
            // Whether it is there cannot be told: the time-out decides.
            return nil
        }
    }

    private static func deleted(_ peer: Peer) -> CommandError {
        CommandError(.notFound, peer.name, "everything waiting for them was deleted here")
    }

    /// `nil` while it is not decided.
    static func outcome(of state: DeliveryState, _ who: String) -> ControlResult? {
        switch state {
        case .pending, .sent: nil
        case .delivered, .read: .done(.done)
        case .failed(let reason): .failed(CommandError(.refused, who, reason.words))
        }
    }

    static func keyChanged(_ who: String) -> CommandError {
        CommandError(
            .identity, who, "answers with a different key from the pinned one; nothing is sent",
            advice: "see contacts verify, then contacts accept-key or contacts block")
    }

    static func unverified(_ who: String) -> CommandError {
        CommandError(
            .identity, who, "is not verified, and security.require_verified is set: nothing is sent",
            advice: "compare numbers with contacts verify; queued messages then go out")
    }

    /// Stored, but not with the peer in time.
    func queued(_ peer: Peer, what: String, after timeout: Duration) async -> CommandError {
        let state = await service.linkState(of: peer.id)
        let why =
            switch state {
            case .offline(let reason): reason?.words ?? "not connected"
            case .connecting: "still connecting"
            case .awaitingApproval: "they have not accepted your request yet"
            case .online(let details): details.isRefusing ? "their disk is full" : "no answer yet"
            }
        return CommandError(
            .queued, peer.name, "queued, but \(what) was not delivered within \(timeout.inSeconds) s: \(why)",
            advice: state == .offline(reason: .blockedByPeer)
                ? "they have blocked you; it goes out when they accept your calls again"
                : "it goes out when blipchat is running and can reach them")
    }
}

extension Duration {
    /// Seconds to the thousandth, without zeros that say nothing: `10`, `0.5`.
    var inSeconds: String {
        let thousandths = components.attoseconds / 1_000_000_000_000_000
        guard thousandths > 0 else { return "\(components.seconds)" }
        var digits = String("\(1000 + thousandths)".dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(components.seconds).\(digits)"
    }
}
