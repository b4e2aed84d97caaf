// What can be asked of a running instance: the requests on the control socket (Docs/scripting.md).

import ChatCore

/// One operation. A command makes it, and it is carried out by the process that runs the chat: the same process, or
/// the one behind the control socket.
enum ControlOperation: Sendable, Equatable {
    /// Stores a message and waits until it is delivered, at most `timeout`; `nil`: it is only queued. Under an `id` that
    /// is known already nothing is stored a second time.
    case send(to: String, text: String, id: MessageID? = nil, timeout: Duration?)
    /// Offers files and folders and waits until they are transferred; `timeout` limits the wait for the peer to get
    /// the offers, `nil`: they are only queued. `standstill`: how long they may then stand still; `nil`: as usual.
    /// `names`: what those of the paths are called for others that are not what the user has named.
    case sendFiles(
        to: String, paths: [String], name: String?, caption: String, timeout: Duration?, standstill: Duration? = nil,
        names: [String: String] = [:])
    /// Waits for messages and files that are stored already, as `send` and `sendFiles` do. `whole`: the time that was
    /// given in all, part of which another process has waited.
    case wait(for: [MessageID], to: String, timeout: Duration, whole: Duration, standstill: Duration? = nil)
    /// Accepts files that are offered and tells what becomes of them.
    case receive(ReceiveOrder)
    case addContact(address: String, name: String?)
    case removeAddress(String, of: String)
    case renameContact(String, to: String)
    case removeContact(String)
    case setBlocked(String, Bool)
    /// Compares the safety number with 60 digits and remembers that they are equal; without digits only tells it.
    case verifyContact(String, number: String?)
    /// Accepts the key that answers now, as verified when the 60 digits are those of its number.
    case acceptKey(String, number: String?)
    case approveRequest(Int64, name: String?)
    case rejectRequest(Int64)
    case changeTransfer(Int64, TransferChange, folder: String?)
    case listTransfers(unfinishedOnly: Bool)
    /// Bytes per second for `up`, `down` or the number of a transfer; `nil` takes the limit away.
    case limitRate(String, bytesPerSecond: UInt64?)
    /// Deletes messages by id.
    case deleteMessages(of: String, ids: [MessageID])
    /// Deletes a conversation, or what was stored before a time.
    case clear(String, before: Timestamp?)
    /// Says how long a conversation is kept, and sets it first unless `change` is nil: `default`, `forever` or days.
    case keep(String, change: String?)
    /// Copies the history to a new file.
    case backUp(to: String)
    /// Adds an export to the history.
    case importHistory(String)
    case status
    /// Everything that happens, until the asker hangs up.
    case events

    /// The same without waiting for the peer: what is sent is only queued.
    var withoutWaiting: ControlOperation {
        switch self {
        case .send(let who, let text, let id, _): .send(to: who, text: text, id: id, timeout: nil)
        case .sendFiles(let who, let paths, let name, let caption, _, _, let names):
            .sendFiles(to: who, paths: paths, name: name, caption: caption, timeout: nil, names: names)
        default: self
        }
    }

    /// Stores something that is to be delivered.
    var isSending: Bool {
        switch self {
        case .send, .sendFiles, .wait: true
        default: false
        }
    }

    /// Somebody else has to do with it. What is only about this home must not show contacts that we are here.
    var concernsPeers: Bool {
        switch self {
        case .removeAddress, .renameContact, .removeContact, .setBlocked, .verifyContact, .acceptKey, .rejectRequest,
            .listTransfers,
            .limitRate, .deleteMessages, .clear, .keep, .backUp, .importHistory, .status:
            false
        case .send, .sendFiles, .wait, .receive, .addContact, .approveRequest, .changeTransfer, .events: true
        }
    }

    /// Its own part is done before its end; the rest is to wait for the peer.
    var waitsForPeer: Bool {
        switch self {
        case .send(_, _, _, let timeout), .sendFiles(_, _, _, _, let timeout, _, _): timeout != nil
        case .wait: true
        default: false
        }
    }

