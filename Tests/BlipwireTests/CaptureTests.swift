// Captures: files in every form and cut, packets of every link type, TCP that was lost, repeated or mixed up, and what is
// hostile. The recorded sessions of Tests/Rigs/captures come out frame by frame as Wireshark shows them.

import TestSupport
import Testing

@testable import BLIPNet
@testable import Workbench

@Suite struct CaptureTests {
    private func read(_ file: [UInt8], in parts: Int = .max) throws(CaptureError) -> [CapturedPacket] {
        var reader = CaptureReader()
        var packets: [CapturedPacket] = []
        var rest = file[...]
        while !rest.isEmpty {
            reader.append(rest.prefix(parts))
            rest = rest.dropFirst(parts)
            while let packet = try reader.next() { packets.append(packet) }
        }
        try reader.finish()
        return packets
    }

    private func lines(_ packets: [CapturedPacket], _ dialect: BLIPDialect? = nil, port: UInt16? = nil) -> [TapLine] {
        var tap = CaptureTap(dialect: dialect, port: port)
        return packets.flatMap { tap.take($0) } + tap.finish()
    }

    /// What is seen of connections, without the times.
    private func seen(_ lines: [TapLine]) -> [TapEvent] {
        lines.compactMap { line in
            if case .seen(let event) = line.content { event } else { nil }
        }
    }

    private static let request = WebSocketText.request
    private static let answer = WebSocketText.answer

    // MARK: Files

