// What a router is asked about ports, and what it answers: PCP (RFC 6887) and its elder NAT-PMP (RFC 6886), as bytes and
// back. No I/O.

/// A datagram to the router, UDP port 5351. All of it is about TCP.
package enum RouterRequest: Sendable, Equatable {
    /// NAT-PMP: which address has the router outside? (RFC 6886 section 3.2)
    case outsideAddress
    /// NAT-PMP: a lifetime of 0 gives the port back (RFC 6886 section 3.3 and 3.4). Seconds.
    case mapByNATPMP(inside: UInt16, outside: UInt16, lifetime: UInt32)
    /// PCP: is anybody there? (RFC 6887 section 14.1) `client`: our address, 4 bytes.
    case announce(client: [UInt8])
    /// PCP MAP (RFC 6887 section 11.1).
    case map(PCPMapping, client: [UInt8], lifetime: UInt32)

    /// The port of the router.
    package static let port: UInt16 = 5351

    package var bytes: [UInt8] {
        switch self {
        case .outsideAddress: [0, 0]
        case .mapByNATPMP(let inside, let outside, let lifetime):
            [0, 2, 0, 0] + inside.bigEndianBytes + outside.bigEndianBytes + lifetime.bigEndianBytes
        case .announce(let client): Self.head(opcode: 0, lifetime: 0, client)
        case .map(let mapping, let client, let lifetime):
            Self.head(opcode: 1, lifetime: lifetime, client) + mapping.bytes
        }
    }

    private static func head(opcode: UInt8, lifetime: UInt32, _ client: [UInt8]) -> [UInt8] {
        [2, opcode, 0, 0] + lifetime.bigEndianBytes + PCPMapping.wide(client)
    }
}

/// The part of a MAP that request and answer share.
package struct PCPMapping: Sendable, Equatable {
    /// Names the mapping: only who knows it can change it. 12 bytes.
    package var nonce: [UInt8]
    package var inside: UInt16
    /// The port that we wish for, or that the router gave; 0: any.
    package var outside: UInt16
    /// 4 bytes; zeros: any.
    package var address: [UInt8]

    package init(nonce: [UInt8], inside: UInt16, outside: UInt16, address: [UInt8] = [0, 0, 0, 0]) {
        self.nonce = nonce
        self.inside = inside
        self.outside = outside
        self.address = address
    }

    package static let nonceBytes = 12
    /// Of the protocol numbers of IP.
    private static let tcp: UInt8 = 6
    fileprivate static let size = 36
    /// An IPv4 address in the 16 bytes of IPv6 (RFC 4291 section 2.5.5.2).
    private static let narrow = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    fileprivate static func wide(_ address: [UInt8]) -> [UInt8] { narrow + address }

    fileprivate var bytes: [UInt8] {
        nonce + [Self.tcp, 0, 0, 0] + inside.bigEndianBytes + outside.bigEndianBytes + Self.wide(address)
    }

    /// Reads `size` bytes; `nil` for another protocol, or an address of IPv6.
    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.size, bytes[12] == Self.tcp, bytes[20..<32].elementsEqual(Self.narrow) else {
            return nil
        }
        self.init(
            nonce: Array(bytes[..<Self.nonceBytes]), inside: UInt16(bigEndian: bytes, at: 16) ?? 0,
            outside: UInt16(bigEndian: bytes, at: 18) ?? 0, address: Array(bytes[32..<36]))
    }
}

/// A datagram from the router.
package enum RouterReply: Sendable, Equatable {
    /// NAT-PMP; the address has 4 bytes.
    case outsideAddress([UInt8])
    /// NAT-PMP. Seconds.
    case mappedByNATPMP(inside: UInt16, outside: UInt16, lifetime: UInt32)
    case announced
    /// PCP. Seconds.
    case mapped(PCPMapping, lifetime: UInt32)
    /// It does not speak the version in which it was asked: PCP, where it is an elder one.
    case otherVersion
    /// Any other result that is no success, by its number; `speaksPCP` says in which protocol.
    case refused(code: UInt16, speaksPCP: Bool)

    /// Reads a datagram; `nil` when it is not one of these answers.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[1] & 0x80 != 0 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0, let operation):
            guard let code = UInt16(bigEndian: bytes, at: 2) else { return nil }
            guard code != 1 else {
                self = .otherVersion
                return
            }
            guard code == 0 else {
                self = .refused(code: code, speaksPCP: false)
                return
            }
            switch operation {
            case 0x80 where bytes.count >= 12: self = .outsideAddress(Array(bytes[8..<12]))
            case 0x82:
                guard let inside = UInt16(bigEndian: bytes, at: 8), let outside = UInt16(bigEndian: bytes, at: 10),
                    let lifetime = UInt32(bigEndian: bytes, at: 12)
                else { return nil }
                self = .mappedByNATPMP(inside: inside, outside: outside, lifetime: lifetime)
            default: return nil
            }
        // An answer of a router that knows a later version than ours has that number, and refuses.
        case (_, let operation):
            guard bytes.count >= 24 else { return nil }
            guard bytes[3] != 1 else {
                self = .otherVersion
                return
            }
            guard bytes[3] == 0 else {
                self = .refused(code: UInt16(bytes[3]), speaksPCP: true)
                return
            }
            switch operation {
            case 0x80: self = .announced
            case 0x81:
                guard let lifetime = UInt32(bigEndian: bytes, at: 4),
                    let mapping = PCPMapping(Array(bytes.dropFirst(24)))
                else { return nil }
                self = .mapped(mapping, lifetime: lifetime)
            default: return nil
            }
        }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    /// `nil` beyond the end.
    fileprivate init?(bigEndian bytes: [UInt8], at offset: Int) {
        let size = Self.bitWidth / 8
        guard bytes.count >= offset + size else { return nil }
        self = bytes[offset..<(offset + size)].reduce(0) { $0 << 8 | Self($1) }
    }
}
