// An export for programs, and for `blipchat import`: one record a line, with everything that the history knows.

import BLIPNet
import ChatCore
import ChatWords
import Storage

struct JSONExport: ExportWriter {
    let records: Records
    private var messages: Int64 = 0
    private var operations: Int64 = 0
    /// What was taken back: what it said before its edits is not told either.
    private var retracted: Set<MessageKey> = []

    private struct MessageKey: Hashable {
        var contact: ContactID
        var direction: MessageDirection
        var id: MessageID
    }

    init(records: Records) { self.records = records }

    func begin() -> String { line(.record(["v": 1, "type": "export", "program": "blipchat"])) }

    func begin(_ peer: Peer, keep: Retention?) -> String {
        line(ContactSettings(peer, keep: keep).added(to: Records.contact(peer)))
    }

    mutating func message(_ exported: ExportedMessage, file: ExportFiles.Copy?) -> String {
        messages += 1
        let message = exported.message
        if message.isRetracted {
            retracted.insert(MessageKey(contact: message.contact, direction: message.direction, id: message.id))
        }
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(JSONValue.Member(name: name, value: value)) }
        }
        add("v", 1)
        switch message.content {
        case .text: add("type", "message")
        case .file: add("type", "file")
        }
        add("id", .string(message.id.text))
        add("conversation", .string(records.contacts.name(of: message.contact)))
        add("direction", .string(message.direction.rawValue))
        add("sender", message.sender.map(JSONValue.string))
        add("sequence", .integer(message.sequence))
        add("sent", .time(message.sent))
        add("stored", .time(message.stored))
        add("delivery", .string(Records.word(message.state)))
        add("delivery_reason", (message.state.failure?.words).map(JSONValue.string))
        add("delivery_reason_code", (message.state.failure?.stored).map(JSONValue.string))
        add("reply_to", message.replyTo.map { .string($0.text) })
        add("edited", message.edited.map(JSONValue.time))
        add("pinned", message.pinned.map(JSONValue.time))
        add("retracted", message.isRetracted ? .bool(true) : nil)
        switch message.content {
        case .text(let text):
            add("text", .string(text))
            add("first_text", exported.firstText.map(JSONValue.string))
        case .file(let transfer): Self.members(of: transfer, copy: file, add)
        }
        return line(.object(members))
    }

    private static func members(of file: FileTransfer, copy: ExportFiles.Copy?, _ add: (String, JSONValue?) -> Void) {
        add("number", .integer(file.number.rawValue))
        add("state", .string(file.state.rawValue))
        add("reason", (file.reason?.words).map(JSONValue.string))
        add("reason_code", (file.reason?.stored).map(JSONValue.string))
        add("name", .string(file.name))
        add("size", .bytes(file.size))
        add("modified", .time(file.modified))
        add("content_type", .string(file.contentType))
        add("caption", .string(file.caption))
        add("transferred", .bytes(file.transferred))
        add("sha256", file.sha256.map(JSONValue.string))
        add("path", file.path.map(JSONValue.string))
        add("copy", (copy?.path).map(JSONValue.string))
        add("copy_sha256", (copy?.sha256).map(JSONValue.string))
        add("offered", .time(file.offered))
        add("started", file.started.map(JSONValue.time))
        add("finished", file.finished.map(JSONValue.time))
        guard let place = file.place else { return }
        add("folder_set", .string(place.set.text))
        add("folder", .string(place.path))
        add("folder_files", .bytes(place.files))
        add("folder_bytes", .bytes(place.bytes))
    }

    mutating func operation(_ operation: ChatOperation) -> String {
        operations += 1
        let target = MessageKey(contact: operation.contact, direction: operation.direction, id: operation.target)
        let (kind, text): (String, String?) =
            switch operation.action {
            case .edit(let text): ("edit", retracted.contains(target) ? "" : text)
            case .retract: ("retract", nil)
            case .react(let emoji): ("react", emoji)
            }
        return line(
            .record([
                "v": 1, "type": "operation", "id": .string(operation.id.text), "kind": .string(kind),
                "conversation": .string(records.contacts.name(of: operation.contact)),
                "direction": .string(operation.direction.rawValue), "sequence": .integer(operation.sequence),
                "sent": .time(operation.sent), "stored": .time(operation.stored),
                "delivery": .string(Records.word(operation.state)), "target": .string(operation.target.text),
                "text": text.map(JSONValue.string),
            ]))
    }

    /// Its absence tells an import that the file was cut off.
    func end() -> String {
        line(
            .record([
                "v": 1, "type": "end", "messages": .integer(messages), "operations": .integer(operations),
            ]))
    }

    private func line(_ value: JSONValue) -> String { value.text + "\n" }
}
