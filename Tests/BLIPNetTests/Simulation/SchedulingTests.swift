// What goes first on the wire between two stacks: urgent messages soon, and normal ones often enough.

import Testing

@testable import BLIPNet

@Suite("Scheduling on the wire") struct SchedulingTests {
    /// A pair that is open, with all the room in the world and a tap on the client's frames.
    private func openPair(window: UInt64 = .max) throws -> StackPair {
        var options = LinkOptions()
        options.blip.sendWindow = window
        var network = StackPair.Network()
        network.window = 40_000
        var pair = try StackPair(seed: 11, network: network, client: options, server: options, isChecked: true)
        pair.run(until: { $0.bothOpened })
        return pair
    }

    private func request(_ size: Int, urgent: Bool = false) -> BLIPRequest {
        BLIPRequest(profile: "x", body: .bytes([UInt8](repeating: 1, count: size)), urgent: urgent)
    }

    @Test("at most two bulk frames go between an urgent message and its first frame", arguments: [1, 5, 16])
    func urgent(bulk: Int) throws {
        var pair = try openPair()
        for _ in 0..<bulk { pair.send(request(400_000), from: .client) }
        pair.run(until: { $0.client.tap?.frames.count ?? 0 > 40 })
        let before = try #require(pair.client.tap?.frames.count)
        let sent = pair.send(request(100, urgent: true), from: .client)
        let number = try #require(sent)
        pair.run(until: { $0.client.responses[number] != nil })
        let frames = try #require(pair.client.tap?.frames.dropFirst(before))
        #expect(frames.prefix { !($0.isRequest && $0.number == number) }.filter { !$0.isAck }.count <= 2)
        pair.run(until: { $0.client.responses.count == bulk + 1 })
        pair.checkRest()
        #expect(pair.finding == nil)
    }

    /// The client's frames of requests from `start` to the last normal one.
    private func frames(of pair: StackPair, from start: Int) throws -> ArraySlice<WireTap.Frame> {
        let all = try #require(pair.client.tap?.frames.dropFirst(start))
        let sent = all.filter { !$0.isAck && $0.isRequest }
        let last = sent.lastIndex { !$0.isUrgent }
        return sent[...(try #require(last))]
    }

    @Test("a normal message gets its frame in each round of large urgent ones")
    func fairness() throws {
        var pair = try openPair()
        for _ in 0..<4 { pair.send(request(300_000), from: .client) }
        pair.run(until: { $0.client.tap?.frames.count ?? 0 > 8 })
        for _ in 0..<20 { pair.send(request(200_000, urgent: true), from: .client) }
        let before = try #require(pair.client.tap?.frames.count)
        pair.run(until: { $0.client.responses.count == 24 })
        for number in 1...4 as ClosedRange<UInt64> {
            // Every other one of the 24 messages gets a frame between two of this one, and no more.
            var longest = 0
            var between = 0
            for frame in try frames(of: pair, from: before) {
                between = frame.number == number ? 0 : between + 1
                longest = max(longest, between)
                if frame.number == number, frame.isLast { break }
            }
            #expect(longest <= 24)
        }
        pair.checkRest()
        #expect(pair.finding == nil)
    }

    @Test("normal messages keep most of the bytes under a flood of small urgent ones")
    func flood() throws {
        var pair = try openPair()
        for _ in 0..<4 { pair.send(request(100_000), from: .client) }
        pair.run(until: { $0.client.tap?.frames.count ?? 0 > 4 })
        for _ in 0..<2_000 { pair.send(request(32, urgent: true), from: .client) }
        let before = try #require(pair.client.tap?.frames.count)
        pair.run(until: { $0.client.responses.count == 2_004 })
        let frames = try frames(of: pair, from: before)
        let normal = frames.filter { !$0.isUrgent }.reduce(0) { $0 + $1.byteCount }
        let urgent = frames.filter(\.isUrgent).reduce(0) { $0 + $1.byteCount }
        #expect(normal > urgent)
        pair.checkRest()
        #expect(pair.finding == nil)
    }

    @Test(
        "a request is never more than a window and a frame ahead of its ACKs", arguments: [20_000, 128_000] as [UInt64])
    func window(size: UInt64) throws {
        var pair = try openPair(window: size)
        pair.server.isCut = true
        pair.send(request(600_000), from: .client)
        pair.run(for: .seconds(1))
        let sent = try #require(pair.client.tap?.frames.reduce(0) { $0 + $1.byteCount })
        #expect(sent >= Int(size) && sent < Int(size) + 16_384)
    }
}
