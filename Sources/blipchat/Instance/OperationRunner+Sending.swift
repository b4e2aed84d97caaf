// Sends a message and waits for what becomes of it: the events of the chat decide.

import ChatCore

extension OperationRunner {
    func send(
        _ text: String, to who: String, within timeout: Duration?, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        // Events are asked for first, so that none can be missed.
        let events = await service.events()
        let message = try await about(who) { () throws(ChatError) in
            try await service.send(text, to: peer.id, replyTo: nil)
        }
        await records(Records.stored(message.id))
        return try await finish(message, to: who, peer, timeout, events, records)
    }

    /// Waits for messages or files that another process has stored and could not wait for to the end.
    func wait(
        for ids: [MessageID], to who: String, within timeout: Duration, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        let events = await service.events()
        let messages = try await about(who) { () throws(ChatError) in try await service.messages(ids, of: peer.id) }
            .filter { $0.direction == .outgoing }
        guard let first = messages.first else {
            throw CommandError(.notFound, who, "the message is not in the history any more")
        }
        guard case .text = first.content else {
            return try await wait(forFiles: messages, to: who, peer, timeout, events, records)
        }
        return try await finish(first, to: who, peer, timeout, events, records)
    }

    /// Waits for what becomes of a message, and tells it.
    private func finish(
        _ message: ChatMessage, to who: String, _ peer: Peer, _ timeout: Duration?, _ events: AsyncStream<ChatEvent>,
        _ records: RecordSink
    ) async throws(CommandError) -> ExitCode {
        let result: Result<ExitCode, CommandError>
        do throws(CommandError) {
            result = .success(try await wait(for: message, to: who, peer, timeout, events))
        } catch {
            result = .failure(error)
        }
        // As it is at the end: who reads the record wants to know what has become of the message.
        let present = try? await service.messages([message.id], of: peer.id).first { $0.direction == .outgoing }
        if let all = try? await currentRecords() { await records(all.record(of: present ?? message)) }
        return try result.get()
    }

    /// Returns when `message` is delivered; throws when it is refused, or not delivered in time.
    private func wait(
        for message: ChatMessage, to who: String, _ peer: Peer, _ timeout: Duration?, _ events: AsyncStream<ChatEvent>
    ) async throws(CommandError) -> ExitCode {
        guard let timeout else { return .done }
        if peer.trust == .keyChanged { throw Self.keyChanged(who) }
        var outcome = Self.outcome(of: message.state, who)
        if outcome == nil { outcome = await self.outcome(of: message, to: who, peer, timeout, events) }
        switch outcome {
        case .done(let code): return code
        case .failed(let error): throw error
        case nil, .again: throw await queued(peer, what: "the message", after: timeout)
        }
    }

    private func outcome(
        of message: ChatMessage, to who: String, _ peer: Peer, _ timeout: Duration, _ events: AsyncStream<ChatEvent>
    ) async -> ControlResult? {
        await EventWait(timeout).first(in: events) { event -> ControlResult? in
            switch event {
            case .messageChanged(let changed) where changed.id == message.id: Self.outcome(of: changed.state, who)
            case .notice(.keyChanged(peer.id)): .failed(Self.keyChanged(who))
            default: nil
            }
        }
    }

    /// `nil` while it is not decided.
    static func outcome(of state: DeliveryState, _ who: String) -> ControlResult? {
        switch state {
        case .pending, .sent: nil
        case .delivered, .read: .done(.done)
        case .failed(let reason): .failed(CommandError(.refused, who, reason))
        }
    }

    static func keyChanged(_ who: String) -> CommandError {
        CommandError(
            .identity, who, "answers with another key than the pinned one; nothing is sent",
            advice: "see contacts verify, then contacts accept-key or contacts block")
    }

    /// Stored, but not with the peer in time.
    func queued(_ peer: Peer, what: String, after timeout: Duration) async -> CommandError {
        let why =
            switch await service.linkState(of: peer.id) {
            case .offline(let reason): reason ?? "not connected"
            case .connecting: "still connecting"
            case .awaitingApproval: "they have not accepted your request yet"
            case .online(let details): details.isRefusing ? "their disk is full" : "no answer yet"
            }
        return CommandError(
            .queued, peer.name, "queued, \(what) was not delivered within \(timeout.inSeconds) s: \(why)",
            advice: "it goes out when blipchat runs and they can be reached")
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
