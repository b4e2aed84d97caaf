// The events on a link, for somebody who looks for a fault: `LinkOptions.trace` gets them.

internal import Synchronization

/// Something that has happened on a link.
public struct LinkTrace: Sendable, Equatable {
    /// The event itself.
    public enum Event: Sendable, Equatable {
        /// Both handshakes are over.
        case opened(subprotocol: String?, remoteFingerprint: SPKIFingerprint?)
        /// A frame of ours goes to the WebSocket, or one of the peer has come from there.
        case frame(Frame)
        /// We end the link in order.
        case closing(code: UInt16, reason: String)
        /// The link has ended, and why. Nothing follows.
        case closed(LinkError)
    }

    /// The head of a BLIP frame.
    public struct Frame: Sendable, Equatable {
        public enum Direction: Sendable, Equatable {
            case sent
            case received
        }

        public enum Kind: Sendable, Equatable {
            case request
            case response
            case errorResponse
            case ackOfRequest
            case ackOfResponse
            /// A type that BLIPNet does not know. It ignores such frames.
            case unknown
        }

        public var direction: Direction
        public var kind: Kind
        /// The number of the message. Each side counts its own requests; a response has the number of its request.
        public var number: UInt64
        /// The bits of the flags as they are on the wire; the dialect says what they mean.
        package var flags: UInt64
        public var isUrgent: Bool
        /// Further frames of the message follow.
        package var hasMore: Bool
        /// Bytes of the frame, its header included, as the payload of its WebSocket message.
        public var byteCount: Int
    }

    /// Which link: each one that is traced has a number of its own in this process.
    public var link: UInt64
    public var event: Event
}

/// Reports what happens on one link.
struct LinkTracer: Sendable {
    private static let lastLink = Atomic<UInt64>(0)

    private let link = Self.lastLink.wrappingAdd(1, ordering: .relaxed).newValue
    private let report: @Sendable (LinkTrace) -> Void

    init(_ report: @escaping @Sendable (LinkTrace) -> Void) { self.report = report }

    func note(_ event: LinkTrace.Event) { report(LinkTrace(link: link, event: event)) }

    /// Reads the head of a frame. A frame without one ends the link, which is reported then.
    func note(
        _ direction: LinkTrace.Frame.Direction, _ frame: UnsafeRawBufferPointer, in dialect: BLIPDialect
    ) {
        var rest = frame
        guard let header = BLIPFrameHeader(from: &rest) else { return }
        let masks = dialect.flags
        note(
            .frame(
                LinkTrace.Frame(
                    direction: direction, kind: .init(header.type(masks)), number: header.number, flags: header.flags,
                    isUrgent: header.flags & masks.urgent != 0, hasMore: header.flags & masks.moreComing != 0,
                    byteCount: frame.count)))
    }
}

extension LinkTrace.Frame.Kind {
    init(_ type: BLIPFrameType?) {
        switch type {
        case .request: self = .request
        case .response: self = .response
        case .errorResponse: self = .errorResponse
        case .ackOfRequest: self = .ackOfRequest
        case .ackOfResponse: self = .ackOfResponse
        case nil: self = .unknown
        }
    }
}
