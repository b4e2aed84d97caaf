// The events of `BLIPTap`: what an observer of the bytes of a link sees.

/// Something on one direction of a link, in the order of the wire.
package struct TapEvent: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// An HTTP head (RFC 9112): its first line, and the subprotocols that it offers or names.
        case head(line: String, subprotocols: [String])
        /// The handshake is over. `nil`: the messages are not read as BLIP. `isDeflated`: permessage-deflate (RFC 7692)
        /// was agreed on.
        case opened(BLIPDialect?, isDeflated: Bool)
        /// A ping or a pong (RFC 6455 sections 5.5.2 and 5.5.3) with so many bytes of payload.
        case ping(byteCount: Int)
        case pong(byteCount: Int)
        /// A close frame (RFC 6455 section 5.5.1); 1005 where it has no code.
        case close(code: UInt16, reason: String)
        /// A WebSocket message that is no BLIP frame.
        case message(WebSocketMessageKind, byteCount: Int)
        case frame(TapFrame)
        /// So many bytes are missing here.
        case gap(byteCount: UInt64)
        /// Something breaks the protocol, or cannot be followed; a sentence for people.
        case problem(String)
    }

    package var direction: BLIPTap.Direction
    package var content: Content

    package init(_ direction: BLIPTap.Direction, _ content: Content) {
        self.direction = direction
        self.content = content
    }
}

/// One BLIP frame (PROTOCOL 3.1).
package struct TapFrame: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case request, response, errorResponse, ackOfRequest, ackOfResponse
        /// The bits of a type that no dialect of ours has.
        case unknown(UInt64)
    }

    package var number: UInt64
    package var kind: Kind
    package var isCompressed: Bool
    package var isUrgent: Bool
    package var isNoReply: Bool
    package var hasMore: Bool
    package var isMeta: Bool
    /// Bytes after the header as on the wire, the checksum included: what ACKs count.
    package var byteCount: Int
    /// How many bytes they unpack to, where the dialect compresses frames and this one is compressed.
    package var unpackedBytes: Int?
    /// Of an ACK: how many bytes of the message have been taken.
    package var acknowledged: UInt64?
    /// Of the last frame of a message: the whole.
    package var message: TapMessage?
    /// Why this frame, or its message, cannot be followed.
    package var problem: String?

    init(_ header: BLIPFrameHeader, _ dialect: BLIPDialect, byteCount: Int) {
        let masks = dialect.flags
        number = header.number
        kind =
            switch header.type(masks) {
            case .request: .request
            case .response: .response
            case .errorResponse: .errorResponse
            case .ackOfRequest: .ackOfRequest
            case .ackOfResponse: .ackOfResponse
            case nil: .unknown(header.flags & masks.type)
            }
        isCompressed = header.flags & masks.compressed != 0
        isUrgent = header.flags & masks.urgent != 0
        isNoReply = header.flags & masks.noReply != 0
        hasMore = header.flags & masks.moreComing != 0
        isMeta = header.flags & masks.meta != 0
        self.byteCount = byteCount
    }
}

/// A whole message, as it is known with its last frame.
package struct TapMessage: Sendable, Equatable {
    package var properties: BLIPProperties = [:]
    /// Of an error response.
    package var error: BLIPErrorCode?
    package var frames: Int
    /// Bytes after the headers of all its frames.
    package var byteCount: UInt64
    /// Bytes of the body, unpacked.
    package var bodyBytes: UInt64
    /// Why properties and body are not known.
    package var problem: String?
}
