// Whether a caller waits for the disk (Docs/decisions/0038).

/// The moment that a write to the history waits for.
package enum CommitDurability: Sendable {
    /// The write is on the disk when the call returns.
    case synchronous
    /// Readers see the write when the call returns; the next synchronous commit puts it on the disk. A power cut before then
    /// takes it back, so it is only for what blipchat can find out again (D3: the receiver knows a repeated message by its id).
    case asynchronous
}

/// Delivery states are committed synchronously unless a caller says otherwise.
extension HistoryStore {
    package func advanceState(
        of id: MessageID, in contact: ContactID, to state: DeliveryState
    ) async throws(StoreError) -> ChatMessage? {
        try await advanceState(of: id, in: contact, to: state, commit: .synchronous)
    }

    package func advanceOperation(
        _ id: MessageID, in contact: ContactID, to state: DeliveryState
    ) async throws(StoreError) -> ChatMessage? {
        try await advanceOperation(id, in: contact, to: state, commit: .synchronous)
    }
}
