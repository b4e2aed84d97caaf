// Unpacks the data of incoming compressed frames: one raw inflate stream for a connection's whole life.

import CZlib

/// The receiving half of `BLIPDialect.Compression.frameStream`. What it unpacks to is bounded while it unpacks: not a
/// byte more than one beyond the limit is made.
final class FrameInflater {
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// The scratch buffer grows in doubling steps from here and goes back to it after a large frame.
    private static let smallScratch = 64 << 10

    private let stream = ZlibStream(.inflate) { czlib_inflate_init_raw($0, 15) }
    private var scratch: UnsafeMutableRawBufferPointer

    init() {
        scratch = .allocate(byteCount: Self.smallScratch, alignment: 16)
    }

    deinit { scratch.deallocate() }

    /// The unpacked data of one frame, within its allowance; valid until the next call of this or of `shrink`. No bytes
    /// are no data.
    func inflate(
        _ data: UnsafeRawBufferPointer, _ allowance: UnpackingAllowance
    ) throws(BLIPViolation) -> UnsafeRawBufferPointer {
        guard !data.isEmpty else { return UnsafeRawBufferPointer(rebasing: scratch[..<0]) }
        var count = 0
        try run(data, &count, allowance)
        let result: Result<Void, BLIPViolation> = Self.tail.withUnsafeBytes { bytes in
            do throws(BLIPViolation) { return .success(try run(bytes, &count, allowance)) } catch {
                return .failure(error)
            }
        }
        try result.get()
        return UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }

    /// Gives the memory of a large frame back.
    func shrink() {
        guard scratch.count > Self.smallScratch else { return }
        scratch.deallocate()
        scratch = .allocate(byteCount: Self.smallScratch, alignment: 16)
    }

    /// Feeds `input` to the stream completely; the output goes after the first `count` bytes of the scratch buffer.
    private func run(
        _ input: UnsafeRawBufferPointer, _ count: inout Int, _ allowance: UnpackingAllowance
    ) throws(BLIPViolation) {
        let limit = allowance.bytes
        stream.setInput(input)
        while true {
            if count == scratch.count { grow(keeping: count, limit) }
            // One byte more than the limit, so that going over it can be seen.
            let room = UnsafeMutableRawBufferPointer(
                rebasing: scratch[count..<max(count, min(scratch.count, limit + 1))])
            stream.setOutput(room)
            let status = stream.run(flush: Z_SYNC_FLUSH)
            count += room.count - stream.room
            // Z_BUF_ERROR only says that nothing was left to do. The stream never ends within a connection.
            guard status == Z_OK || status == Z_BUF_ERROR else { throw .badFrame("malformed compressed data") }
            guard count <= limit else { throw .tooLarge(allowance.excess) }
            if stream.room > 0 {
                guard stream.unread == 0 else { throw .badFrame("malformed compressed data") }
                return
            }
        }
    }

    private func grow(keeping count: Int, _ limit: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(scratch.count + 1, min(scratch.count * 2, limit + 1)), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        scratch.deallocate()
        scratch = larger
    }
}
