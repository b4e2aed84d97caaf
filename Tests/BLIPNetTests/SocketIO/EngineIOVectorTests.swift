// Payloads and WebSocket messages of Engine.IO against the reference parsers.

import Testing

@testable import BLIPNet

@Suite struct EngineIOVectorTests {
    @Test("finds the vectors")
    func present() {
        #expect(SocketIOVector.reference("engineio_encode").count == 8)
        #expect(SocketIOVector.reference("engineio_decode_eio4").count == 12)
        #expect(SocketIOVector.reference("engineio_decode_eio3").count == 14)
    }

    @Test(
        "writes and reads every payload as the reference does", arguments: SocketIOVector.reference("engineio_encode"))
    func encode(vector: SocketIOVector) throws {
        let packets = (vector.json["packets"]?.arrayValue ?? []).compactMap { EngineIOPacket(vector: $0) }
        try #require(!packets.isEmpty)
        for (form, revision, base64) in [
            ("eio4_polling", EngineIORevision.eio4, false), ("eio3_polling_b64", .eio3, true),
            ("eio3_polling_xhr2", .eio3, false),
        ] {
            let wire = try #require(WireUnit(vector.json[form]), "\(form)")
            let encoded = EngineIOPayload.encode(packets, revision: revision, base64: base64)
            #expect(encoded == .init(body: wire.bytes, isBinary: !wire.isText), "\(form)")
            #expect(EngineIOPayload.decode(wire.bytes, revision: revision) == .init(packets: packets), "\(form)")
        }
        for (form, revision) in [("eio4_websocket", EngineIORevision.eio4), ("eio3_websocket", .eio3)] {
            let wire = (vector.json[form]?.arrayValue ?? []).compactMap { WireUnit($0) }
            let messages = packets.map { $0.webSocketMessage(revision: revision) }
            #expect(messages.map { WireUnit(isText: $0.kind == .text, bytes: $0.bytes) } == wire, "\(form)")
            #expect(
                try wire.map { try EngineIOPacket(webSocket: $0.kind, $0.bytes, revision: revision) } == packets,
                "\(form)")
        }
    }

    /// The reference takes what it can from broken Base64; we say that it is broken.
    private static let strict: Set<String> = ["b!!!!"]

    @Test(
        "reads every body of revision 4 as the reference does",
        arguments: SocketIOVector.reference("engineio_decode_eio4"))
    func decode4(vector: SocketIOVector) throws { try decode(vector, "eio4", .eio4) }

    @Test(
        "reads every body of revision 3 as the reference does",
        arguments: SocketIOVector.reference("engineio_decode_eio3"))
    func decode3(vector: SocketIOVector) throws { try decode(vector, "eio3", .eio3) }

    private func decode(_ vector: SocketIOVector, _ form: String, _ revision: EngineIORevision) throws {
        let wire = try #require(WireUnit(vector.json[form]))
        let expected = vector.json["packets"]?.arrayValue ?? []
        let decoded = EngineIOPayload.decode(wire.bytes, revision: revision)
        guard !Self.strict.contains(String(decoding: wire.bytes, as: UTF8.self)) else {
            #expect(decoded == .init(fault: SocketIOFault(.engineIO, .badBase64)))
            return
        }
        #expect(decoded.packets == expected.compactMap { EngineIOPacket(vector: $0) })
        #expect((decoded.fault != nil) == expected.contains { $0["type"]?.stringValue == "error" })
    }
}
