// Reads an export back: what is not there yet is added, what is there stays as it is. The file may come from anybody, so
// nothing in it is believed: not its names, not its trust, not its paths.

package import BLIPNet
package import ChatCore
package import ChatSettings
import ChatWords
package import Storage

package struct HistoryImporter {
    let store: HistoryDatabase
    let path: String
    /// How long messages are kept: we report which messages of the import are going to be deleted.
    let rules: RetentionRules
    /// How far it is: the file is read twice, and the second time takes nearly all of it.
    let share: Share

    package init(
        store: HistoryDatabase, path: String, rules: RetentionRules = RetentionRules(), share: Share = Share()
    ) {
        self.store = store
        self.path = path
        self.rules = rules
        self.share = share
    }

    /// The content of a line of the file.
    enum Record {
        case contact(JSONValue)
        case message(JSONValue)
        case operation(JSONValue)
        case end(messages: Int64, operations: Int64)
    }

    /// Throws 2 with the number of the line when the file is no export, or is damaged or cut off; nothing is imported then.
    package func run() async throws(CommandError) -> ImportSummary {
        let (count, digest) = try checkWhole()
        var summary = ImportSummary()
        var contacts: [String: ContactID] = [:]
        var importing = try await stored { () throws(StoreError) in
            try await HistoryImport(into: store, count: count, of: digest)
        }
        do throws(CommandError) {
            try await run(&importing, &contacts, &summary)
        } catch {
            // The lines imported so far can be read; the same import continues after them. The first error is the one
            // to report.
            try? await importing.finish(isComplete: false)
            throw error
        }
        try await stored { () throws(StoreError) in try await importing.finish() }
        summary.messages = importing.addedMessages
        summary.operations = importing.addedOperations
        let (rules, now) = (rules, Timestamp.now)
        let expiring = try await stored { () throws(StoreError) in try await store.expiring(rules, now: now) }
        summary.expiring = expiring.map(\.name)
        summary.expiringMessages = expiring.reduce(0) { $0 + $1.messages }
        return summary
    }

    private func run(
        _ importing: inout HistoryImport, _ contacts: inout [String: ContactID], _ summary: inout ImportSummary
    ) async throws(CommandError) {
        var messages: [ImportedMessage] = []
        var operations: [ChatOperation] = []
        var reader = try LineReader(path: path)
        _ = try reader.next()
        records: while let line = try reader.next() {
            let place = reader.number
            if place.isMultiple(of: 256) { share.value = reader.share }
            switch try record(line, place) {
            case .contact(let json): try await add(json, at: place, &contacts, &summary)
            case .message(let json):
                messages.append(placed(try message(json, at: place, contacts), json))
                if messages.count == HistoryImport.batch { try await flush(&messages, into: &importing, &summary) }
            case .operation(let json):
                operations.append(try operation(json, at: place, contacts))
            case .end: break records
            }
        }
        try await flush(&messages, into: &importing, &summary)
        for start in stride(from: 0, to: operations.count, by: HistoryImport.batch) {
            let batch = Array(operations[start..<min(start + HistoryImport.batch, operations.count)])
            let before = importing.addedOperations
            do throws(StoreError) {
                try await importing.add(batch)
            } catch {
                throw CommandError(error, path: path)
            }
            summary.known += batch.count - (importing.addedOperations - before)
        }
    }

    private func flush(
        _ messages: inout [ImportedMessage], into importing: inout HistoryImport, _ summary: inout ImportSummary
    ) async throws(CommandError) {
        let before = importing.addedMessages
        let batch = messages
        do throws(StoreError) {
            try await importing.add(batch)
        } catch {
            throw CommandError(error, path: path)
        }
        summary.known += batch.count - (importing.addedMessages - before)
        messages.removeAll(keepingCapacity: true)
    }

    private func stored<Value>(
        _ call: () async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(StoreError) { return try await call() } catch { throw CommandError(error, path: path) }
    }

    // MARK: Lines

    /// Reads everything once before anything is changed; returns how many messages there are, and the digest of all.
    private func checkWhole() throws(CommandError) -> (messages: Int, digest: String) {
        var reader = try LineReader(path: path)
        guard let first = try reader.next(), let header = try? JSONReader.read(first),
            header["type"]?.stringValue == "export"
        else { throw CommandError(.usage, path, "not a blipchat export", advice: "write one with blipchat export") }
        guard header["v"]?.integerValue == 1 else {
            throw CommandError(.usage, path, "an export from a newer blipchat", advice: "update blipchat")
        }
        var messages: Int64 = 0
        var operations: Int64 = 0
        var contacts: [String: ContactID] = [:]
        let digest = SHA256Digest()
        while let line = try reader.next() {
            line.withUnsafeBytes { digest.update($0) }
            let place = reader.number
            switch try record(line, place) {
            case .contact(let json):
                contacts[try name(json, at: place)] = ContactID(0)
                _ = try room(json, at: place)
            case .message(let json):
                _ = try message(json, at: place, contacts)
                messages += 1
            case .operation(let json):
                _ = try operation(json, at: place, contacts)
                operations += 1
            case .end(let allMessages, let allOperations):
                guard allMessages == messages, allOperations == operations else {
                    throw wrong(
                        reader.number,
                        "says \(allMessages) messages and \(allOperations) changes, "
                            + "but there are \(messages) and \(operations)")
                }
                if try reader.next() != nil { throw wrong(reader.number, "something comes after the end") }
                return (Int(messages), digest.finish().hex)
            }
        }
        throw CommandError(.usage, path, "it is cut off: the last line is missing", advice: "export it again")
    }

    func record(_ line: [UInt8], _ number: Int) throws(CommandError) -> Record {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(line)
        } catch {
            throw wrong(number, "\(error.reason) at byte \(error.offset + 1)")
        }
        switch json["type"]?.stringValue {
        case "contact": return .contact(json)
        case "message", "file": return .message(json)
        case "operation": return .operation(json)
        case "end":
            return .end(
                messages: json["messages"]?.integerValue ?? -1, operations: json["operations"]?.integerValue ?? -1)
        case let other: throw wrong(number, "a record of unknown type \(other ?? "(none)")")
        }
    }

    private func wrong(_ line: Int, _ reason: String) -> CommandError {
        CommandError(.usage, "\(path):\(line)", reason, advice: "nothing was imported")
    }

    // MARK: Records

    /// By key, else by name; a new one is unverified, whatever the file says.
    private func add(
        _ json: JSONValue, at line: Int, _ contacts: inout [String: ContactID], _ summary: inout ImportSummary
    ) async throws(CommandError) {
        let name = try name(json, at: line)
        let peerID = json["peer_id"]?.stringValue.flatMap { PeerID($0) }
        let room = try room(json, at: line)
        let known = try await stored { () throws(StoreError) in try await store.contacts() }
        if let peer = Self.contact(peerID, room, named: name, among: known) {
            contacts[name] = peer.id
            summary.known += 1
            return
        }
        let addresses = (json["addresses"]?.arrayValue ?? []).compactMap { value in
            value.stringValue.flatMap { try? PeerAddress(parsing: $0) }
        }
        let usable = ContactNames.cleaned(name, fallback: "contact")
        let free = ContactNames.unique(usable, among: known.map(\.name))
        var contact = NewContact(
            peerID: room == nil ? peerID : nil, name: free, addresses: room == nil ? addresses : [],
            isBlocked: json["blocked"]?.boolValue ?? false,
            added: time(json, "added") ?? .now)
        // No file makes us dial a server: our user joins it again, or not.
        contact.room = room.map { JoinedRoom(url: $0, isLeft: true) }
        let new = contact
        contacts[name] = try await stored { () throws(StoreError) in
            let added = try await store.addContact(new)
            try await ContactSettings(json).apply(to: added, in: store)
            return added.id
        }
        summary.contacts += 1
    }

    func name(_ json: JSONValue, at line: Int) throws(CommandError) -> String {
        guard let name = json["name"]?.stringValue, (1...64).contains(name.utf8.count) else {
            throw wrong(line, "a contact without a name")
        }
        return name
    }

    private func message(
        _ json: JSONValue, at line: Int, _ contacts: [String: ContactID]
    ) throws(CommandError) -> ImportedMessage {
        let common = try common(json, line, contacts)
        let content: ChatMessage.Content
        if json["type"]?.stringValue == "file" {
            content = .file(try file(json, at: line, common))
        } else {
            guard let text = json["first_text"]?.stringValue ?? json["text"]?.stringValue else {
                throw wrong(line, "a message without text")
            }
            content = .text(text)
        }
        var message = ImportedMessage(
            contact: common.contact, direction: common.direction, id: common.id, sequence: common.sequence,
            sent: common.sent, stored: common.stored, state: common.state,
            replyTo: json["reply_to"]?.stringValue.flatMap { MessageID($0) }, content: content,
            pinned: time(json, "pinned"))
        if common.direction == .incoming {
            message.sender = json["sender"]?.stringValue.map { ContactNames.cleaned($0, fallback: "somebody") }
        }
        return message
    }

    /// The room that a record of a contact is about; `nil`: it is about a person.
    func room(_ json: JSONValue, at line: Int) throws(CommandError) -> RoomURL? {
        guard let text = json["room"]?.stringValue else { return nil }
        do throws(RoomURLError) { return try RoomURL(parsing: text) } catch {
            throw wrong(line, "not the address of a room: \(RoomWords.reason(of: error))")
        }
    }

    /// The fields that messages and operations have in common.
    private struct Common {
        var contact: ContactID
        var direction: MessageDirection
        var id: MessageID
        var sequence: Int64
        var sent: Timestamp
        var stored: Timestamp
        var state: DeliveryState
    }

    private func common(_ json: JSONValue, _ line: Int, _ contacts: [String: ContactID]) throws(CommandError) -> Common
    {
        guard let conversation = json["conversation"]?.stringValue, let contact = contacts[conversation] else {
            throw wrong(line, "no contact in this file has it")
        }
        guard let id = json["id"]?.stringValue.flatMap({ MessageID($0) }),
            let direction = json["direction"]?.stringValue.flatMap({ MessageDirection(rawValue: $0) }),
            let sent = time(json, "sent"), let stored = time(json, "stored")
        else { throw wrong(line, "id, direction, sent or stored is missing or wrong") }
        let states: [String: DeliveryState] = [
            "pending": .pending, "sent": .sent, "delivered": .delivered, "read": .read,
            "failed": .failed(reason: reason(json, "delivery_reason") ?? .unreadable),
        ]
        guard let state = json["delivery"]?.stringValue.flatMap({ states[$0] }) else {
            throw wrong(line, "delivery is missing or wrong")
        }
        return Common(
            contact: contact, direction: direction, id: id, sequence: max(json["sequence"]?.integerValue ?? 0, 0),
            sent: sent, stored: stored, state: state)
    }

    /// By its code; exports of earlier versions have words only.
    private func reason<Reason: StoredReason>(_ json: JSONValue, _ name: String) -> Reason? {
        if let code = json["\(name)_code"]?.stringValue { return Reason(stored: code) }
        return json[name]?.stringValue.map(Reason.other)
    }

    private func operation(
        _ json: JSONValue, at line: Int, _ contacts: [String: ContactID]
    ) throws(CommandError) -> ChatOperation {
        let common = try common(json, line, contacts)
        let text = json["text"]?.stringValue
        let actions: [String: ChatOperation.Action] = [
            "edit": .edit(text: text ?? ""), "retract": .retract, "react": .react(emoji: text),
        ]
        guard let action = json["kind"]?.stringValue.flatMap({ actions[$0] }),
            let target = json["target"]?.stringValue.flatMap({ MessageID($0) })
        else { throw wrong(line, "kind or target is missing or wrong") }
        return ChatOperation(
            id: common.id, contact: common.contact, direction: common.direction, sequence: common.sequence,
            sent: common.sent, stored: common.stored, state: common.state, target: target, action: action)
    }

    private func file(_ json: JSONValue, at line: Int, _ common: Common) throws(CommandError) -> FileTransfer {
        guard let name = json["name"]?.stringValue, let size = bytes(json, "size"),
            let state = json["state"]?.stringValue.flatMap({ FileTransfer.State(rawValue: $0) })
        else { throw wrong(line, "name, size or state of the file is missing or wrong") }
        var place: FolderPlace?
        if let set = json["folder_set"]?.stringValue.flatMap({ MessageID($0) }),
            let folder = json["folder"]?.stringValue
        {
            place = FolderPlace(
                set: set, path: folder, files: bytes(json, "folder_files") ?? 0, bytes: bytes(json, "folder_bytes") ?? 0
            )
        }
        return FileTransfer(
            id: common.id, number: TransferNumber(0), contact: common.contact, direction: common.direction, name: name,
            size: size, modified: time(json, "modified") ?? common.sent,
            contentType: json["content_type"]?.stringValue ?? "application/octet-stream",
            caption: json["caption"]?.stringValue ?? "", place: place, state: state,
            reason: reason(json, "reason"), transferred: bytes(json, "transferred") ?? 0,
            sha256: json["sha256"]?.stringValue, path: nil, offered: time(json, "offered") ?? common.stored,
            started: time(json, "started"), finished: time(json, "finished"))
    }

    /// With the place of its file: the copy beside the export, else where the file was. It must be the very file that the
    /// record tells of; otherwise an export could make any file of this user one that they seem to have sent.
    private func placed(_ message: ImportedMessage, _ json: JSONValue) -> ImportedMessage {
        guard case .file(var file) = message.content else { return message }
        let known = file.sha256 ?? (file.size == 0 ? SHA256Digest().finish().hex : nil)
        let places = [
            (path: copyPath(json), sha256: json["copy_sha256"]?.stringValue ?? known),
            (path: json["path"]?.stringValue, sha256: known),
        ]
        for place in places {
            guard let path = place.path, let sha256 = place.sha256,
                FileDigest.isFile(path, size: file.size, sha256: sha256)
            else { continue }
            file.path = path
            break
        }
        var message = message
        message.content = .file(file)
        return message
    }

    private func copyPath(_ json: JSONValue) -> String? {
        guard let copy = json["copy"]?.stringValue else { return nil }
        let steps = copy.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let leadsOut = steps.contains { $0.isEmpty || $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }
        guard !leadsOut, !copy.utf8.contains(0), let absolute = try? HomePaths.absolute(path) else { return nil }
        return "\(HomePaths.parent(of: absolute))/\(copy)"
    }

    private func time(_ json: JSONValue, _ name: String) -> Timestamp? {
        json[name]?.stringValue.flatMap { RFC3339.read($0) }
    }

    private func bytes(_ json: JSONValue, _ name: String) -> UInt64? {
        json[name]?.integerValue.flatMap { UInt64(exactly: $0) }
    }
}

extension ImportSummary {
    package var record: JSONValue {
        .record([
            "v": 1, "type": "import", "contacts": .integer(Int64(contacts)),
            "messages": .integer(Int64(messages)), "operations": .integer(Int64(operations)),
            "known": .integer(Int64(known)), "expiring": .integer(Int64(expiringMessages)),
            "expiring_in": .array(expiring.map(JSONValue.string)),
        ])
    }
}
