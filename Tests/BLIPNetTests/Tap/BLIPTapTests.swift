// The tap: what it sees of links in every dialect, however their bytes are cut, and of what is broken, missing or hostile.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPTapTests {
    /// A dialect, with or without permessage-deflate.
    struct Kind: Sendable, CustomTestStringConvertible {
        var dialect: BLIPDialect
        var isDeflated: Bool
        var testDescription: String { dialect.name + (isDeflated ? ", deflated" : "") }
        /// As somebody tells the tap who knows it.
        var told: BLIPDialect? { dialect == .blip3 ? nil : dialect }

        static let all = BLIPDialect.all.flatMap { dialect in
            [false, true].map { Kind(dialect: dialect, isDeflated: $0) }
        }
    }

    private static let text = String(repeating: "what is said again and again, ", count: 12)

    /// Everything that a link may have, in few bytes.
    private func talk(_ kind: Kind) -> TappedTalk {
        var talk = TappedTalk(kind.dialect, isDeflated: kind.isDeflated)
        talk.ask(BLIPRequest(profile: "echo", properties: ["Größe": "5 €"], body: .text("hello")))
        talk.ask(BLIPRequest(profile: "echo", body: .text(Self.text), compressed: true))
        talk.ask(BLIPRequest(profile: "fail", urgent: true))
        talk.ask(BLIPRequest(profile: "note", body: .text("!")), noReply: true)
        talk.ping()
        if kind.dialect.hasMeta { talk.sayBye() }
        talk.close()
        return talk
    }

    @Test("sees the whole of a link in every dialect", arguments: Kind.all)
    func whole(kind: Kind) throws {
        var tap = BLIPTap(dialect: kind.told)
        let events = tap.receive(talk(kind).pieces)
        let name = kind.dialect.subprotocol(application: "example_1")
        #expect(
            events.prefix(3) == [
                TapEvent(.up, .head(line: "GET / HTTP/1.1", subprotocols: [name])),
                TapEvent(.down, .head(line: "HTTP/1.1 101 Switching Protocols", subprotocols: [name])),
                TapEvent(.down, .opened(kind.dialect, isDeflated: kind.isDeflated)),
            ])
        #expect(events.compactMap(\.problem) == [])
        let messages = events.filter { $0.frame?.message != nil }
        let up = messages.filter { $0.direction == .up }.compactMap(\.frame)
        let down = messages.filter { $0.direction == .down }.compactMap(\.frame)
        let bye = kind.dialect.hasMeta ? ["Bye"] : []
        #expect(up.compactMap { $0.message?.properties.profile } == ["echo", "echo", "fail", "note"] + bye)
        #expect(up.map(\.number) == Array(1...UInt64(4 + bye.count)))
        #expect(up.allSatisfy { $0.kind == .request })
        #expect(up.map(\.isUrgent).prefix(4) == [false, false, true, false])
        #expect(up.map(\.isNoReply).prefix(4) == [false, false, false, true])
        #expect(up.map(\.isMeta) == [false, false, false, false] + bye.map { _ in true })
        #expect(up[0].message?.properties["Größe"] == "5 €")
        let size = UInt64(Self.text.utf8.count)
        #expect(up.compactMap { $0.message?.bodyBytes }.prefix(4) == [5, size, 0, 1])
        #expect(up[1].isCompressed && up[1].message?.byteCount ?? size < size)
        #expect((up[1].unpackedBytes != nil) == (kind.dialect == .blip3))
        #expect(down.map(\.kind).prefix(3) == [.response, .response, .errorResponse])
        #expect(down.compactMap { $0.message?.bodyBytes }.prefix(3) == [5, size, 0])
        #expect(down[2].message?.error == BLIPErrorCode(domain: "Test", code: -17))
        #expect(events.contains(TapEvent(.up, .ping(byteCount: 3))))
        #expect(events.contains(TapEvent(.down, .pong(byteCount: 3))))
        for direction in BLIPTap.Direction.allCases {
            #expect(events.contains { $0.direction == direction && $0.isClose })
        }
        #expect(events.contains(TapEvent(.up, .close(code: 1001, reason: "going \"away\""))))
    }

    @Test("sees the same wherever the bytes are cut", arguments: Kind.all)
    func cuts(kind: Kind) throws {
        let pieces = talk(kind).pieces
        var tap = BLIPTap(dialect: kind.told)
        let whole = tap.receive(pieces)
        var single = BLIPTap(dialect: kind.told)
        let bytes = pieces.flatMap { piece in
            piece.bytes.map { TappedTalk.Piece(direction: piece.direction, bytes: [$0]) }
        }
        #expect(single.receive(bytes) == whole)
        for (index, piece) in pieces.enumerated() {
            for place in piece.bytes.indices.dropFirst() {
                var tap = BLIPTap(dialect: kind.told)
                let halves = [piece.bytes[..<place], piece.bytes[place...]].map {
                    TappedTalk.Piece(direction: piece.direction, bytes: Array($0))
                }
                let seen = tap.receive(pieces[..<index] + halves + pieces[(index + 1)...])
                #expect(seen == whole, "piece \(index) cut at \(place)")
            }
        }
    }

    @Test("tells frames, sizes and ACKs of messages in many frames", arguments: [BLIPDialect.blip3, .blip2])
    func frames(dialect: BLIPDialect) throws {
        var talk = TappedTalk(dialect)
        talk.ask(BLIPRequest(profile: "echo", body: .bytes([UInt8](repeating: 0, count: 120_000))))
        var tap = BLIPTap(dialect: dialect)
        let events = tap.receive(talk.pieces)
        #expect(events.compactMap(\.problem) == [])
        let frames = events.filter { $0.direction == .up }.compactMap(\.frame).filter { $0.kind == .request }
        let message = try #require(frames.last?.message)
        #expect(frames.dropLast().allSatisfy { $0.hasMore && $0.message == nil } && frames.last?.hasMore == false)
        #expect(message.frames == frames.count && frames.count > 7)
        #expect(message.byteCount == frames.reduce(0) { $0 + UInt64($1.byteCount) })
        #expect(message.bodyBytes == 120_000)
        let acks = events.compactMap(\.frame).filter { $0.kind == .ackOfRequest }
        // A later ACK takes the place of one that has not gone out yet.
        #expect(!acks.isEmpty && acks.allSatisfy { $0.number == 1 && $0.acknowledged ?? 0 >= 50_000 })
    }

    @Test("reads the vectors of an independent implementation", arguments: BLIPVector.all)
    func vectors(vector: BLIPVector) throws {
        var tap = BLIPTap(dialect: vector.dialect)
        var events = tap.receive(Self.handshake(vector.subprotocol))
        for frame in vector.frames {
            let isUp = frame.dir == "c2s"
            let bytes = WebSocketFixtures.frame(
                0x82, BLIPNetTests.bytes(hex: frame.hex), mask: isUp ? WebSocketFixtures.maskKey : nil)
            events += tap.receive(bytes[...], isUp ? .up : .down)
        }
        let frames = events.compactMap(\.frame)
        #expect(frames.map(\.number) == vector.frames.map(\.number))
        #expect(frames.map(\.acknowledged) == vector.frames.map(\.acked))
        // This one can be read only by itself: no link begins with request 300.
        let problems = events.compactMap(\.problem)
        #expect(problems == (vector.name.hasPrefix("12_number_300") ? ["request 300 where 1 is next"] : []))
        for message in vector.messages {
            let seen = try #require(
                events.first {
                    $0.direction == (message.dir == "c2s" ? .up : .down) && $0.frame?.number == message.number
                        && $0.frame?.message != nil && ($0.frame?.kind == .request) == (message.type == "MSG")
                }?.frame?.message)
            #expect(seen.properties.pairs.map { [$0.name, $0.value] } == message.properties)
            #expect(seen.bodyBytes == UInt64(message.body.length))
        }
    }

    private static func handshake(_ subprotocol: String?) -> [TappedTalk.Piece] {
        let line = subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
        let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\(line)\r\n"
        return [
            TappedTalk.Piece(direction: .up, bytes: WebSocketFixtures.request(extra: line)),
            TappedTalk.Piece(direction: .down, bytes: Array(answer.utf8)),
        ]
    }

    // MARK: Broken streams

    @Test("says what is malformed and goes on", arguments: BLIPMalformedInput.all)
    func malformed(input: BLIPMalformedInput.Case) {
        var tap = BLIPTap()
        var events = tap.receive(Self.handshake("BLIP_3+blipchat_1"))
        for frame in input.frames {
            events += tap.receive(WebSocketFixtures.frame(0x82, BLIPNetTests.bytes(hex: frame))[...], .up)
        }
        // As many as there are frames, behind the handshake.
        #expect(events.count == 3 + input.frames.count)
        for (name, words) in [
            ("one byte", "malformed frame header"), ("wrong checksum", "wrong checksum"),
            ("first request has number 2", "request 2 where 1 is next"),
            ("property length longer than the message", "ends within its properties"),
            ("compressed frame, wrong checksum", "wrong checksum"),
        ] where input.name == name {
            #expect(events.compactMap(\.problem).contains { $0.contains(words) }, "\(events.compactMap(\.problem))")
        }
    }

    @Test("goes on behind a gap: later messages are read, what was lost is said", arguments: BLIPDialect.all)
    func gap(dialect: BLIPDialect) throws {
        var talk = TappedTalk(dialect)
        let handshake = talk.pieces.count
        for number in 1...5 { talk.ask(BLIPRequest(profile: "echo", body: .text("\(number)"))) }
        let pieces = talk.pieces
        var tap = BLIPTap(dialect: dialect)
        var events = tap.receive(Array(pieces[..<(handshake + 1)]))
        let lost = pieces[handshake + 2]
        #expect(lost.direction == .up)
        events += tap.receive([pieces[handshake + 1]]) + tap.lose(UInt64(lost.bytes.count), .up)
        events += tap.receive(Array(pieces[(handshake + 3)...]))
        #expect(events.contains(TapEvent(.up, .gap(byteCount: UInt64(lost.bytes.count)))))
        let up = events.filter { $0.direction == .up }.compactMap(\.frame)
        #expect(up.map(\.number) == [1, 3, 4, 5])
        #expect(up.allSatisfy { $0.message?.properties.profile == "echo" && $0.message?.bodyBytes == 1 })
        #expect(events.filter { $0.direction == .down }.compactMap(\.frame).map(\.number) == [1, 2, 3, 4, 5])
    }

    @Test("finds its way in the middle of a link when it is told the dialect", arguments: BLIPDialect.all)
    func late(dialect: BLIPDialect) throws {
        var talk = TappedTalk(dialect)
        let handshake = talk.pieces.count
        for number in 1...3 {
            talk.ask(BLIPRequest(profile: "echo", body: .text("\(number)"), compressed: number == 2))
        }
        var pieces = Array(talk.pieces[handshake...])
        // It begins in the middle of a frame.
        pieces[0].bytes.removeFirst(9)
        var tap = BLIPTap(dialect: dialect, beginsLate: true)
        let events = tap.receive(pieces)
        #expect(events.first?.problem?.contains("handshake of this connection is missing") == true)
        #expect(events.contains(TapEvent(.down, .opened(dialect, isDeflated: false))))
        let up = events.filter { $0.direction == .up }.compactMap(\.frame)
        #expect(up.map(\.number) == [2, 3])
        #expect(up.last?.message?.properties.profile == "echo")
        // What other frames are needed for is said, not guessed.
        #expect((up.first?.message?.problem != nil) == (dialect == .blip3))
        var untold = BLIPTap(beginsLate: true)
        #expect(untold.receive(pieces).first?.problem?.contains("only the dialect can say") == true)
    }

    @Test("tells the older dialects apart as their users do")
    func older() {
        func dialect(_ told: BLIPDialect?, _ subprotocol: String?, target: String = "/") -> String {
            var tap = BLIPTap(dialect: told)
            var pieces = Self.handshake(subprotocol)
            let line = subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
            pieces[0].bytes = WebSocketFixtures.request(target: target, extra: line)
            guard case .opened(let dialect, _) = tap.receive(pieces).last?.content else { return "not open" }
            return dialect?.name ?? "none"
        }
        #expect(dialect(nil, "BLIP") == "BLIP 2013")
        #expect(dialect(nil, "BLIP", target: "/a?b&dialect=2.0") == "BLIP 2.0")
        #expect(dialect(.blip2, "BLIP") == "BLIP 2.0")
        #expect(dialect(.blip3, "BLIP") == "BLIP 2013")
        #expect(dialect(.blip2, "BLIP_3+any") == "BLIP_3")
        #expect(dialect(nil, nil) == "none")
        #expect(dialect(nil, nil, target: "/?dialect=2.0") == "BLIP 2.0")
        #expect(dialect(.blip2013, nil) == "BLIP 2013")
        #expect(dialect(nil, "chat") == "none")
    }

    @Test("tells of messages that are not BLIP, and of connections that are no WebSocket")
    func others() {
        var talk = TappedTalk(.blip3)
        talk.sendText("hi")
        var tap = BLIPTap()
        #expect(tap.receive(talk.pieces).last == TapEvent(.up, .message(.text, byteCount: 2)))
        for (bytes, direction, words) in [
            ([0x16, 0x03, 0x01, 0x02, 0x00, 0x01], .up, "this is TLS"),
            (Array("\u{1}\u{2}".utf8), .up, "this is not HTTP"),
            (Array("SSH-2.0-x\r\n".utf8), .down, "this is not HTTP"),
            (Array("HTTP/1.1 403 Forbidden\r\n\r\n".utf8), .down, "was not upgraded"),
            (Array("HTTP/3 101 x\r\n\r\n".utf8), .down, "cannot be read"),
        ] as [([UInt8], BLIPTap.Direction, String)] {
            var tap = BLIPTap()
            let problems = tap.receive(bytes[...], direction).compactMap(\.problem)
            #expect(problems.last?.contains(words) == true, "\(problems)")
            #expect(tap.receive(bytes[...], direction) == [])
            #expect(tap.lose(1, direction) == [])
        }
    }

    @Test("says that a message is too large, and finds the next one")
    func large() {
        var tap = BLIPTap()
        _ = tap.receive(Self.handshake("BLIP_3+a"))
        let large = WebSocketFixtures.frame(0x82, [UInt8](repeating: 0, count: TapFlow.maxMessageBytes + 1))
        #expect(tap.receive(large[...], .up).compactMap(\.problem) == ["WebSocket: message above 1048576 bytes"])
        #expect(tap.receive(WebSocketFixtures.frame(0x89)[...], .up) == [TapEvent(.up, .ping(byteCount: 0))])
        #expect(tap.heldBytes < 4 << 20)
    }

    @Test("follows so many unfinished messages and not more")
    func unfinished() {
        for dialect in BLIPDialect.all {
            var peer = Peer(dialect)
            var frames = TapFrames(dialect: dialect, maxFrame: 1 << 20)
            // Each announces properties of 60,000 bytes and holds nearly all of them.
            var data: [UInt8] = []
            Varint.append(60_000, to: &data)
            data += [UInt8](repeating: 0x61, count: 59_000)
            var problems = 0
            for number in 1...UInt64(TapFrames.maxOpen + 40) {
                let content = frames.take(peer.frame(number, [.more], data: data))
                problems += TapEvent(.up, content).problem == nil ? 0 : 1
                #expect(frames.heldBytes <= TapFrames.maxHeldBytes)
            }
            #expect(problems == 40)
            let last = TapEvent(.up, frames.take(peer.frame(UInt64(TapFrames.maxOpen), data: [])))
            #expect(last.frame?.message?.problem == "too many unfinished messages to follow this one")
        }
    }

    @Test("takes anything: changed, cut, doubled and random bytes", arguments: Kind.all)
    func hostile(kind: Kind) {
        let pieces = talk(kind).pieces
        for seed in 1...400 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var tap = BLIPTap(dialect: kind.told, beginsLate: seed.isMultiple(of: 3))
            var events = 0
            for piece in pieces where Int.random(in: 0..<12, using: &random) > 0 {
                var bytes = piece.bytes
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= .random(in: 1...255, using: &random)
                case 1: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
                case 2: bytes += random.bytes(Int.random(in: 0..<300, using: &random))
                case 3: events += tap.lose(random.next() >> 20, piece.direction).count
                default: break
                }
                events += tap.receive(bytes[...], piece.direction).count
                #expect(tap.heldBytes < 8 << 20)
            }
            #expect(events < 1_000, "seed \(seed)")
        }
    }
}

extension TapEvent {
    fileprivate var isClose: Bool { if case .close = content { true } else { false } }
}