    /// What is left to be done after `elapsed` once `ids` are stored: nothing is stored twice. `hasReceived`: the wait for
    /// a first file is over.
    func rest(after elapsed: Duration, stored ids: [MessageID] = [], hasReceived: Bool = false) -> ControlOperation {
        switch self {
        case .send(let who, _, _, let timeout?) where !ids.isEmpty:
            return .wait(for: ids, to: who, timeout: max(.zero, timeout - elapsed), whole: timeout)
        case .sendFiles(let who, _, _, _, let timeout?, let standstill, _) where !ids.isEmpty:
            return .wait(
                for: ids, to: who, timeout: max(.zero, timeout - elapsed), whole: timeout, standstill: standstill)
        case .wait(_, let who, let timeout, let whole, let standstill) where !ids.isEmpty:
            return .wait(
                for: ids, to: who, timeout: max(.zero, timeout - elapsed), whole: whole, standstill: standstill)
        case .receive(var order):
            order.timeout = hasReceived ? nil : order.timeout.map { max(.zero, $0 - elapsed) }
            return .receive(order)
        default: return self
        }
    }
}

enum TransferChange: String, Sendable, CaseIterable {
    case accept, decline, pause, resume, cancel

    /// Whether it can be done to a transfer.
    func fits(_ transfer: FileTransfer) -> Bool {
        switch self {
        case .accept, .decline: transfer.state == .offered && transfer.direction == .incoming
        case .pause: transfer.state == .running || transfer.state == .accepted
        case .resume: transfer.state == .paused
        case .cancel: !transfer.state.isFinal
        }
    }
}

// MARK: - The text form

extension ControlOperation {
    /// The request: `"v":1`, `"op"` and the operands by name.
    var json: JSONValue {
        switch self {
        case .send(let who, let text, let id, let timeout):
            .record([
                "v": 1, "op": "send", "to": .string(who), "text": .string(text), "id": id.map { .string($0.text) },
                "timeout_ms": timeout.map(JSONValue.milliseconds),
            ])
        case .sendFiles(let who, let paths, let name, let caption, let timeout, let standstill, let names):
            .record([
                "v": 1, "op": "send-file", "to": .string(who), "paths": .array(paths.map(JSONValue.string)),
                "name": name.map(JSONValue.string), "caption": .string(caption),
                "timeout_ms": timeout.map(JSONValue.milliseconds),
                "standstill_ms": standstill.map(JSONValue.milliseconds),
                "names": names.isEmpty
                    ? nil : .object(names.sorted { $0.key < $1.key }.map { .init(name: $0, value: .string($1)) }),
            ])
        case .wait(let ids, let who, let timeout, let whole, let standstill):
            .record([
                "v": 1, "op": "wait", "to": .string(who), "ids": .array(ids.map { .string($0.text) }),
                "timeout_ms": .milliseconds(timeout), "whole_ms": .milliseconds(whole),
                "standstill_ms": standstill.map(JSONValue.milliseconds),
            ])
        case .receive(let order):
            .record([
                "v": 1, "op": "receive", "from": order.from.map(JSONValue.string), "once": .bool(order.once),
                "limit": order.limit.map(JSONValue.bytes), "folder": order.folder.map(JSONValue.string),
                "timeout_ms": order.timeout.map(JSONValue.milliseconds), "folders": .bool(order.takesFolders),
            ])
        case .addContact(let address, let name):
            .record([
                "v": 1, "op": "contacts-add", "address": .string(address), "name": name.map(JSONValue.string),
            ])
        case .removeAddress(let address, let who):
            .record(["v": 1, "op": "contacts-remove-address", "who": .string(who), "address": .string(address)])
        case .renameContact(let who, let name):
            .record(["v": 1, "op": "contacts-rename", "who": .string(who), "name": .string(name)])
        case .removeContact(let who): .record(["v": 1, "op": "contacts-remove", "who": .string(who)])
        case .setBlocked(let who, let blocked):
            .record(["v": 1, "op": "contacts-block", "who": .string(who), "blocked": .bool(blocked)])
        case .verifyContact(let who, let number):
            .record(["v": 1, "op": "contacts-verify", "who": .string(who), "number": number.map(JSONValue.string)])
        case .acceptKey(let who, let number):
            .record(["v": 1, "op": "contacts-accept-key", "who": .string(who), "number": number.map(JSONValue.string)])
        case .approveRequest(let id, let name):
            .record(["v": 1, "op": "requests-approve", "id": .integer(id), "name": name.map(JSONValue.string)])
        case .rejectRequest(let id): .record(["v": 1, "op": "requests-reject", "id": .integer(id)])
        case .changeTransfer(let number, let change, let folder):
            .record([
                "v": 1, "op": "transfers-change", "number": .integer(number), "change": .string(change.rawValue),
                "folder": folder.map(JSONValue.string),
            ])
        case .listTransfers(let unfinishedOnly):
            .record(["v": 1, "op": "transfers-list", "unfinished": .bool(unfinishedOnly)])
        case .limitRate(let scope, let rate):
            .record(["v": 1, "op": "transfers-limit", "scope": .string(scope), "rate": rate.map(JSONValue.bytes)])
        case .deleteMessages(let who, let ids):
            .record([
                "v": 1, "op": "messages-delete", "who": .string(who), "ids": .array(ids.map { .string($0.text) }),
            ])
        case .clear(let who, let time):
            .record([
                "v": 1, "op": "messages-clear", "who": .string(who),
                "before_ms": time.map { .integer($0.milliseconds) },
            ])
        case .keep(let who, let change):
            .record(["v": 1, "op": "keep", "who": .string(who), "change": change.map(JSONValue.string)])
        case .backUp(let path): .record(["v": 1, "op": "backup", "path": .string(path)])
        case .importHistory(let path): .record(["v": 1, "op": "import", "path": .string(path)])
        case .status: .record(["v": 1, "op": "status"])
        case .events: .record(["v": 1, "op": "events"])
        }
    }

