// What the tests of captures share: packets and files of them, built without the product's code, and recorded sessions.

import TestSupport

@testable import BLIPNet
@testable import Workbench

/// A conversation over TCP as packets of Ethernet and IPv4, from 10.0.0.1:50000 to 10.0.0.2:4985.
struct PacketTalk {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let fin = Flags(rawValue: 0x01)
        static let syn = Flags(rawValue: 0x02)
        static let rst = Flags(rawValue: 0x04)
        static let ack = Flags(rawValue: 0x10)
    }

    private(set) var packets: [CapturedPacket] = []
    private var sent: [UInt32]
    private var time: Int64 = 1_700_000_000_000_000_000
    var port: UInt16 = 50_000
    var isIPv6 = false

    /// `start`: the first sequence number of the caller, and half of it that of the target.
    init(start: UInt32 = 1_000) { sent = [start, start / 2] }

    mutating func begin() {
        send([], isUp: true, .syn)
        sent[0] &+= 1
        send([], isUp: false, [.syn, .ack])
        sent[1] &+= 1
        send([], isUp: true)
    }

    mutating func end() {
        for isUp in [true, false] {
            send([], isUp: isUp, [.fin, .ack])
            sent[isUp ? 0 : 1] &+= 1
        }
        send([], isUp: true)
    }

    mutating func send(_ payload: [UInt8], isUp: Bool, _ flags: Flags = .ack) {
        time += 1_000_000
        let tcp = Self.tcp(
            ports: isUp ? [port, 4985] : [4985, port], sequence: sent[isUp ? 0 : 1],
            acknowledgement: sent[isUp ? 1 : 0], flags, payload)
        let packet = isIPv6 ? Self.ipv6(tcp, isUp: isUp) : Self.ipv4(tcp, isUp: isUp)
        let link = [UInt8](repeating: 0, count: 12) + (isIPv6 ? [0x86, 0xDD] : [0x08, 0x00])
        packets.append(CapturedPacket(time: time, linkType: 1, bytes: link + packet))
        sent[isUp ? 0 : 1] &+= UInt32(payload.count)
    }

    static func tcp(
        ports: [UInt16], sequence: UInt32, acknowledgement: UInt32, _ flags: Flags, _ payload: [UInt8]
    ) -> [UInt8] {
        ports.flatMap(\.bigEndianBytes) + sequence.bigEndianBytes + acknowledgement.bigEndianBytes
            + [0x50, flags.rawValue, 0xFF, 0xFF, 0, 0, 0, 0] + payload
    }

    static func ipv4(_ content: [UInt8], isUp: Bool = true, fragment: UInt16 = 0x4000) -> [UInt8] {
        let hosts: [UInt8] = isUp ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1]
        return [0x45, 0] + UInt16(20 + content.count).bigEndianBytes + [0, 0] + fragment.bigEndianBytes
            + [64, 6, 0, 0] + hosts + content
    }

    static func ipv6(_ content: [UInt8], isUp: Bool = true) -> [UInt8] {
        // A header of options stands before TCP.
        let options: [UInt8] = [6, 0, 1, 4, 0, 0, 0, 0]
        func host(_ last: UInt8) -> [UInt8] { [0xFD] + [UInt8](repeating: 0, count: 14) + [last] }
        return [0x60, 0, 0, 0] + UInt16(options.count + content.count).bigEndianBytes + [0, 64]
            + host(isUp ? 1 : 2) + host(isUp ? 2 : 1) + options + content
    }
}

/// Files of packets.
enum CaptureBytes {
    static func pcap(_ packets: [CapturedPacket], isBigEndian: Bool = false, isNano: Bool = false) -> [UInt8] {
        let order = Order(isBigEndian: isBigEndian)
        var bytes = order.bytes(UInt32(isNano ? 0xA1B2_3C4D : 0xA1B2_C3D4)) + order.bytes(UInt16(2))
        bytes += order.bytes(UInt16(4)) + [0, 0, 0, 0, 0, 0, 0, 0] + order.bytes(UInt32(262_144))
        bytes += order.bytes(UInt32(packets.first?.linkType ?? 1))
        for packet in packets {
            let fraction = packet.time % 1_000_000_000
            bytes += order.bytes(UInt32(packet.time / 1_000_000_000))
            bytes += order.bytes(UInt32(isNano ? fraction : fraction / 1_000))
            bytes += order.bytes(UInt32(packet.bytes.count)) + order.bytes(UInt32(packet.bytes.count)) + packet.bytes
        }
        return bytes
    }

    /// With a block between the packets that nobody needs; every third packet has no time of its own.
    static func pcapng(_ packets: [CapturedPacket], isBigEndian: Bool = false) -> [UInt8] {
        let order = Order(isBigEndian: isBigEndian)
        func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
            let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            let length = order.bytes(UInt32(padded.count + 12))
            return order.bytes(type) + length + padded + length
        }
        let header = order.bytes(UInt32(0x1A2B_3C4D)) + order.bytes(UInt16(1)) + [0, 0]
        var bytes = block(0x0A0D_0D0A, header + [UInt8](repeating: 0xFF, count: 8))
        // Nanoseconds: option 9 is 9.
        let options = order.bytes(UInt16(9)) + order.bytes(UInt16(1)) + [9, 0, 0, 0] + [0, 0, 0, 0]
        bytes += block(1, order.bytes(packets.first?.linkType ?? 1) + [0, 0] + [0, 0, 0, 0] + options)
        for (index, packet) in packets.enumerated() {
            bytes += block(0x0BAD, [UInt8](repeating: 7, count: 40))
            let count = order.bytes(UInt32(packet.bytes.count))
            if index % 3 == 2 {
                bytes += block(3, count + packet.bytes)
            } else {
                let time = UInt64(packet.time)
                let halves = [UInt32(time >> 32), UInt32(truncatingIfNeeded: time)].flatMap { order.bytes($0) }
                bytes += block(6, [0, 0, 0, 0] + halves + count + count + packet.bytes)
            }
        }
        return bytes
    }

    private struct Order {
        var isBigEndian: Bool

        func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
            isBigEndian ? value.bigEndianBytes : value.bigEndianBytes.reversed()
        }
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

/// A session of `blipwire client` that is kept in Tests/Rigs/captures.
enum RecordedSession {
    static let folder = TestFile.repository + "/Tests/Rigs/captures"

    /// The capture, unpacked.
    static func bytes(_ name: String) throws -> [UInt8] {
        let packed = TestFile.read("\(folder)/\(name).pcap.gz")
        var bytes: [UInt8] = []
        var count = 0
        let inflater = BodyInflater()
        try packed.withUnsafeBytes { packed in
            try inflater.inflate(packed, UnpackingAllowance(bytes: 64 << 20, bound: .frame), unpacked: &count) {
                (piece) throws(IncomingFailure) in
                bytes.append(contentsOf: piece)
            }
        }
        guard inflater.isComplete else { throw ConditionNotMet("a whole capture \(name)") }
        return bytes
    }
}

/// A handshake and frames as text and bytes.
enum WebSocketText {
    static let request = Array(
        """
        GET /?dialect=2013 HTTP/1.1\r
        Host: localhost\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Protocol: BLIP\r
        \r\n
        """.utf8)
    static let answer = Array(
        """
        HTTP/1.1 101 Switching Protocols\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Protocol: BLIP\r
        \r\n
        """.utf8)

    /// One binary message of a client.
    static func masked(_ payload: [UInt8]) -> [UInt8] {
        [0x82, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }
}
