// What a user of BLIP sends and gets: requests and responses. `BodySource` and `BodySink` are where their streamed
// bodies come from and go to.

/// The body of an outgoing request or response.
public enum BLIPBody: Sendable {
    /// Bytes that are in memory already.
    case bytes([UInt8])
    /// Bytes that are pulled one frame at a time when the connection has room for them, so a body of any size
    /// needs the memory of one frame.
    case source(any BodySource)

    public static let empty = BLIPBody.bytes([])
    public static func text(_ text: String) -> BLIPBody { .bytes(Array(text.utf8)) }
}

/// A request that we send.
public struct BLIPRequest: Sendable {
    public var properties: BLIPProperties
    public var body: BLIPBody
    /// Urgent messages overtake the frames of normal ones (PROTOCOL 3.3).
    public var isUrgent: Bool
    /// Compress the frames, where the dialect can. For text, not for attachments.
    public var isCompressed: Bool

    public init(
        profile: String, properties: BLIPProperties = [:], body: BLIPBody = .empty, urgent: Bool = false,
        compressed: Bool = false
    ) {
        var all = properties
        all.profile = profile
        self.properties = all
        self.body = body
        isUrgent = urgent
        isCompressed = compressed
    }
}

/// The answer to a request: what we send, or what a peer sent. An error response is an answer too; a request that
/// got no answer at all fails with a `LinkError` instead.
public struct BLIPResponse: Sendable {
    /// Set when this is an error response.
    public var error: BLIPErrorCode?
    public var properties: BLIPProperties
    public var body: BLIPBody
    public var isCompressed: Bool

    public init(properties: BLIPProperties = [:], body: BLIPBody = .empty, compressed: Bool = false) {
        self.properties = properties
        self.body = body
        isCompressed = compressed
    }

    /// An error response; `text` tells the peer's programmer or user what went wrong.
    public static func failure(_ error: BLIPErrorCode, _ text: String = "") -> BLIPResponse {
        var response = BLIPResponse(body: .text(text))
        response.error = error
        return response
    }

    /// The body of a received response that was collected in memory; empty for one that went to a sink.
    public var bodyBytes: [UInt8] {
        if case .bytes(let bytes) = body { return bytes }
        return []
    }
}

/// `Error-Domain` and `Error-Code` of an error response.
public struct BLIPErrorCode: Sendable, Equatable {
    public var domain: String
    public var code: Int32

    public init(domain: String = "BLIP", code: Int32) {
        self.domain = domain
        self.code = code
    }

    public static let badRequest = Self(code: 400)
    public static let forbidden = Self(code: 403)
    public static let notFound = Self(code: 404)
    package static let conflict = Self(code: 409)
    package static let gone = Self(code: 410)
    package static let badRange = Self(code: 416)
    public static let tooManyRequests = Self(code: 429)
    public static let handlerFailed = Self(code: 501)
    package static let insufficientStorage = Self(code: 507)
    package static let unspecified = Self(code: 599)
}

/// A request that a peer sent, complete, on its way to the handler.
public struct BLIPIncomingRequest: Sendable {
    public var properties: BLIPProperties
    /// The body, unless it went to a sink that the handler made.
    public var body: [UInt8]
    /// The sink that the handler made for this request's body, if any.
    public var sink: (any BodySink)?
    public var isUrgent: Bool
    /// The peer wants no reply of any kind; whatever is answered is dropped.
    public var isNoReply: Bool
    /// The request number on its connection, from 1.
    public var number: UInt64

    package init(
        number: UInt64, properties: BLIPProperties, body: [UInt8], sink: (any BodySink)? = nil, isUrgent: Bool,
        isNoReply: Bool
    ) {
        self.number = number
        self.properties = properties
        self.body = body
        self.sink = sink
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
    }
}
