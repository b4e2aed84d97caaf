// The profiles of `blipwire serve`, asked by a link of ours: property names, defaults, exact answers (PROTOCOL 5).

import BLIPNet
import TestSupport
import Testing
import Workbench

@testable import blipwire

@Suite(.serialized) struct WorkbenchProfileTests {
    private static func text(_ response: BLIPResponse) -> String { String(decoding: response.bodyBytes, as: UTF8.self) }

    private static func ask(
        _ link: PeerLink, _ profile: String, _ properties: BLIPProperties = [:], _ body: BLIPBody = .empty
    ) async throws -> BLIPResponse {
        try await link.request(BLIPRequest(profile: profile, properties: properties, body: body))
    }

    @Test("answers as the protocol says, in every dialect", arguments: Dialect.allCases)
    func answers(dialect: Dialect) async throws {
        let server = try await WorkbenchServer(.plain, "--dialect", dialect.rawValue)
        let link = try await server.connect(dialect)

        let echo = try await Self.ask(link, "echo", ["B": "2", "Compress-Reply": "1", "A": ""], .text("x"))
        #expect(echo.error == nil)
        #expect(echo.properties == ["B": "2", "Compress-Reply": "1", "A": ""])
        #expect(echo.isCompressed)
        #expect(Self.text(echo) == "x")
        #expect(try await Self.ask(link, "echo", ["Compress-Reply": "0"]).isCompressed == false)

        let sink = try await Self.ask(link, "sink", [:], .text("abc"))
        #expect(
            Self.text(sink) == "{\"length\":3,\"sha256\":\"\(SHA256Digest.hash(Array("abc".utf8)).hex)\"}")
        #expect(
            Self.text(try await Self.ask(link, "sink"))
                == "{\"length\":0,\"sha256\":\"\(SHA256Digest.hash([]).hex)\"}")
        #expect(Self.text(try await Self.ask(link, "discard", [:], .text("abc"))) == "3")
        #expect(Self.text(try await Self.ask(link, "discard")) == "0")

        let source = try await Self.ask(link, "source", ["Size": "100000", "Seed": "5"])
        #expect(source.bodyBytes == GeneratedSource(kind: .rand, byteCount: 100_000, seed: 5).allBytes())
        let zero = try await Self.ask(link, "source", ["Size": "10", "Kind": "zero"])
        #expect(zero.bodyBytes == [UInt8](repeating: 0, count: 10))
        #expect(try await Self.ask(link, "source", ["Size": "70000", "Kind": "text"]).bodyBytes.count == 70_000)
        #expect(try await Self.ask(link, "source", ["Size": "0"]).bodyBytes.isEmpty)
        for wrong: BLIPProperties in [[:], ["Size": "-1"], ["Size": "x"], ["Size": "1", "Kind": "x"]] {
            #expect(try await Self.ask(link, "source", wrong).error == .badRequest)
        }

        let error = try await Self.ask(link, "error", ["Domain": "D", "Code": "-5"], .text("why"))
        #expect(error.error == BLIPErrorCode(domain: "D", code: -5))
        #expect(Self.text(error) == "why")
        #expect(try await Self.ask(link, "error").error == .unspecified)
        #expect(try await Self.ask(link, "error", ["Code": "2147483648"]).error == .badRequest)
        let long = String(repeating: "long ", count: 40_000)
        #expect(Self.text(try await Self.ask(link, "error", ["Code": "1"], .text(long))) == long)

        for properties: BLIPProperties in [
            ["Count": "20", "Size": "100000"], ["Count": "20", "Size": "3", "Urgent": "1"],
            ["Count": "20", "Size": "50000", "Compressed": "1"],
        ] {
            #expect(Self.text(try await Self.ask(link, "reverse", properties)) == "{\"ok\":20,\"bad\":0}")
        }
        #expect(Self.text(try await Self.ask(link, "reverse", ["Count": "0"])) == "{\"ok\":0,\"bad\":0}")
        #expect(try await Self.ask(link, "reverse", ["Count": "-1"]).error == .badRequest)

        let usage = try #require(JSONRecord(parsing: try await Self.ask(link, "rusage").bodyBytes))
        #expect(usage.members.map(\.name) == ["user", "sys", "maxrss_mb"])
        #expect(try #require(usage.number("maxrss_mb")) > 0)

        let start = ContinuousClock.now
        #expect(try await Self.ask(link, "sleep", ["Millis": "50"]).error == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(try await Self.ask(link, "sleep", ["Millis": "soon"]).error == .badRequest)

        #expect(try await Self.ask(link, "nothing").error == .notFound)
        #expect(try await link.request(BLIPRequest(profile: "Echo")).error == .notFound)
        link.close()
        try await server.stop()
    }

    @Test("counts the no-reply requests of each connection by itself")
    func noReply() async throws {
        let server = try await WorkbenchServer(.unix)
        let first = try await server.connect(.blip3)
        let second = try await server.connect(.blip3)
        for profile in ["echo", "noreply-count", "nothing", "sink"] {
            first.submitNoReply(BLIPRequest(profile: profile, body: .text("x")))
        }
        #expect(Self.text(try await Self.ask(first, "noreply-count")) == "4")
        #expect(Self.text(try await Self.ask(second, "noreply-count")) == "0")
        first.close()
        second.close()
        try await server.stop()
    }

    @Test("says of a reverse whose echoes come back changed that they are bad")
    func badReverse() async throws {
        let server = try await WorkbenchServer(.plain)
        let link = try await server.connect(.blip3, handler: LyingHandler())
        #expect(Self.text(try await Self.ask(link, "reverse", ["Count": "6", "Size": "9"])) == "{\"ok\":2,\"bad\":4}")
        link.close()
        try await server.stop()
    }
}

/// Answers one echo of three right, one with other bytes and one with an error.
final class LyingHandler: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        switch request.number % 3 {
        case 0: BLIPResponse(body: .bytes(request.body))
        case 1: BLIPResponse(body: .bytes(request.body.dropLast() + [0]))
        default: .failure(.unspecified)
        }
    }
}
