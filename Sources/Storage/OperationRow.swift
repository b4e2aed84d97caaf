// Between rows of `operations` and `ChatOperation`, and what the operations on a message make of it.

internal import ChatCore

enum OperationRow {
    static let columns =
        "o.id, o.contact, o.outgoing, o.sequence, o.sent, o.stored, o.state, o.reason, o.kind, o.target, o.text"

    static func operation(from row: SQLiteRow) throws(StoreError) -> ChatOperation {
        guard let id = MessageID(row.text(0)), let target = MessageID(row.text(9)),
            let action = action(kind: row.text(8), text: row.optionalText(10))
        else { throw MessageRow.damaged("an operation") }
        let direction: MessageDirection = row.flag(2) ? .outgoing : .incoming
        return ChatOperation(
            id: id, contact: ContactID(row.integer(1)), direction: direction, sequence: row.integer(3),
            sent: Timestamp(milliseconds: row.integer(4)), stored: Timestamp(milliseconds: row.integer(5)),
            state: try MessageRow.deliveryState(rank: row.integer(6), reason: row.text(7)), target: target,
            action: action)
    }

    static func action(kind: String, text: String?) -> ChatOperation.Action? {
        switch kind {
        case "edit": .edit(text: text ?? "")
        case "retract": .retract
        case "react": .react(emoji: text)
        default: nil
        }
    }

    /// The columns `kind` and `text`.
    static func values(of action: ChatOperation.Action) -> (kind: String, text: String?) {
        switch action {
        case .edit(let text): ("edit", text)
        case .retract: ("retract", nil)
        case .react(let emoji): ("react", emoji)
        }
    }
}

extension SQLiteConnection {
    /// Stores an operation; returns its number.
    func insertOperation(_ operation: ChatOperation, numbering: Int64) throws(StoreError) -> Int64 {
        let (kind, text) = OperationRow.values(of: operation.action)
        try run(
            """
            INSERT INTO operations(contact, outgoing, id, numbering, sequence, sent, stored, state, kind, target, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(operation.contact.rawValue), .flag(operation.direction == .outgoing), .text(operation.id.text),
            .integer(numbering), .integer(operation.sequence), .integer(operation.sent.milliseconds),
            .integer(operation.stored.milliseconds), .integer(Int64(operation.state.rank)), .text(kind),
            .text(operation.target.text), .optionalText(text))
        return lastInsertedRow
    }

    /// The message that an operation of `author` acts on; `nil` when it is not there. A reaction may mean either side's
    /// message: the other side's goes first.
    func target(
        of action: ChatOperation.Action, on id: MessageID, by author: MessageDirection, in contact: ContactID
    ) throws(StoreError) -> ChatMessage? {
        guard case .react = action else { return try message(id, of: contact, author) }
        if let message = try message(id, of: contact, author.other) { return message }
        return try message(id, of: contact, author)
    }

    /// Makes a message what the operations on it say, whatever the order in which they came: the last edit of its
    /// author counts unless they have retracted it, and the last reaction of each side.
    func applyOperations(to message: ChatMessage) throws(StoreError) -> ChatMessage {
        let isOurs = SQLiteValue.flag(message.direction == .outgoing)
        let key: [SQLiteValue] = [.integer(message.contact.rawValue), .text(message.id.text)]
        // Before ids of the other side were refused, one could name a message of each side. A reaction is to one of them.
        let hasTwin = try self.message(message.id, of: message.contact, message.direction.other) != nil
        let isRetracted =
            try has(
                "SELECT 1 FROM operations WHERE contact = ? AND target = ? AND outgoing = ? AND kind = 'retract'",
                .integer(message.contact.rawValue), .text(message.id.text), isOurs)
        func latest(_ kind: String, by author: SQLiteValue) throws(StoreError) -> (text: String?, sent: Int64)? {
            try first(LatestOperation.query, key + [.text(kind), author]) { row in
                (row.optionalText(0), row.integer(1))
            }
        }
        // A file has no text that could be edited.
        let firstText = try firstText(of: message)
        let edit = firstText == nil ? nil : try latest("edit", by: isOurs)
        func reaction(of author: MessageDirection) throws(StoreError) -> String? {
            guard !isRetracted, !hasTwin || message.direction != author else { return nil }
            return try latest("react", by: .flag(author == .outgoing))?.text
        }
        let (own, theirs) = (try reaction(of: .outgoing), try reaction(of: .incoming))
        let wasIndexed = try SearchIndex.remove(message.position.rawValue, in: self)
        try run(
            """
            UPDATE messages SET first_text = ?2, text = ?3, edited = ?4, retracted = ?5, own_reaction = ?6,
                peer_reaction = ?7
            WHERE position = ?1
            """,
            .integer(message.position.rawValue), .optionalText(edit == nil && !isRetracted ? nil : firstText),
            .optionalText(firstText.map { isRetracted ? "" : edit?.text ?? $0 }), .optionalInteger(edit?.sent),
            .flag(isRetracted), .optionalText(own), .optionalText(theirs))
        guard let changed = try self.message(at: message.position.rawValue) else { throw .notFound }
        if wasIndexed { try SearchIndex.add(changed.position.rawValue, in: self) }
        return changed
    }

    /// Whether a side has given an id to a message or an operation of a conversation.
    func isTaken(
        _ id: MessageID, by author: MessageDirection, in contact: ContactID
    ) throws(StoreError) -> Bool {
        try has(
            """
            SELECT 1 FROM messages WHERE contact = ?1 AND outgoing = ?2 AND id = ?3
            UNION ALL SELECT 1 FROM operations WHERE contact = ?1 AND outgoing = ?2 AND id = ?3
            """, .integer(contact.rawValue), .flag(author == .outgoing), .text(id.text))
    }

    /// Whether anything acts on a message that has just come.
    func hasOperations(on message: ChatMessage) throws(StoreError) -> Bool {
        try has(
            "SELECT 1 FROM operations WHERE contact = ? AND target = ?", .integer(message.contact.rawValue),
            .text(message.id.text))
    }
}

/// The last operation of one kind by a side on a message, whatever the order in which they came.
enum LatestOperation {
    /// Contact, message, kind and side; the text and the sender's time. One step in an index, however many there are.
    static let query = """
        SELECT text, sent FROM operations WHERE contact = ? AND target = ? AND kind = ? AND outgoing = ?
        ORDER BY numbering DESC, sequence DESC, number DESC LIMIT 1
        """
}
