// A request of a peer, read once: from RequestRouter, which has found its profile, to ChatClient.

import BLIPNet

/// A request or a piece of news from a peer.
enum ChatRequest: Sendable, Equatable {
    case hello(HelloRequest)
    case accepted
    /// `message`, `file-offer`, `edit`, `retract`, `react`: stored before they are answered.
    case operation(StoredHead, IncomingMessage.Content, replyTo: MessageID?)
    case read(ReadRequest)
    case typing(TypingRequest)
    case presence(PresenceRequest)
    case routes(RoutesRequest)
    case fileStatus(FileStatusRequest)
    case fileGet(FileGetRequest)
    case fileDigest(FileDigestRequest)
    case fileBundle(FileBundleRequest)
    case fileLanes(FileLanesRequest)
    case punch(PunchRequest)
    case punchGo(PunchGoRequest)
    /// It breaks PROTOCOL 4, and is answered so in its turn.
    case malformed(WireError)

    init(_ profile: ChatProfile, _ request: BLIPIncomingRequest) {
        do throws(WireError) { self = try Self.decoded(profile, request) } catch { self = .malformed(error) }
    }

    private static func decoded(_ profile: ChatProfile, _ request: BLIPIncomingRequest) throws(WireError) -> Self {
        switch profile {
        case .hello: return .hello(try HelloRequest(decoding: request))
        case .accepted: return .accepted
        case .message:
            let message = try MessageRequest(decoding: request)
            return .operation(message.head, .text(message.text), replyTo: message.replyTo)
        case .fileOffer:
            let offer = try FileOfferRequest(decoding: request)
            let content = IncomingMessage.Content.file(
                name: offer.name, size: offer.size, modified: offer.modified, contentType: offer.contentType,
                caption: offer.caption, place: offer.place)
            return .operation(offer.head, content, replyTo: nil)
        case .edit:
            let edit = try EditRequest(decoding: request)
            return action(.edit(text: edit.text), edit.head)
        case .retract: return action(.retract, try RetractRequest(decoding: request).head)
        case .react:
            let react = try ReactRequest(decoding: request)
            return action(.react(emoji: react.emoji), react.head)
        case .read: return .read(try ReadRequest(decoding: request))
        case .typing: return .typing(try TypingRequest(decoding: request))
        case .presence: return .presence(try PresenceRequest(decoding: request))
        case .routes: return .routes(try RoutesRequest(decoding: request))
        case .fileStatus: return .fileStatus(try FileStatusRequest(decoding: request))
        case .fileGet: return .fileGet(try FileGetRequest(decoding: request))
        case .fileDigest: return .fileDigest(try FileDigestRequest(decoding: request))
        case .fileBundle: return .fileBundle(try FileBundleRequest(decoding: request))
        case .fileLanes: return .fileLanes(try FileLanesRequest(decoding: request))
        case .punch: return .punch(try PunchRequest(decoding: request))
        case .punchGo: return .punchGo(try PunchGoRequest(decoding: request))
        }
    }

    private static func action(_ action: ChatOperation.Action, _ head: OperationHead) -> Self {
        .operation(head.stored, .operation(action, target: head.target), replyTo: nil)
    }

    /// Whether the receiver writes down what it says, before it answers.
    var isStored: Bool {
        switch self {
        case .operation, .read, .fileStatus: true
        case .hello, .accepted, .typing, .presence, .routes, .fileGet, .fileDigest, .fileBundle, .fileLanes, .punch,
            .punchGo, .malformed:
            false
        }
    }
}

/// A request in the line between its link and the client.
struct ReceivedRequest: Sendable {
    /// On its link.
    let number: UInt64
    /// The peer wants no reply of any kind.
    let isNoReply: Bool
    let content: ChatRequest
    /// About what it holds in memory.
    let heldBytes: Int

    init(_ profile: ChatProfile, _ request: BLIPIncomingRequest) {
        number = request.number
        isNoReply = request.isNoReply
        content = ChatRequest(profile, request)
        heldBytes = request.properties.pairs.reduce(256 + request.body.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 64
        }
    }
}
