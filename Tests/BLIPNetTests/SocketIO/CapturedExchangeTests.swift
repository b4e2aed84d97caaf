// The captured exchanges of five servers: every payload, message and packet, both ways (SOCKETIO B1, B2).

import Testing

@testable import BLIPNet

@Suite struct CapturedExchangeTests {
    @Test("finds the exchanges")
    func present() { #expect(CapturedExchange.all.count == 5) }

    /// Bodies of polling: those of answers with status 200, and those of our POSTs.
    private func bodies(of entry: JSONValue) -> [[UInt8]] {
        let request = entry["request"]?.stringValue ?? ""
        guard request.contains("transport=polling") else { return [] }
        var bodies: [[UInt8]] = []
        if let body = entry["request_body"]?.hexBytes { bodies.append(body) }
        if request.hasPrefix("GET"), entry["status"] == 200, let body = entry["response"]?.hexBytes {
            bodies.append(body)
        }
        return bodies
    }

    @Test("reads every payload, and writes the same bytes", arguments: CapturedExchange.all)
    func payloads(exchange: CapturedExchange) throws {
        var count = 0
        for entry in exchange.entries {
            // Questions for another revision than that of the session get the form that the server thinks right.
            let isFirst = entry["name"]?.stringValue?.hasPrefix("error") == true
            for body in bodies(of: entry) {
                let revision = isFirst ? try spoken(body) : exchange.revision
                let decoded = EngineIOPayload.decode(body, revision: revision)
                try #require(decoded.fault == nil && !decoded.packets.isEmpty, "\(entry)")
                let binary = body[0] <= 1
                let written =
                    binary
                    ? EngineIOPayload.encodeBinary(decoded.packets)
                    : EngineIOPayload.encode(decoded.packets, revision: revision, base64: true).body
                #expect(written == body, "\(entry)")
                count += 1
            }
        }
        #expect(count > 10)
    }

    private func spoken(_ body: [UInt8]) throws -> EngineIORevision {
        var detection = EngineIODetection()
        guard case .speaks(let revision) = detection.answered(status: 200, body: body) else {
            throw SocketIOError.notSocketIO
        }
        return revision
    }

    @Test("finds out the revision from the first answer", arguments: CapturedExchange.all)
    func detection(exchange: CapturedExchange) throws {
        for entry in exchange.entries {
            guard entry["name"]?.stringValue?.hasSuffix(": open") == true, entry["status"] == 200,
                let body = entry["response"]?.hexBytes
            else { continue }
            #expect(try spoken(body) == exchange.revision)
            let packets = EngineIOPayload.decode(body, revision: exchange.revision).packets
            let handshake = try EngineIOHandshake(try #require(packets.first))
            #expect(handshake.pingInterval == .seconds(3) && handshake.pingTimeout == .seconds(20))
            #expect(handshake.offersWebSocket)
        }
    }

    @Test("reads every message of a WebSocket, and writes the same bytes", arguments: CapturedExchange.all)
    func messages(exchange: CapturedExchange) throws {
        var count = 0
        for entry in exchange.entries {
            guard let bytes = entry["data"]?.hexBytes, let frame = entry["frame"]?.stringValue else { continue }
            let kind: WebSocketMessageKind = frame == "text" ? .text : .binary
            let packet = try EngineIOPacket(webSocket: kind, bytes, revision: exchange.revision)
            let written = packet.webSocketMessage(revision: exchange.revision)
            #expect(written.kind == kind && written.bytes == bytes, "\(entry)")
            count += 1
        }
        #expect(count > 20)
    }

    /// The Socket.IO messages of one direction of one part of an exchange, in order.
    private func streams(of exchange: CapturedExchange) throws -> [String: [EngineIOPacket.Payload]] {
        var streams: [String: [EngineIOPacket.Payload]] = [:]
        for entry in exchange.entries {
            let name = entry["name"]?.stringValue ?? ""
            guard !name.hasPrefix("error") else { continue }
            let part = String(name.prefix { $0 != ":" })
            var packets: [(direction: String, packet: EngineIOPacket)] = []
            if let bytes = entry["data"]?.hexBytes {
                let kind: WebSocketMessageKind = entry["frame"] == "text" ? .text : .binary
                let packet = try EngineIOPacket(webSocket: kind, bytes, revision: exchange.revision)
                packets.append((entry["direction"]?.stringValue ?? "", packet))
            }
            for body in bodies(of: entry) {
                let isOurs = entry["request_body"] != nil
                packets += EngineIOPayload.decode(body, revision: exchange.revision).packets.map {
                    (isOurs ? "client>server" : "server>client", $0)
                }
            }
            for (direction, packet) in packets where packet.kind == .message {
                streams["\(part) \(direction)", default: []].append(packet.payload)
            }
        }
        return streams
    }

    @Test("reads every packet of both directions, and writes the same messages", arguments: CapturedExchange.all)
    func packets(exchange: CapturedExchange) throws {
        var count = 0
        for (name, messages) in try streams(of: exchange) {
            var assembler = SocketIOAssembler(revision: exchange.revision)
            var waiting: [EngineIOPacket.Payload] = []
            for message in messages {
                waiting.append(message)
                let received = try assembler.receive(message, now: .seconds(0))
                guard case .packet(let packet) = received else {
                    try #require(received == .incomplete)
                    continue
                }
                let written = try packet.encoded().map(\.payload)
                if isCanonical(waiting) {
                    #expect(written == waiting, "\(name)")
                } else {
                    // Other escapes, blanks, or no comma: it reads as the same packet.
                    var again = SocketIOAssembler(revision: exchange.revision)
                    let copies = try written.map { try again.receive($0, now: .seconds(0)) }
                    #expect(copies.last == .packet(packet), "\(name)")
                }
                waiting = []
                count += 1
            }
            #expect(waiting.isEmpty, "\(name)")
        }
        #expect(count > 30)
    }

    /// Whether the text is written as we would.
    private func isCanonical(_ messages: [EngineIOPacket.Payload]) -> Bool {
        guard case .text(let text)? = messages.first else { return false }
        return !text.contains("\\u") && (!text.contains("/") || text.contains(","))
    }
}
