// Asking a router for a port: every recorded datagram both ways, the conversation in its own time, and a real socket.

import TestSupport
import Testing

@testable import BLIPNet

/// `port_mapping.json`.
private struct PortMappingVectors: Decodable {
    struct Exchange: Decodable {
        var name: String
        var request: String
        var reply: String
    }
    var exchanges: [Exchange]
    var uselessOutside: [String]
    var usefulOutside: [String]

    private enum CodingKeys: String, CodingKey {
        case exchanges
        case uselessOutside = "useless_outside"
        case usefulOutside = "useful_outside"
    }

    static func load() throws -> Self { try reachVector(Self.self, "port_mapping.json") }

    func exchange(_ name: String) throws -> (request: [UInt8], reply: [UInt8]) {
        let found = try #require(exchanges.first { $0.name == name }, "\(name)")
        return (bytes(hex: found.request), bytes(hex: found.reply))
    }
}

private let client: [UInt8] = [10, 0, 1, 2]
private let outside: [UInt8] = [11, 0, 0, 11]
private let nonce = (1...12).map { UInt8($0) }

@Suite("Datagrams to and from a router") struct RouterMessageTests {
    private func mapping(_ port: UInt16, outside: UInt16? = nil, at address: [UInt8] = [0, 0, 0, 0]) -> PCPMapping {
        PCPMapping(nonce: nonce, inside: port, outside: outside ?? port, address: address)
    }

    @Test("each recorded request of ours is written as it is")
    func requests() throws {
        let vectors = try PortMappingVectors.load()
        let expected: [String: RouterRequest] = [
            "natpmp external address": .outsideAddress,
            "natpmp map tcp 4985 for 3600 s": .mapByNATPMP(inside: 4985, outside: 4985, lifetime: 3600),
            "natpmp map tcp 4985, renewed": .mapByNATPMP(inside: 4985, outside: 4985, lifetime: 3600),
            "natpmp unmap": .mapByNATPMP(inside: 4985, outside: 0, lifetime: 0),
            "pcp announce": .announce(client: client),
            "pcp map tcp 4987 for 3600 s": .map(mapping(4987), client: client, lifetime: 3600),
            "pcp renew": .map(mapping(4987), client: client, lifetime: 3600),
            "pcp unmap": .map(mapping(4987, outside: 0), client: client, lifetime: 0),
            "pcp unmap of what is not mapped": .map(mapping(4987, outside: 0), client: client, lifetime: 0),
            "pcp wrong client address": .map(mapping(4988), client: [10, 0, 1, 99], lifetime: 3600),
        ]
        for (name, request) in expected {
            #expect(try request.bytes == vectors.exchange(name).request, "\(name)")
        }
    }

    @Test("each recorded answer is read for what it says; none that is cut off is read for anything else")
    func replies() throws {
        let vectors = try PortMappingVectors.load()
        let mapped = RouterReply.mapped(mapping(4987, at: outside), lifetime: 3600)
        let given = RouterReply.mappedByNATPMP(inside: 4985, outside: 4985, lifetime: 3600)
        let expected: [String: RouterReply] = [
            "natpmp external address": .outsideAddress(outside),
            "natpmp map tcp 4985 for 3600 s": given,
            "natpmp map tcp 4985, renewed": given,
            "natpmp unmap": .mappedByNATPMP(inside: 4985, outside: 0, lifetime: 0),
            "natpmp unknown opcode": .refused(code: 5, speaksPCP: false),
            "pcp announce": .announced,
            "pcp map tcp 4987 for 3600 s": mapped,
            "pcp renew": mapped,
            "pcp unmap": .mapped(mapping(4987, outside: 0, at: outside), lifetime: 0),
            "pcp unmap of what is not mapped": .refused(code: 8, speaksPCP: true),
            "pcp wrong client address": .refused(code: 12, speaksPCP: true),
            "pcp version 1": .refused(code: 6, speaksPCP: true),
            "pcp version 3": .otherVersion,
        ]
        #expect(vectors.exchanges.count == expected.count)
        for exchange in vectors.exchanges {
            let reply = bytes(hex: exchange.reply)
            let meant = expected[exchange.name]
            #expect(RouterReply(reply) == meant, "\(exchange.name)")
            for length in 0..<reply.count {
                guard let read = RouterReply(Array(reply[..<length])) else { continue }
                #expect(read == meant, "\(exchange.name), \(length) bytes")
            }
            #expect(RouterReply(bytes(hex: exchange.request)) == nil, "a request is no answer: \(exchange.name)")
        }
    }

