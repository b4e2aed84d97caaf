// Compresses one outgoing body while it is being sent. The bytes come from the message's body and go into its frames.

import CZlib

/// The sending half of `BLIPDialect.Compression.bodyMember`: one gzip member (RFC 1952, zlib level 5, no time, no
/// name), made piece by piece in the memory of one compressor, whatever the size of the body.
final class BodyDeflater {
    /// How much of the body is packed for one frame at most. Without it, a frame of something like zeros would take
    /// 1,000 times its size in reading, and hold everything else up. The frame is then shorter, or empty.
    static let maxInputPerFrame = 128 << 10
    private static let inputSize = 16 << 10

    private let stream: ZlibStream
    // The stream keeps the address of what it has not taken.
    private let input: UnsafeMutableRawBufferPointer
    private var hasInput = false
    private var isInputOver = false

    /// `byteCount`: the size of the body where it is known; small ones need little memory.
    init(byteCount: Int?) {
        let size = max(byteCount ?? .max, 1)
        var windowBits: Int32 = 9
        while windowBits < 15, 1 << windowBits < size { windowBits += 1 }
        input = .allocate(byteCount: min(size, Self.inputSize), alignment: 16)
        stream = ZlibStream(.deflate) { czlib_deflate_init_gzip($0, 5, windowBits, windowBits - 7) }
    }

    deinit { input.deallocate() }

    /// Fills the front of `room` with the next bytes of the member. `read` fills its buffer with the next bytes of the
    /// body and returns how many; 0 is the body's end. A body without bytes becomes no bytes.
    func fill(
        _ room: UnsafeMutableRawBufferPointer,
        read: (UnsafeMutableRawBufferPointer) throws(BodySourceFailure) -> Int
    ) throws(BodySourceFailure) -> OutgoingMessage.Part {
        var written = 0
        var taken = 0
        while written < room.count {
            if stream.unread == 0, !isInputOver {
                guard taken < Self.maxInputPerFrame else { break }
                let count = try read(input)
                taken += count
                if count == 0 {
                    isInputOver = true
                    guard hasInput else { return OutgoingMessage.Part(count: 0, isLast: true) }
                } else {
                    hasInput = true
                    stream.setInput(UnsafeRawBufferPointer(rebasing: input[..<count]))
                }
            }
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[written...])
            stream.setOutput(rest)
            let status = stream.run(flush: isInputOver ? Z_FINISH : Z_NO_FLUSH)
            written += rest.count - stream.room
            if status == Z_STREAM_END { return OutgoingMessage.Part(count: written, isLast: true) }
            precondition(status == Z_OK || status == Z_BUF_ERROR, "deflate ended with \(status)")
        }
        return OutgoingMessage.Part(count: written, isLast: false)
    }
}
