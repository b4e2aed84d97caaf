// Unpacks compressed WebSocket messages (RFC 7692 section 7.2.2).

import CZlib

/// The receiving half of permessage-deflate: one raw inflate stream for all messages of a connection.
///
/// The driver of it (`WebSocketFrameDecoder`) feeds the bytes of a message as they arrive and takes the unpacked ones
/// in pieces of its own size, so that nothing grows beyond what it allows.
final class MessageInflater {
    /// The window is always 32 KiB, which unpacks what was packed with any smaller one (and we never have to ask for
    /// zlib's notion of a window of 256 bytes).
    private let stream = ZlibStream(.inflate) { czlib_inflate_init_raw($0, 15) }
    /// 00 00 FF FF: the end of every message, which is not on the wire.
    private let tail: UnsafeMutableRawBufferPointer
    /// The peer begins each message with an empty window.
    private let resetsAfterMessage: Bool
    /// Something of the current message has been fed.
    private var hasBegun = false
    /// The bytes fed last ended together with a block that has BFINAL set.
    private var isAtFinalBlock = false

    init(resetsAfterMessage: Bool) {
        self.resetsAfterMessage = resetsAfterMessage
        tail = .allocate(byteCount: 4, alignment: 4)
        tail.copyBytes(from: [0x00, 0x00, 0xFF, 0xFF])
    }

    deinit { tail.deallocate() }

    /// Hands over the next bytes of a message. They must stay where they are until `unpack` has left room unused.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        hasBegun = true
        isAtFinalBlock = false
        stream.setInput(bytes)
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
        stream.setOutput(room)
        while true {
            switch stream.run(flush: Z_SYNC_FLUSH) {
            case Z_OK where stream.room > 0 && stream.unread > 0: continue
            case Z_OK, Z_BUF_ERROR: return room.count - stream.room
            case Z_STREAM_END:
                // A block with BFINAL ends a stream, but not the window (RFC 7692 section 7.2.3.5).
                stream.resetKeepingWindow()
                isAtFinalBlock = stream.unread == 0
                if isAtFinalBlock || stream.room == 0 { return room.count - stream.room }
            default: throw Self.malformed
            }
        }
    }

    /// Ends the message when `feedTail` has been called and everything is unpacked. A message that stops in the middle
    /// of a block is malformed: the next one could not be read.
    func endMessage() throws(WebSocketViolation) {
        if hasBegun, !isAtFinalBlock, !stream.isBetweenBlocks { throw Self.malformed }
        if resetsAfterMessage, hasBegun { stream.reset() }
        hasBegun = false
        isAtFinalBlock = false
    }

    static let malformed = WebSocketViolation(
        closeCode: WebSocketCloseCode.invalidData, reason: "malformed compressed data")
}
