// The recorded conversations of an independent implementation: decoded, and encoded again byte for byte.

import Testing

@testable import BLIPNet

@Suite struct BLIPVectorTests {
    /// A message of the vector as our connection delivered it.
    private struct Delivered: Equatable {
        var type: String
        var number: UInt64
        var isUrgent: Bool
        var isNoReply: Bool
        var properties: BLIPProperties
        var body: [UInt8]
    }

    @Test("finds the vectors")
    func present() {
        #expect(BLIPVector.all.count == 17)
        #expect(
            BLIPVector.all.allSatisfy { $0.subprotocol == BLIPDialect.blip3.subprotocol(application: "blipchat_1") })
    }

    @Test(
        "decodes the messages of each direction, and acknowledges as the recorded peer did", arguments: BLIPVector.all)
    func decode(vector: BLIPVector) throws {
        try expect(decodeRequests(vector), vector.messages("c2s"))
        try expect(decodeResponses(vector), vector.messages("s2c"))
    }

    /// 17 and 19 end exactly with a full frame: the recorded peer adds an empty one, we put the end into the full
    /// frame. 14 depends on when its requests were made.
    @Test(
        "encodes uncompressed messages byte for byte",
        arguments: BLIPVector.all.filter { !["14", "17", "19"].contains($0.name.prefix(2)) })
    func encode(vector: BLIPVector) throws {
        var client = BLIPConnection(limits: Self.recordedLimits)
        var server = BLIPConnection(limits: Self.recordedLimits)
        let requests = try decodeRequests(vector)
        let responses = try decodeResponses(vector)
        let compressed = Set(vector.messages.filter(\.compressed).map(\.number))
        var clientFrames: [[UInt8]] = []
        for request in requests {
            var made = BLIPRequest(profile: "", body: .bytes(request.body), urgent: request.isUrgent)
            made.properties = request.properties
            made.isCompressed = vector.messages("c2s").contains { $0.number == request.number && $0.compressed }
            _ = client.send(made, sink: nil, noReply: request.isNoReply)
            clientFrames += try exchange(&client, &server)
        }
        var serverFrames: [[UInt8]] = []
        for response in responses {
            var made = BLIPResponse(properties: response.properties, body: .bytes(response.body))
            if response.type == "ERR" { made.error = BLIPErrorCode(properties: response.properties) }
            made.isCompressed = vector.messages("s2c").contains { $0.number == response.number && $0.compressed }
            server.respond(to: response.number, with: made)
            serverFrames += try exchange(&server, &client)
        }
        #expect(client.waitingRequests == 0)
        if compressed.isEmpty {
            #expect(clientFrames == vector.frames("c2s", acks: false))
            #expect(serverFrames == vector.frames("s2c", acks: false))
        } else {
            // The other end has unpacked them, or there would be no answer.
            #expect(clientFrames.count == vector.frames("c2s", acks: false).count)
            #expect(serverFrames.count == vector.frames("s2c", acks: false).count)
        }
    }

    @Test("interleaves three bulk requests and three urgent ones in the recorded order")
    func interleaved() throws {
        let vector = try #require(BLIPVector.all.first { $0.name.hasPrefix("14") })
        var client = BLIPConnection(limits: Self.recordedLimits)
        for number in 1...3 {
            client.send("sink", [UInt8](repeating: 1, count: 100_000), compressed: number == 2)
        }
        var frames = [client.oneFrame(), client.oneFrame()]
        for _ in 1...3 { client.send("echo", [1, 2], urgent: true) }
        for _ in 0..<10 { frames.append(client.oneFrame()) }
        let numbers = frames.compactMap { $0.flatMap(FrameOnWire.init)?.number }
        #expect(numbers == Array(vector.frames.filter { $0.dir == "c2s" }.map(\.number).prefix(12)))
        // 4,092 bytes while an urgent request waits, as recorded.
        #expect(frames[2]?.count == 4_092)
    }

    @Test("a body that ends with a full frame ends in that frame")
    func exactMultiple() throws {
        var client = BLIPConnection(limits: Self.recordedLimits)
        client.send("sink", [UInt8](repeating: 7, count: 16_360))
        let frames = client.allFrames()
        #expect(frames.map(\.count) == [16_380])
        #expect(FrameOnWire(frames[0])?.flags == 0)
    }

    /// go-blip's frame: 16,384 bytes less 10 for the header, plus the header of 2 that a small number needs and the
    /// checksum.
    private static let recordedLimits: BLIPLimits = {
        var limits = BLIPLimits()
        limits.frameOut = 16_380
        limits.frameOutWhileUrgentWaits = 4_092
        return limits
    }()

    /// Carries frames both ways until nothing is left to send; returns what `sender` sent without ACKs.
    private func exchange(
        _ sender: inout BLIPConnection, _ receiver: inout BLIPConnection
    ) throws -> [[UInt8]] {
        var sent: [[UInt8]] = []
        while true {
            let frames = sender.allFrames()
            let acks = receiver.allFrames()
            if frames.isEmpty, acks.isEmpty { break }
            for frame in frames { try receiver.receive(frame) }
            for ack in acks { try sender.receive(ack) }
            sent += frames.filter { FrameOnWire($0)?.acknowledged == nil }
        }
        return sent
    }

    private func decodeRequests(_ vector: BLIPVector) throws -> [Delivered] {
        var server = BLIPConnection()
        var acks: [[UInt8]] = []
        for frame in vector.frames("c2s", acks: false) {
            try server.receive(frame)
            acks += server.allFrames()
        }
        #expect(acks == vector.frames("s2c", acks: true))
        return server.allEvents().compactMap(\.request).map {
            Delivered(
                type: "MSG", number: $0.number, isUrgent: $0.isUrgent, isNoReply: $0.isNoReply,
                properties: $0.properties, body: $0.body)
        }
    }

    private func decodeResponses(_ vector: BLIPVector) throws -> [Delivered] {
        var client = BLIPConnection()
        for message in vector.messages("c2s").sorted(by: { $0.number < $1.number }) {
            client.send(noReply: message.noreply)
        }
        _ = client.allFrames()
        var acks: [[UInt8]] = []
        for frame in vector.frames("s2c", acks: false) {
            try client.receive(frame)
            acks += client.allFrames()
        }
        #expect(acks == vector.frames("c2s", acks: true))
        return client.allEvents().compactMap(\.response).map { number, response in
            // A response's urgency is not reported; it is checked on the wire by the tests of `respond`.
            let urgent = vector.messages("s2c").first { $0.number == number }?.urgent ?? false
            return Delivered(
                type: response.error == nil ? "RPY" : "ERR", number: number, isUrgent: urgent, isNoReply: false,
                properties: response.properties, body: response.bodyBytes)
        }
    }

    private func expect(_ delivered: [Delivered], _ messages: [BLIPVector.Message]) {
        #expect(delivered.count == messages.count)
        for (one, message) in zip(delivered, messages) {
            #expect(one.type == message.type)
            #expect(one.number == message.number)
            #expect(one.isUrgent == message.urgent)
            #expect(one.isNoReply == message.noreply)
            #expect(one.properties.pairs.map { [$0.name, $0.value] } == message.properties)
            #expect(one.body.count == message.body.length)
            #expect(SHA256Digest.hash(one.body).hex == message.body.sha256)
        }
    }
}