    @Test("reads pcap of either order of bytes, in microseconds and nanoseconds, and pcapng, in any cut")
    func files() throws {
        var talk = PacketTalk()
        talk.begin()
        talk.send(Self.request, isUp: true)
        let packets = talk.packets
        for isBigEndian in [false, true] {
            for isNano in [false, true] {
                let file = CaptureBytes.pcap(packets, isBigEndian: isBigEndian, isNano: isNano)
                #expect(try read(file) == packets)
                for part in [1, 2, 3, 7, 100] { #expect(try read(file, in: part) == packets) }
            }
            // A packet without a time of its own has that of the one before it.
            var expected = packets
            for index in expected.indices where index % 3 == 2 { expected[index].time = expected[index - 1].time }
            let file = CaptureBytes.pcapng(packets, isBigEndian: isBigEndian)
            #expect(try read(file) == expected)
            for part in [1, 2, 3, 7, 100] { #expect(try read(file, in: part) == expected) }
        }
    }

    @Test("says what is wrong with a file, and takes anything")
    func damaged() throws {
        var talk = PacketTalk()
        talk.begin()
        let file = CaptureBytes.pcap(talk.packets)
        let next = CaptureBytes.pcapng(talk.packets)
        for (bytes, words) in [
            ([], "is empty"), (Array("PK".utf8), "too short"), (Array("hello, world".utf8), "is no pcap"),
            ([0x1F, 0x8B, 8, 0], "is packed"), (Array(file.dropLast()), "ends within a packet"),
            (Array(file[..<24]) + [UInt8](repeating: 0xFF, count: 16), "a packet of 4294967295 bytes"),
            (Array(file[..<4]) + [9, 0] + file[6...], "version 9"), (Array(next.dropLast()), "ends within a packet"),
            (Array(next[..<28]) + [6, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0], "a block of 3 bytes"),
            (Array(next[..<28]) + [3, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0], "interface 0"),
        ] as [([UInt8], String)] {
            let error = #expect(throws: CaptureError.self) { try read(bytes) }
            #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "-")")
        }
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var bytes = seed.isMultiple(of: 2) ? file : next
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            // Either it is read or an error says why not; both are fine.
            if let packets = try? read(bytes, in: 50) { #expect(packets.count <= 20) }
        }
    }

    @Test("clamps times that fit into nothing")
    func times() {
        #expect(CaptureSection.nanoseconds(5_000, 6) == 5_000_000)
        #expect(CaptureSection.nanoseconds(5_000, 9) == 5_000)
        #expect(CaptureSection.nanoseconds(5_000, 12) == 5)
        #expect(CaptureSection.nanoseconds(3, 0x81) == 1_500_000_000)
        #expect(CaptureSection.nanoseconds(1 << 63, 0xC0) == 500_000_000)
        for resolution in UInt8.min...UInt8.max {
            for ticks in [0, 1, UInt64.max] { #expect(CaptureSection.nanoseconds(ticks, resolution) >= 0) }
        }
    }

    // MARK: Packets

    @Test("finds TCP behind the headers of every link type")
    func links() throws {
        let tcp = PacketTalk.tcp(ports: [50_000, 4985], sequence: 5, acknowledgement: 6, .ack, [1, 2, 3])
        let zeros = [UInt8](repeating: 0, count: 20)
        for isIPv6 in [false, true] {
            let packet = isIPv6 ? PacketTalk.ipv6(tcp) : PacketTalk.ipv4(tcp)
            let type: [UInt8] = isIPv6 ? [0x86, 0xDD] : [0x08, 0x00]
            for (link, head) in [
                (0, Array(zeros[..<4])), (108, Array(zeros[..<4])), (1, Array(zeros[..<12]) + type),
                (1, Array(zeros[..<12]) + [0x81, 0, 0, 5] + type), (101, []), (12, []), (228, []), (229, []),
                (113, Array(zeros[..<14]) + type), (276, type + zeros[..<18]),
            ] as [(UInt16, [UInt8])] {
                // Bytes behind the packet fill up a short frame.
                let bytes = head + packet + [9, 9]
                guard case .segment(let segment) = PacketContent(CapturedPacket(time: 0, linkType: link, bytes: bytes))
                else {
                    Issue.record("link type \(link) is not understood")
                    continue
                }
                #expect(Array(segment.payload) == [1, 2, 3] && segment.missing == 0)
                #expect(segment.sequence == 5 && segment.acknowledgement == 6)
                #expect(segment.source.description == (isIPv6 ? "[fd00:0:0:0:0:0:0:1]:50000" : "10.0.0.1:50000"))
                for count in 0..<bytes.count {
                    _ = PacketContent(CapturedPacket(time: 0, linkType: link, bytes: Array(bytes[..<count])))
                }
            }
        }
        let cut = CapturedPacket(time: 0, linkType: 101, bytes: Array(PacketTalk.ipv4(tcp).dropLast(2)))
        guard case .segment(let segment) = PacketContent(cut) else { throw ConditionNotMet("a segment") }
        #expect(Array(segment.payload) == [1] && segment.missing == 2)
        let fragment = PacketTalk.ipv4(tcp, fragment: 0x2000)
        #expect(PacketContent(CapturedPacket(time: 0, linkType: 101, bytes: fragment)) == .fragment)
        #expect(PacketContent(CapturedPacket(time: 0, linkType: 999, bytes: [])) == .unknownLink(999))
    }

    // MARK: TCP

    @Test("gives every byte once and in order, however segments come", arguments: [0, 1_000, UInt32.max - 60])
    func reassembly(start: UInt32) {
        let whole = (0..<200).map { UInt8($0) }
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var flow = TCPReassembly()
            flow.begin(at: start)
            // Each byte at least once, many of them several times, in any order.
            var segments = stride(from: 0, to: 200, by: 10).map { $0..<$0 + 10 }
            for _ in 0..<20 {
                let from = Int.random(in: 0..<199, using: &random)
                segments.append(from..<Int.random(in: from..<200, using: &random) + 1)
            }
            var output: [TCPReassembly.Output] = []
            for segment in segments.shuffled(using: &random) {
                output += flow.take(start &+ UInt32(segment.lowerBound), whole[segment], missing: 0)
            }
            flow.finish(at: start &+ 200)
            #expect(output.flatMap(\.bytes) == whole && !output.contains { $0.isGap }, "seed \(seed)")
            #expect(flow.isComplete && flow.waitingBytes == 0)
            #expect(flow.finish() == [])
        }
    }

    @Test("says what is missing as soon as that is certain")
    func gaps() {
        var flow = TCPReassembly()
        flow.begin(at: 100)
        #expect(flow.take(100, [1, 2][...], missing: 0) == [.bytes([1, 2])])
        #expect(flow.take(105, [6][...], missing: 0) == [])
        #expect(flow.acknowledged(102) == [])
        #expect(flow.acknowledged(106) == [.gap(byteCount: 3), .bytes([6])])
        // What comes after all is old.
        #expect(flow.take(102, [3, 4, 5][...], missing: 0) == [])
        #expect(flow.take(106, [7][...], missing: 4) == [.bytes([7]), .gap(byteCount: 4)])
        #expect(flow.take(120, [9][...], missing: 0) == [])
        #expect(flow.finish() == [.gap(byteCount: 9), .bytes([9])])
        var many = TCPReassembly()
        many.begin(at: 0)
        for number in 0..<3_000 as Range<UInt32> {
            _ = many.take(10 + number * 2, [1][...], missing: 0)
            #expect(many.waitingBytes <= TCPReassembly.maxWaiting)
        }
        var large = TCPReassembly()
        large.begin(at: 0)
        let part = [UInt8](repeating: 0, count: 60_000)
        var gaps = 0
        for number in 0..<200 as Range<UInt32> {
            gaps += large.take(10 + number * 60_000, part[...], missing: 0).count { $0.isGap }
            #expect(large.waitingBytes <= TCPReassembly.maxWaitingBytes)
        }
        #expect(gaps == 1)
    }

    @Test("takes segments with any numbers")
    func hostile() {
        for seed in 1...500 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var flow = TCPReassembly()
            for _ in 0..<60 {
                let quarter = UInt32.random(in: 0...3, using: &random) << 30
                let sequence = quarter &+ UInt32.random(in: 0...9, using: &random)
                let bytes = [UInt8](repeating: 1, count: Int.random(in: 0...9, using: &random))
                switch Int.random(in: 0...4, using: &random) {
                case 0: _ = flow.acknowledged(sequence)
                case 1: flow.finish(at: sequence)
                default: _ = flow.take(sequence, bytes[...], missing: Int.random(in: 0...9, using: &random))
                }
            }
            _ = flow.finish()
            #expect(flow.waitingBytes == 0)
        }
    }

    // MARK: Connections

    /// A link with three requests, and the events of it.
    private func link(isIPv6: Bool = false) -> PacketTalk {
        var talk = PacketTalk(start: .max - 200)
        talk.isIPv6 = isIPv6
        talk.begin()
        talk.send(Self.request, isUp: true)
        talk.send(Self.answer, isUp: false)
        for number in 1...3 as ClosedRange<UInt8> {
            talk.send(WebSocketText.masked([number, 0, 0, number]), isUp: true)
        }
        talk.end()
        return talk
    }

    @Test("follows a connection from SYN to FIN, over both versions of IP", arguments: [false, true])
    func connection(isIPv6: Bool) throws {
        let lines = lines(link(isIPv6: isIPv6).packets, .blip2013)
        let from = isIPv6 ? "[fd00:0:0:0:0:0:0:1]:50000" : "10.0.0.1:50000"
        let to = isIPv6 ? "[fd00:0:0:0:0:0:0:2]:4985" : "10.0.0.2:4985"
        #expect(lines.first?.content == .begun(from: from, to: to, isLate: false))
        #expect(lines.last?.content == .ended("closed"))
        #expect(lines.first?.time == 0 && lines.last?.time == 9_000_000)
        let frames = seen(lines).compactMap { if case .frame(let frame) = $0.content { frame } else { nil } }
        #expect(frames.map(\.number) == [1, 2, 3])
        #expect(frames.allSatisfy { $0.message?.bodyBytes == 1 })
        #expect(self.lines(link().packets, port: 4985).count > 5)
        #expect(self.lines(link().packets, port: 80).map(\.content) == [.note("there is no TCP connection in it")])
    }

    @Test("the same when packets are doubled or change places; a lost one is a gap")
    func mixed() throws {
        let packets = link().packets
        let right = seen(lines(packets, .blip2013))
        var mixed = packets
        mixed.swapAt(5, 6)
        mixed.insert(packets[5], at: 8)
        #expect(seen(lines(mixed, .blip2013)) == right)
        var lost = packets
        lost.remove(at: 6)
        let events = seen(lines(lost, .blip2013))
        #expect(events.count == right.count)
        #expect(events.contains(TapEvent(.up, .gap(byteCount: 10))))
    }

    @Test("begins in the middle of a connection, with the right caller, and says so")
    func late() throws {
        let packets = link().packets
        let whole = lines(Array(packets[3...]), .blip2013)
        #expect(whole.first?.content == .begun(from: "10.0.0.1:50000", to: "10.0.0.2:4985", isLate: true))
        #expect(seen(whole) == seen(lines(packets, .blip2013)))
        let half = lines(Array(packets[6...]), .blip2013)
        #expect(half.first?.content == whole.first?.content)
        let frames = seen(half).compactMap { if case .frame(let frame) = $0.content { frame.number } else { nil } }
        #expect(frames == [2, 3])
        #expect(half.first?.text.hasSuffix("its beginning is not in the capture") == true)
    }

    @Test("counts connections, and tells of ports that are used again, resets and more than it can follow")
    func connections() {
        var talk = PacketTalk()
        talk.begin()
        var again = PacketTalk(start: 77_777)
        again.begin()
        again.send([], isUp: false, .rst)
        let lines = lines(talk.packets + again.packets)
        #expect(lines.map(\.connection) == [1, 1, 2, 2])
        #expect(lines.map(\.content).contains(.ended("its ports were used again")))
        #expect(lines.last?.content == .ended("reset"))
        var many: [CapturedPacket] = []
        for port in 1...UInt16(CaptureTap.maxConnections + 10) {
            var talk = PacketTalk()
            talk.port = port
            talk.begin()
            many += talk.packets
        }
        let left = self.lines(many).filter { if case .ended = $0.content { true } else { false } }
        #expect(left.compactMap(\.connection) == Array(1...10))
    }

    @Test("takes packets that were changed at random")
    func changed() {
        let packets = link().packets
        for seed in 1...1_000 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var hostile = packets
            for _ in 0..<4 {
                let index = Int.random(in: hostile.indices, using: &random)
                let place = Int.random(in: hostile[index].bytes.indices, using: &random)
                hostile[index].bytes[place] = .random(in: 0...255, using: &random)
            }
            #expect(lines(hostile, .blip3).count < 200, "seed \(seed)")
        }
    }

