// All messages in their order, with what they were entered with: for exports.

package import ChatCore

/// A message with all that an import needs.
package struct ExportedMessage: Sendable, Equatable {
    package var message: ChatMessage
    /// Its first text, when it has been edited since; the export says nothing of a text that its sender took back.
    package var firstText: String?
}

extension HistoryDatabase {
    /// Up to `limit` messages after `position`, of one conversation or of all, in the order of their positions.
    package func exportedMessages(
        of contact: ContactID?, after position: HistoryPosition, limit: Int
    ) async throws(StoreError) -> [ExportedMessage] {
        try await reader.perform { connection throws(StoreError) in
            let filter = contact == nil ? "" : "m.contact = ? AND "
            let values = contact.map { [SQLiteValue.integer($0.rawValue)] } ?? []
            let messages = try connection.all(
                MessageRow.select() + " WHERE \(filter)m.position > ? ORDER BY m.position LIMIT ?",
                values + [.integer(position.rawValue), .integer(Int64(limit))], MessageRow.message)
            var exported: [ExportedMessage] = []
            for message in messages {
                let isChanged = message.edited != nil && !message.isRetracted
                exported.append(
                    ExportedMessage(
                        message: message, firstText: isChanged ? try connection.firstText(of: message) : nil))
            }
            return exported
        }
    }
}
