// Malformed and unusual input: each case ends the connection or costs no more than its own request.

import Testing

@testable import BLIPNet

@Suite struct BLIPMalformedTests {
    private enum Outcome: Equatable {
        /// The connection must be closed with this code.
        case closes(UInt16)
        /// These requests are delivered, these are answered with error 400.
        case lives(delivered: [UInt64], refused: [UInt64])
    }

    private static let outcomes: [String: Outcome] = [
        "empty websocket message": .closes(1002),
        "one byte": .closes(1002),
        "two checksum bytes only": .closes(1002),
        "wrong checksum": .closes(1002),
        "first request has number 2": .closes(1002),
        "request number 0": .closes(1002),
        "request number varint of 11 bytes": .closes(1002),
        "request number varint cut off": .closes(1002),
        "undefined flag bit 0x80 (two-byte flags varint)": .lives(delivered: [1, 2], refused: []),
        "flags varint 0x100 (undefined higher bit)": .lives(delivered: [1, 2], refused: []),
        "unknown message type 3 with a right checksum, then a request": .lives(delivered: [1], refused: []),
        "unknown message type 7 with a right checksum, then a request": .lives(delivered: [1], refused: []),
        "error reply to a request never sent": .closes(1002),
        "ACKMSG for an unknown message": .lives(delivered: [1], refused: []),
        "property length longer than the message": .lives(delivered: [2], refused: [1]),
        "properties without final NUL": .lives(delivered: [2], refused: [1]),
        "property name twice": .lives(delivered: [2], refused: [1]),
        "invalid UTF-8 in a property": .lives(delivered: [2], refused: [1]),
        "property length 2^62": .lives(delivered: [2], refused: [1]),
        "property length varint of 11 bytes": .lives(delivered: [2], refused: [1]),
        "compressed frame, wrong checksum": .closes(1002),
        "compressed frame with no data bytes (only the checksum)": .lives(delivered: [2], refused: [1]),
        "40,000-byte frame": .lives(delivered: [1], refused: []),
        "32,700-byte frame": .lives(delivered: [1, 2], refused: []),
        "one message with a compressed first frame and an uncompressed second one":
            .lives(delivered: [1, 2], refused: []),
        "one message with an uncompressed first frame and a compressed second one":
            .lives(delivered: [1, 2], refused: []),
        "empty frame with more-coming in the middle": .lives(delivered: [1, 2], refused: []),
        "two interleaved requests of two frames": .lives(delivered: [1, 2], refused: []),
        "request without Profile": .lives(delivered: [1, 2], refused: []),
        "zlib stream: three compressed requests, same text (shared window)":
            .lives(delivered: [1, 2, 3], refused: []),
    ]

    @Test("knows every case")
    func complete() {
        #expect(Set(BLIPMalformedInput.all.map(\.name)) == Set(Self.outcomes.keys))
    }

    @Test("ends as expected", arguments: BLIPMalformedInput.all)
    func ends(input: BLIPMalformedInput.Case) throws {
        let outcome = try #require(Self.outcomes[input.name])
        #expect(input.expect.hasPrefix("fatal") == (outcome == .closes(1002)))
        var server = BLIPConnection()
        do throws(BLIPViolation) {
            for frame in input.frames { try server.receive(bytes(hex: frame)) }
        } catch {
            #expect(outcome == .closes(error.closeCode))
            #expect(!error.reason.isEmpty && error.reason.utf8.count <= 123)
            // The end is final.
            #expect(throws: error) { try server.receive([1, 0, 0]) }
            #expect(!server.hasOutgoing && server.oneFrame() == nil)
            return
        }
        var delivered: [UInt64] = []
        for request in server.allEvents().compactMap(\.request) {
            delivered.append(request.number)
            server.respond(to: request.number, with: BLIPResponse(body: .bytes(request.body)))
        }
        var client = BLIPConnection()
        for _ in input.frames { client.send() }
        _ = client.allFrames()
        for frame in server.allFrames() { try client.receive(frame) }
        let responses = client.allEvents().compactMap(\.response)
        let refused = responses.filter { $0.response.error == .badRequest }.map(\.number)
        #expect(.lives(delivered: delivered, refused: refused) == outcome)
        #expect(responses.count == delivered.count + refused.count)
    }

    @Test("cutting a valid frame anywhere, or flipping any bit of it, never delivers something else")
    func damaged() throws {
        var client = BLIPConnection()
        client.send("echo", Array("hello".utf8), compressed: true)
        client.send("echo", Array("hello again".utf8))
        for frame in client.allFrames().suffix(1) {
            for count in 0..<frame.count {
                var server = BLIPConnection()
                #expect(throws: BLIPViolation.self) { try server.receive(Array(frame[..<count])) }
            }
            // Past the header: the header's flags are not covered by the checksum.
            for bit in 16..<(frame.count * 8) {
                var damaged = frame
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                var server = BLIPConnection()
                #expect(throws: BLIPViolation.self) { try server.receive(damaged) }
            }
        }
    }
}
