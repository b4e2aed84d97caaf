// Sends a message and waits for what becomes of it: the events of the chat decide.

import ChatCore

extension OperationRunner {
    func send(
        _ text: String, to who: String, within timeout: Duration, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        // Events are asked for first, so that none can be missed.
        let events = await service.events()
        let message = try await about(who) { () throws(ChatError) in
            try await service.send(text, to: peer.id, replyTo: nil)
        }
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
        for message: ChatMessage, to who: String, _ peer: Peer, _ timeout: Duration, _ events: AsyncStream<ChatEvent>
    ) async throws(CommandError) -> ExitCode {
        guard timeout > .zero else { return .done }
        if peer.trust == .keyChanged { throw Self.keyChanged(who) }
        let outcome = await EventWait(timeout).first(in: events) { event -> ControlResult? in
            switch event {
            case .messageChanged(let changed) where changed.id == message.id: Self.outcome(of: changed.state, who)
            case .notice(.keyChanged(peer.id)): .failed(Self.keyChanged(who))
            default: nil
            }
        }
        switch outcome {
        case .done(let code): return code
        case .failed(let error): throw error
        case nil: throw await queued(peer, what: "the message", after: timeout)
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
            .queued, peer.name, "queued, \(what) was not delivered within \(timeout.components.seconds) s: \(why)",
            advice: "it goes out when blipchat runs and they can be reached")
    }
}
