// The differences between the wire formats that are called BLIP, as data (PROTOCOL 3.2).

/// One wire format of BLIP: what its flags mean and which of the format's parts it has. One engine serves them all.
public struct BLIPDialect: Sendable, Equatable {
    /// How message data is compressed, where a frame's flag says so.
    public enum Compression: Sendable, Equatable {
        /// Not at all: the flag is ignored.
        case none
        /// Each frame by itself, with one raw deflate stream per direction for the whole connection.
        case frameStream
    }

    /// The name of the WebSocket subprotocol, without the application.
    public var subprotocolName: String
    /// The subprotocol is `NAME+APPLICATION`; otherwise it is the bare name.
    public var namesApplication: Bool
    /// The bits of a frame's flags.
    public var flags: BLIPFlagMasks
    /// One-byte strings 0x01, 0x02 ... that stand for these in properties. Empty: no abbreviations.
    public var tokens: [String]
    /// Every frame but an ACK ends with a CRC-32.
    public var hasChecksum: Bool
    /// Messages are acknowledged and pause when too much of them is not.
    public var hasAcks: Bool
    public var compression: Compression

    /// What to offer or expect in `Sec-WebSocket-Protocol`.
    public func subprotocol(application: String) -> String {
        namesApplication ? subprotocolName + "+" + application : subprotocolName
    }

    /// `BLIP_3`: no tokens, a checksum and an own compression choice on every frame, flow control.
    public static let blip3 = BLIPDialect(
        subprotocolName: "BLIP_3", namesApplication: true, flags: .withAcks, tokens: [], hasChecksum: true,
        hasAcks: true, compression: .frameStream)
}
