// Unpacks one incoming body while it arrives. The bytes come from the message's frames and go to memory or its sink.

import CZlib

/// The receiving half of `BLIPDialect.Compression.bodyMember`: exactly one gzip member (RFC 1952), its checksum and
/// length compared. What it unpacks to comes in small pieces, so that a bomb is seen before it needs memory.
final class BodyInflater {
    private static let pieceSize = 16 << 10

    private let stream: UnsafeMutablePointer<z_stream>
    private let piece: UnsafeMutableRawBufferPointer
    /// The member's end has come.
    private(set) var isComplete = false

    init() {
        piece = .allocate(byteCount: Self.pieceSize, alignment: 16)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = czlib_inflate_init_gzip(stream)
        precondition(status == Z_OK, "zlib cannot start a gzip stream: \(status)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        piece.deallocate()
    }

    /// Unpacks `data`, the next bytes of the member, into `take`. More than `limit` bytes are `.tooLarge`.
    func inflate(
        _ data: UnsafeRawBufferPointer, limit: Int,
        take: (UnsafeRawBufferPointer) throws(IncomingFailure) -> Void
    ) throws(IncomingFailure) {
        guard !data.isEmpty else { return }
        guard !isComplete else { throw .malformed("bytes behind the compressed body") }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: data.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = uInt(data.count)
        var unpacked = 0
        repeat {
            stream.pointee.next_out = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = uInt(piece.count)
            let status = CZlib.inflate(stream, Z_NO_FLUSH)
            // Z_BUF_ERROR only says that nothing was left to do.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw .malformed("malformed compressed body")
            }
            let count = piece.count - Int(stream.pointee.avail_out)
            unpacked += count
            guard unpacked <= limit else { throw .tooLarge("a frame unpacks to more than \(limit) bytes") }
            try take(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            if status == Z_STREAM_END {
                isComplete = true
                guard stream.pointee.avail_in == 0 else { throw .malformed("bytes behind the compressed body") }
                return
            }
        } while stream.pointee.avail_out == 0
    }
}
