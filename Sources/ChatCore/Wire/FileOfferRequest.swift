// `file-offer` and `file-status`: what two people agree on about a file; both go through the outbox.

import BLIPNet

/// A file that the sender would give; stored like a message. The body is the caption.
struct FileOfferRequest: ChatRequest {
    static let profile = ChatProfile.fileOffer

    var id: MessageID
    var sequence: Int64
    var sent: Timestamp
    /// Raw: sanitised before it becomes a name on disk.
    var name: String
    /// Bytes.
    var size: UInt64
    var modified: Timestamp
    var contentType: String
    var caption: String

    init(
        id: MessageID, sequence: Int64, sent: Timestamp, name: String, size: UInt64, modified: Timestamp,
        contentType: String, caption: String
    ) {
        self.id = id
        self.sequence = sequence
        self.sent = sent
        self.name = name
        self.size = size
        self.modified = modified
        self.contentType = contentType
        self.caption = caption
    }

    func encoded() -> BLIPRequest {
        let properties: BLIPProperties = [
            "Id": id.text, "Seq": String(sequence), "Sent": sent.wireText, "Name": name, "Size": String(size),
            "Modified": modified.wireText, "Content-Type": contentType,
        ]
        return BLIPRequest(profile: Self.profile.rawValue, properties: properties, body: .text(caption), urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        id = try reader.id("Id")
        sequence = try reader.sequence("Seq")
        sent = try reader.timestamp("Sent")
        name = try reader.text("Name", limit: WireLimit.fileName)
        size = try reader.number("Size")
        modified = try reader.timestamp("Modified")
        contentType =
            try reader.optionalText("Content-Type", limit: WireLimit.contentType) ?? "application/octet-stream"
        caption = try request.text(limit: WireLimit.text)
    }
}

/// News of a transfer, from either side. `accepted` from the offering side means "go on asking" (it had paused).
struct FileStatusRequest: ChatRequest {
    static let profile = ChatProfile.fileStatus

    enum State: String, Sendable {
        case accepted, declined, cancelled, complete
    }

    var id: MessageID
    var state: State

    init(id: MessageID, state: State) {
        self.id = id
        self.state = state
    }

    func encoded() -> BLIPRequest {
        BLIPRequest(
            profile: Self.profile.rawValue, properties: ["Id": id.text, "State": state.rawValue], urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        id = try reader.id("Id")
        guard let state = State(rawValue: try reader.text("State", limit: 16)) else { throw .malformed("State") }
        self.state = state
    }
}
