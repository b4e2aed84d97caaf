// Many packets in the body of one HTTP request or answer (SOCKETIO, "Bytes"; traps 1 and 3).

/// The codec of polling payloads.
package enum EngineIOPayload {
    /// The packets of a body, in order. Where something is wrong, the packets in front of it, and what it is.
    package struct Decoded: Sendable, Equatable {
        package var packets: [EngineIOPacket] = []
        package var fault: SocketIOFault?
    }

    /// The body of a POST.
    package struct Encoded: Sendable, Equatable {
        package var body: [UInt8]
        package var isBinary: Bool

        package var contentType: String { isBinary ? "application/octet-stream" : "text/plain;charset=UTF-8" }
    }

    /// Stands between the packets of revision 4.
    static let separator: UInt8 = 0x1E
    /// Ends the length of a packet in the binary framing of revision 3.
    static let lengthEnd: UInt8 = 0xFF
    /// Digits of a length; more than any limit has.
    static let maxLengthDigits = 10

    /// Reads a body of any form that servers of this revision answer with. Of revision 3 it is the binary framing when it
    /// begins with 00 or 01. Otherwise lengths count UTF-16 units and, where that does not come out, bytes of UTF-8.
    package static func decode(_ body: [UInt8], revision: EngineIORevision, maxPackets: Int = 65_536) -> Decoded {
        guard let first = body.first else { return Decoded(fault: EngineIOPlace().fault(.empty)) }
        if revision == .eio4 { return decodeSeparated(body, maxPackets) }
        if first <= 1 { return decodeBinary(body, maxPackets) }
        let units = decodeCounted(body, maxPackets, end: endOfUnits)
        guard units.fault != nil else { return units }
        let bytes = decodeCounted(body, maxPackets, end: endOfBytes)
        return bytes.fault == nil ? bytes : units
    }

    /// Writes all of `packets`. Revision 3 takes the binary framing when there are bytes, unless `base64` (`b64=1`).
    package static func encode(
        _ packets: [EngineIOPacket], revision: EngineIORevision, base64: Bool = false
    ) -> Encoded {
        if revision == .eio3, !base64, packets.contains(where: \.isBinary) {
            return Encoded(body: encodeBinary(packets), isBinary: true)
        }
        var body: [UInt8] = []
        for (index, packet) in packets.enumerated() {
            if revision == .eio4 {
                if index > 0 { body.append(separator) }
            } else {
                body += "\(unitCount(of: packet)):".utf8
            }
            packet.writeText(revision: revision, to: &body)
        }
        return Encoded(body: body, isBinary: false)
    }

    // MARK: Revision 4

    private static func decodeSeparated(_ body: [UInt8], _ maxPackets: Int) -> Decoded {
        var decoded = Decoded()
        var place = EngineIOPlace()
        do throws(SocketIOFault) {
            while true {
                let end = body[place.offset...].firstIndex(of: separator) ?? body.count
                let packet = try EngineIOPacket(text: body[place.offset..<end], revision: .eio4, place: place)
                try append(packet, to: &decoded, place, maxPackets)
                place.packet += 1
                place.offset = end + 1
                if end == body.count { break }
            }
        } catch {
            decoded.fault = error
        }
        return decoded
    }

    // MARK: Revision 3, text

    private static func decodeCounted(
        _ body: [UInt8], _ maxPackets: Int, end: ([UInt8], Int, Int) -> Int?
    ) -> Decoded {
        var decoded = Decoded()
        var place = EngineIOPlace()
        do throws(SocketIOFault) {
            while place.offset < body.count {
                let digits = body[place.offset...].prefix(maxLengthDigits + 1).prefix(while: HTTPSyntax.isDigit)
                let colon = place.offset + digits.count
                guard !digits.isEmpty, digits.count <= maxLengthDigits, colon < body.count,
                    body[colon] == UInt8(ascii: ":"), let length = Int(String(decoding: digits, as: UTF8.self))
                else { throw place.fault(.badLength) }
                guard let end = end(body, colon + 1, length) else { throw place.fault(.lengthBeyondEnd(length)) }
                // The reference parser steps over packets of no length.
                if length > 0 {
                    let inside = EngineIOPlace(packet: place.packet, offset: colon + 1)
                    let packet = try EngineIOPacket(text: body[(colon + 1)..<end], revision: .eio3, place: inside)
                    try append(packet, to: &decoded, place, maxPackets)
                }
                place.packet += 1
                place.offset = end
            }
        } catch {
            decoded.fault = error
        }
        return decoded
    }

    private static func endOfBytes(_ body: [UInt8], _ start: Int, _ length: Int) -> Int? {
        length <= body.count - start ? start + length : nil
    }

    /// Where `length` UTF-16 units that begin at `start` end; `nil` beyond the end and inside of a character.
    private static func endOfUnits(_ body: [UInt8], _ start: Int, _ length: Int) -> Int? {
        var place = start
        var missing = length
        while missing > 0 {
            guard place < body.count else { return nil }
            switch body[place] {
            case 0x00...0x7F: place += 1
            case 0xC2...0xDF: place += 2
            case 0xE0...0xEF: place += 3
            case 0xF0...0xF4:
                place += 4
                missing -= 1
            default: return nil
            }
            missing -= 1
        }
        return missing == 0 && place <= body.count ? place : nil
    }

    private static func unitCount(of packet: EngineIOPacket) -> Int {
        switch packet.payload {
        case .text(let text): 1 + text.utf16.count
        case .bytes: packet.textByteCount(revision: .eio3)
        }
    }

    // MARK: Revision 3, binary

    private static func decodeBinary(_ body: [UInt8], _ maxPackets: Int) -> Decoded {
        var decoded = Decoded()
        var place = EngineIOPlace()
        do throws(SocketIOFault) {
            while place.offset < body.count {
                let marker = body[place.offset]
                guard marker <= 1 else { throw place.fault(.unknownType(marker)) }
                let digits = body[(place.offset + 1)...].prefix(maxLengthDigits + 1).prefix { $0 <= 9 }
                let head = place.offset + 1 + digits.count
                guard !digits.isEmpty, digits.count <= maxLengthDigits, head < body.count, body[head] == lengthEnd
                else { throw place.fault(.badLength) }
                let length = digits.reduce(0) { $0 * 10 + Int($1) }
                let start = head + 1
                guard let end = endOfBytes(body, start, length) else { throw place.fault(.lengthBeyondEnd(length)) }
                let inside = EngineIOPlace(packet: place.packet, offset: start)
                let packet: EngineIOPacket
                if marker == 0 {
                    packet = try EngineIOPacket(text: body[start..<end], revision: .eio3, place: inside)
                } else {
                    guard length > 0 else { throw inside.fault(.empty) }
                    guard body[start] == EngineIOPacket.Kind.message.rawValue else {
                        throw inside.fault(.unknownType(body[start]))
                    }
                    packet = EngineIOPacket(message: .bytes(Array(body[(start + 1)..<end])))
                }
                try append(packet, to: &decoded, place, maxPackets)
                place.packet += 1
                place.offset = end
            }
        } catch {
            decoded.fault = error
        }
        return decoded
    }

    static func encodeBinary(_ packets: [EngineIOPacket]) -> [UInt8] {
        var body: [UInt8] = []
        for packet in packets {
            let length = 1 + packet.payload.byteCount
            body.append(packet.isBinary ? 1 : 0)
            body += String(length).utf8.map { $0 - UInt8(ascii: "0") }
            body.append(lengthEnd)
            switch packet.payload {
            case .text: packet.writeText(revision: .eio3, to: &body)
            case .bytes(let bytes):
                body.append(packet.kind.rawValue)
                body += bytes
            }
        }
        return body
    }

    private static func append(
        _ packet: EngineIOPacket, to decoded: inout Decoded, _ place: EngineIOPlace, _ maxPackets: Int
    ) throws(SocketIOFault) {
        guard decoded.packets.count < maxPackets else {
            throw place.fault(.limit("packets in one payload", maxPackets))
        }
        decoded.packets.append(packet)
    }
}
