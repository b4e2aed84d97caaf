// `message`, `read` and `typing`: chat text and what belongs to it.

import BLIPNet

/// A line of text. The reply means that it is committed on the receiver's disk.
struct MessageRequest: WireRequest {
    static let profile = ChatProfile.message
    /// Bytes of text; below, deflate has nothing to win.
    static let compressedAbove = 256

    var head: StoredHead
    var replyTo: MessageID?
    var text: String

    init(_ head: StoredHead, replyTo: MessageID? = nil, text: String) {
        self.head = head
        self.replyTo = replyTo
        self.text = text
    }

    func encoded() -> BLIPRequest {
        var properties = head.properties
        properties["Reply-To"] = replyTo?.text
        return BLIPRequest(
            profile: Self.profile.rawValue, properties: properties, body: .text(text), urgent: true,
            compressed: text.utf8.count > Self.compressedAbove)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        head = try StoredHead(reader)
        replyTo = try reader.optionalID("Reply-To")
        text = try request.text(limit: WireLimit.text)
        guard !text.isEmpty else { throw .badText }
    }
}

/// The sender's user has seen everything up to a message of the receiver's. Idempotent.
struct ReadRequest: WireRequest {
    static let profile = ChatProfile.read
    var upTo: MessageID

    init(upTo: MessageID) { self.upTo = upTo }

    func encoded() -> BLIPRequest {
        BLIPRequest(profile: Self.profile.rawValue, properties: ["Up-To": upTo.text], urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        upTo = try PropertyReader(request.properties).id("Up-To")
    }
}

/// The sender's user is typing, or stopped. No reply.
struct TypingRequest: WireRequest {
    static let profile = ChatProfile.typing
    var isComposing: Bool

    init(isComposing: Bool) { self.isComposing = isComposing }

    func encoded() -> BLIPRequest {
        let state = isComposing ? "composing" : "paused"
        return BLIPRequest(profile: Self.profile.rawValue, properties: ["State": state], urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        switch try PropertyReader(request.properties).text("State", limit: 16) {
        case "composing": isComposing = true
        case "paused": isComposing = false
        default: throw .malformed("State")
        }
    }
}
