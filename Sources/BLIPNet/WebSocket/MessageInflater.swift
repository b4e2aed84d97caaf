// Unpacks compressed WebSocket messages (RFC 7692 section 7.2.2).

import CZlib

/// The receiving half of permessage-deflate: one raw inflate stream for all messages of a connection.
///
/// The driver of it (`WebSocketFrameDecoder`) feeds the bytes of a message as they arrive and takes the unpacked ones
/// in pieces of its own size, so that nothing grows beyond what it allows.
final class MessageInflater {
    // zlib keeps the address of its stream.
    private let stream: UnsafeMutablePointer<z_stream>
    /// 00 00 FF FF: the end of every message, which is not on the wire.
    private let tail: UnsafeMutableRawBufferPointer
    /// The peer begins each message with an empty window.
    private let resetsAfterMessage: Bool
    /// Something of the current message has been fed.
    private var hasBegun = false
    /// What was fed last ended together with a block that has BFINAL set.
    private var isAtFinalBlock = false

    /// The window is always 32 KiB, which unpacks what was packed with any smaller one (and zlib's notion of a window
    /// of 256 bytes never has to be asked for).
    init(resetsAfterMessage: Bool) {
        self.resetsAfterMessage = resetsAfterMessage
        tail = .allocate(byteCount: 4, alignment: 4)
        tail.copyBytes(from: [0x00, 0x00, 0xFF, 0xFF])
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = czlib_inflate_init_raw(stream, 15)
        precondition(status == Z_OK, "zlib cannot start an inflate stream: \(status)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        tail.deallocate()
    }

    /// Hands over the next bytes of a message. They must stay where they are until `unpack` has left room unused.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        hasBegun = true
        isAtFinalBlock = false
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = uInt(clamping: bytes.count)
    }

    /// Puts back what the sender has left out at the end of a message. `false` when there is nothing to be unpacked:
    /// the message had no bytes at all, or it ended with a final block and without the byte that should follow one.
    func feedTail() -> Bool {
        guard hasBegun, !isAtFinalBlock else { return false }
        feed(UnsafeRawBufferPointer(tail))
        return true
    }

    /// Unpacks to `room` what has been fed and returns how many bytes it wrote: less than there was room for when all
    /// is unpacked.
    func unpack(into room: UnsafeMutableRawBufferPointer) throws(WebSocketViolation) -> Int {
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = uInt(clamping: room.count)
        while true {
            switch inflate(stream, Z_SYNC_FLUSH) {
            case Z_OK where stream.pointee.avail_out > 0 && stream.pointee.avail_in > 0: continue
            case Z_OK, Z_BUF_ERROR: return room.count - Int(stream.pointee.avail_out)
            case Z_STREAM_END:
                // A block with BFINAL ends a stream, but not the window (RFC 7692 section 7.2.3.5).
                let status = inflateResetKeep(stream)
                precondition(status == Z_OK, "zlib cannot go on behind a final block: \(status)")
                isAtFinalBlock = stream.pointee.avail_in == 0
                if isAtFinalBlock || stream.pointee.avail_out == 0 { return room.count - Int(stream.pointee.avail_out) }
            default: throw Self.malformed
            }
        }
    }

    /// Ends the message when `feedTail` has been called and everything is unpacked. A message that stops in the middle
    /// of a block is malformed: the next one could not be read.
    func endMessage() throws(WebSocketViolation) {
        if hasBegun, !isAtFinalBlock {
            // zlib's data_type: 128 between two blocks, plus the bits of the last byte that it has not looked at.
            let state = stream.pointee.data_type
            guard state & 0xBF == 0x80, stream.pointee.avail_in == 0 else { throw Self.malformed }
        }
        if resetsAfterMessage, hasBegun {
            let status = inflateReset(stream)
            precondition(status == Z_OK, "zlib cannot reset an inflate stream: \(status)")
        }
        hasBegun = false
        isAtFinalBlock = false
    }

    static let malformed = WebSocketViolation(
        closeCode: WebSocketCloseCode.invalidData, reason: "malformed compressed data")
}
