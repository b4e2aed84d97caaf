// Messages on their way out: fragments, and messages in pieces.

import Testing

@testable import BLIPNet

@Suite struct WebSocketMessageWriterTests {
    @Test("large messages are cut into fragments, if that is wanted")
    func fragments() {
        var limits = WebSocketLimits()
        limits.maxFrameBytesOut = 3
        var server = WatchedWebSocket.openServer(limits: limits)
        #expect(server.send(.text, Array("abcdefg".utf8)) == true)
        #expect(
            server.sent.takeAll()
                == [0x01, 3] + Array("abc".utf8) + [0x00, 3] + Array("def".utf8) + [0x80, 1] + Array("g".utf8))
        #expect(server.send(.binary, [1, 2, 3]) == true)
        #expect(server.sent.takeAll() == [0x82, 3, 1, 2, 3])
        #expect(server.send(.binary, []) == true)
        #expect(server.sent.takeAll() == [0x82, 0])
    }

    @Test("a message is sent in pieces, with control frames between them", arguments: [nil, PermessageDeflate()])
    func pieces(deflate: PermessageDeflate?) {
        var (client, server) = WatchedWebSocket.openPair(deflate: deflate)
        let text = Array("grüße".utf8)
        for cut in 0...text.count {
            let pieces = [Array(text[..<cut]), [], Array(text[cut...]), []]
            for (index, piece) in pieces.enumerated() {
                piece.withUnsafeBytes {
                    let wasSent = client.connection.send(
                        .text, piece: $0, endsMessage: index == pieces.count - 1, into: &client.sent)
                    #expect(wasSent)
                }
                if index == 1 { client.connection.ping([9]) }
                client.flush()
            }
            server.receive(client.sent.takeAll(), chunk: 1 + cut)
            #expect(server.seen.last == .message(.text, text))
            #expect(server.sent.takeAll() == [0x8A, 1, 9])
        }
        #expect(client.send(.binary, [1]) == true)
        server.receive(client.sent.takeAll())
        #expect(server.seen.count == text.count + 2)
        #expect(server.seen.last == .message(.binary, [1]))
    }

    @Test("nothing is sent in pieces unless the connection is open")
    func onlyWhileOpen() {
        var client = WatchedWebSocket.openClient()
        client.connection.close(now: WebSocketFixtures.time(0))
        let wasSent = client.connection.send(
            .text, piece: UnsafeRawBufferPointer(start: nil, count: 0), endsMessage: true, into: &client.sent)
        #expect(!wasSent && client.sent.isEmpty)
    }

    @Test("masks are written with the payload, whatever its length")
    func masks() {
        let (client, server) = WatchedWebSocket.openPair()
        var ends = (client: client, server: server)
        for count in Array(0...200) + [65_535, 65_536, 100_001] {
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            #expect(ends.client.send(.binary, payload) == true)
            ends.server.receive(ends.client.sent.takeAll(), chunk: 50_000)
            #expect(ends.server.seen.last == .message(.binary, payload))
        }
    }
}
