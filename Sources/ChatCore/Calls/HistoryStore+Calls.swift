// Calls that the history alone can answer.

extension HistoryStore {
    /// The reply to a call that only needs reading; `nil` for all others, and for a transfer that is not there.
    package func read(_ call: AnyCall) async throws(StoreError) -> (any CallReply)? {
        switch call {
        case .conversations: return try await conversations()
        case .contactRequests: return try await contactRequests()
        case .page(let contact, let anchor, let limit): return try await page(of: contact, anchor, limit: limit)
        case .search(let query): return try await search(query)
        case .firstMessage(let contact, let time):
            return try await firstMessage(of: contact, since: time) as any CallReply
        case .message(let contact, let reference): return try await message(reference, of: contact) as any CallReply
        case .messages(let contact, let ids): return try await messages(ids, of: contact)
        case .versions(let message): return try await versions(of: message)
        case .pinnedMessages(let contact): return try await pinnedMessages(of: contact)
        case .draft(let contact): return try await draft(for: contact)
        case .retention(let contact): return try await retention(of: contact) as any CallReply
        case .transfers(let unfinishedOnly):
            let unfinished = try await transfers(unfinishedOnly: true, limit: 10_000)
            if unfinishedOnly { return unfinished }
            // Whatever is open can be answered, however much has ended since.
            let newest = try await transfers(unfinishedOnly: false, limit: 1_000)
            let known = Set(newest.map(\.id))
            return (newest + unfinished.filter { !known.contains($0.id) }).sorted { $0.number > $1.number }
        case .transfer(let number): return try await transfer(number: number)
        default: return nil
        }
    }
}
