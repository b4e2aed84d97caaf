// Messages, files, contacts and requests in the JSON output (PRODUCT, "Exact interfaces").

package import BLIPNet
package import ChatCore
package import ChatWords

/// Makes the records of one moment: contact names are those of `contacts`, rates those of `rates`.
package struct Records: Sendable {
    package let contacts: ContactDirectory
    /// Bytes per second of running transfers.
    package var rates: [MessageID: Double]

    package init(contacts: ContactDirectory, rates: [MessageID: Double] = [:]) {
        self.contacts = contacts
        self.rates = rates
    }

    /// `"type":"message"`, or `"type":"file"` for a file's line in the history.
    package func record(of message: ChatMessage) -> JSONValue {
        switch message.content {
        case .file(let transfer): file(transfer, message: message)
        case .text(let text):
            .record([
                "v": 1, "type": "message", "id": .string(message.id.text),
                "conversation": .string(contacts.name(of: message.contact)),
                "from": from(message.direction, message.contact), "sender": message.sender.map(JSONValue.string),
                "state": .string(Self.word(message.state)),
                "reason": (message.state.failure?.words).map(JSONValue.string),
                "reason_code": (message.state.failure?.stored).map(JSONValue.string), "sent": .time(message.sent),
                "received": message.direction == .incoming ? .time(message.stored) : .null,
                "reply_to": message.replyTo.map { .string($0.text) }, "text": .string(text),
                "edited": message.edited.map(JSONValue.time), "retracted": message.isRetracted ? .bool(true) : nil,
                "reactions": reactions(to: message), "change": Self.change(of: message),
                "missing_before": Self.missing(before: message), "clock_off": message.isTimeOff ? .bool(true) : nil,
            ])
        }
    }

    /// `"type":"file"`; the times are those of the offer when there is no `message` at hand.
    package func file(_ transfer: FileTransfer, message: ChatMessage? = nil) -> JSONValue {
        .record([
            "v": 1, "type": "file", "id": .string(transfer.id.text), "number": .integer(transfer.number.rawValue),
            "conversation": .string(contacts.name(of: transfer.contact)),
            "from": from(transfer.direction, transfer.contact), "sender": (message?.sender).map(JSONValue.string),
            "direction": .string(transfer.direction.rawValue),
            "state": .string(transfer.state.rawValue), "reason": (transfer.reason?.words).map(JSONValue.string),
            "reason_code": (transfer.reason?.stored).map(JSONValue.string),
            "sent": .time(message?.sent ?? transfer.offered),
            "received": transfer.direction == .incoming ? .time(message?.stored ?? transfer.offered) : .null,
            "finished": transfer.finished.map(JSONValue.time) ?? .null, "name": .string(transfer.name),
            "size": .bytes(transfer.size), "transferred": .bytes(transfer.transferred),
            "rate": .number(rate(of: transfer)),
            "sha256": transfer.sha256.map(JSONValue.string) ?? .null,
            "path": transfer.path.map(JSONValue.string) ?? .null, "content_type": .string(transfer.contentType),
            "caption": .string(transfer.caption), "retracted": message?.isRetracted == true ? .bool(true) : nil,
            "reactions": message.flatMap(reactions), "change": message.flatMap(Self.change),
            "missing_before": message.flatMap(Self.missing),
            "clock_off": message?.isTimeOff == true ? .bool(true) : nil,
            "folder": transfer.place.map { .string($0.path) },
        ])
    }

    /// Whole bytes per second. 0 for a transfer at its end: the last news of it may have come after that.
    package func rate(of transfer: FileTransfer) -> Double {
        transfer.state == .running ? (rates[transfer.id] ?? 0).rounded() : 0
    }

    /// The offer of a folder; its files follow.
    package static func folder(_ path: String, _ offer: FolderOffer) -> JSONValue {
        .record([
            "v": 1, "type": "folder", "path": .string(path), "files": .integer(Int64(offer.messages.count)),
            "skipped": .integer(Int64(offer.skipped)), "left_out": .integer(Int64(offer.leftOut.count)),
        ])
    }

    /// A file of a folder that is not sent with it.
    package static func leftOut(_ file: LeftOutFile) -> JSONValue {
        .record([
            "v": 1, "type": "left-out", "path": .string(file.path),
            "reason": .string(Sentences.reason(for: file.reason)), "reason_code": .string(file.reason.code),
        ])
    }

    package static func progress(_ progress: ChatCore.TransferProgress) -> JSONValue {
        .record([
            "v": 1, "type": "progress", "id": .string(progress.id.text),
            "number": progress.number.map { .integer($0.rawValue) }, "size": progress.size.map(JSONValue.bytes),
            "transferred": .bytes(progress.transferred), "rate": .number(progress.rate.rounded()),
        ])
    }

    /// How fast files go from now on, in bytes per second; `nil`: as fast as they can.
    package static func limit(_ limit: UInt64?, of scope: RateScope) -> JSONValue {
        .record([
            "v": 1, "type": "limit", "scope": .string(word(scope)),
            "number": scope.number.map { .integer($0.rawValue) }, "rate": limit.map(JSONValue.bytes) ?? .null,
        ])
    }

    /// `twin`: the contact that the name looks like. `isRemoved`: it was one.
    package static func contact(_ peer: Peer, twin: String? = nil, isRemoved: Bool = false) -> JSONValue {
        .record([
            "v": 1, "type": "contact", "name": .string(peer.name),
            "peer_id": peer.peerID.map { .string($0.text) } ?? .null,
            "addresses": .array(peer.addresses.map { .string("\($0)") }), "trust": .string(word(peer.trust)),
            "blocked": .bool(peer.isBlocked), "added": .time(peer.added),
            "last_seen": peer.lastSeen.map(JSONValue.time) ?? .null, "met": peer.metAt.map(JSONValue.time),
            "looks_like": twin.map(JSONValue.string), "new_peer_id": peer.newPeerID.map { .string($0.text) },
            "former_peer_ids": peer.formerPeerIDs.isEmpty
                ? nil : .array(peer.formerPeerIDs.map { .string($0.text) }),
            "room": peer.room.map { .string("\($0.url)") }, "left": peer.room?.isLeft == true ? .bool(true) : nil,
            "removed": isRemoved ? .bool(true) : nil,
        ])
    }

    /// `twin`: the contact that the name looks like. `isRejected`: it was forgotten.
    package static func request(_ request: ContactRequest, twin: String? = nil, isRejected: Bool = false) -> JSONValue {
        .record([
            "v": 1, "type": "request", "id": .integer(request.id), "peer_id": .string(request.peerID.text),
            "name": .string(request.name), "address": request.address.map { .string("\($0)") } ?? .null,
            "origin": .string(request.origin), "received": .time(request.received),
            "looks_like": twin.map(JSONValue.string),
            "warning": NameLikeness.warning(ofRequest: request.name, like: twin).map { .string($0.text) },
            "rejected": isRejected ? .bool(true) : nil,
        ])
    }

    /// The same for people.
    package func words(of message: ChatMessage) -> MessageWords {
        MessageWords(
            message, contact: SafeText(contacts.name(of: message.contact), as: .name),
            known: message.sender == nil ? [] : contacts.knownNames)
    }

    private func from(_ direction: MessageDirection, _ contact: ContactID) -> JSONValue {
        .string(direction == .outgoing ? "me" : contacts.name(of: contact))
    }

    private func reactions(to message: ChatMessage) -> JSONValue? {
        guard !message.reactions.isEmpty else { return nil }
        return .array(
            message.reactions.map {
                .record(["from": from($0.direction, message.contact), "emoji": .string($0.emoji)])
            })
    }

    /// How far our latest edit, retraction or reaction has come.
    private static func change(of message: ChatMessage) -> JSONValue? {
        message.operationState.map { .string(word($0)) }
    }

    private static func missing(before message: ChatMessage) -> JSONValue? {
        message.missingBefore > 0 ? .integer(Int64(message.missingBefore)) : nil
    }

    // MARK: Words

    package static func word(_ state: DeliveryState) -> String {
        switch state {
        case .pending: "pending"
        case .sent: "sent"
        case .delivered: "delivered"
        case .read: "read"
        case .failed: "failed"
        }
    }

    package static func word(_ link: LinkState) -> String {
        switch link {
        case .offline: "offline"
        case .connecting: "connecting"
        case .awaitingApproval: "awaiting-approval"
        case .online: "online"
        }
    }

    /// How sure we are of a contact's key; of a room what protects it.
    package static func standing(of peer: Peer) -> String {
        peer.room.map { RoomWords.title(of: $0.url) } ?? word(peer.trust)
    }

    package static func word(_ trust: PeerTrust) -> String {
        switch trust {
        case .unverified: "unverified"
        case .verified: "verified"
        case .keyChanged: "key-changed"
        }
    }

    private static func word(_ scope: RateScope) -> String {
        switch scope {
        case .all(.outgoing): "up"
        case .all(.incoming): "down"
        case .transfer: "transfer"
        }
    }
}

extension RateScope {
    /// Of the one transfer that a limit is for.
    fileprivate var number: TransferNumber? { if case .transfer(let number) = self { number } else { nil } }
}

extension JSONValue {
    static func time(_ time: Timestamp) -> JSONValue { .string(RFC3339.text(time)) }

    /// A count of bytes; what is beyond 64 signed bits (nobody has such files, but peers may say so) is clamped.
    package static func bytes(_ count: UInt64) -> JSONValue { .integer(Int64(clamping: count)) }
}
