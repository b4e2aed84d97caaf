// Compresses the data of outgoing frames: one raw deflate stream for a connection's whole life.

import CZlib

/// The sending half of `BLIPDialect.Compression.frameStream`: each frame ends with a sync flush, whose last four bytes
/// 00 00 ff ff are left out (PROTOCOL 3.2).
final class FrameDeflater {
    /// By how much `byteCount` bytes may grow when they cannot be compressed: a header of 5 bytes for every stored
    /// block of some 16 KiB, and the flush; rounded up well.
    static func maxGrowth(_ byteCount: Int) -> Int { 64 + byteCount >> 10 }

    private let stream: ZlibStream
    private var scratch: [UInt8] = []

    /// `level` 1...9 as in zlib.
    init(level: Int32 = 1) {
        stream = ZlibStream(.deflate) { czlib_deflate_init_raw($0, level, 15) }
    }

    /// Lets `fill` write up to `maxBytes` of data into a scratch buffer, which stays valid until the next call.
    func prepare<Failure: Error>(
        maxBytes: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        if scratch.count < maxBytes { scratch = [UInt8](repeating: 0, count: maxBytes) }
        let result: Result<Int, Failure> = scratch.withUnsafeMutableBytes { all in
            let room = UnsafeMutableRawBufferPointer(rebasing: all[..<maxBytes])
            do throws(Failure) { return .success(try fill(room)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Reads the first `count` prepared bytes.
    func withPrepared<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        scratch.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Compresses `data` into `room`, which must have `maxGrowth` bytes more than the data, and returns how many it wrote.
    /// No data is written as the byte 00, the rest of an empty stored block: known peers lose their stream over no bytes.
    func deflate(_ data: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard !data.isEmpty else {
            room[0] = 0
            return 1
        }
        stream.setInput(data)
        stream.setOutput(room)
        let status = stream.run(flush: Z_SYNC_FLUSH)
        // With room left the flush is complete; the caller gives enough for the worst case.
        precondition(status == Z_OK && stream.room > 0, "deflate ended with \(status)")
        return room.count - stream.room - 4
    }
}
