// The relay protocol as bytes: every vector both ways, and what is no message.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("Messages of the relay protocol") struct RelayCodecTests {
    private func read(_ bytes: [UInt8], by step: Int = .max) throws -> [RelayMessage] {
        var reader = RelayReader()
        var messages: [RelayMessage] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.append(Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
            while let message = try reader.next() { messages.append(message) }
        }
        return messages
    }

    private func expected(_ vector: RelayMessageVectors.Message) throws -> RelayMessage {
        let fields = vector.fields
        switch vector.name {
        case "Ping": return .ping
        case "Pong": return .pong
        case "RelayFull": return .full
        case "ConnectRequest": return .connect(try #require(RelayID(bytes(hex: fields?.id ?? ""))))
        case "JoinSessionRequest": return .joinSession(key: bytes(hex: fields?.key ?? ""))
        case let name where name.hasPrefix("JoinRelay"): return .joinRelay(token: fields?.token ?? "")
        case let name where name.hasPrefix("Response"):
            let codes: [UInt32: RelayResponse.Code] = [
                0: .success, 1: .notFound, 2: .alreadyConnected, 3: .wrongToken, 100: .unexpectedMessage,
            ]
            return .response(
                RelayResponse(try #require(codes[fields?.code ?? .max]), words: fields?.message ?? ""))
        default:
            return .invitation(
                RelayInvitation(
                    from: try #require(RelayID(bytes(hex: fields?.from ?? ""))), key: bytes(hex: fields?.key ?? ""),
                    address: bytes(hex: fields?.address ?? ""), port: fields?.port ?? 0,
                    isServer: fields?.isServer ?? false))
        }
    }

    @Test("every recorded message is read and written as it is, in any cut")
    func vectors() throws {
        let vectors = try reachVector(RelayMessageVectors.self, "relay_messages.json").messages
        #expect(vectors.count >= 15)
        for vector in vectors {
            let message = try expected(vector)
            for step in [1, 5, 4096] {
                #expect(try read(bytes(hex: vector.hex), by: step) == [message], "\(vector.name)")
            }
            #expect(message.encoded() == bytes(hex: vector.hex), "\(vector.name)")
        }
    }

    @Test("several in one piece are read one after the other; what follows stays")
    func several() throws {
        var reader = RelayReader()
        reader.append(RelayMessage.ping.encoded() + RelayMessage.full.encoded() + [0x16, 0x03])
        #expect(try reader.next() == .ping)
        #expect(try reader.next() == .full)
        #expect(try reader.next() == nil)
        #expect(reader.rest == [0x16, 0x03])
    }

    @Test("what is malformed is refused, and everything behind it")
    func malformed() throws {
        let vectors = try reachVector(RelayMessageVectors.self, "relay_messages.json").malformed
        #expect(vectors.count >= 13)
        for vector in vectors {
            var reader = RelayReader()
            reader.append(bytes(hex: vector.hex))
            #expect(throws: RelayViolation.self, "\(vector.name)") { try reader.next() }
            reader.append(RelayMessage.ping.encoded())
            #expect(throws: RelayViolation.self, "\(vector.name)") { try reader.next() }
        }
    }

    @Test("no cut and no changed byte of an invitation brings the reader down")
    func damaged() {
        let invitation = RelayMessage.invitation(
            RelayInvitation(
                from: RelayID(ofCertificate: [1]), key: [1, 2, 3], address: [127, 0, 0, 1], port: 22067, isServer: true)
        ).encoded()
        for index in invitation.indices {
            for change: UInt8 in [0x01, 0x7F, 0x80, 0xFF] {
                var bytes = invitation
                bytes[index] ^= change
                var reader = RelayReader()
                reader.append(bytes)
                var count = 0
                do throws(RelayViolation) { while try reader.next() != nil { count += 1 } } catch { count = 0 }
                #expect(count <= 1)
            }
        }
    }
}
