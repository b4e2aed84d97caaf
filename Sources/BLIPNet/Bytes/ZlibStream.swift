// One zlib stream and its memory, with which the codecs of frames, bodies and WebSocket messages pack and unpack.

import CZlib

/// A deflate or inflate stream that lives as long as this object. zlib keeps its address.
final class ZlibStream {
    enum Direction { case deflate, inflate }

    private let stream: UnsafeMutablePointer<z_stream>
    private let direction: Direction

    /// `start` is the function of CZlib that begins the stream. It fails only for wrong arguments, which would be our
    /// mistake, and for lack of memory, without which nothing can continue.
    init(_ direction: Direction, _ start: (UnsafeMutablePointer<z_stream>) -> CInt) {
        self.direction = direction
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = start(stream)
        precondition(status == Z_OK, "zlib cannot start a stream: \(status)")
    }

    deinit {
        switch direction {
        case .deflate: deflateEnd(stream)
        case .inflate: inflateEnd(stream)
        }
        stream.deallocate()
    }

    /// Sets the bytes to read next: at most 4 GiB, which must stay where they are until they have been read.
    func setInput(_ bytes: UnsafeRawBufferPointer) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = uInt(clamping: bytes.count)
    }

    /// Where the next `run` writes.
    func setOutput(_ room: UnsafeMutableRawBufferPointer) {
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = uInt(clamping: room.count)
    }

    /// Bytes of the input that have not been read.
    var unread: Int { Int(stream.pointee.avail_in) }
    /// Bytes of the output that have not been written.
    var room: Int { Int(stream.pointee.avail_out) }

    /// Goes on from input to output until one of them is used up. Returns zlib's status.
    func run(flush: CInt) -> CInt {
        switch direction {
        case .deflate: deflate(stream, flush)
        case .inflate: inflate(stream, flush)
        }
    }

    /// Begins anew with an empty window.
    func reset() {
        let status =
            switch direction {
            case .deflate: deflateReset(stream)
            case .inflate: inflateReset(stream)
            }
        precondition(status == Z_OK, "zlib cannot reset a stream: \(status)")
    }

    /// Continues after a final block of an inflate stream, with the window as it is.
    func resetKeepingWindow() {
        let status = inflateResetKeep(stream)
        precondition(status == Z_OK, "zlib cannot continue after a final block: \(status)")
    }

    /// Whether an inflate stream is between two blocks and has looked at every bit of its input. zlib's `data_type`
    /// then has 128, and how many bits of the last byte it has not looked at.
    var isBetweenBlocks: Bool { stream.pointee.data_type & 0xBF == 0x80 && unread == 0 }
}
