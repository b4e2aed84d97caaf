// Reads files of recorded packets: pcap as tcpdump writes it, and the plain blocks of pcapng. Pure, without I/O.

internal import BLIPNet

/// One recorded packet.
package struct CapturedPacket: Sendable, Equatable {
    /// Nanoseconds since 1970.
    package var time: Int64
    /// The type of header that the bytes begin with, as a number of tcpdump.org's list of link-layer header types.
    package var linkType: UInt16
    package var bytes: [UInt8]
}

/// The file cannot be read, or not any further; a sentence for people, without the file's name.
package struct CaptureError: Error, Sendable, Equatable {
    package var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Takes a capture apart while it comes in, in any cut. Holds at most one packet of 1 MiB and what was given last.
///
/// pcap of version 2 (draft-ietf-opsawg-pcap), little and big endian, microseconds and nanoseconds; of pcapng
/// (draft-ietf-opsawg-pcapng) section headers, interfaces, enhanced and simple packets: other blocks are left out.
package struct CaptureReader {
    private enum Format {
        /// The first bytes will tell.
        case unknown
        case pcap(isBigEndian: Bool, nanosecondsPerTick: Int64, linkType: UInt16)
        case pcapng(CaptureSection)
    }

    /// The largest packet or block that is read, in bytes.
    package static let maxPacketBytes = 1 << 20

    private var format = Format.unknown
    private var input = ByteQueue()
    /// Bytes of a block that is left out.
    private var skipped: UInt64 = 0

    package init() {}

    /// Takes the next bytes of the file. Call `next` until it returns `nil` afterwards.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        let count = Int(min(skipped, UInt64(bytes.count)))
        skipped -= UInt64(count)
        bytes.dropFirst(count).withUnsafeBytes { input.append($0) }
    }

    /// The next packet; `nil` while it is not complete.
    package mutating func next() throws(CaptureError) -> CapturedPacket? {
        while true {
            switch format {
            case .unknown: guard try readStart() else { return nil }
            case .pcap(let isBigEndian, let tick, let linkType):
                return try readRecord(CaptureOrder(isBigEndian: isBigEndian), tick, linkType)
            case .pcapng(var section):
                guard let block = try readBlock(section.order) else { return nil }
                if block.isEmpty { continue }
                let packet = try section.take(block)
                format = .pcapng(section)
                if let packet { return packet }
            }
        }
    }

    /// The file has ended; says what is missing of it.
    package func finish() throws(CaptureError) {
        if case .unknown = format { throw CaptureError(input.isEmpty ? "is empty" : "is too short for a capture") }
        guard input.isEmpty, skipped == 0 else { throw CaptureError("ends within a packet") }
    }

    // MARK: The start

    /// Finds out the format; `false` while there are too few bytes.
    private mutating func readStart() throws(CaptureError) -> Bool {
        guard input.count >= 4 else { return false }
        let magic = CaptureOrder(isBigEndian: true).number32(input, 0)
        if magic == CaptureSection.headerType {
            format = .pcapng(CaptureSection())
            return true
        }
        let found: (isBigEndian: Bool, nanosecondsPerTick: Int64)
        switch magic {
        case 0xA1B2_C3D4: found = (true, 1_000)
        case 0xD4C3_B2A1: found = (false, 1_000)
        case 0xA1B2_3C4D: found = (true, 1)
        case 0x4D3C_B2A1: found = (false, 1)
        default:
            let isPacked = magic >> 16 == 0x1F8B || magic == 0x28B5_2FFD
            throw CaptureError(isPacked ? "is packed: `zcat FILE | blipwire tap -` reads it" : "is no pcap or pcapng")
        }
        guard input.count >= 24 else { return false }
        let order = CaptureOrder(isBigEndian: found.isBigEndian)
        let version = order.number16(input, 4)
        guard version == 2 else { throw CaptureError("is a capture of version \(version); 2 is understood") }
        // The upper half says how long checksums after packets are; nothing here reads that far.
        let linkType = UInt16(truncatingIfNeeded: order.number32(input, 20))
        format = .pcap(
            isBigEndian: found.isBigEndian, nanosecondsPerTick: found.nanosecondsPerTick, linkType: linkType)
        input.consume(24)
        return true
    }

    // MARK: pcap

    private mutating func readRecord(
        _ order: CaptureOrder, _ tick: Int64, _ linkType: UInt16
    ) throws(CaptureError) -> CapturedPacket? {
        guard input.count >= 16 else { return nil }
        let count = order.number32(input, 8)
        guard count <= UInt32(Self.maxPacketBytes) else {
            throw CaptureError("has a packet of \(count) bytes: it is damaged")
        }
        let end = 16 + Int(count)
        guard input.count >= end else { return nil }
        // Both are below 2^32, so that their sum in nanoseconds fits.
        let time = Int64(order.number32(input, 0)) * 1_000_000_000 + Int64(order.number32(input, 4)) * tick
        let bytes = input.withUnsafeBytes { Array($0[16..<end]) }
        input.consume(end)
        return CapturedPacket(time: time, linkType: linkType, bytes: bytes)
    }

    // MARK: pcapng

    /// The next block that means something to us; an empty one for each that is left out; `nil` while it is not complete.
    private mutating func readBlock(_ order: CaptureOrder?) throws(CaptureError) -> [UInt8]? {
        guard input.count >= 12 else { return nil }
        var order = order
        let isHeader = CaptureOrder(isBigEndian: true).number32(input, 0) == CaptureSection.headerType
        if isHeader { order = try CaptureSection.order(ofMagic: CaptureOrder(isBigEndian: true).number32(input, 8)) }
        guard let order else { throw CaptureError("is damaged: a block comes before its section") }
        let count = order.number32(input, 4)
        guard count >= 12, count.isMultiple(of: 4) else {
            throw CaptureError("is damaged: it has a block of \(count) bytes")
        }
        guard isHeader || CaptureSection.isKnown(order.number32(input, 0)) else {
            let present = Int(min(UInt64(count), UInt64(input.count)))
            input.consume(present)
            skipped = UInt64(count) - UInt64(present)
            return []
        }
        guard count <= UInt32(Self.maxPacketBytes) else {
            throw CaptureError("has a block of \(count) bytes: it is damaged")
        }
        guard input.count >= Int(count) else { return nil }
        let block = input.withUnsafeBytes { Array($0[..<Int(count)]) }
        input.consume(Int(count))
        return block
    }
}