    @Test("addresses that are another router's inside lead nobody here")
    func outsideAddresses() throws {
        let vectors = try PortMappingVectors.load()
        func bytes(_ host: String) -> [UInt8] { host.split(separator: ".").compactMap { UInt8($0) } }
        for host in vectors.uselessOutside { #expect(PortQuestion.publicHost(bytes(host)) == nil, "\(host)") }
        for host in vectors.usefulOutside { #expect(PortQuestion.publicHost(bytes(host)) == host, "\(host)") }
        #expect(vectors.uselessOutside.count >= 10 && vectors.usefulOutside.count >= 5)
    }
}

@Suite("A question to a router") struct PortQuestionTests {
    private let start = MonotonicTime(nanoseconds: 1)

    private func question(
        _ purpose: PortQuestion.Purpose = .map(earlier: nil), port: UInt16 = 4987
    ) -> PortQuestion {
        PortQuestion(purpose, port: port, client: client, nonce: nonce, now: start)
    }

    private func sent(_ question: inout PortQuestion) -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        while let datagram = question.nextDatagram() { datagrams.append(datagram) }
        return datagrams
    }

    /// Lets time pass until something is sent or it is over; the milliseconds since `start`.
    private func wait(_ question: inout PortQuestion) -> Int64 {
        let time = question.deadline ?? start
        question.handleTimeout(now: time)
        return (time - start).inNanoseconds / 1_000_000
    }

    @Test("PCP answers: the port, its lifetime; asked again it is the same mapping")
    func pcp() throws {
        let vectors = try PortMappingVectors.load()
        var first = question()
        let exchange = try vectors.exchange("pcp map tcp 4987 for 3600 s")
        #expect(sent(&first) == [exchange.request])
        first.receive(exchange.reply, now: start)
        let mapped = try #require(try first.outcome?.get())
        #expect(
            mapped
                == MappedPort(
                    way: .pcp, host: "11.0.0.11", port: 4987, inside: 4987, lifetime: .seconds(3600), nonce: nonce))
        #expect(first.deadline == nil && sent(&first).isEmpty)
        // Another random number makes no other mapping of it.
        var renewal = PortQuestion(
            .map(earlier: mapped), port: 4987, client: client, nonce: nonce.reversed(), now: start)
        #expect(try sent(&renewal) == [vectors.exchange("pcp renew").request])
        var end = PortQuestion(.giveBack(mapped), port: 4987, client: client, nonce: nonce.reversed(), now: start)
        #expect(try sent(&end) == [vectors.exchange("pcp unmap").request])
        end.receive(try vectors.exchange("pcp unmap").reply, now: start)
        #expect(end.outcome != nil)
    }

    @Test("silence: asked four times within 3.75 s in each language, then there is no port")
    func silence() {
        var question = question()
        var times: [Int64] = []
        var sizes = sent(&question).map(\.count)
        while question.outcome == nil {
            times.append(wait(&question))
            sizes += sent(&question).map(\.count)
        }
        #expect(times == [250, 750, 1750, 3750, 4000, 4500, 5500, 7500])
        #expect(sizes == [60, 60, 60, 60, 2, 2, 2, 2])
        #expect(question.outcome == .failure(.silent))
    }

    @Test("a router that knows only NAT-PMP says so, and gives the port in that")
    func elder() throws {
        let vectors = try PortMappingVectors.load()
        for refusal in [[0, 0x81, 0, 1, 0, 0, 0, 2], try vectors.exchange("natpmp unknown opcode").reply] {
            var question = question(port: 4985)
            _ = sent(&question)
            question.receive(refusal, now: start)
            let address = try vectors.exchange("natpmp external address")
            #expect(sent(&question) == [address.request])
            question.receive(address.reply, now: start)
            let exchange = try vectors.exchange("natpmp map tcp 4985 for 3600 s")
            #expect(sent(&question) == [exchange.request])
            question.receive(exchange.reply, now: start)
            let mapped = try #require(try question.outcome?.get())
            #expect(mapped.way == .natPMP && mapped.host == "11.0.0.11" && mapped.port == 4985)
            var end = PortQuestion(.giveBack(mapped), port: 4985, client: client, nonce: nonce, now: start)
            #expect(try sent(&end) == [vectors.exchange("natpmp unmap").request])
        }
    }

    @Test("a router whose own address is private gives nothing, by either language")
    func inside() throws {
        var byPCP = question()
        let reply = RouterReplyBytes.mapped(port: 4987, lifetime: 3600, address: [100, 64, 0, 9])
        byPCP.receive(reply, now: start)
        #expect(byPCP.outcome == .failure(.noPublicAddress("100.64.0.9")))
        var byNATPMP = question()
        byNATPMP.receive([0, 0x81, 0, 1, 0, 0, 0, 2], now: start)
        byNATPMP.receive([0, 0x80, 0, 0, 0, 0, 0, 2, 192, 168, 1, 1], now: start)
        #expect(byNATPMP.outcome == .failure(.noPublicAddress("192.168.1.1")))
    }

