// `file-get` and `file-digest`: how the receiver pulls a file and checks it.

import BLIPNet

/// Asks for the bytes `offset ..< offset + length` of an offered file. The only normal (not urgent) profile.
struct FileGetRequest: WireRequest {
    static let profile = ChatProfile.fileGet

    var id: MessageID
    var offset: UInt64
    /// Bytes, 1 ... 16 MiB.
    var length: UInt64
    /// Whether the sender may answer with only the beginning of the range, to keep to its limit of the rate.
    var takesLess = false
    /// How many bytes before `offset` the receiver has from an earlier run. The sender's progress would stop there otherwise.
    var present: UInt64 = 0

    init(id: MessageID, offset: UInt64, length: UInt64, takesLess: Bool = false, present: UInt64 = 0) {
        self.id = id
        self.offset = offset
        self.length = length
        self.takesLess = takesLess
        self.present = present
    }

    func encoded() -> BLIPRequest {
        var properties: BLIPProperties = ["Id": id.text, "Offset": String(offset), "Length": String(length)]
        if takesLess { properties["Partial"] = "1" }
        if present > 0 { properties["Present"] = String(present) }
        return BLIPRequest(profile: Self.profile.rawValue, properties: properties)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        id = try reader.id("Id")
        offset = try reader.number("Offset")
        length = try reader.number("Length")
        guard (1...WireLimit.range).contains(length) else { throw .malformed("Length") }
        takesLess = request.properties["Partial"] == "1"
        present = request.properties["Present"] == nil ? 0 : try reader.number("Present")
    }
}

/// The properties beside the bytes of a range: the source as it is now.
struct FileGetReply: Sendable, Equatable {
    var size: UInt64
    var modified: Timestamp
    /// How many bytes come, when that is less than the receiver asked for.
    var length: UInt64?

    func encoded(body: BLIPBody) -> BLIPResponse {
        var properties: BLIPProperties = ["Size": String(size), "Modified": modified.wireText]
        if let length { properties["Length"] = String(length) }
        return BLIPResponse(properties: properties, body: body)
    }

    init(size: UInt64, modified: Timestamp, length: UInt64? = nil) {
        self.size = size
        self.modified = modified
        self.length = length
    }

    init(decoding response: BLIPResponse) throws(WireError) {
        let reader = PropertyReader(response.properties)
        size = try reader.number("Size")
        modified = try reader.timestamp("Modified")
        length = response.properties["Length"] == nil ? nil : try reader.number("Length")
        // Else the receiver would ask for the same again and again.
        guard length != 0 else { throw .malformed("Length") }
    }
}

/// Asks for the SHA-256 of the first `length` bytes of an offered file.
struct FileDigestRequest: WireRequest {
    static let profile = ChatProfile.fileDigest

    var id: MessageID
    var length: UInt64

    init(id: MessageID, length: UInt64) {
        self.id = id
        self.length = length
    }

    func encoded() -> BLIPRequest {
        BLIPRequest(profile: Self.profile.rawValue, properties: ["Id": id.text, "Length": String(length)])
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        id = try reader.id("Id")
        length = try reader.number("Length")
    }
}

/// The digest as 64 lower-case hex digits.
struct FileDigestReply: Sendable, Equatable {
    var sha256: String

    init(sha256: String) { self.sha256 = sha256 }

    func encoded() -> BLIPResponse { BLIPResponse(properties: ["SHA-256": sha256]) }

    init(decoding response: BLIPResponse) throws(WireError) {
        let text = try PropertyReader(response.properties).text("SHA-256", limit: 64)
        guard Self.isDigest(text) else { throw .malformed("SHA-256") }
        sha256 = text
    }

    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
