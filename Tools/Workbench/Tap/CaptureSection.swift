// One section of a pcapng file: its order of bytes, its interfaces, and the packets in its blocks.

internal import BLIPNet

/// The order of the bytes in a capture's numbers. The caller knows that there are enough of them.
struct CaptureOrder: Sendable, Equatable {
    var isBigEndian: Bool

    func number16(_ bytes: ByteQueue, _ offset: Int) -> UInt16 {
        bytes.withUnsafeBytes { number16(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    func number32(_ bytes: ByteQueue, _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { number32(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    func number16(_ bytes: ArraySlice<UInt8>) -> UInt16 { bytes.withUnsafeBytes { number16($0) } }
    func number32(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { number32($0) } }

    private func number16(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
        let value = bytes.loadUnaligned(as: UInt16.self)
        return isBigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value)
    }

    private func number32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let value = bytes.loadUnaligned(as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
    }
}

/// A section, which begins with its header block. Interfaces and packets count from it.
struct CaptureSection {
    private struct Interface {
        var linkType: UInt16
        /// Bytes that were kept of a packet; 0: all.
        var maxBytes: UInt32
        /// `if_tsresol`: 10 to the power of minus this, or, with the top bit, 2.
        var resolution: UInt8
    }

    static let headerType: UInt32 = 0x0A0D_0D0A
    private static let interfaceType: UInt32 = 1
    private static let simplePacketType: UInt32 = 3
    private static let enhancedPacketType: UInt32 = 6
    private static let maxInterfaces = 1_024

    /// `nil` before the first header.
    private(set) var order: CaptureOrder?
    private var interfaces: [Interface] = []
    /// Simple packets have no time of their own.
    private var lastTime: Int64 = 0

    /// Whether `take` knows blocks of this type.
    static func isKnown(_ type: UInt32) -> Bool {
        [headerType, interfaceType, simplePacketType, enhancedPacketType].contains(type)
    }

    /// The order that a header's magic number, read as big endian, indicates.
    static func order(ofMagic magic: UInt32) throws(CaptureError) -> CaptureOrder {
        switch magic {
        case 0x1A2B_3C4D: CaptureOrder(isBigEndian: true)
        case 0x4D3C_2B1A: CaptureOrder(isBigEndian: false)
        default: throw CaptureError("is damaged: a section has no order of bytes")
        }
    }

    /// Takes one whole block of at least 12 bytes; returns its packet if it has one.
    mutating func take(_ block: [UInt8]) throws(CaptureError) -> CapturedPacket? {
        let isHeader = CaptureOrder(isBigEndian: true).number32(block[0...]) == Self.headerType
        if isHeader {
            order = try Self.order(ofMagic: CaptureOrder(isBigEndian: true).number32(block[8...]))
            interfaces = []
            return nil
        }
        guard let order else { return nil }
        // Without type and length at the front, and the length again at the end.
        let body = block[8..<(block.count - 4)]
        switch order.number32(block[0...]) {
        case Self.interfaceType: try takeInterface(body, order)
        case Self.enhancedPacketType: return try enhancedPacket(body, order)
        case Self.simplePacketType: return try simplePacket(body, order)
        default: break
        }
        return nil
    }

    private mutating func takeInterface(_ body: ArraySlice<UInt8>, _ order: CaptureOrder) throws(CaptureError) {
        guard body.count >= 8, interfaces.count < Self.maxInterfaces else {
            throw CaptureError("is damaged: an interface is cut off, or it has too many of them")
        }
        var interface = Interface(
            linkType: order.number16(body), maxBytes: order.number32(body.dropFirst(4)), resolution: 6)
        var options = body.dropFirst(8)
        while options.count >= 4 {
            let code = order.number16(options)
            let count = Int(order.number16(options.dropFirst(2)))
            let value = options.dropFirst(4).prefix(count)
            if code == 9, value.count == 1, let resolution = value.first { interface.resolution = resolution }
            options = options.dropFirst(4 + (count + 3) / 4 * 4)
        }
        interfaces.append(interface)
    }

    private mutating func enhancedPacket(
        _ body: ArraySlice<UInt8>, _ order: CaptureOrder
    ) throws(CaptureError) -> CapturedPacket {
        guard body.count >= 20 else { throw CaptureError("is damaged: a packet is cut off") }
        let interface = try interface(order.number32(body))
        let (high, low) = (order.number32(body.dropFirst(4)), order.number32(body.dropFirst(8)))
        let count = order.number32(body.dropFirst(12))
        let bytes = body.dropFirst(20)
        guard UInt64(count) <= UInt64(bytes.count) else { throw CaptureError("is damaged: a packet is cut off") }
        lastTime = Self.nanoseconds(UInt64(high) << 32 | UInt64(low), interface.resolution)
        return CapturedPacket(time: lastTime, linkType: interface.linkType, bytes: Array(bytes.prefix(Int(count))))
    }

    private func simplePacket(_ body: ArraySlice<UInt8>, _ order: CaptureOrder) throws(CaptureError) -> CapturedPacket {
        guard body.count >= 4 else { throw CaptureError("is damaged: a packet is cut off") }
        let interface = try interface(0)
        let whole = order.number32(body)
        let kept = interface.maxBytes == 0 ? whole : min(whole, interface.maxBytes)
        let bytes = body.dropFirst(4)
        guard UInt64(kept) <= UInt64(bytes.count) else { throw CaptureError("is damaged: a packet is cut off") }
        return CapturedPacket(time: lastTime, linkType: interface.linkType, bytes: Array(bytes.prefix(Int(kept))))
    }

    private func interface(_ number: UInt32) throws(CaptureError) -> Interface {
        guard let index = Int(exactly: number), interfaces.indices.contains(index) else {
            throw CaptureError("is damaged: a packet of interface \(number), which it does not describe")
        }
        return interfaces[index]
    }

    /// Ticks of a clock with this resolution in nanoseconds, clamped to what fits.
    static func nanoseconds(_ ticks: UInt64, _ resolution: UInt8) -> Int64 {
        let exponent = Int(resolution & 0x7F)
        if resolution & 0x80 != 0 {
            let (high, low) = ticks.multipliedFullWidth(by: 1_000_000_000)
            // The lower 64 bits of the product, shifted to the right.
            if exponent >= 64 { return Int64(clamping: high >> UInt64(exponent - 64)) }
            if exponent == 0 { return high == 0 ? Int64(clamping: low) : .max }
            guard high >> UInt64(exponent) == 0 else { return .max }
            return Int64(clamping: high << UInt64(64 - exponent) | low >> UInt64(exponent))
        }
        var value = ticks
        for _ in 0..<max(exponent - 9, 0) {
            value /= 10
            if value == 0 { break }
        }
        for _ in 0..<max(9 - exponent, 0) {
            let (product, isOver) = value.multipliedReportingOverflow(by: 10)
            guard !isOver else { return .max }
            value = product
        }
        return Int64(clamping: value)
    }
}
