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
        let newest = BLIPVector.all.filter { $0.dialect == .blip3 }
        #expect(newest.count == 17 && BLIPVector.all.count == 28)
        #expect(newest.allSatisfy { $0.subprotocol == BLIPDialect.blip3.subprotocol(application: "blipchat_1") })
        #expect(BLIPVector.all.allSatisfy { $0.dialect == .blip3 || $0.subprotocol == nil })
    }

    @Test(
        "decodes the messages of each direction, and acknowledges as the recorded peer did", arguments: BLIPVector.all)
    func decode(vector: BLIPVector) throws {
        try expect(decodeRequests(vector), vector.messages("c2s"))
        try expect(decodeResponses(vector), vector.messages("s2c"))
    }

    /// 17 and 19 end exactly with a full frame: the recorded peer adds an empty one, as we do for a streamed body (see
    /// below). 14 depends on when its requests were made; 02 has spelled-out strings, which we do not write.
    @Test(
        "encodes uncompressed messages byte for byte",
        arguments: BLIPVector.all.filter { vector in
            let others = vector.dialect == .blip3 ? ["14", "17", "19"] : ["02"]
            return !others.contains { vector.name.hasPrefix($0) }
        })
    func encode(vector: BLIPVector) throws {
        let (client, server) = try encoded(vector, streamed: false)
        if vector.messages.contains(where: { $0.compressed && $0.body.length > 0 }) {
            // The other end has unpacked them, or there would be no answer.
            #expect(client.count == vector.frames("c2s", acks: false).count)
            #expect(server.count == vector.frames("s2c", acks: false).count)
        } else {
            #expect(client == vector.frames("c2s", acks: false))
            #expect(server == vector.frames("s2c", acks: false))
        }
    }

    @Test("writes tokens for the strings that have one")
    func tokens() throws {
        let spelled = try #require(BLIPVector.named("02", .blip2013))
        let short = try #require(BLIPVector.named("01", .blip2013))
        let (client, server) = try encoded(spelled, streamed: false)
        #expect(client == short.frames("c2s", acks: false) && server == short.frames("s2c", acks: false))
    }

    @Test("a streamed body that ends exactly with a full frame is followed by an empty one, as recorded")
    func exactMultipleStreamed() throws {
        let plain = try #require(BLIPVector.named("17"))
        let (client, server) = try encoded(plain, streamed: true)
        #expect(client == plain.frames("c2s", acks: false))
        #expect(server == plain.frames("s2c", acks: false))

        let compressed = try #require(BLIPVector.named("19"))
        let (frames, _) = try encoded(compressed, streamed: true)
        let recorded = compressed.frames("c2s", acks: false)
        #expect(frames.map { FrameOnWire($0)?.flags } == recorded.map { FrameOnWire($0)?.flags })

        // Our compressed frames leave room for data that grows. One that is exactly full is followed by an empty block, as
        // the recorded peer writes it; the checksum repeats the one before.
        var client19 = BLIPConnection(limits: Self.recordedLimits(.blip3))
        let room = 16_380 - 2 - 4 - FrameDeflater.maxGrowth(16_380)
        let prefix = 1 + "Profile".utf8.count + 1 + "sink".utf8.count + 1
        let body = MemorySource([UInt8](repeating: 1, count: room - prefix))
        let request = BLIPRequest(profile: "sink", body: .source(body), compressed: true)
        _ = client19.send(request, sink: nil, noReply: false)
        let full = client19.allFrames()
        #expect(full.count == 2 && full[1] == [1, 8, 0] + full[0].suffix(4))
    }

    /// What our connections send where the recorded ones sent the vector's messages, without ACKs.
    private func encoded(
        _ vector: BLIPVector, streamed: Bool
    ) throws -> (client: [[UInt8]], server: [[UInt8]]) {
        var client = BLIPConnection(vector.dialect, limits: Self.recordedLimits(vector.dialect))
        var server = BLIPConnection(vector.dialect, limits: Self.recordedLimits(vector.dialect))
        let requests = try decodeRequests(vector)
        let responses = try decodeResponses(vector)
        try skipRequests(before: vector, &client, &server)
        var clientFrames: [[UInt8]] = []
        for request in requests {
            var made = BLIPRequest(
                profile: "", body: streamed ? .source(MemorySource(request.body)) : .bytes(request.body),
                urgent: request.isUrgent)
            made.properties = request.properties
            made.isCompressed = vector.messages("c2s").contains { $0.number == request.number && $0.compressed }
            _ = client.send(made, sink: nil, noReply: request.isNoReply)
            clientFrames += try exchange(&client, &server)
        }
        #expect(server.allEvents().compactMap(\.request).map(\.body) == requests.map(\.body))
        var serverFrames: [[UInt8]] = []
        for response in responses {
            var made = BLIPResponse(properties: response.properties, body: .bytes(response.body))
            if response.type == "ERR" { made.error = BLIPErrorCode(properties: response.properties) }
            made.isCompressed = vector.messages("s2c").contains { $0.number == response.number && $0.compressed }
            server.respond(to: response.number, with: made)
            serverFrames += try exchange(&server, &client)
        }
        #expect(client.allEvents().compactMap(\.response).map(\.response.bodyBytes) == responses.map(\.body))
        return (clientFrames, serverFrames)
    }

    @Test("interleaves three bulk requests and three urgent ones in the recorded order")
    func interleaved() throws {
        let vector = try #require(BLIPVector.named("14"))
        var client = BLIPConnection(limits: Self.recordedLimits(.blip3))
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

    @Test("a body in memory that ends with a full frame ends in that frame")
    func exactMultiple() throws {
        var client = BLIPConnection(limits: Self.recordedLimits(.blip3))
        client.send("sink", [UInt8](repeating: 7, count: 16_360))
        let frames = client.allFrames()
        #expect(frames.map(\.count) == [16_380])
        #expect(FrameOnWire(frames[0])?.flags == 0)
    }

    /// go-blip's frame: 16,384 bytes less 10 for the header, plus the header of 2 that a small number needs and the
    /// checksum. The founding documents' vectors have frames of 4,096.
    private static func recordedLimits(_ dialect: BLIPDialect) -> BLIPLimits {
        var limits = BLIPLimits()
        limits.frameOut = dialect == .blip3 ? 16_380 : 4_096
        limits.frameOutWhileUrgentWaits = 4_092
        return limits
    }

    /// The requests before the vector's first one, for a vector that does not begin with 1.
    private func skipRequests(
        before vector: BLIPVector, _ client: inout BLIPConnection, _ server: inout BLIPConnection
    ) throws {
        for _ in 1..<(vector.messages("c2s").map(\.number).min() ?? 1) { client.send(noReply: true) }
        for frame in client.allFrames() { try server.receive(frame) }
        _ = server.allEvents()
    }

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
            sent += frames.filter { FrameOnWire($0, sender.dialect)?.acknowledged == nil }
        }
        return sent
    }

    private func decodeRequests(_ vector: BLIPVector) throws -> [Delivered] {
        var server = BLIPConnection(vector.dialect)
        var client = BLIPConnection(vector.dialect)
        try skipRequests(before: vector, &client, &server)
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
        var client = BLIPConnection(vector.dialect)
        var server = BLIPConnection(vector.dialect)
        try skipRequests(before: vector, &client, &server)
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
