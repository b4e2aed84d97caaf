// The differences between the wire formats that are called BLIP, as data (PROTOCOL 3.2).

/// One wire format of BLIP: what its flags mean and which of the format's parts it has. One engine serves them all.
public struct BLIPDialect: Sendable, Equatable {
    /// The data that is compressed, and how, where the flag of a message or frame says so.
    package enum Compression: Sendable, Equatable {
        /// Nothing: the flag is ignored.
        case none
        /// The body of each message by itself: one gzip member (RFC 1952), and no bytes at all for an empty body.
        /// The properties stay plain. The first frame's flag counts for the whole message.
        case bodyMember
        /// All message data frame by frame, in one raw deflate stream per direction for the whole connection. The flag
        /// counts for each frame by itself.
        case frameStream
    }

    /// The name that people use for it: in `LinkInfo`, in options and in error reasons.
    package var name: String
    /// The name of the WebSocket subprotocol, without the application.
    package var subprotocolName: String
    /// The subprotocol is `NAME+APPLICATION`; otherwise it is the bare name.
    package var namesApplication: Bool
    /// A peer that names no subprotocol may mean this dialect.
    package var isMeantByNone: Bool
    /// The bits of a frame's flags.
    package var flags: BLIPFlagMasks
    /// One-byte strings 0x01, 0x02 ... replace these in properties. Empty: no abbreviations.
    package var tokens: [String]
    /// Every frame but an ACK ends with a CRC-32.
    var hasChecksum: Bool
    /// Messages are acknowledged and pause when too much of them is not.
    package var hasAcks: Bool
    package var compression: Compression

    /// Meta requests exist, with `Bye` among them.
    package var hasMeta: Bool { flags.meta != 0 }

    /// The name to offer or expect in `Sec-WebSocket-Protocol`.
    package func subprotocol(application: String) -> String {
        namesApplication ? subprotocolName + "+" + application : subprotocolName
    }

    /// `BLIP_3`: no tokens, a checksum and an own compression choice on every frame, flow control.
    public static let blip3 = BLIPDialect(
        name: "BLIP_3", subprotocolName: "BLIP_3", namesApplication: true, isMeantByNone: false, flags: .blip3,
        tokens: [], hasChecksum: true, hasAcks: true, compression: .frameStream)

    /// BLIP 2.0: tokens and compressed bodies like the founding documents, flow control like `BLIP_3`.
    public static let blip2 = BLIPDialect(
        name: "BLIP 2.0", subprotocolName: "BLIP", namesApplication: false, isMeantByNone: true, flags: .blip2,
        tokens: standardTokens, hasChecksum: false, hasAcks: true, compression: .bodyMember)

    /// The founding documents of 2013 to 2015: two bits of type and no flow control.
    public static let blip2013 = BLIPDialect(
        name: "BLIP 2013", subprotocolName: "BLIP", namesApplication: false, isMeantByNone: true, flags: .blip2013,
        tokens: standardTokens, hasChecksum: false, hasAcks: false, compression: .bodyMember)

    /// Every dialect that we speak, in the order in which we try them: a bare `BLIP`, or no name at all, means the
    /// dialect of the founding documents first and BLIP 2.0 second.
    package static let all: [BLIPDialect] = [.blip3, .blip2013, .blip2]

    private static let standardTokens = [
        "Profile", "Error-Code", "Error-Domain", "Content-Type", "application/json", "application/octet-stream",
        "text/plain; charset=UTF-8", "text/xml", "Accept", "Cache-Control", "must-revalidate", "If-Match",
        "If-None-Match", "Location",
    ]
}

extension BLIPDialect: CustomStringConvertible {
    public var description: String { name }
}
