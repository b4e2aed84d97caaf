// Unpacks one incoming body while it arrives. The bytes come from the message's frames and go to memory or its sink.

import CZlib

/// The receiving half of `BLIPDialect.Compression.bodyMember`: exactly one gzip member (RFC 1952), its checksum and
/// length compared. The unpacked bytes come in small pieces, so that a bomb is seen before it needs memory.
final class BodyInflater {
    private static let pieceSize = 16 << 10

    private let stream = ZlibStream(.inflate) { czlib_inflate_init_gzip($0) }
    private let piece: UnsafeMutableRawBufferPointer
    /// The member's end has come.
    private(set) var isComplete = false

    init() {
        piece = .allocate(byteCount: Self.pieceSize, alignment: 16)
    }

    deinit { piece.deallocate() }

    /// Unpacks `data`, the next bytes of the member, into `take`. More bytes than it allows are `.tooLarge`. `unpacked`
    /// counts those that were made, also when it throws.
    func inflate(
        _ data: UnsafeRawBufferPointer, _ allowance: UnpackingAllowance, unpacked: inout Int,
        take: (UnsafeRawBufferPointer) throws(IncomingFailure) -> Void
    ) throws(IncomingFailure) {
        guard !data.isEmpty else { return }
        guard !isComplete else { throw .malformed("bytes after the compressed body") }
        stream.setInput(data)
        unpacked = 0
        repeat {
            stream.setOutput(piece)
            let status = stream.run(flush: Z_NO_FLUSH)
            // Z_BUF_ERROR only says that nothing was left to do.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw .malformed("malformed compressed body")
            }
            let count = piece.count - stream.room
            unpacked += count
            guard unpacked <= allowance.bytes else { throw .tooLarge(allowance.excess) }
            try take(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            if status == Z_STREAM_END {
                isComplete = true
                guard stream.unread == 0 else { throw .malformed("bytes after the compressed body") }
                return
            }
        } while stream.room == 0
    }
}
