// The way in of one frame: header, decompression, checksum. The result goes to the inbox.

/// One received frame, taken apart. `data` points into the frame or into the inflater's scratch memory and is valid
/// until the next frame is read.
struct ReceivedFrame {
    var header: BLIPFrameHeader
    /// `nil`: a type that this version does not know; such a frame is ignored.
    var type: BLIPFrameType?
    /// Unpacked message data, or an ACK's bytes.
    var data: UnsafeRawBufferPointer
    /// The bytes after the header as on the wire, which is what ACKs count.
    var wireCount: UInt64
    /// How many bytes had to be unpacked for `data`.
    var unpacked = 0
}

/// Takes frames apart, in wire order. Every frame must pass, also one that will be ignored: the checksum and the
/// inflate stream run through all of them.
struct FrameReader {
    let dialect: BLIPDialect
    let maxFrame: Int
    private var checksum = FrameChecksum()
    // Made with the first compressed frame: most connections of small messages never need its 64 KiB.
    private var inflater: FrameInflater?
    /// By how many bytes compression has made all frames smaller.
    private(set) var bytesSaved: Int64 = 0

    init(dialect: BLIPDialect, limits: BLIPLimits) {
        self.dialect = dialect
        maxFrame = limits.maxFrameIn
    }

    mutating func read(
        _ frame: UnsafeRawBufferPointer, _ allowance: UnpackingAllowance
    ) throws(BLIPViolation) -> ReceivedFrame {
        guard frame.count <= maxFrame else { throw .tooLarge("a frame of \(frame.count) bytes") }
        var rest = frame
        guard let header = BLIPFrameHeader(from: &rest) else { throw .badFrame("malformed frame header") }
        let type = header.type(dialect.flags)
        let wireCount = UInt64(rest.count)
        if dialect.hasAcks, let type, type.isAck {
            return ReceivedFrame(header: header, type: type, data: rest, wireCount: wireCount)
        }
        var expected: UInt32?
        var unpacked = 0
        if dialect.hasChecksum {
            let end = rest.count - FrameChecksum.byteCount
            guard end >= 0 else { throw .badFrame("a frame without a checksum") }
            expected = FrameChecksum.read(UnsafeRawBufferPointer(rebasing: rest[end...]))
            rest = UnsafeRawBufferPointer(rebasing: rest[..<end])
        }
        if dialect.compression == .frameStream, header.flags & dialect.flags.compressed != 0 {
            let inflater = inflater ?? FrameInflater()
            self.inflater = inflater
            let inflated = try inflater.inflate(rest, allowance)
            unpacked = inflated.count
            bytesSaved &+= Int64(inflated.count - rest.count)
            rest = inflated
        }
        if let expected {
            checksum.update(rest)
            guard checksum.value == expected else { throw .badFrame("wrong checksum") }
        }
        return ReceivedFrame(header: header, type: type, data: rest, wireCount: wireCount, unpacked: unpacked)
    }

    /// Gives back what a large frame needed; call when its data has been used.
    func finishFrame() { inflater?.shrink() }
}
