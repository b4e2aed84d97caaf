// The stack of TLS, WebSocket and BLIP in simulation: any cut of the bytes, any delay, any moment of the end.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("ProtocolStack", .timeLimit(.minutes(5))) struct ProtocolStackTests {
    @Test("gives the same results whatever the network does to the bytes", arguments: 0..<20 as Range<UInt64>)
    func anyNetwork(seed: UInt64) throws {
        var network = StackPair.Network()
        network.chunk = seed % 2 == 0 ? 1...200 : 1...30_000
        network.window = seed % 3 == 0 ? 1_000 : 200_000
        var pair = try StackPair(seed: seed, network: network)
        pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
        #expect(pair.client.log == [.opened(subprotocol: "BLIP_3+app_1")])
        #expect(pair.server.log == pair.client.log)
        var random = SeededGenerator(seed: seed)
        let sizes = (0..<12).map { _ in Int.random(in: 0...60_000, using: &random) }
        for (index, size) in sizes.enumerated() {
            let request = BLIPRequest(
                profile: "p\(index)", body: .bytes([UInt8](repeating: UInt8(index), count: size)),
                urgent: index % 3 == 0, compressed: index % 4 == 0)
            _ = pair.client.stack.send(request, sink: nil, noReply: false)
            _ = pair.server.stack.send(request, sink: nil, noReply: false)
        }
        pair.run(until: { $0.client.responses.count == sizes.count && $0.server.responses.count == sizes.count })
        for responses in [pair.client.responses, pair.server.responses] {
            for (index, size) in sizes.enumerated() {
                let response = try #require(try responses[UInt64(index + 1)]?.get())
                #expect(response.error == nil)
                #expect(response.bodyBytes == [UInt8](repeating: UInt8(index), count: size))
            }
        }
    }

    @Test("is the same run for the same seed")
    func deterministic() throws {
        func run() throws -> ([StackPair.Entry], MonotonicTime, Int) {
            var pair = try StackPair(seed: 42)
            pair.run(until: { $0.client.log.count == 1 })
            for index in 0..<20 {
                let body = BLIPBody.bytes([UInt8](repeating: 0, count: index * 1000))
                _ = pair.client.stack.send(
                    BLIPRequest(profile: "x", body: body), sink: nil, noReply: false)
            }
            pair.run(until: { $0.client.responses.count == 20 })
            return (pair.client.log + pair.server.log, pair.now, pair.deliveredBytes)
        }
        let (first, second) = (try run(), try run())
        #expect(first == second)
    }

    @Test("runs over TLS", arguments: 0..<4 as Range<UInt64>)
    func tls(seed: UInt64) throws {
        let server = try TLSIdentity.generate()
        let client = LinkOptions(identity: try .generate(), expectedPeer: server.fingerprint)
        var network = StackPair.Network()
        network.chunk = seed == 0 ? 1...7 : 1...20_000
        var pair = try StackPair(
            seed: seed, network: network, client: client, server: LinkOptions(identity: server))
        pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
        let body = [UInt8](repeating: 7, count: seed == 0 ? 3_000 : 300_000)
        _ = pair.client.stack.send(BLIPRequest(profile: "x", body: .bytes(body)), sink: nil, noReply: false)
        pair.run(until: { $0.client.responses.count == 1 })
        #expect(try pair.client.responses[1]?.get().bodyBytes == body)
        pair.client.stack.close(code: 1000, reason: "", now: pair.now)
        pair.run()
        #expect(pair.client.log.last == .closed(.closedLocally))
        #expect(pair.server.log.last == .closed(.closedByPeer(code: 1000, reason: "")))
    }

    @Test("says nothing to a peer with another key")
    func wrongPin() throws {
        let server = try TLSIdentity.generate()
        let other = try TLSIdentity.generate().fingerprint
        var pair = try StackPair(
            seed: 1, client: LinkOptions(identity: try .generate(), expectedPeer: other),
            server: LinkOptions(identity: server))
        pair.run()
        #expect(pair.client.log == [.closed(.wrongIdentity(expected: other, presented: server.fingerprint))])
        #expect(pair.server.log.count == 1)
        #expect(!pair.server.log.contains(.opened(subprotocol: "BLIP_3+app_1")))
        // Not even who has called.
        #expect(pair.server.stack.lower.tls?.peerFingerprint == nil)
    }

    @Test("a caller with another key than the pinned one is refused by the side that is called, too")
    func wrongPinOfCaller() throws {
        let (server, client) = (try TLSIdentity.generate(), try TLSIdentity.generate())
        let other = try TLSIdentity.generate().fingerprint
        var pair = try StackPair(
            seed: 1, client: LinkOptions(identity: client),
            server: LinkOptions(identity: server, expectedPeer: other))
        pair.run()
        #expect(pair.server.log == [.closed(.wrongIdentity(expected: other, presented: client.fingerprint))])
    }

    @Test("ends once on both sides, wherever the connection is cut", arguments: 0..<60 as Range<UInt64>)
    func cuts(seed: UInt64) throws {
        var pair = try StackPair(seed: seed)
        pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
        for _ in 0..<5 {
            let body = BLIPBody.bytes([UInt8](repeating: 1, count: 50_000))
            _ = pair.client.stack.send(BLIPRequest(profile: "x", body: body), sink: nil, noReply: false)
        }
        let limit = pair.deliveredBytes + Int(seed) * 10_000
        pair.run(until: { $0.deliveredBytes >= limit || $0.client.responses.count == 5 })
        pair.cut()
        pair.run()
        for log in [pair.client.log, pair.server.log] {
            #expect(log.last == .closed(.disconnected))
            #expect(log.filter { if case .closed = $0 { true } else { false } }.count == 1)
        }
        // What has arrived is what was sent: no response is cut short.
        for response in pair.client.responses.values { #expect(try response.get().bodyBytes.count == 50_000) }
    }

    @Test("cut in the handshake, both sides say that the peer is gone")
    func cutInHandshake() throws {
        var pair = try StackPair(seed: 3)
        pair.cut()
        pair.run()
        #expect(pair.client.log == [.closed(.disconnected)])
        #expect(pair.server.log == [.closed(.disconnected)])
    }

    @Test("times out a handshake that does not end, in no time")
    func handshakeTimeout() throws {
        var pair = try StackPair(seed: 4)
        pair.client.isCut = true
        pair.run()
        #expect(pair.server.log == [.closed(.timedOut("handshake"))])
        #expect(pair.now >= MonotonicTime(nanoseconds: 10_000_000_000))
    }

    @Test("notices a peer that fell silent after 40 s")
    func keepalive() throws {
        var pair = try StackPair(seed: 5)
        pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
        let start = pair.now
        pair.server.isCut = true
        pair.run(until: { $0.client.stack.isEnded })
        pair.run(for: .zero)
        #expect(pair.client.log.last == .closed(.timedOut("keepalive")))
        #expect(pair.now - start >= .seconds(39) && pair.now - start <= .seconds(42))
    }

    @Test("stays alive for an hour without traffic")
    func idle() throws {
        var pair = try StackPair(seed: 6)
        pair.run(for: .seconds(3600))
        #expect(pair.client.log == [.opened(subprotocol: "BLIP_3+app_1")])
        #expect(pair.server.log == pair.client.log)
        #expect(pair.client.stack.roundTrip != nil)
    }

    @Test("leaving ends with our own goodbye, behind everything that is queued")
    func leaves() throws {
        var pair = try StackPair(seed: 7)
        pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
        let body = BLIPBody.bytes([UInt8](repeating: 1, count: 20_000))
        for _ in 0..<3 { _ = pair.client.stack.send(BLIPRequest(profile: "x", body: body), sink: nil, noReply: true) }
        pair.client.stack.close(code: 1001, reason: "gone", leaves: true, now: pair.now)
        // Nothing that the server says from now on is heard.
        var out = ByteQueue()
        while pair.client.stack.nextOutgoing(into: &out) {}
        #expect(pair.client.stack.isEnded)
        guard case .closed(.closedLocally) = pair.client.stack.nextEvent() else {
            Issue.record("the end is not reported")
            return
        }
        out.withUnsafeBytes { pair.server.stack.receive($0, now: pair.now) }
        pair.run()
        #expect(pair.server.requests.count == 3)
        #expect(pair.server.log.last == .closed(.closedByPeer(code: 1001, reason: "gone")))
    }

    @Test("close sends what is queued, also what waits for ACKs, and only then says goodbye")
    func closeFlushes() throws {
        var pair = try StackPair(seed: 7)
        pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
        for _ in 0..<80 {
            let body = BLIPBody.bytes([UInt8](repeating: 1, count: 20_000))
            _ = pair.client.stack.send(BLIPRequest(profile: "x", body: body), sink: nil, noReply: true)
        }
        let big = BLIPBody.bytes([UInt8](repeating: 1, count: 400_000))
        _ = pair.client.stack.send(BLIPRequest(profile: "x", body: big), sink: nil, noReply: true)
        pair.client.stack.close(code: 4001, reason: "done", now: pair.now)
        let late = pair.client.stack.send(BLIPRequest(profile: "late"), sink: nil, noReply: true)
        #expect(late == nil)
        pair.run()
        #expect(pair.server.requests.count == 81)
        #expect(pair.server.requests.map(\.body.count).max() == 400_000)
        #expect(pair.server.log.last == .closed(.closedByPeer(code: 4001, reason: "done")))
        #expect(pair.client.log.last == .closed(.closedLocally))
    }

    @Test("lets at most two bulk frames go between an urgent message and its frame")
    func urgentFrames() throws {
        var pair = try StackPair(seed: 8)
        pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
        for _ in 0..<16 {
            let body = BLIPBody.bytes([UInt8](repeating: 1, count: 400_000))
            _ = pair.client.stack.send(BLIPRequest(profile: "bulk", body: body), sink: nil, noReply: false)
        }
        var out = ByteQueue()
        for _ in 0..<20 where pair.client.stack.nextOutgoing(into: &out) {}
        out.removeAll()
        let number = pair.client.stack.send(
            BLIPRequest(profile: "urgent", urgent: true), sink: nil, noReply: false)
        #expect(number == 17)
        // The request number stands at the start of the WebSocket payload, behind a masked header.
        var framesBefore = 0
        while pair.client.stack.nextOutgoing(into: &out) {
            let bytes = out.takeAll()
            if Self.firstPayloadByte(bytes) == 17 { break }
            framesBefore += 1
            #expect(framesBefore <= 2)
            if framesBefore > 2 { break }
        }
    }

    private static func firstPayloadByte(_ frame: [UInt8]) -> UInt8 {
        let lengthBytes = [126: 2, 127: 8][Int(frame[1] & 0x7F)] ?? 0
        return frame[2 + lengthBytes] ^ frame[2 + lengthBytes + 4]
    }

    @Test("closes with 1003 on a text message and with 1002 on a frame that is none")
    func violations() throws {
        for (kind, payload, reason) in [
            (WebSocketMessageKind.text, Array("hello".utf8), "a text message; BLIP frames are binary"),
            (.binary, [0xFF], ""),
        ] {
            var pair = try StackPair(seed: 9)
            pair.run(until: { $0.client.log.count == 1 && $0.server.log.count == 1 })
            var output = ByteQueue()
            _ = payload.withUnsafeBytes { pair.client.stack.lower.webSocket.send(kind, $0, into: &output) }
            pair.client.output = output
            pair.run()
            guard case .closed(.peerViolated("BLIP", let said))? = pair.server.log.last else {
                Issue.record("\(pair.server.log)")
                return
            }
            if !reason.isEmpty { #expect(said == reason) }
            guard case .closed(.closedByPeer(let code, said))? = pair.client.log.last else {
                Issue.record("\(pair.client.log)")
                return
            }
            #expect(code == (kind == .text ? 1003 : 1002))
        }
    }
}
