// SOCKS5 as tor speaks it.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("SOCKS5") struct SOCKSTests {
    private let vectors: SOCKSVectors
    private let host = "nykr1rtrbjz6uvbem2dngo2hzgimyfxms7tq7wmpz6ajjzwpnp44fad.onion"

    init() throws { vectors = try reachVector(SOCKSVectors.self, "socks5.json") }

    /// Plays a recorded conversation. Returns what was left over of the last answer.
    private func play(_ lines: [[String]], name: SOCKSHandshake.Name?) throws {
        // The host is the one that was recorded.
        let request = bytes(hex: try #require(lines.dropLast().last)[1])
        let host = String(decoding: request[5..<(5 + Int(request[4]))], as: UTF8.self)
        var talk = try #require(SOCKSHandshake(host: host, port: 4985, name: name))
        for line in lines {
            if line[0] == ">" {
                #expect(talk.takeOutgoing() == bytes(hex: line[1]))
                continue
            }
            var rest = bytes(hex: line[1])[...]
            while !rest.isEmpty, talk.need > 0 {
                let count = talk.need
                try talk.receive(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(rest.isEmpty)
        }
        #expect(talk.need == 0)
    }

    @Test("recorded conversations, with and without a name")
    func sessions() throws {
        try play(vectors.withoutName, name: nil)
        try play(vectors.withName, name: SOCKSHandshake.Name(user: "contact-7", password: "x"))
    }

    private func asked() throws -> SOCKSHandshake {
        var talk = try #require(SOCKSHandshake(host: host, port: 4985, name: nil))
        _ = talk.takeOutgoing()
        try talk.receive([5, 0])
        return talk
    }

    private func feed(_ wire: [UInt8], to talk: inout SOCKSHandshake) throws(OnionProblem) {
        var rest = wire[...]
        while talk.need > 0 {
            let count = talk.need
            try talk.receive(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
    }

    @Test("each answer means something else to people")
    func answers() throws {
        let problems: [String: OnionProblem] = [
            "general failure (tor: cannot be found)": .unreachable, "refused": .refusedThere, "timed out": .unreachable,
            "descriptor not found: they are offline": .notThere, "the service wants a key of its clients": .wantsKey,
            "not an onion address": .badName,
        ]
        for answer in vectors.answers {
            var talk = try asked()
            var met: OnionProblem?
            do throws(OnionProblem) { try feed(bytes(hex: answer.hex), to: &talk) } catch { met = error }
            #expect(met == problems[answer.meaning], "\(answer.meaning)")
            #expect((met == nil) == (talk.need == 0))
        }
        for code in UInt8.min...UInt8.max { #expect((SOCKSHandshake.problem(code) == nil) == (code == 0)) }
    }

    @Test("what is no answer ends it")
    func malformed() throws {
        for hex in vectors.malformed {
            let wire = bytes(hex: hex)
            var talk = wire.count > 2 ? try asked() : try #require(SOCKSHandshake(host: host, port: 1, name: nil))
            #expect(throws: OnionProblem.self) { try feed(wire, to: &talk) }
        }
        // A name that was not asked for, and one that is not taken.
        var talk = try #require(
            SOCKSHandshake(host: host, port: 1, name: SOCKSHandshake.Name(user: "a", password: "b")))
        #expect(throws: OnionProblem.self) { try talk.receive([5, 0]) }
        var named = try #require(
            SOCKSHandshake(host: host, port: 1, name: SOCKSHandshake.Name(user: "a", password: "b")))
        try named.receive([5, 2])
        #expect(throws: OnionProblem.self) { try named.receive([1, 1]) }
    }

    @Test("REACH 6: the longest answer has 262 bytes, and not one more is taken")
    func longest() throws {
        let name = [UInt8](repeating: 0x61, count: 255)
        let wire: [UInt8] = [5, 0, 0, 3, 255] + name + [0, 1] + [0x16, 0x03, 0x01]
        var talk = try asked()
        var rest = wire[...]
        while talk.need > 0 {
            let count = talk.need
            try talk.receive(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(Array(rest) == [0x16, 0x03, 0x01] && wire.count - rest.count == SOCKSHandshake.maxAnswerBytes)
    }

    @Test("hosts and names that do not fit are no request")
    func bounds() {
        let long = String(repeating: "a", count: 256)
        #expect(SOCKSHandshake(host: long, port: 1, name: nil) == nil)
        #expect(SOCKSHandshake(host: "", port: 1, name: nil) == nil)
        #expect(SOCKSHandshake(host: "a", port: 1, name: SOCKSHandshake.Name(user: long, password: "b")) == nil)
        #expect(SOCKSHandshake(host: "a", port: 1, name: SOCKSHandshake.Name(user: "a", password: "")) == nil)
        #expect(SOCKSHandshake.Name.random() != SOCKSHandshake.Name.random())
    }
}
