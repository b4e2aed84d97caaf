// The way out of one frame: header, message data, compression, checksum, straight into the output queue.

/// Writes frames in wire order.
struct FrameWriter {
    /// How large a frame may be on the present path, in bytes.
    var frameLimit = Int.max
    let dialect: BLIPDialect
    private var checksum = FrameChecksum()
    private var deflater: FrameDeflater?
    /// By how many bytes compression has made all frames smaller.
    private(set) var bytesSaved: Int64 = 0

    init(dialect: BLIPDialect) { self.dialect = dialect }

    /// The part of a message that was written.
    struct Written {
        /// The bytes after the header, which is what ACKs count.
        var wireCount: UInt64
        var isLast: Bool
    }

    /// Appends the next frame of `message`, at most `maxFrame` bytes, to `out`. When the message's body throws,
    /// nothing has been appended and no state has changed.
    mutating func write(
        _ message: OutgoingMessage, maxFrame: Int, into out: inout ByteQueue
    ) throws(BodySourceFailure) -> Written {
        let isFrameCompressed = message.isCompressed && dialect.compression == .frameStream
        var header = BLIPFrameHeader(number: message.number, flags: message.flags(dialect.flags))
        let headerCount = header.encodedCount
        let trailerCount = dialect.hasChecksum ? FrameChecksum.byteCount : 0
        let overhead = headerCount + trailerCount + (isFrameCompressed ? FrameDeflater.maxGrowth(maxFrame) : 0)
        var payloadRoom = max(maxFrame - overhead, 1)
        if let known = message.remainingBytes { payloadRoom = min(payloadRoom, known) }

        var part = OutgoingMessage.Part(count: 0, isLast: false)
        var deflater: FrameDeflater?
        if isFrameCompressed {
            let made = self.deflater ?? FrameDeflater()
            self.deflater = made
            deflater = made
            _ = try made.prepare(maxBytes: payloadRoom) { (room) throws(BodySourceFailure) -> Int in
                part = try message.fill(room)
                return part.count
            }
        }
        var wireCount = 0
        _ = try out.appendUninitialized(capacity: payloadRoom + overhead) { (room) throws(BodySourceFailure) -> Int in
            let behindHeader = UnsafeMutableRawBufferPointer(rebasing: room[headerCount...])
            if let deflater {
                wireCount = deflater.withPrepared(part.count) { data in
                    checksum.update(data)
                    return deflater.deflate(data, into: behindHeader)
                }
                bytesSaved &+= Int64(part.count - wireCount)
            } else {
                part = try message.fill(UnsafeMutableRawBufferPointer(rebasing: behindHeader[..<payloadRoom]))
                wireCount = part.count
                if dialect.hasChecksum {
                    checksum.update(UnsafeRawBufferPointer(rebasing: behindHeader[..<wireCount]))
                }
            }
            if dialect.hasChecksum {
                checksum.write(into: UnsafeMutableRawBufferPointer(rebasing: behindHeader[wireCount...]))
                wireCount += FrameChecksum.byteCount
            }
            // The flags keep their length: more-coming is within the low seven bits, and the higher ones stay.
            if part.isLast { header.flags &= ~dialect.flags.moreComing }
            header.encode(into: room)
            return headerCount + wireCount
        }
        return Written(wireCount: UInt64(wireCount), isLast: part.isLast)
    }

    /// Appends one ACK frame. ACKs have no checksum and touch no state.
    func write(_ ack: Acknowledgement, into out: inout ByteQueue) {
        let type: BLIPFrameType = ack.isOfResponse ? .ackOfResponse : .ackOfRequest
        let flags = type.rawValue | dialect.flags.urgent | dialect.flags.noReply
        let header = BLIPFrameHeader(number: ack.number, flags: flags)
        _ = out.appendUninitialized(capacity: header.encodedCount + Varint.maxBytes) { room in
            let headerCount = header.encodedCount
            header.encode(into: room)
            let counter = UnsafeMutableRawBufferPointer(rebasing: room[headerCount...])
            return headerCount + Varint.encode(ack.byteCount, into: counter)
        }
    }
}
