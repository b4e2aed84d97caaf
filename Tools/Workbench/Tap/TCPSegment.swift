// What of a recorded packet is TCP over IP: headers of links, of IPv4 and IPv6, and of TCP. Pure, without I/O.

/// An address and a port.
struct TCPPlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The bytes of the address as one number; one of IPv4 is in the lowest 32 bits.
    var address: UInt128
    var isIPv6: Bool
    var port: UInt16

    static func < (left: TCPPlace, right: TCPPlace) -> Bool {
        (left.isIPv6 ? 1 : 0, left.address, left.port) < (right.isIPv6 ? 1 : 0, right.address, right.port)
    }

    var description: String {
        guard isIPv6 else {
            let parts = [24, 16, 8, 0].map { String(UInt8(truncatingIfNeeded: address >> $0)) }
            return parts.joined(separator: ".") + ":\(port)"
        }
        let groups = (0..<8).map { String(UInt16(truncatingIfNeeded: address >> (112 - 16 * $0)), radix: 16) }
        return "[" + groups.joined(separator: ":") + "]:\(port)"
    }
}

/// One TCP segment (RFC 9293 section 3.1).
struct TCPSegment: Sendable, Equatable {
    var source: TCPPlace
    var destination: TCPPlace
    var sequence: UInt32
    /// `nil` without the flag ACK.
    var acknowledgement: UInt32?
    /// SYN, FIN and RST.
    var begins: Bool
    var ends: Bool
    var resets: Bool
    var payload: ArraySlice<UInt8>
    /// Bytes of the payload that were not kept in the capture, at its end.
    var missing = 0
}

/// The content of a packet.
enum PacketContent: Sendable, Equatable {
    case segment(TCPSegment)
    /// Something else, or too little of it.
    case unrelated
    /// A part of an IP packet that was cut into several.
    case fragment
    /// Of a link type that is not known here.
    case unknownLink(UInt16)

    init(_ packet: CapturedPacket) {
        let bytes = packet.bytes[...]
        switch packet.linkType {
        case 0, 108: self = Self.ip(bytes.dropFirst(4))
        case 1: self = Self.ethernet(bytes)
        case 12, 14, 101, 228, 229: self = Self.ip(bytes)
        case 113: self = Self.ip(bytes, after: 16, protocolAt: 14)
        case 276: self = Self.ip(bytes, after: 20, protocolAt: 0)
        case let other: self = .unknownLink(other)
        }
    }

    /// Numbers of the network are big endian.
    private static let order = CaptureOrder(isBigEndian: true)

    // MARK: Links

    private static func ethernet(_ bytes: ArraySlice<UInt8>) -> PacketContent {
        var rest = bytes.dropFirst(12)
        // Tags of virtual networks come before the type (IEEE 802.1Q); packets with more than two do not concern us.
        for _ in 0..<3 {
            guard rest.count >= 2 else { return .unrelated }
            switch order.number16(rest) {
            case 0x0800, 0x86DD: return ip(rest.dropFirst(2))
            case 0x8100, 0x88A8, 0x9100: rest = rest.dropFirst(4)
            default: return .unrelated
            }
        }
        return .unrelated
    }

    /// The headers of Linux for captures of any device (SLL and SLL2): an EtherType at a fixed place.
    private static func ip(_ bytes: ArraySlice<UInt8>, after count: Int, protocolAt place: Int) -> PacketContent {
        guard bytes.count >= count, [0x0800, 0x86DD].contains(order.number16(bytes.dropFirst(place))) else {
            return .unrelated
        }
        return ip(bytes.dropFirst(count))
    }

    // MARK: IP

    private static func ip(_ bytes: ArraySlice<UInt8>) -> PacketContent {
        switch bytes.first.map({ $0 >> 4 }) {
        case 4?: ipv4(bytes)
        case 6?: ipv6(bytes)
        default: .unrelated
        }
    }

    /// RFC 791 section 3.1.
    private static func ipv4(_ bytes: ArraySlice<UInt8>) -> PacketContent {
        guard bytes.count >= 20, let first = bytes.first else { return .unrelated }
        let headerCount = Int(first & 0x0F) * 4
        let announced = Int(order.number16(bytes.dropFirst(2)))
        // A sender that leaves cutting to its network card writes no length.
        let count = announced == 0 ? bytes.count : announced
        guard headerCount >= 20, count >= headerCount, bytes.count >= headerCount else { return .unrelated }
        guard bytes[bytes.startIndex + 9] == 6 else { return .unrelated }
        guard order.number16(bytes.dropFirst(6)) & 0x3FFF == 0 else { return .fragment }
        // Bytes after the packet pad the Ethernet frame.
        return tcp(
            bytes.prefix(count).dropFirst(headerCount), missing: max(count - bytes.count, 0),
            source: UInt128(order.number32(bytes.dropFirst(12))),
            destination: UInt128(order.number32(bytes.dropFirst(16))), isIPv6: false)
    }

    /// RFC 8200 section 3, with the extension headers of section 4 that may come before TCP.
    private static func ipv6(_ bytes: ArraySlice<UInt8>) -> PacketContent {
        guard bytes.count >= 40 else { return .unrelated }
        let announced = Int(order.number16(bytes.dropFirst(4)))
        let count = announced == 0 ? bytes.count : 40 + announced
        let missing = max(count - bytes.count, 0)
        var kind = bytes[bytes.startIndex + 6]
        var rest = bytes.prefix(count).dropFirst(40)
        for _ in 0..<8 {
            switch kind {
            case 6:
                return tcp(
                    rest, missing: missing, source: address(bytes.dropFirst(8)),
                    destination: address(bytes.dropFirst(24)), isIPv6: true)
            case 0, 43, 60:
                guard rest.count >= 8, let next = rest.first else { return .unrelated }
                kind = next
                rest = rest.dropFirst(8 + Int(rest[rest.startIndex + 1]) * 8)
            case 44: return .fragment
            default: return .unrelated
            }
        }
        return .unrelated
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> UInt128 {
        bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    }

    // MARK: TCP

    private static func tcp(
        _ bytes: ArraySlice<UInt8>, missing: Int, source: UInt128, destination: UInt128, isIPv6: Bool
    ) -> PacketContent {
        guard bytes.count >= 20 else { return .unrelated }
        let headerCount = Int(bytes[bytes.startIndex + 12] >> 4) * 4
        guard headerCount >= 20, bytes.count + missing >= headerCount else { return .unrelated }
        let flags = bytes[bytes.startIndex + 13]
        return .segment(
            TCPSegment(
                source: TCPPlace(address: source, isIPv6: isIPv6, port: order.number16(bytes)),
                destination: TCPPlace(address: destination, isIPv6: isIPv6, port: order.number16(bytes.dropFirst(2))),
                sequence: order.number32(bytes.dropFirst(4)),
                acknowledgement: flags & 0x10 == 0 ? nil : order.number32(bytes.dropFirst(8)),
                begins: flags & 0x02 != 0, ends: flags & 0x01 != 0, resets: flags & 0x04 != 0,
                payload: bytes.dropFirst(headerCount), missing: min(missing, bytes.count + missing - headerCount)))
    }
}