    // MARK: Recorded sessions

    @Test("reads the recorded sessions as Wireshark does", arguments: ["blip3", "blip2", "blip"])
    func recorded(name: String) throws {
        let dialect = try #require(["blip3": BLIPDialect.blip3, "blip2": .blip2, "blip": .blip2013][name])
        let lines = lines(try read(RecordedSession.bytes(name)), dialect)
        let events = seen(lines)
        #expect(events.contains(TapEvent(.down, .opened(dialect, isDeflated: false))))
        #expect(events.allSatisfy { $0.frame?.problem == nil && $0.frame?.message?.problem == nil })
        #expect(!events.contains { if case .problem = $0.content { true } else { false } })
        let frames = events.filter { $0.frame != nil }
        let expected = TestFile.text("\(RecordedSession.folder)/\(name).txt").split(separator: "\n")
        #expect(frames.count == expected.count && frames.count > 80)
        for (event, line) in zip(frames, expected) {
            let frame = try #require(event.frame)
            let words = line.split(separator: " ").map(String.init)
            // PACKET WAY type N number N flags HEX, then names and values.
            let kinds: [TapFrame.Kind] = [
                .request, .response, .errorResponse, .unknown(3), .ackOfRequest, .ackOfResponse,
            ]
            let kind = try #require(Int(words[3]).map { kinds[$0] })
            #expect((event.direction == .up) == (words[1] == "c2s") && frame.kind == kind, "\(line)")
            #expect(frame.number == UInt64(words[5]), "\(line)")
            let acknowledged = words.firstIndex(of: "ack.bytes").map { UInt64(words[$0 + 1]) }
            #expect(frame.acknowledged == acknowledged ?? nil, "\(line)")
            let body = words.lastIndex(of: "body").flatMap { UInt64(words.dropFirst($0 + 1).first ?? "0") }
            #expect(frame.message.map(\.bodyBytes) == body, "\(line)")
            for pair in frame.message?.properties.pairs ?? [] {
                #expect(line.contains(" \(pair.name)=\(pair.value)"), "\(line)")
            }
        }
    }
}

extension TCPReassembly.Output {
    fileprivate var isGap: Bool { if case .gap = self { true } else { false } }
    fileprivate var bytes: [UInt8] { if case .bytes(let bytes) = self { Array(bytes) } else { [] } }
}

extension TapEvent {
    fileprivate var frame: TapFrame? { if case .frame(let frame) = content { frame } else { nil } }
}
