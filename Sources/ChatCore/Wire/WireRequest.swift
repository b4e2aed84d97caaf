// What all profiles of PROTOCOL 4 have in common: a typed value on our side, a BLIP request on the wire.

import BLIPNet

/// The names of the requests of blipchat_1.
package enum ChatProfile: String, Sendable, CaseIterable {
    case hello
    case accepted
    case message
    case edit
    case retract
    case react
    case read
    case typing
    case presence
    case routes
    case fileOffer = "file-offer"
    case fileGet = "file-get"
    case fileDigest = "file-digest"
    case fileBundle = "file-bundle"
    case fileLanes = "file-lanes"
    case fileStatus = "file-status"
    case punch
    case punchGo = "punch-go"

    /// Whether its requests may follow a hello that has not been answered: everything that an outbox holds (PROTOCOL 4).
    var mayFollowHello: Bool {
        switch self {
        case .message, .edit, .retract, .react, .fileOffer, .fileStatus: true
        default: false
        }
    }
}

/// A request of one profile. `encoded()` and `init(decoding:)` are inverse to each other.
protocol WireRequest: Sendable, Equatable {
    static var profile: ChatProfile { get }
    func encoded() -> BLIPRequest
    init(decoding request: BLIPIncomingRequest) throws(WireError)
}

/// Limits of single fields on the wire, in bytes of UTF-8.
enum WireLimit {
    /// Chat text and captions (PROTOCOL 4).
    static let text = 65_536
    /// The name that somebody gives to themselves (RELIABILITY 1).
    static let name = 64
    /// A file name as offered; longer than any file system allows, cut later.
    static let fileName = 1024
    static let contentType = 256
    static let emoji = Reaction.limit
    /// The folders down to a file, as offered.
    static let folderPath = 4096
    static let client = 128
    static let features = 1024
    /// Why somebody is away.
    static let away = 256
    /// A proof in Base64.
    static let proof = 64
    /// A numeric address with its port.
    static let place = 80
    /// The length of one `file-get` range.
    static let range: UInt64 = 16 << 20
    /// How many files one `file-bundle` asks for.
    static let bundledFiles = 128
    /// The line before a file in its answer.
    static let bundleLine = 192
}

extension BLIPIncomingRequest {
    /// The body as text of at most `limit` bytes; it may be empty.
    func text(limit: Int) throws(WireError) -> String {
        guard body.count <= limit else { throw .bodyTooLong(limit: limit) }
        guard let text = String(validating: body, as: UTF8.self) else { throw .badText }
        return text
    }
}
