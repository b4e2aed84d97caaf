// Entries of the outbox: how they go over the wire, and how the store hears how far they are.

import BLIPNet

extension HistoryStore {
    /// Writes down how far an entry of the outbox is. News of a transfer counts as delivered once it is answered.
    func advance(
        _ entry: OutboxEntry, to state: DeliveryState, commit: CommitDurability = .synchronous
    ) async throws(StoreError) {
        switch entry.operation {
        case .message(let message):
            _ = try await advanceState(of: message.id, in: message.contact, to: state, commit: commit)
        case .operation(let operation):
            _ = try await advanceOperation(operation.id, in: operation.contact, to: state, commit: commit)
        case .fileStatus: try await removeOutboxEntry(entry.id)
        }
    }
}

extension OutboxEntry {
    /// The user entered it; news of transfers are ours.
    var isOfUser: Bool {
        if case .fileStatus = operation { false } else { true }
    }

    /// It has not been sent before, as its row says.
    var isPending: Bool {
        switch operation {
        case .message(let message): message.state == .pending
        case .operation(let operation): operation.state == .pending
        case .fileStatus: false
        }
    }

    /// As it goes over the wire.
    var request: BLIPRequest {
        switch operation {
        case .message(let message):
            message.request
        case .operation(let operation): operation.request
        case .fileStatus(let transfer, let state, let reason):
            FileStatusRequest(
                id: transfer, state: FileStatusRequest.State(state),
                reason: state == .failed ? FileStatusRequest.Reason(reason) : nil
            ).encoded()
        }
    }
}

extension ChatMessage {
    /// As it goes over the wire.
    var request: BLIPRequest {
        let head = StoredHead(id: id, sequence: sequence, sent: sent)
        return switch content {
        case .text(let text): MessageRequest(head, replyTo: replyTo, text: text).encoded()
        case .file(let file):
            FileOfferRequest(
                head, name: file.name, size: file.size, modified: file.modified, contentType: file.contentType,
                caption: file.caption, place: file.place
            ).encoded()
        }
    }
}

extension FileStatusRequest.State {
    /// The state of a transfer that we tell the peer; the finer states are nobody else's business.
    init(_ state: FileTransfer.State) {
        switch state {
        case .offered, .accepted, .running, .paused: self = .accepted
        case .declined: self = .declined
        case .cancelled, .failed: self = .cancelled
        case .complete: self = .complete
        }
    }
}

extension FileStatusRequest.Reason {
    /// `nil`: nothing that the other side could not think of.
    init?(_ reason: TransferReason?) {
        switch reason {
        case TransferReason.digestDiffers?: self = .digest
        case TransferReason.sourceChanged?: self = .changed
        case TransferReason.sourceGone?: self = .gone
        default: return nil
        }
    }

    /// Why the transfer has failed.
    var transferReason: TransferReason {
        switch self {
        case .digest: .digestDiffers
        case .changed: .sourceChanged
        case .gone: .sourceGone
        }
    }
}
