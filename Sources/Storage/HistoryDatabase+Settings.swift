// Settings and drafts: small texts by key.

package import ChatCore

extension HistoryDatabase {
    package func setting(_ key: String) async throws(StoreError) -> String? {
        try await reader.perform { connection throws(StoreError) in
            try connection.first("SELECT value FROM settings WHERE key = ?", [.text(key)]) { row in row.text(0) }
        }
    }

    package func setSetting(_ key: String, to value: String?) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            guard let value else { return try connection.run("DELETE FROM settings WHERE key = ?", .text(key)) }
            try connection.run(
                "INSERT INTO settings(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
                .text(key), .text(value))
        }
    }

    package func draft(for contact: ContactID) async throws(StoreError) -> String {
        try await reader.perform { connection throws(StoreError) in
            try connection.first("SELECT text FROM drafts WHERE contact = ?", [.integer(contact.rawValue)]) { row in
                row.text(0)
            } ?? ""
        }
    }

    package func setDraft(_ text: String, for contact: ContactID) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            guard !text.isEmpty else {
                return try connection.run("DELETE FROM drafts WHERE contact = ?", .integer(contact.rawValue))
            }
            try connection.run(
                "INSERT INTO drafts(contact, text) VALUES (?1, ?2) ON CONFLICT(contact) DO UPDATE SET text = ?2",
                .integer(contact.rawValue), .text(text))
        }
    }
}
