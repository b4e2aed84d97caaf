// Much traffic in both directions at once: no deadlock, no lost wake-up, no stall, whatever the dialect.

import Glibc
import Testing

@testable import BLIPNet

@Suite("Bulk traffic", .serialized, .timeLimit(.minutes(5))) struct BulkTrafficTests {
    /// With `BLIPNET_FULL=1` in the environment: 100 echoes of 1 MB, 20 times over (for release builds); otherwise fewer.
    private static let isFull = getenv("BLIPNET_FULL") != nil
    private static var rounds: Int { isFull ? 20 : 2 }
    private static var echoes: Int { isFull ? 100 : 20 }

    /// TLS makes no difference to BLIP; one dialect shows it.
    private static let ways = BLIPDialect.all.flatMap { dialect in
        isFull || dialect == .blip3 ? [(dialect, true), (dialect, false)] : [(dialect, true)]
    }

    @Test("echoes of 1 MB in each direction at once, over and over", arguments: ways)
    func echoes(dialect: BLIPDialect, isPlain: Bool) async throws {
        let server = try TestServer(isPlain: isPlain) { $0.dialects = [dialect] }
        let link = try await server.connect()
        _ = try await link.request(BLIPRequest(profile: "echo"))
        let serverSide = try #require(server.handler.links.first)
        for round in 0..<Self.rounds {
            async let there = Self.echo(on: link, round)
            async let back = Self.echo(on: serverSide, round)
            let intact = try await (there, back)
            #expect(intact == (Self.echoes, Self.echoes))
        }
        link.close()
        #expect(await link.waitUntilClosed() == .closedLocally)
    }

    /// Sends them all at once; returns how many came back as they were.
    private static func echo(on link: PeerLink, _ round: Int) async throws -> Int {
        let bodies = (0..<echoes).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0 + round), count: 1 << 20) }
        let pending = bodies.enumerated().map { index, body in
            link.submit(BLIPRequest(profile: "echo", body: .bytes(body), urgent: index % 10 == 9))
        }
        var intact = 0
        for (response, body) in zip(pending, bodies) {
            let answer = try await response.value().bodyBytes
            if Self.isSame(answer, body) { intact += 1 }
        }
        return intact
    }

    /// `==` takes a hundred times as long in a debug build.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                guard one.count == other.count, let first = one.baseAddress, let second = other.baseAddress else {
                    return one.count == other.count
                }
                return memcmp(first, second, one.count) == 0
            }
        }
    }

    @Test("a consumer that is slow for an hour in a dialect without ACKs costs neither the link nor a byte")
    func pausedForLong() throws {
        var options = LinkOptions()
        options.dialects = [.blip2013]
        var pair = try StackPair(seed: 9, client: options, server: options)
        let sink = HoldingSink()
        pair.server.makeSink = { $0.properties.profile == "slow" ? sink : nil }
        pair.run { $0.client.log.count == 1 && $0.server.log.count == 1 }
        let slow = BLIPRequest(profile: "slow", body: .bytes([UInt8](repeating: 1, count: 1_000_000)))
        let number = pair.client.stack.send(slow, sink: nil, noReply: false) ?? 0
        pair.run { $0.server.stack.isReadingPaused }
        pair.run(for: .seconds(3_600))
        #expect(!pair.client.stack.isEnded && !pair.server.stack.isEnded)
        #expect(sink.untakenBytes < (256 << 10) + 70_000)
        while pair.client.responses[number] == nil, !pair.bothEnded {
            sink.take(.max)
            pair.server.stack.noteTaken(now: pair.now)
            pair.server.stack.excuseSilence(now: pair.now)
            pair.run(for: .seconds(10)) { $0.server.stack.isReadingPaused || $0.client.responses[number] != nil }
        }
        sink.take(.max)
        pair.server.stack.noteTaken(now: pair.now)
        #expect(sink.taken == 1_000_000)
        pair.run(for: .seconds(600))
        #expect(!pair.client.stack.isEnded && !pair.server.stack.isEnded)
    }

    @Test(
        "a simulated network with a small window carries bulk both ways", arguments: BLIPDialect.all,
        0..<3 as Range<UInt64>)
    func simulated(dialect: BLIPDialect, seed: UInt64) throws {
        var options = LinkOptions()
        options.dialects = [dialect]
        let network = StackPair.Network(chunk: 1...20_000, window: 20_000)
        var pair = try StackPair(seed: seed, network: network, client: options, server: options)
        pair.run { $0.client.log.count == 1 && $0.server.log.count == 1 }
        let body = [UInt8](repeating: 5, count: 200_000)
        for index in 0..<10 {
            let request = BLIPRequest(
                profile: "echo", body: .bytes(body), urgent: index % 3 == 0, compressed: index % 4 == 1)
            _ = pair.client.stack.send(request, sink: nil, noReply: false)
            _ = pair.server.stack.send(request, sink: nil, noReply: false)
        }
        pair.run { $0.client.responses.count == 10 && $0.server.responses.count == 10 }
        for responses in [pair.client.responses, pair.server.responses] {
            #expect(responses.count == 10)
            for response in responses.values { #expect(try response.get().bodyBytes == body) }
        }
    }
}