    /// Reads a request; the error says which member is missing or wrong.
    init(_ json: JSONValue) throws(CommandError) {
        let request = ControlRequestReader(json: json)
        guard request.json["v"]?.integerValue == 1 else {
            throw CommandError(.usage, "control request", "not version 1", advice: "use the same version of blipchat")
        }
        switch try request.text("op") {
        case "send":
            self = .send(
                to: try request.text("to"), text: try request.text("text"), id: try request.optionalIdentifier("id"),
                timeout: try request.optionalTimeout())
        case "send-file":
            self = .sendFiles(
                to: try request.text("to"), paths: try request.texts("paths"), name: request.json["name"]?.stringValue,
                caption: request.json["caption"]?.stringValue ?? "", timeout: try request.optionalTimeout(),
                standstill: try request.optionalTimeout("standstill_ms"), names: request.names)
        case "wait":
            let timeout = try request.timeout()
            self = .wait(
                for: try request.identifiers("ids"), to: try request.text("to"), timeout: timeout,
                whole: try request.optionalTimeout("whole_ms") ?? timeout,
                standstill: try request.optionalTimeout("standstill_ms"))
        case "receive":
            self = .receive(
                ReceiveOrder(
                    from: request.json["from"]?.stringValue, once: try request.bool("once"),
                    limit: try request.optionalSize("limit"), folder: request.json["folder"]?.stringValue,
                    timeout: try request.optionalTimeout(), takesFolders: request.json["folders"]?.boolValue ?? true))
        case "contacts-add":
            self = .addContact(address: try request.text("address"), name: request.json["name"]?.stringValue)
        case "contacts-remove-address":
            self = .removeAddress(try request.text("address"), of: try request.text("who"))
        case "contacts-rename": self = .renameContact(try request.text("who"), to: try request.text("name"))
        case "contacts-remove": self = .removeContact(try request.text("who"))
        case "contacts-block": self = .setBlocked(try request.text("who"), try request.bool("blocked"))
        case "contacts-verify":
            self = .verifyContact(try request.text("who"), number: request.json["number"]?.stringValue)
        case "contacts-accept-key":
            self = .acceptKey(try request.text("who"), number: request.json["number"]?.stringValue)
        case "requests-approve":
            self = .approveRequest(try request.integer("id"), name: request.json["name"]?.stringValue)
        case "requests-reject": self = .rejectRequest(try request.integer("id"))
        case "transfers-change":
            guard let change = TransferChange(rawValue: try request.text("change")) else {
                throw request.missing("change")
            }
            self = .changeTransfer(
                try request.integer("number"), change, folder: request.json["folder"]?.stringValue)
        case "transfers-list": self = .listTransfers(unfinishedOnly: try request.bool("unfinished"))
        case "transfers-limit":
            self = .limitRate(try request.text("scope"), bytesPerSecond: try request.optionalSize("rate"))
        case "messages-delete":
            self = .deleteMessages(of: try request.text("who"), ids: try request.identifiers("ids"))
        case "messages-clear":
            self = .clear(
                try request.text("who"),
                before: request.json["before_ms"]?.integerValue.map { Timestamp(milliseconds: $0) })
        case "keep": self = .keep(try request.text("who"), change: request.json["change"]?.stringValue)
        case "backup": self = .backUp(to: try request.text("path"))
        case "import": self = .importHistory(try request.text("path"))
        case "status": self = .status
        case "events": self = .events
        case let other: throw CommandError(.usage, "control request", "unknown operation \(other)")
        }
    }
}

