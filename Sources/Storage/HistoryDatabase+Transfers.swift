// Transfers: the files of the conversations.

package import ChatCore

extension HistoryDatabase {
    /// In the words of the index of unfinished transfers: without them SQLite goes through all that there ever were, also
    /// for a single one of these states.
    static let isUnfinished = "t.state IN ('offered', 'accepted', 'running', 'paused')"

    package func transfer(_ id: MessageID) async throws(StoreError) -> FileTransfer? {
        try await transfer(where: "t.id = ?", .text(id.text))
    }

    package func transfers(_ ids: [MessageID]) async throws(StoreError) -> [FileTransfer] {
        try await writer.perform { connection throws(StoreError) in
            try connection.all(
                """
                SELECT \(TransferRow.columns) FROM json_each(?) JOIN transfers t ON t.id = value
                """, [ids.list]
            ) { row throws(StoreError) in try TransferRow.transfer(from: row) }
        }
    }

    package func transfer(number: TransferNumber) async throws(StoreError) -> FileTransfer? {
        try await transfer(where: "t.number = ?", .integer(number.rawValue))
    }

    package func holdsFile(_ id: MessageID, of contact: ContactID) async throws(StoreError) -> Bool {
        try await writer.perform { connection throws(StoreError) in
            guard case .file = try connection.heldContent(id, from: contact) else { return false }
            return true
        }
    }

    package func transfers(unfinishedOnly: Bool, limit: Int) async throws(StoreError) -> [FileTransfer] {
        let filter = unfinishedOnly ? "WHERE \(Self.isUnfinished)" : ""
        return try await writer.perform { connection throws(StoreError) in
            try connection.all(
                "SELECT \(TransferRow.columns) FROM transfers t \(filter) ORDER BY t.number DESC LIMIT ?",
                [.integer(Int64(limit))]
            ) { row throws(StoreError) in try TransferRow.transfer(from: row) }
        }
    }

    package func unfinishedTransfers(
        with contact: ContactID, after number: TransferNumber?, limit: Int
    ) async throws(StoreError) -> [FileTransfer] {
        try await writer.perform { connection throws(StoreError) in
            try connection.all(
                """
                SELECT \(TransferRow.columns) FROM transfers t
                WHERE \(Self.isUnfinished) AND t.contact = ? AND t.number > ?
                ORDER BY t.number LIMIT ?
                """,
                [.integer(contact.rawValue), .integer(number?.rawValue ?? 0), .integer(Int64(limit))]
            ) { row throws(StoreError) in try TransferRow.transfer(from: row) }
        }
    }

    package func runningTransfers() async throws(StoreError) -> [FileTransfer] {
        try await writer.perform { connection throws(StoreError) in
            try connection.all(
                "SELECT \(TransferRow.columns) FROM transfers t WHERE \(Self.isUnfinished) AND t.state = 'running'", []
            ) { row throws(StoreError) in try TransferRow.transfer(from: row) }
        }
    }

    package func unfinishedPaths(_ direction: MessageDirection) async throws(StoreError) -> Set<String> {
        try await writer.perform { connection throws(StoreError) in
            let paths = try connection.all(
                """
                SELECT path FROM transfers t WHERE \(Self.isUnfinished) AND outgoing = ? AND path IS NOT NULL
                """, [.flag(direction == .outgoing)]
            ) { row in row.text(0) }
            return Set(paths)
        }
    }

    package func acceptedTransfers(
        from contact: ContactID, after number: TransferNumber?, limit: Int
    ) async throws(StoreError) -> [FileTransfer] {
        try await writer.perform { connection throws(StoreError) in
            try connection.all(
                """
                SELECT \(TransferRow.columns) FROM transfers t
                WHERE \(Self.isUnfinished) AND t.state IN ('accepted', 'running')
                    AND t.contact = ? AND t.outgoing = 0 AND t.number > ?
                ORDER BY t.number LIMIT ?
                """,
                [.integer(contact.rawValue), .integer(number?.rawValue ?? 0), .integer(Int64(limit))]
            ) { row throws(StoreError) in try TransferRow.transfer(from: row) }
        }
    }

