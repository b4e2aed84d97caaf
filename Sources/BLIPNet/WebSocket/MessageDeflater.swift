// Packs our WebSocket messages (RFC 7692 section 7.2.1).

import CZlib

/// The sending half of permessage-deflate: one raw deflate stream for all messages of a connection.
final class MessageDeflater {
    private let stream: ZlibStream
    /// Each message begins with an empty window.
    let resetsAfterMessage: Bool

    /// `windowBits` 8...15 is what was agreed on; `level` and `memoryLevel` 1...9 as in zlib.
    init(level: Int, windowBits: Int, memoryLevel: Int, resetsAfterMessage: Bool) {
        self.resetsAfterMessage = resetsAfterMessage
        // zlib cannot make a raw stream with a window of 2^8. It never looks back the whole window but 262 bytes less
        // (MIN_LOOKAHEAD), so what it makes with 2^9 reaches back 250 bytes: right for a peer with a window of 2^8.
        stream = ZlibStream(.deflate) {
            czlib_deflate_init_raw_memory(
                $0, CInt(clamping: level), CInt(clamping: max(windowBits, 9)), CInt(clamping: memoryLevel))
        }
    }

    /// Appends a piece of a message, packed, to `out`: all that the peer needs to unpack it. The last piece leaves the
    /// four bytes 00 00 FF FF out at its end.
    func deflate(_ piece: UnsafeRawBufferPointer, endsMessage: Bool, into out: inout ByteQueue) {
        if piece.isEmpty {
            // The header of an empty block, whose other bytes are those that are left out (section 7.2.3.6).
            if endsMessage { out.append(0x00) }
        } else {
            var rest = piece
            while rest.count > Self.maxInput {
                run(UnsafeRawBufferPointer(rebasing: rest[..<Self.maxInput]), flush: Z_NO_FLUSH, into: &out)
                rest = UnsafeRawBufferPointer(rebasing: rest[Self.maxInput...])
            }
            run(rest, flush: Z_SYNC_FLUSH, into: &out)
            if endsMessage { out.removeLast(4) }
        }
        if endsMessage, resetsAfterMessage { stream.reset() }
    }

    /// zlib counts in 32 bits.
    private static var maxInput: Int { 1 << 30 }

    private func run(_ input: UnsafeRawBufferPointer, flush: Int32, into out: inout ByteQueue) {
        stream.setInput(input)
        // Room for what cannot be packed and for the flush, so that one round is the rule.
        let capacity = min(input.count + input.count / 8 + 64, 1 << 20)
        var isFull = true
        while isFull {
            _ = out.appendUninitialized(capacity: capacity) { room in
                stream.setOutput(room)
                let status = stream.run(flush: flush)
                precondition(status == Z_OK || status == Z_BUF_ERROR, "deflate ended with \(status)")
                isFull = stream.room == 0
                return room.count - stream.room
            }
        }
    }
}
