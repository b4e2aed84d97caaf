// The second number of a frame header: the message's type and its flags.

/// Which bits of the flags mean what; it differs between dialects (PROTOCOL 3.2).
package struct BLIPFlagMasks: Sendable, Equatable {
    /// The bits of the type, from bit 0.
    package var type: UInt64
    package var compressed: UInt64
    package var urgent: UInt64
    package var noReply: UInt64
    package var moreComing: UInt64
    /// The request is for the protocol itself, not for the application; 0 where there is no such thing.
    package var meta: UInt64

    /// Three bits of type, because ACKs are types of their own.
    package static let blip3 = BLIPFlagMasks(
        type: 0x07, compressed: 0x08, urgent: 0x10, noReply: 0x20, moreComing: 0x40, meta: 0)

    /// The same with meta requests; their flag makes the varint of the flags two bytes long.
    package static let blip2 = BLIPFlagMasks(
        type: 0x07, compressed: 0x08, urgent: 0x10, noReply: 0x20, moreComing: 0x40, meta: 0x80)

    /// Two bits of type.
    package static let blip2013 = BLIPFlagMasks(
        type: 0x03, compressed: 0x04, urgent: 0x08, noReply: 0x10, moreComing: 0x20, meta: 0x40)
}

/// The kind of message that a frame belongs to. Frames with other values of the type bits are ignored.
enum BLIPFrameType: UInt64 {
    case request = 0
    case response = 1
    case errorResponse = 2
    case ackOfRequest = 4
    case ackOfResponse = 5

    var isAck: Bool { self == .ackOfRequest || self == .ackOfResponse }
}

/// The start of every frame: the message's number and its flags, each a varint.
struct BLIPFrameHeader: Equatable {
    var number: UInt64
    var flags: UInt64

    init(number: UInt64, flags: UInt64) {
        self.number = number
        self.flags = flags
    }

    /// Takes the header from the front of `bytes`; `nil` when it is cut off or malformed.
    init?(from bytes: inout UnsafeRawBufferPointer) {
        guard let number = Varint.decode(&bytes), let flags = Varint.decode(&bytes) else { return nil }
        self.init(number: number, flags: flags)
    }

    var encodedCount: Int { Varint.encodedCount(number) + Varint.encodedCount(flags) }

    /// Writes the header at the start of `buffer`, which must have room for `encodedCount` bytes.
    func encode(into buffer: UnsafeMutableRawBufferPointer) {
        let count = Varint.encode(number, into: buffer)
        Varint.encode(flags, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
    }

    func type(_ masks: BLIPFlagMasks) -> BLIPFrameType? { BLIPFrameType(rawValue: flags & masks.type) }
}
