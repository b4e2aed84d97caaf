// What `blipchat status` says: as a record for scripts and as lines for people.

import ChatCore
import ChatTUI
import ChatWords

enum StatusRecord {
    /// The status of a running instance.
    static func running(
        identity: LocalIdentity, processID: Int32, conversations: [Conversation], peers: [JSONValue],
        isConfined: Bool
    ) -> JSONValue {
        .record([
            "v": 1, "type": "status", "running": .bool(true), "pid": .integer(Int64(processID)),
            "version": .string(Version.text), "peer_id": .string(identity.peerID.text), "name": .string(identity.name),
            "address": identity.address.map { .string("\($0)") } ?? .null,
            "listening": identity.listening.map(JSONValue.string) ?? .null, "confined": .bool(isConfined),
            "queued": .integer(Int64(conversations.reduce(0) { $0 + $1.queuedCount })),
            "unread": .integer(Int64(conversations.reduce(0) { $0 + $1.unreadCount })), "peers": .array(peers),
        ])
    }

    /// The status when nothing runs, or when `process` does not say more: what the disk says.
    /// `own`: our key and name, as far as they are known.
    static func onDisk(
        conversations: [Conversation], own: (peerID: PeerID?, name: String?), process: Int32? = nil
    ) -> JSONValue {
        let contacts = ContactDirectory(conversations.map(\.peer))
        return .record([
            "v": 1, "type": "status", "running": .bool(process != nil),
            "pid": process.map { .integer(Int64($0)) } ?? .null, "version": .string(Version.text),
            "peer_id": own.peerID.map { .string($0.text) } ?? .null,
            "name": own.name.map(JSONValue.string) ?? .null, "address": .null, "listening": .null,
            "confined": .null,
            "queued": .integer(Int64(conversations.reduce(0) { $0 + $1.queuedCount })),
            "unread": .integer(Int64(conversations.reduce(0) { $0 + $1.unreadCount })),
            "peers": .array(
                conversations.map { peer($0, called: contacts.name(of: $0.peer.id), .offline(reason: nil)) }),
        ])
    }

    static func peer(_ conversation: Conversation, called name: String, _ link: LinkState) -> JSONValue {
        var details: LinkDetails?
        var reason: String?
        switch link {
        case .online(let online):
            details = online
            if online.isRefusing { reason = "their disk is full: messages wait here" }
        case .offline(let why): reason = why?.words
        case .connecting, .awaitingApproval: break
        }
        return .record([
            "name": .string(name),
            "peer_id": conversation.peer.peerID.map { .string($0.text) } ?? .null, "link": .string(word(link)),
            "reason": reason.map(JSONValue.string) ?? .null, "trust": .string(Records.word(conversation.peer.trust)),
            "blocked": .bool(conversation.peer.isBlocked),
            "remote": details.map { .string($0.remoteAddress) } ?? .null,
            "encrypted": details.map { .bool($0.isEncrypted) } ?? .null,
            "round_trip_ms": details?.roundTrip.map { .number($0.inMilliseconds) } ?? .null,
            "queued": .integer(Int64(conversation.queuedCount)), "unread": .integer(Int64(conversation.unreadCount)),
        ])
    }

    /// Whether the contact called `name`, or any without a name, is online.
    static func isOnline(_ name: String?, in status: JSONValue) -> Bool {
        (status["peers"]?.arrayValue ?? []).contains { peer in
            peer["link"]?.stringValue == "online" && (name == nil || peer["name"]?.stringValue == name)
        }
    }

    /// A status with one contact only.
    static func only(_ name: String, of status: JSONValue) -> JSONValue {
        guard case .object(let members) = status else { return status }
        return .object(
            members.map { member in
                guard member.name == "peers", let peers = member.value.arrayValue else { return member }
                return .init(name: "peers", value: .array(peers.filter { $0["name"]?.stringValue == name }))
            })
    }

    static func word(_ link: LinkState) -> String {
        switch link {
        case .offline: "offline"
        case .connecting: "connecting"
        case .awaitingApproval: "awaiting-approval"
        case .online: "online"
        }
    }

    /// The lines for people: one for the program, one for each contact.
    static func lines(of status: JSONValue) -> [String] {
        let queued = status["queued"]?.integerValue ?? 0
        let unread = status["unread"]?.integerValue ?? 0
        let process = status["pid"]?.integerValue.map { "running (process \($0))" } ?? "not running"
        let listening = status["listening"]?.stringValue.map { ", listening \($0)" } ?? ""
        var lines = ["\(process)\(listening), \(queued) queued, \(unread) unread"]
        for peer in status["peers"]?.arrayValue ?? [] {
            var line = SafeText(peer["name"]?.stringValue ?? "", as: .name).terminalString()
            line += ": " + (peer["link"]?.stringValue ?? "")
            if let remote = peer["remote"]?.stringValue { line += " at \(remote)" }
            if let time = peer["round_trip_ms"]?.doubleValue { line += ", \((time * 10).rounded() / 10) ms" }
            if let reason = peer["reason"]?.stringValue { line += " (\(reason))" }
            if peer["blocked"]?.boolValue == true { line += ", blocked" }
            if peer["trust"]?.stringValue == Records.word(.keyChanged) {
                line += ", \(Sentences.word(for: .keyChanged)): nothing is sent"
            }
            if let count = peer["queued"]?.integerValue, count > 0 { line += ", \(count) queued" }
            lines.append(SafeText(line, as: .line).terminalString())
        }
        return lines
    }
}

extension Duration {
    fileprivate var inMilliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}