    package func unfinishedTransfers(
        of set: MessageID, with contact: ContactID, _ direction: MessageDirection, offeredOnly: Bool,
        after number: TransferNumber?, limit: Int
    ) async throws(StoreError) -> [FileTransfer] {
        let states = offeredOnly ? "t.state = 'offered'" : Self.isUnfinished
        return try await writer.perform { connection throws(StoreError) in
            // The plus keeps SQLite from the index of all that is unfinished.
            try connection.all(
                """
                SELECT \(TransferRow.columns) FROM transfers t
                WHERE t.folder_set = ? AND t.contact = ? AND t.outgoing = ? AND +\(states)
                    AND t.number > ?
                ORDER BY t.number LIMIT ?
                """,
                [
                    .text(set.text), .integer(contact.rawValue), .flag(direction == .outgoing),
                    .integer(number?.rawValue ?? 0), .integer(Int64(limit)),
                ]
            ) { row throws(StoreError) in try TransferRow.transfer(from: row) }
        }
    }

    package func updateTransfers(_ transfers: [FileTransfer], reporting: Bool) async throws(StoreError) {
        _ = try await write(reporting: { (messages: [ChatMessage]) in messages.map(HistoryChange.changed) }) {
            connection throws(StoreError) in
            var messages: [ChatMessage] = []
            for transfer in transfers {
                guard let transferred = Int64(exactly: transfer.transferred) else {
                    throw .failed(code: 18, reason: "\(transfer.transferred) transferred bytes are too many")
                }
                try connection.run(
                    """
                    UPDATE transfers SET state = ?2, reason = ?3, transferred = ?4, sha256 = ?5, path = ?6,
                        started = ?7, finished = ?8
                    WHERE id = ?1 AND (state IN ('offered', 'accepted', 'running', 'paused') OR state = ?2)
                    """,
                    .text(transfer.id.text), .text(transfer.state.rawValue), .optionalText(transfer.reason?.stored),
                    .integer(transferred), .optionalText(transfer.sha256), .optionalText(transfer.path),
                    .optionalInteger(transfer.started?.milliseconds),
                    .optionalInteger(transfer.finished?.milliseconds))
                guard reporting,
                    let message = try connection.message(transfer.id, of: transfer.contact, transfer.direction)
                else { continue }
                messages.append(message)
            }
            return messages
        }
    }

    package func endTransfers(
        _ ids: [MessageID], with contact: ContactID, as state: FileTransfer.State, at time: Timestamp
    ) async throws(StoreError) {
        _ = try await write(reporting: { (messages: [ChatMessage]) in messages.map { .changed($0) } }) {
            connection throws(StoreError) in
            var messages: [ChatMessage] = []
            var ended: [MessageID] = []
            for id in ids {
                let direction = try connection.first(
                    """
                    UPDATE transfers SET state = ?3, reason = NULL, finished = ?4
                    WHERE id = ?1 AND contact = ?2 AND state IN ('offered', 'accepted', 'running', 'paused')
                    RETURNING outgoing
                    """,
                    [
                        .text(id.text), .integer(contact.rawValue), .text(state.rawValue), .integer(time.milliseconds),
                    ]
                ) { row in row.integer(0) != 0 ? MessageDirection.outgoing : .incoming }
                guard let direction else { continue }
                ended.append(id)
                if let message = try connection.message(id, of: contact, direction) { messages.append(message) }
            }
            try connection.enqueueFileStatus(to: contact, of: ended, state: state)
            return messages
        }
    }

    /// On the writer: whoever reads a transfer is about to change it.
    private func transfer(where condition: String, _ value: SQLiteValue) async throws(StoreError) -> FileTransfer? {
        try await writer.perform { connection throws(StoreError) in
            try connection.first("SELECT \(TransferRow.columns) FROM transfers t WHERE \(condition)", [value]) {
                row throws(StoreError) in try TransferRow.transfer(from: row)
            }
        }
    }
}