/// Takes required members out of a request.
private struct ControlRequestReader {
    let json: JSONValue

    func missing(_ name: String) -> CommandError {
        CommandError(.usage, "control request", "\(name) is missing or of the wrong kind")
    }

    func text(_ name: String) throws(CommandError) -> String {
        guard let value = json[name]?.stringValue else { throw missing(name) }
        return value
    }

    /// What files are called for others, by path; nothing where nothing is said of it.
    var names: [String: String] {
        guard case .object(let members)? = json["names"] else { return [:] }
        return Dictionary(
            members.compactMap { member in member.value.stringValue.map { (member.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    func integer(_ name: String) throws(CommandError) -> Int64 {
        guard let value = json[name]?.integerValue else { throw missing(name) }
        return value
    }

    func texts(_ name: String) throws(CommandError) -> [String] {
        guard let values = json[name]?.arrayValue else { throw missing(name) }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count, !texts.isEmpty else { throw missing(name) }
        return texts
    }

    /// A count of bytes that need not be there.
    func optionalSize(_ name: String) throws(CommandError) -> UInt64? {
        guard json[name] != nil else { return nil }
        guard let value = UInt64(exactly: try integer(name)) else { throw missing(name) }
        return value
    }

    func bool(_ name: String) throws(CommandError) -> Bool {
        guard let value = json[name]?.boolValue else { throw missing(name) }
        return value
    }

    func identifiers(_ name: String) throws(CommandError) -> [MessageID] {
        let ids = (json[name]?.arrayValue ?? []).map { $0.stringValue.flatMap { MessageID($0) } }
        guard !ids.contains(nil) else { throw missing(name) }
        return ids.compactMap { $0 }
    }

    func optionalTimeout(_ name: String = "timeout_ms") throws(CommandError) -> Duration? {
        json[name] == nil ? nil : try timeout(name)
    }

    func optionalIdentifier(_ name: String) throws(CommandError) -> MessageID? {
        guard json[name] != nil else { return nil }
        guard let id = json[name]?.stringValue.flatMap({ MessageID($0) }) else { throw missing(name) }
        return id
    }

    /// At most a week.
    func timeout(_ name: String = "timeout_ms") throws(CommandError) -> Duration {
        .milliseconds(min(max(try integer(name), 0), 604_800_000))
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }

    static func milliseconds(_ duration: Duration) -> JSONValue {
        let (seconds, attoseconds) = duration.components
        return .integer(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
