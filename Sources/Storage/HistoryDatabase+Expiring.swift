// How much is going to be deleted: said before it happens.

package import ChatCore

extension HistoryDatabase {
    /// How many messages and files a conversation has.
    package func messageCount(of contact: ContactID) async throws(StoreError) -> Int {
        try await reader.perform { connection throws(StoreError) in
            let count = try connection.first(
                "SELECT count(*) FROM messages WHERE contact = ?", [.integer(contact.rawValue)]
            ) { row in row.integer(0) }
            return Int(clamping: count ?? 0)
        }
    }

    /// The conversations with messages that are too old under `rules`, by name, and how many they have. Those that still
    /// wait for something are among them: they go when that is over.
    package func expiring(
        _ rules: RetentionRules, now: Timestamp
    ) async throws(StoreError) -> [(name: String, messages: Int)] {
        let limits = try await limits(rules, now: now)
        return try await reader.perform { connection throws(StoreError) in
            var expiring: [(name: String, messages: Int)] = []
            for (contact, limit) in limits {
                let found = try connection.first(
                    """
                    SELECT c.name, (SELECT count(*) FROM messages m WHERE m.contact = c.id AND m.stored < ?2)
                    FROM contacts c WHERE c.id = ?1
                    """, [.integer(contact.rawValue), .integer(limit.milliseconds)]
                ) { row in (row.text(0), Int(clamping: row.integer(1))) }
                if let (name, count) = found, count > 0 { expiring.append((name, count)) }
            }
            return expiring.sorted { $0.name < $1.name }
        }
    }
}
