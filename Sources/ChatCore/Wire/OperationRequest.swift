// `edit`, `retract` and `react`: operations on messages that are there already; each is stored like a message.

import BLIPNet

/// The properties that the three have in common.
struct OperationHead: Sendable, Equatable {
    var stored: StoredHead
    /// The message that is acted on.
    var target: MessageID

    init(_ stored: StoredHead, target: MessageID) {
        self.stored = stored
        self.target = target
    }

    fileprivate init(_ reader: PropertyReader) throws(WireError) {
        stored = try StoredHead(reader)
        target = try reader.id("Target")
    }

    fileprivate var properties: BLIPProperties {
        var properties = stored.properties
        properties["Target"] = target.text
        return properties
    }
}

/// An own message says this now.
struct EditRequest: WireRequest {
    static let profile = ChatProfile.edit

    var head: OperationHead
    var text: String

    init(head: OperationHead, text: String) {
        self.head = head
        self.text = text
    }

    func encoded() -> BLIPRequest {
        BLIPRequest(
            profile: Self.profile.rawValue, properties: head.properties, body: .text(text), urgent: true,
            compressed: text.utf8.count > MessageRequest.compressedAbove)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        head = try OperationHead(PropertyReader(request.properties))
        text = try request.text(limit: WireLimit.text)
        guard !text.isEmpty else { throw .badText }
    }
}

/// An own message is taken back.
struct RetractRequest: WireRequest {
    static let profile = ChatProfile.retract

    var head: OperationHead

    init(head: OperationHead) { self.head = head }

    func encoded() -> BLIPRequest {
        BLIPRequest(profile: Self.profile.rawValue, properties: head.properties, urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        head = try OperationHead(PropertyReader(request.properties))
    }
}

/// The sender's reaction to any message; without `Emoji` it is taken back.
struct ReactRequest: WireRequest {
    static let profile = ChatProfile.react

    var head: OperationHead
    var emoji: String?

    init(head: OperationHead, emoji: String?) {
        self.head = head
        self.emoji = emoji
    }

    func encoded() -> BLIPRequest {
        var properties = head.properties
        properties["Emoji"] = emoji
        return BLIPRequest(profile: Self.profile.rawValue, properties: properties, urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        head = try OperationHead(reader)
        emoji = try reader.optionalText("Emoji", limit: WireLimit.emoji)
    }
}

extension ChatOperation {
    /// As it goes over the wire.
    var request: BLIPRequest {
        let head = OperationHead(StoredHead(id: id, sequence: sequence, sent: sent), target: target)
        return switch action {
        case .edit(let text): EditRequest(head: head, text: text).encoded()
        case .retract: RetractRequest(head: head).encoded()
        case .react(let emoji): ReactRequest(head: head, emoji: emoji).encoded()
        }
    }
}
