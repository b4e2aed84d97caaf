// What `blipchat status` says: as lines for people and as a record for scripts.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords

/// A home and its contacts, by the process that runs the chat or by the disk.
struct ChatStatus: Sendable {
    /// One contact, and how far they are connected.
    struct Contact: Sendable {
        let name: String
        let conversation: Conversation
        let link: LinkState
    }

    /// The facts that only the process that runs the chat knows.
    struct Running: Sendable {
        var chat: RunningChat
        var version: String?
    }

    /// `nil`: the disk says all this.
    private let running: Running?
    /// The process that holds the home, if any.
    private let process: Int32?
    /// Our key and name, as far as they are known.
    private let own: (peerID: PeerID?, name: String?)
    /// Messages of all contacts that wait to go out, and those that nobody has read.
    private let queued: Int
    private let unread: Int
    private var contacts: [Contact]

    init(_ running: Running, _ conversations: [Conversation], _ links: [ContactID: LinkState]) {
        self.init(
            running, running.chat.process, (running.chat.identity.peerID, running.chat.identity.name), conversations,
            links)
    }

    /// When nothing runs, or when `process` does not say more.
    init(onDisk conversations: [Conversation], own: (peerID: PeerID?, name: String?), process: Int32?) {
        self.init(nil, process, own, conversations, [:])
    }

    private init(
        _ running: Running?, _ process: Int32?, _ own: (peerID: PeerID?, name: String?),
        _ conversations: [Conversation], _ links: [ContactID: LinkState]
    ) {
        self.running = running
        self.process = process
        self.own = own
        queued = conversations.reduce(0) { $0 + $1.queuedCount }
        unread = conversations.reduce(0) { $0 + $1.unreadCount }
        let directory = ContactDirectory(conversations.map(\.peer))
        contacts = conversations.map { conversation in
            let id = conversation.peer.id
            return Contact(
                name: directory.name(of: id), conversation: conversation, link: links[id] ?? .offline(reason: nil))
        }
    }

    /// With one contact only.
    func only(_ name: String) -> ChatStatus {
        var status = self
        status.contacts.removeAll { $0.name != name }
        return status
    }

    /// Whether the contact called `name`, or any without a name, is online.
    func isOnline(_ name: String?) -> Bool {
        contacts.contains { $0.link.isOnline && (name == nil || $0.name == name) }
    }

    var record: JSONValue {
        let identity = running?.chat.identity
        return .record([
            "v": 1, "type": "status", "running": .bool(process != nil),
            "pid": process.map { .integer(Int64($0)) } ?? .null, "version": .string(running?.version ?? Version.text),
            "peer_id": own.peerID.map { .string($0.text) } ?? .null,
            "name": own.name.map(JSONValue.string) ?? .null,
            "address": identity?.address.map { .string("\($0)") } ?? .null,
            "listening": identity?.listening.map(JSONValue.string) ?? .null,
            "confined": (running?.chat.isConfined).map(JSONValue.bool) ?? .null,
            "queued": .integer(Int64(queued)), "unread": .integer(Int64(unread)),
            "peers": .array(contacts.map(\.record)),
        ])
    }

    /// One for the program, one for each contact.
    var lines: [String] {
        let process = process.map { "running (process \($0))" } ?? "not running"
        let listening = (running?.chat.identity.listening).map { ", listening \($0)" } ?? ""
        return ["\(process)\(listening), \(queued) queued, \(unread) unread"] + contacts.map(\.line)
    }
}

extension ChatStatus.Contact {
    /// Of the connection, while there is one.
    fileprivate var details: LinkDetails? { if case .online(let details) = link { details } else { nil } }

    /// Why nothing gets through: for people, and for programs.
    private var reason: (words: String, code: String)? {
        switch link {
        case .online(let details):
            details.isRefusing
                ? (words: "their disk is full: messages wait here", code: "receivers-disk") : nil
        case .offline(let reason): reason.map { (words: $0.words, code: $0.code) }
        case .connecting, .awaitingApproval: nil
        }
    }

    fileprivate var record: JSONValue {
        .record([
            "name": .string(name),
            "peer_id": conversation.peer.peerID.map { .string($0.text) } ?? .null, "link": .string(Records.word(link)),
            "reason": reason.map { .string($0.words) } ?? .null,
            "reason_code": reason.map { .string($0.code) } ?? .null,
            "trust": .string(Records.word(conversation.peer.trust)), "blocked": .bool(conversation.peer.isBlocked),
            "remote": details.map { .string($0.remoteAddress) } ?? .null,
            "encrypted": details.map { .bool($0.isEncrypted) } ?? .null,
            "round_trip_ms": details?.roundTrip.map { .number($0.inMilliseconds) } ?? .null,
            "queued": .integer(Int64(conversation.queuedCount)), "unread": .integer(Int64(conversation.unreadCount)),
        ])
    }

    fileprivate var line: String {
        var line = SafeText.name(name) + ": " + Records.word(link)
        if let details { line += " at \(details.remoteAddress)" }
        if let time = details?.roundTrip?.inMilliseconds { line += ", \((time * 10).rounded() / 10) ms" }
        if let reason { line += " (\(reason.words))" }
        if conversation.peer.isBlocked { line += ", blocked" }
        if conversation.peer.trust == .keyChanged {
            line += ", \(Sentences.word(for: .keyChanged)): nothing is sent"
        }
        if conversation.queuedCount > 0 { line += ", \(conversation.queuedCount) queued" }
        return SafeText.line(line)
    }
}

extension Duration {
    fileprivate var inMilliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}
