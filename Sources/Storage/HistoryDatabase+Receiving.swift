// Incoming operations: stored once, whatever the network does, and shown in their sender's order (RELIABILITY D3-D5).

package import ChatCore

extension HistoryDatabase {
    package func appendIncoming(
        _ messages: [IncomingMessage]
    ) async throws(StoreError) -> [Result<AppendOutcome, StoreError>] {
        defer { indexSoon() }
        return try await write(reporting: { outcomes in
            outcomes.flatMap { outcome in (try? outcome.get())?.changes ?? [] }
        }) { connection throws(StoreError) -> [Result<AppendOutcome, StoreError>]? in
            var found: [Result<AppendOutcome, StoreError>] = []
            for message in messages {
                // Either all of them are there or not one is; a refused one is not there either way.
                if let outcome = try connection.outcome(ifStored: message) {
                    found.append(.success(outcome))
                } else if let refusal = try connection.refusal(of: message) {
                    found.append(.success(refusal))
                } else {
                    return nil
                }
            }
            return found
        } _: { connection throws(StoreError) -> [Result<AppendOutcome, StoreError>] in
            var outcomes: [Result<AppendOutcome, StoreError>] = []
            for message in messages {
                outcomes.append(try connection.part { () throws(StoreError) in try connection.append(message) })
            }
            return outcomes
        }
    }

    package func contactsWithHeld() async throws(StoreError) -> [ContactID] {
        try await reader.perform { connection throws(StoreError) in
            try connection.all("SELECT DISTINCT contact FROM held ORDER BY contact") { row in ContactID(row.integer(0))
            }
        }
    }

    package func releaseHeld(for contact: ContactID) async throws(StoreError) -> [HistoryChange] {
        // Mostly there is nothing, and then nothing is committed: this is asked of every contact at the start.
        let isHolding = try await writer.perform { connection throws(StoreError) in
            try connection.first("SELECT 1 FROM held WHERE contact = ?", [.integer(contact.rawValue)]) { _ in true }
        }
        guard isHolding == true else { return [] }
        defer { indexSoon() }
        return try await write(reporting: { $0 }) { connection throws(StoreError) in
            var arrival = try IncomingArrival(from: contact, in: connection)
            return try arrival.release()
        }
    }
}

extension SQLiteConnection {
    fileprivate func append(_ message: IncomingMessage) throws(StoreError) -> AppendOutcome {
        if let known = try isKnown(message) { return known ? .duplicate : .conflict }
        if let refusal = try refusal(of: message) { return refusal }
        var arrival = try IncomingArrival(from: message.contact, in: self)
        return try arrival.append(message)
    }

    /// The result of an append whose commit had an unknown outcome (D10); `nil` when it is not there.
    fileprivate func outcome(ifStored message: IncomingMessage) throws(StoreError) -> AppendOutcome? {
        guard let known = try isKnown(message) else { return nil }
        guard known else { return .conflict }
        if try heldContent(message.id, from: message.contact) != nil { return .held }
        if let stored = try self.message(message.id, of: message.contact, .incoming) {
            return .stored([.added(stored)])
        }
        guard case .operation(let action, let id) = message.content,
            let target = try target(of: action, on: id, by: .incoming, in: message.contact)
        else { return .stored([]) }
        return .stored([.changed(target)])
    }

    /// Whether what is stored under the key (peer, direction, id) is this very operation; `nil` when nothing is.
    fileprivate func isKnown(_ message: IncomingMessage) throws(StoreError) -> Bool? {
        if let stored = try storedContent(message.id, from: message.contact) {
            return stored.hasSameBytes(as: message.content)
        }
        // Ids are made at random: a peer that sends one of ours wants it to be taken for ours (RELIABILITY D3).
        if try isTaken(message.id, by: .outgoing, in: message.contact) { return false }
        // We look up transfers by id alone, so a file may not take the id of anybody else's.
        if case .file = message.content,
            try has(
                "SELECT 1 FROM transfers WHERE id = ?1 UNION ALL SELECT 1 FROM held WHERE id = ?1 AND kind = 'file'",
                .text(message.id.text))
        {
            return false
        }
        return nil
    }

    private func storedContent(
        _ id: MessageID, from contact: ContactID
    ) throws(StoreError) -> IncomingMessage.Content? {
        if let held = try heldContent(id, from: contact) { return held }
        if let message = try messageContent(id, from: contact) { return message }
        return try operationContent(id, from: contact)
    }

    private func messageContent(
        _ id: MessageID, from contact: ContactID
    ) throws(StoreError) -> IncomingMessage.Content? {
        guard let stored = try message(id, of: contact, .incoming) else { return nil }
        switch stored.content {
        case .text(let text): return .text(try firstText(of: stored) ?? text)
        case .file(let file):
            return .file(
                name: file.name, size: file.size, modified: file.modified, contentType: file.contentType,
                caption: file.caption, place: file.place)
        }
    }

    private func operationContent(
        _ id: MessageID, from contact: ContactID
    ) throws(StoreError) -> IncomingMessage.Content? {
        let stored = try first(
            "SELECT \(OperationRow.columns) FROM operations o WHERE o.contact = ? AND o.outgoing = 0 AND o.id = ?",
            [.integer(contact.rawValue), .text(id.text)], OperationRow.operation)
        return stored.map { .operation($0.action, target: $0.target) }
    }

    /// Why a peer may not do this to a message that is here. What acts on unknown messages is stored: they may follow.
    fileprivate func refusal(of message: IncomingMessage) throws(StoreError) -> AppendOutcome? {
        guard case .operation(let action, let id) = message.content else { return nil }
        if case .react = action { return nil }
        guard let target = try self.message(id, of: message.contact, .incoming) else {
            return try self.message(id, of: message.contact, .outgoing) == nil ? nil : .forbidden
        }
        if case .edit = action, case .file = target.content { return .meaningless }
        return nil
    }
}

extension IncomingMessage.Content {
    /// Compared byte by byte (String equality would let NFC and NFD pass). The type of a file is no part of it.
    fileprivate func hasSameBytes(as other: Self) -> Bool {
        switch (self, other) {
        case (.text(let mine), .text(let theirs)): Self.same(mine, theirs)
        case (
            .file(let name, let size, let modified, _, let caption, let place),
            .file(let otherName, let otherSize, let otherModified, _, let otherCaption, let otherPlace)
        ):
            Self.same(name, otherName) && size == otherSize && modified == otherModified
                && Self.same(caption, otherCaption) && place?.set == otherPlace?.set
                && Self.same(place?.path ?? "", otherPlace?.path ?? "")
        case (.operation(let action, let target), .operation(let otherAction, let otherTarget)):
            target == otherTarget && Self.same(action, otherAction)
        default: false
        }
    }

    private static func same(_ action: ChatOperation.Action, _ other: ChatOperation.Action) -> Bool {
        let (kind, text) = OperationRow.values(of: action)
        let (otherKind, otherText) = OperationRow.values(of: other)
        return kind == otherKind && (text == nil) == (otherText == nil) && same(text ?? "", otherText ?? "")
    }

    private static func same(_ text: String, _ other: String) -> Bool { text.utf8.elementsEqual(other.utf8) }
}
