// Sends a message or a file and waits for what becomes of it: the events of the chat decide.

import ChatCore

extension OperationRunner {
    /// Without progress for so long a file transfer is left to itself; it stays queued.
    private static let stallLimit = Duration.seconds(600)

    func send(
        _ text: String, to who: String, within timeout: Duration, _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        // Events are asked for first, so that none can be missed.
        let events = await service.events()
        let message = try await about(who) { () throws(ChatError) in
            try await service.send(text, to: peer.id, replyTo: nil)
        }
        await records(try await currentRecords().record(of: message))
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

    func sendFile(
        _ path: String, as name: String?, caption: String, to who: String, within timeout: Duration,
        _ records: @escaping RecordSink
    ) async throws(CommandError) -> ExitCode {
        let peer = try await contact(who)
        let events = await service.events()
        let message = try await about(who) { () throws(ChatError) in
            try await service.sendFile(at: path, named: name, caption: caption, to: peer.id)
        }
        await records(try await currentRecords().record(of: message))
        guard timeout > .zero else { return .done }
        if peer.trust == .keyChanged { throw Self.keyChanged(who) }
        let wait = EventWait(timeout)
        let outcome = await wait.first(in: events) { event -> ControlResult? in
            switch event {
            case .messageChanged(let changed) where changed.id == message.id:
                if case .failed = changed.state { return Self.outcome(of: changed.state, who) }
                guard case .file(let transfer) = changed.content else { return nil }
                // The peer has the offer: from now on only standing still counts.
                if changed.state.rank >= DeliveryState.delivered.rank { wait.extend(by: Self.stallLimit) }
                if transfer.state.isFinal, let current = try? await currentRecords() {
                    await records(current.record(of: changed))
                }
                return Self.outcome(of: transfer)
            case .transferProgress(let progress) where progress.id == message.id:
                wait.extend(by: Self.stallLimit)
                await records(Records.progress(progress))
                return nil
            case .notice(.keyChanged(peer.id)): return .failed(Self.keyChanged(who))
            default: return nil
            }
        }
        switch outcome {
        case .done(let code): return code
        case .failed(let error): throw error
        case nil: throw await queued(peer, what: "the file", after: wait.lastTimeout)
        }
    }

    /// `nil` while it is not decided.
    private static func outcome(of state: DeliveryState, _ who: String) -> ControlResult? {
        switch state {
        case .pending, .sent: nil
        case .delivered, .read: .done(.done)
        case .failed(let reason): .failed(CommandError(.refused, who, reason))
        }
    }

    private static func outcome(of transfer: FileTransfer) -> ControlResult? {
        switch transfer.state {
        case .offered, .accepted, .running, .paused: nil
        case .complete: .done(.done)
        case .declined:
            .failed(CommandError(.refused, transfer.name, "the peer declined the file", advice: "ask them why"))
        case .cancelled: .failed(CommandError(.refused, transfer.name, transfer.reason ?? "the transfer was cancelled"))
        case .failed: .failed(CommandError(exitCode(of: transfer), transfer.name, transfer.reason ?? "failed"))
        }
    }

    private static func exitCode(of transfer: FileTransfer) -> ExitCode {
        switch transfer.reason {
        case TransferReason.sourceChanged, TransferReason.sourceGone: .localIO
        case TransferReason.digestDiffers: .integrity
        default: .network
        }
    }

    private static func keyChanged(_ who: String) -> CommandError {
        CommandError(
            .identity, who, "answers with another key than the pinned one; nothing is sent",
            advice: "compare keys with them, then remove the contact and add it anew")
    }

    /// Stored, but not with the peer in time.
    private func queued(_ peer: Peer, what: String, after timeout: Duration) async -> CommandError {
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