    @Test("answers to other questions, of other ports or with other numbers count for nothing")
    func others() throws {
        let vectors = try PortMappingVectors.load()
        var question = question(port: 4990)
        question.receive(try vectors.exchange("pcp map tcp 4987 for 3600 s").reply, now: start)
        question.receive(try vectors.exchange("pcp announce").reply, now: start)
        question.receive(try vectors.exchange("natpmp map tcp 4985 for 3600 s").reply, now: start)
        question.receive([], now: start)
        #expect(question.outcome == nil)
        var stranger = PortQuestion(
            .map(earlier: nil), port: 4987, client: client, nonce: nonce.reversed(), now: start)
        stranger.receive(try vectors.exchange("pcp map tcp 4987 for 3600 s").reply, now: start)
        #expect(stranger.outcome == nil)
        question.receive(try vectors.exchange("pcp wrong client address").reply, now: start)
        #expect(question.outcome == .failure(.refused(code: 12)))
    }

    @Test("a lifetime that nobody can mean is not believed; none at all is a refusal")
    func lifetimes() throws {
        for (said, meant) in [(UInt32.max, 86_400), (1, 60), (600, 600)] as [(UInt32, Int64)] {
            var question = question()
            question.receive(RouterReplyBytes.mapped(port: 4987, lifetime: said, address: outside), now: start)
            #expect(try question.outcome?.get().lifetime == .seconds(meant))
        }
        var question = question()
        question.receive(RouterReplyBytes.mapped(port: 4987, lifetime: 0, address: outside), now: start)
        #expect(question.outcome == .failure(.refused(code: 0)))
    }

    @Test("who gives a port back waits for less than a second")
    func givingBack() {
        let mapped = MappedPort(
            way: .pcp, host: "11.0.0.11", port: 4987, inside: 4987, lifetime: .seconds(3600), nonce: nonce)
        var question = question(.giveBack(mapped))
        var last: Int64 = 0
        while question.outcome == nil { last = wait(&question) }
        #expect(last == 750)
    }
}

/// Answers as a router writes them.
private enum RouterReplyBytes {
    static func mapped(port: UInt16, lifetime: UInt32, address: [UInt8], nonce: [UInt8] = nonce) -> [UInt8] {
        let numbers = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: lifetime >> UInt32($0)) }
        let port = [UInt8(port >> 8), UInt8(port & 255)]
        return [2, 0x81, 0, 0] + numbers + [UInt8](repeating: 0, count: 16) + nonce + [6, 0, 0, 0] + port + port
            + [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address
    }
}

@Suite("The way out of this network") struct DefaultGatewayTests {
    private let head =
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT                          \n"

    @Test("of several default routes the one with the least metric; none of others, and none without a gateway")
    func table() {
        let text =
            head + "eth0\t00000000\t0101000A\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
            + "eth1\t00000000\t0201000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
            + "eth1\t0000000A\t0301000A\t0003\t0\t0\t0\t000000FF\t0\t0\t0\n"
            + "ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n"
        #expect(DefaultGateway.address(in: text) == [10, 0, 1, 2])
        #expect(DefaultGateway.address(in: head) == nil)
        #expect(DefaultGateway.address(in: "") == nil)
        #expect(DefaultGateway.address(in: head + "eth0\t00000000\tzz\t3\n\n\t\t") == nil)
    }
}

@Suite("A router at a real socket", .timeLimit(.minutes(1))) struct RouterTests {
    @Test("it is asked once, answers, and gets its port back")
    func roundTrip() async throws {
        let server = try RouterServer { request in
            guard request.count == 60 else { return nil }
            let lifetime = request[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return RouterReplyBytes.mapped(
                port: 4987, lifetime: lifetime, address: outside, nonce: Array(request[24..<36]))
        }
        let router = try Router(at: server.address)
        #expect(router.ownHost == "127.0.0.1" && !router.isNeedless)
        let mapped = try await router.map(4987)
        #expect(mapped.host == "11.0.0.11" && mapped.port == 4987 && mapped.router == "127.0.0.1")
        let renewed = try await router.map(4987, earlier: mapped)
        #expect(renewed.nonce == mapped.nonce)
        await router.giveBack(mapped)
        try await eventually("it is given back") { server.requests.last?[4..<8].elementsEqual([0, 0, 0, 0]) == true }
        #expect(server.requests.count == 3)
    }

    @Test("where nobody listens, that is known at once: no other question follows")
    func nobody() async throws {
        // Nothing is there (tcpmux, long out of use).
        let router = try Router(at: SocketAddress(host: "127.0.0.1", port: 1))
        let start = MonotonicTime.now()
        await #expect(throws: MappingFailure.silent) { _ = try await router.map(4987) }
        // Silence would take 7.5 s.
        #expect(MonotonicTime.now() - start < .seconds(7))
    }
}
