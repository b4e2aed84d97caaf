// Packets of Socket.IO against the reference parsers of protocol 4 and 5 (SOCKETIO B8).

import Testing

@testable import BLIPNet

@Suite struct SocketIOPacketVectorTests {
    private static let protocols: [(name: String, revision: EngineIORevision)] = [
        ("protocol5", .eio4), ("protocol4", .eio3),
    ]

    @Test("finds the vectors")
    func present() {
        #expect(SocketIOVector.reference("socketio_encode").count == 29)
        #expect(SocketIOVector.reference("socketio_decode").count == 48)
    }

    @Test("writes and reads every packet as the reference does", arguments: SocketIOVector.reference("socketio_encode"))
    func encode(vector: SocketIOVector) throws {
        let packet = try #require(vector.json["packet"].flatMap { SocketIOPacket(vector: $0) })
        for (name, revision) in Self.protocols {
            guard let units = vector.json[name]?.arrayValue else { continue }
            let wire = units.compactMap { WireUnit($0) }
            #expect(try packet.encoded().map(\.payload) == wire.map(\.payload), "\(name)")
            // Protocol 4 has no object in CONNECT that a client would read; protocol 5 has no query.
            #expect(decode(wire, revision) == .packets([packet]), "\(name)")
        }
    }

    private enum Outcome: Equatable {
        case packets([SocketIOPacket])
        case fault
        case incomplete
    }

    private func decode(_ wire: [WireUnit], _ revision: EngineIORevision) -> Outcome {
        var assembler = SocketIOAssembler(revision: revision)
        var packets: [SocketIOPacket] = []
        var isIncomplete = false
        for unit in wire {
            guard let received = try? assembler.receive(unit.payload, now: .seconds(0)) else { return .fault }
            isIncomplete = received == .incomplete
            if case .packet(let packet) = received { packets.append(packet) }
        }
        return isIncomplete ? .incomplete : .packets(packets)
    }

    /// Where we differ from the reference parsers, and why.
    private static let differences: [String: [String: Outcome]] = [
        // It rounds the id, so that the answer would name another one.
        "event, ack id too large": ["protocol5": .fault, "protocol4": .fault],
        // It takes white space for the id 0, and the server would get an answer that it does not wait for.
        "event, white space before the payload": [
            "protocol5": .packets([SocketIOPacket(.event, data: ["a"])]),
            "protocol4": .packets([SocketIOPacket(.event, data: ["a"])]),
        ],
        // It replaces the placeholder by nothing.
        "placeholder index a fraction": ["protocol5": .fault, "protocol4": .fault],
        // Servers refuse with arrays, too (traps 4 and 5).
        "connect error, array": ["protocol5": .packets([SocketIOPacket(.connectError, data: ["x"])])],
        // It makes a packet of its own error.
        "unknown type 7": ["protocol4": .fault], "unknown type 8": ["protocol4": .fault],
        "letters": ["protocol4": .fault],
        // It would wait for a hundred million attachments.
        "binary event, huge count": ["protocol4": .fault],
    ]

    @Test(
        "accepts and refuses what the reference does", arguments: SocketIOVector.reference("socketio_decode"))
    func decode(vector: SocketIOVector) throws {
        let wire = (vector.json["wire"]?.arrayValue ?? []).compactMap { WireUnit($0) }
        for (name, revision) in Self.protocols {
            let json = try #require(vector.json[name])
            let reference: Outcome
            if let packets = json["decoded"]?.arrayValue {
                reference = .packets(packets.compactMap { SocketIOPacket(vector: $0) })
            } else {
                reference = json["incomplete"] == nil ? .fault : .incomplete
            }
            let expected = Self.differences[vector.name]?[name] ?? reference
            #expect(decode(wire, revision) == expected, "\(name)")
            if let difference = Self.differences[vector.name]?[name] { #expect(difference != reference) }
        }
    }
}
