// `file-offer` and `file-status`: what two people agree on about a file; both go through the outbox.

import BLIPNet

/// A file that the sender would give; stored like a message. The body is the caption.
struct FileOfferRequest: WireRequest {
    static let profile = ChatProfile.fileOffer

    var head: StoredHead
    /// Raw: sanitised before it becomes a name on disk.
    var name: String
    /// Bytes.
    var size: UInt64
    var modified: Timestamp
    var contentType: String
    var caption: String
    /// For a file of a folder that is sent as a whole; older versions ignore it.
    var place: FolderPlace?

    init(
        _ head: StoredHead, name: String, size: UInt64, modified: Timestamp, contentType: String, caption: String,
        place: FolderPlace? = nil
    ) {
        self.head = head
        self.name = name
        self.size = size
        self.modified = modified
        self.contentType = contentType
        self.caption = caption
        self.place = place
    }

    func encoded() -> BLIPRequest {
        var properties = head.properties
        properties["Name"] = name
        properties["Size"] = String(size)
        properties["Modified"] = modified.wireText
        properties["Content-Type"] = contentType
        if let place {
            properties["Folder"] = place.path
            properties["Folder-Id"] = place.set.text
            properties["Folder-Files"] = String(place.files)
            properties["Folder-Size"] = String(place.bytes)
        }
        return BLIPRequest(profile: Self.profile.rawValue, properties: properties, body: .text(caption), urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        head = try StoredHead(reader)
        name = try reader.text("Name", limit: WireLimit.fileName)
        size = try reader.number("Size")
        modified = try reader.timestamp("Modified")
        contentType =
            try reader.optionalText("Content-Type", limit: WireLimit.contentType) ?? "application/octet-stream"
        caption = try request.text(limit: WireLimit.text)
        if let folder = try reader.optionalText("Folder", limit: WireLimit.folderPath) {
            place = FolderPlace(
                set: try reader.id("Folder-Id"), path: folder, files: try reader.number("Folder-Files"),
                bytes: try reader.number("Folder-Size"))
        }
    }
}

/// News of a transfer, from either side. `accepted` from the offering side means "go on asking" (it had paused).
struct FileStatusRequest: WireRequest {
    static let profile = ChatProfile.fileStatus

    enum State: String, Sendable {
        case accepted, declined, cancelled, complete
    }

    /// Why it is cancelled, where that is more than somebody's wish; older versions ignore it.
    enum Reason: String, Sendable {
        /// The bytes that arrived are not the bytes whose digest the sender tells.
        case digest
        /// The sender's file is not what was offered any more.
        case changed
        /// The sender's file is not there any more.
        case gone
    }

    /// Why its receiver does not fetch an accepted file now; older versions ignore it. The next `file-get` ends it.
    enum Pause: String, Sendable {
        /// Their user has paused it.
        case user
        /// Their disk is full, or does not take it for another reason.
        case disk
    }

    var id: MessageID
    var state: State
    var reason: Reason?
    var pause: Pause?

    init(id: MessageID, state: State, reason: Reason? = nil, pause: Pause? = nil) {
        self.id = id
        self.state = state
        self.reason = reason
        self.pause = pause
    }

    func encoded() -> BLIPRequest {
        var properties: BLIPProperties = ["Id": id.text, "State": state.rawValue]
        properties["Reason"] = reason?.rawValue
        properties["Pause"] = pause?.rawValue
        return BLIPRequest(profile: Self.profile.rawValue, properties: properties, urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        id = try reader.id("Id")
        guard let state = State(rawValue: try reader.text("State", limit: 16)) else { throw .malformed("State") }
        self.state = state
        reason = request.properties["Reason"].flatMap(Reason.init)
        pause = state == .accepted ? request.properties["Pause"].flatMap(Pause.init) : nil
    }
}
