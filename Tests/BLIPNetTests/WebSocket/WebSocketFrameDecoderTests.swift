// The rules of frames and fragments, and the limits on them.

import Testing

@testable import BLIPNet

@Suite struct WebSocketFrameDecoderTests {
    private enum Outcome: Equatable {
        case message(WebSocketMessageKind, [UInt8])
        case control(WebSocketOpcode, [UInt8])
        case violated(UInt16)
    }

    private static func decode(
        _ bytes: [UInt8], expectsMask: Bool = true, limits: WebSocketLimits = WebSocketLimits()
    ) -> [Outcome] {
        var decoder = WebSocketFrameDecoder(expectsMask: expectsMask, limits: limits)
        var input = ByteQueue()
        input.append(bytes)
        var outcomes: [Outcome] = []
        while true {
            do throws(WebSocketViolation) {
                switch try decoder.next(from: &input) {
                case .needsMoreBytes: return outcomes
                case .message(let kind): outcomes.append(.message(kind, decoder.withPayload(in: input) { Array($0) }))
                case .control(let opcode):
                    outcomes.append(.control(opcode, decoder.withPayload(in: input) { Array($0) }))
                }
            } catch {
                return outcomes + [.violated(error.closeCode)]
            }
        }
    }

    private static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        WebSocketFixtures.frame(first, payload)
    }

    @Test("gathers fragments, with control frames between them")
    func fragments() {
        let bytes =
            Self.frame(0x01, Array("Hel".utf8)) + Self.frame(0x89, [1]) + Self.frame(0x00, Array("lo".utf8))
            + Self.frame(0x8A, [2]) + Self.frame(0x80) + Self.frame(0x82, [0xFF])
        #expect(
            Self.decode(bytes) == [
                .control(.ping, [1]), .control(.pong, [2]), .message(.text, Array("Hello".utf8)),
                .message(.binary, [0xFF]),
            ])
    }

    @Test("delivers empty messages")
    func empty() {
        #expect(Self.decode(Self.frame(0x81) + Self.frame(0x82)) == [.message(.text, []), .message(.binary, [])])
    }

    @Test("an unmasked client frame is refused before its payload is there")
    func unmaskedClient() {
        #expect(Self.decode([0x82, 0x05]) == [.violated(1002)])
    }

    @Test("a masked server frame is refused")
    func maskedServer() {
        #expect(Self.decode(Self.frame(0x82, [1]), expectsMask: false) == [.violated(1002)])
        let plain = WebSocketFixtures.frame(0x82, [1], mask: nil)
        #expect(Self.decode(plain, expectsMask: false) == [.message(.binary, [1])])
    }

    @Test("each reserved bit is refused", arguments: [0x40, 0x20, 0x10] as [UInt8])
    func reservedBits(bit: UInt8) {
        #expect(Self.decode(Self.frame(0x82 | bit, [1])) == [.violated(1002)])
        #expect(Self.decode(Self.frame(0x89 | bit, [1])) == [.violated(1002)])
    }

    @Test("refuses a fragmented control frame", arguments: [0x08, 0x09, 0x0A] as [UInt8])
    func fragmentedControl(first: UInt8) {
        #expect(Self.decode(Self.frame(first)) == [.violated(1002)])
    }

    @Test("refuses a control frame above 125 bytes", arguments: [0x88, 0x89, 0x8A] as [UInt8])
    func longControl(first: UInt8) {
        let limit = [UInt8](repeating: 0, count: 125)
        #expect(Self.decode(Self.frame(0x89, limit)) == [.control(.ping, limit)])
        #expect(Self.decode(Self.frame(first, limit + [0])) == [.violated(1002)])
    }

    @Test("refuses a continuation of nothing, and a message inside a message")
    func fragmentOrder() {
        #expect(Self.decode(Self.frame(0x80)) == [.violated(1002)])
        #expect(Self.decode(Self.frame(0x00)) == [.violated(1002)])
        #expect(Self.decode(Self.frame(0x02, [1]) + Self.frame(0x82, [2])) == [.violated(1002)])
        #expect(
            Self.decode(Self.frame(0x82, [1]) + Self.frame(0x80, [2])) == [.message(.binary, [1]), .violated(1002)])
    }

    @Test("invalid UTF-8 fails inside the frame, with the rest of it still to come")
    func invalidTextInsideTheFrame() {
        let whole = Self.frame(0x81, Array("abc".utf8) + [0xFF] + [UInt8](repeating: 0x61, count: 100))
        #expect(Self.decode(Array(whole[..<(6 + 4)])) == [.violated(1007)])
        #expect(Self.decode(Array(whole[..<(6 + 3)])) == [])
    }

    @Test("text may be cut inside a character, but must end with a whole one")
    func textCutInsideACharacter() {
        let euro = Array("€".utf8)
        #expect(
            Self.decode(Self.frame(0x01, [euro[0]]) + Self.frame(0x00) + Self.frame(0x80, Array(euro[1...])))
                == [.message(.text, euro)])
        #expect(Self.decode(Self.frame(0x81, [euro[0], euro[1]])) == [.violated(1007)])
        // The check starts anew with each message.
        #expect(Self.decode(Self.frame(0x81) + Self.frame(0x81, [euro[1]])) == [.message(.text, []), .violated(1007)])
    }

    @Test("binary messages are not looked into")
    func binaryIsNotText() {
        #expect(Self.decode(Self.frame(0x82, [0xFF, 0xC0])) == [.message(.binary, [0xFF, 0xC0])])
    }

    @Test("a message of the limit is taken and one byte more is refused from the header, fragments counted together")
    func messageLimit() {
        var limits = WebSocketLimits()
        limits.maxMessageBytes = 300
        let most = [UInt8](repeating: 5, count: 300)
        #expect(Self.decode(Self.frame(0x82, most), limits: limits) == [.message(.binary, most)])
        #expect(Self.decode(Array(Self.frame(0x82, most + [5])[..<8]), limits: limits) == [.violated(1009)])
        let first = Self.frame(0x02, most)
        #expect(Self.decode(first + Self.frame(0x80), limits: limits) == [.message(.binary, most)])
        #expect(Self.decode(first + Self.frame(0x80, [5])[..<6], limits: limits) == [.violated(1009)])
    }

    @Test("the largest length that can be announced is refused, also behind bytes that were taken")
    func hugeLength() {
        let huge: [UInt8] = [0x80, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4]
        #expect(Self.decode([0x82] + huge.dropFirst()) == [.violated(1009)])
        #expect(Self.decode(Self.frame(0x02, [1]) + huge) == [.violated(1009)])
    }

    @Test("allocates nothing for bytes that are only announced", arguments: [0x02, 0x82] as [UInt8])
    func announcedOnly(first: UInt8) throws {
        var decoder = WebSocketFrameDecoder(expectsMask: true, limits: WebSocketLimits())
        var input = ByteQueue()
        // 16 MiB, and one byte of them.
        input.append([first, 0xFF, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7])
        #expect(try decoder.next(from: &input) == .needsMoreBytes)
        #expect(input.capacity + decoder.gathered.capacity < 4_096)
    }

    @Test("caps the number of fragments of a message")
    func fragmentCount() {
        var limits = WebSocketLimits()
        limits.maxFragments = 3
        let two = Self.frame(0x02) + Self.frame(0x00)
        #expect(Self.decode(two + Self.frame(0x80), limits: limits) == [.message(.binary, [])])
        #expect(Self.decode(two + Self.frame(0x00) + Self.frame(0x80), limits: limits) == [.violated(1008)])
        // Counted per message.
        let twice = two + Self.frame(0x80) + two + Self.frame(0x80)
        #expect(Self.decode(twice, limits: limits) == [.message(.binary, []), .message(.binary, [])])
    }

    @Test("caps the bytes that the headers of a message take")
    func fragmentOverhead() {
        var limits = WebSocketLimits()
        limits.maxFragmentOverhead = 18
        let two = Self.frame(0x02) + Self.frame(0x00)
        #expect(Self.decode(two + Self.frame(0x80), limits: limits) == [.message(.binary, [])])
        #expect(Self.decode(two + Self.frame(0x00) + Self.frame(0x80), limits: limits) == [.violated(1008)])
    }

    @Test("a message of one frame is delivered where it stands in the input")
    func inPlace() throws {
        var decoder = WebSocketFrameDecoder(expectsMask: true, limits: WebSocketLimits())
        var input = ByteQueue()
        let payload = (0..<16_384).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for round in 0..<100 {
            input.append(Self.frame(0x82, payload) + Self.frame(0x82, [UInt8(round)]))
            let capacity = input.capacity
            #expect(try decoder.next(from: &input) == .message(.binary))
            #expect(decoder.withPayload(in: input) { Array($0) } == payload)
            #expect(try decoder.next(from: &input) == .message(.binary))
            #expect(decoder.withPayload(in: input) { Array($0) } == [UInt8(round)])
            #expect(try decoder.next(from: &input) == .needsMoreBytes)
            #expect(input.isEmpty && input.capacity == capacity && decoder.gathered.capacity == 0)
        }
    }

    @Test("fragments are gathered in one buffer, and a large one is given back once messages are small again")
    func buffer() throws {
        var decoder = WebSocketFrameDecoder(expectsMask: true, limits: WebSocketLimits())
        var input = ByteQueue()
        let large = [UInt8](repeating: 0, count: 1 << 20)
        input.append(Self.frame(0x02, large) + Self.frame(0x80) + Self.frame(0x02, [1]) + Self.frame(0x80))
        #expect(try decoder.next(from: &input) == .message(.binary))
        #expect(try decoder.next(from: &input) == .message(.binary))
        #expect(decoder.gathered.capacity >= 1 << 20)
        #expect(try decoder.next(from: &input) == .needsMoreBytes)
        #expect(decoder.gathered.capacity == 0)
    }
}
