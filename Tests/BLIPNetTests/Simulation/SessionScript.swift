// A byte string as a session: operations on a pair of stacks. Seeds of the simulation and inputs of the fuzzer become
// sessions in the same way, and both are checked by the same ledger.

import TestSupport

@testable import BLIPNet

/// What the two users of a session, and the network between them, do.
struct SessionScript {
    /// What the first bytes of a script decide.
    struct Setting {
        var network = StackPair.Network()
        var hasTLS = false
        /// Somebody on the wire changes bytes, or one side sends what no stack of ours would.
        var isHostile = false
        var hasSmallLimits = false
        var dialect = BLIPDialect.blip3
    }

    private var pair: StackPair
    /// So many bytes are sent in all: the fewer, the smaller the pieces are, so that a script takes little time.
    private var bytesLeft: Int
    private var operations = 0
    /// Somebody has closed, cut or broken the connection.
    private var mayEnd = false
    /// Answers that are held back, by the side that holds them.
    private var isHolding: [StackPair.Peer: Bool] = [.client: false, .server: false]

    /// Plays `script` and throws the first promise that does not hold.
    static func play(
        _ script: UnsafeRawBufferPointer, tls: Bool? = nil, hostile: Bool? = nil, dialect: BLIPDialect? = nil
    ) throws {
        var input = FuzzInput(script)
        let configuration = input.byte()
        let shape = input.byte()
        var setting = Setting()
        setting.hasTLS = tls ?? (configuration & 0x3 == 3)
        setting.isHostile = hostile ?? (configuration & 0x4 != 0)
        setting.hasSmallLimits = configuration & 0x8 != 0
        setting.dialect = dialect ?? BLIPDialect.all[Int(configuration >> 4) % BLIPDialect.all.count]
        setting.network.chunk = 1...[1, 20, 1_400, 5_000, 16_384, 30_000, 64, 500][Int(shape & 7)]
        setting.network.chunks = 4_000
        setting.network.window = [1_000, 20_000, 65_536, 300_000][Int(shape >> 3 & 3)]
        setting.network.latency =
            [
                .zero...(.zero), .milliseconds(1)...(.milliseconds(40)), .milliseconds(1)...(.milliseconds(2)),
                .milliseconds(100)...(.milliseconds(900)),
            ][Int(shape >> 5 & 3)]
        // What is sent must get through before unfinished messages count as stale.
        if setting.network.window < 20_000 { setting.network.latency = .milliseconds(1)...(.milliseconds(40)) }
        var session = try SessionScript(setting, seed: UInt64(configuration) << 8 | UInt64(shape))
        try session.play(&input, isHostile: setting.isHostile)
    }

    private init(_ setting: Setting, seed: UInt64) throws {
        var options = LinkOptions()
        options.dialects = [setting.dialect]
        if setting.hasSmallLimits {
            options.blip.frameOut = 1_024
            options.blip.frameOutWhileUrgentWaits = 256
            options.blip.ackInterval = 3_000
            options.blip.sendWindow = 8_000
            options.blip.maxOpenIncoming = 8
            options.blip.maxOpenOutgoing = 8
            options.blip.maxPropertiesBytes = 4_096
        }
        var (client, server) = (options, options)
        if setting.hasTLS {
            client.identity = try SessionIdentities.client.get()
            server.identity = try SessionIdentities.server.get()
            client.expectedPeer = server.identity?.fingerprint
        }
        pair = try StackPair(seed: seed, network: setting.network, client: client, server: server, isChecked: true)
        bytesLeft = min(400_000, setting.network.chunk.upperBound * 250 + 2_000)
        for peer in StackPair.Peer.allCases {
            let slowSinks = pair[peer].slowSinks
            pair[peer].makeSink = { Self.sink($0, slowSinks) }
        }
    }

    /// Requests for the profile "sink" are streamed, those for "slow" to a slow consumer; those for "full" find no room.
    private static func sink(_ head: BLIPMessageHead, _ slowSinks: SlowSinks) -> (any BodySink)? {
        switch head.properties.profile {
        case "sink": SimulatedSink()
        case "slow": slowSinks.make()
        case "full": SimulatedSink(failsAfter: 500)
        default: nil
        }
    }

    private mutating func play(_ input: inout FuzzInput, isHostile: Bool) throws {
        pair.ledger?.isTampered = isHostile
        mayEnd = isHostile
        if input.byte() & 3 != 0 { pair.run(for: .seconds(30), until: { $0.bothOpened }) }
        while !input.isEmpty, operations < 300, pair.finding == nil {
            operations += 1
            perform(&input, isHostile: isHostile)
        }
        try finish(isHostile: isHostile)
    }

    private mutating func perform(_ input: inout FuzzInput, isHostile: Bool) {
        let operation = input.byte()
        let peer: StackPair.Peer = operation & 1 == 0 ? .client : .server
        switch operation >> 1 & 15 {
        case 0...4: send(from: peer, &input)
        case 5: pair.run(for: .milliseconds(Int(input.byte())))
        case 6: pair.run(for: .seconds(Int(input.byte())))
        case 7: cancel(by: peer, Int(input.byte()))
        case 8: hold(by: peer, operation & 0x80 != 0)
        case 9, 10: answerHeld(by: peer, Int(input.byte()))
        case 11: pair[peer].stack.ping(now: pair.now)
        case 12:
            // Rare, because little happens afterwards.
            guard input.byte() > 200 else { return }
            mayEnd = true
            if operation & 0x80 != 0 { pair.cut() } else { close(peer, code: UInt16(truncatingIfNeeded: input.word())) }
        case 13 where isHostile: _ = pair[peer].corrupt(input.word(), with: input.byte())
        case 14 where isHostile: inject(from: peer, input.bytes(Int(input.byte())))
        case 15: pair.takeBodies(at: peer, limit: Int(input.byte()) * 64)
        default: pair.run(for: .milliseconds(1))
        }
    }

    private mutating func send(from peer: StackPair.Peer, _ input: inout FuzzInput) {
        let kind = input.byte()
        let size = min(Int(input.byte()) * [1, 16, 256, 1_024][Int(kind & 3)], bytesLeft)
        bytesLeft -= size
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            for index in 0..<size { buffer[index] = UInt8(truncatingIfNeeded: index &* Int(kind) &+ index >> 8) }
            count = size
        }
        let way = kind >> 2 & 7
        let body: BLIPBody =
            switch way {
            case 0, 1: .source(SimulatedSource(bytes, piece: Int(kind) * 16))
            case 2: .source(SimulatedSource(bytes, failsAt: size / 2))
            default: .bytes(bytes)
            }
        let profile = way == 3 ? "sink" : way == 4 ? "full" : way == 7 ? "slow" : "echo"
        var request = BLIPRequest(
            profile: profile, properties: ["Way": "\(way)"], body: body, urgent: kind & 0x20 != 0,
            compressed: kind & 0x40 != 0)
        if way == 5 { request.properties["Long"] = String(repeating: "x", count: size % 6_000) }
        pair.send(request, from: peer, noReply: kind & 0x80 != 0, sink: way == 6 ? SimulatedSink() : nil)
    }

    private mutating func cancel(by peer: StackPair.Peer, _ which: Int) {
        let waiting = pair.ledger?.waiting(of: peer) ?? []
        guard !waiting.isEmpty else { return }
        pair.cancel(waiting[which % waiting.count], by: peer)
    }

    /// Holds answers back from now on, or answers at once again.
    private mutating func hold(by peer: StackPair.Peer, _ holds: Bool) {
        isHolding[peer] = holds
        pair[peer].answer = holds ? { _ in nil } : { BLIPResponse(body: .bytes($0.body)) }
    }

    private mutating func answerHeld(by peer: StackPair.Peer, _ which: Int) {
        let held = pair.ledger?.unanswered(by: peer) ?? []
        guard !held.isEmpty else { return }
        let number = held[which % held.count]
        let bytes = [UInt8](repeating: UInt8(which), count: min(which * 300, bytesLeft))
        bytesLeft -= bytes.count
        var response = BLIPResponse(body: .bytes(bytes), compressed: which & 1 == 0)
        if which % 7 == 1 { response = .failure(.notFound, String(repeating: "?", count: bytes.count)) }
        if which % 7 == 2 { response.body = .source(SimulatedSource(bytes, piece: 777)) }
        if which % 7 == 3 { response.body = .source(SimulatedSource(bytes, failsAt: bytes.count / 3)) }
        pair.respond(to: number, with: response, by: peer)
    }

    private mutating func close(_ peer: StackPair.Peer, code: UInt16) {
        pair[peer].stack.close(code: code, reason: "enough", now: pair.now)
        pair.ledger?.closes(peer)
    }

    /// Sends a whole WebSocket message of any bytes, which BLIP never would.
    private mutating func inject(from peer: StackPair.Peer, _ bytes: UnsafeRawBufferPointer) {
        pair[peer].tap = nil
        pair[peer].inject(bytes)
    }

    // MARK: The end

    private mutating func finish(isHostile: Bool) throws {
        for peer in StackPair.Peer.allCases { hold(by: peer, false) }
        // Long enough for every time-out, and until slow consumers have all of it: each round brings them one window.
        for round in 0..<500 {
            let untaken = StackPair.Peer.allCases.reduce(0) { $0 + pair[$1].stack.memoryUsage.untaken }
            guard round < 40 || untaken > 0 else { break }
            for peer in StackPair.Peer.allCases {
                pair.takeBodies(at: peer)
                for _ in pair.ledger?.unanswered(by: peer) ?? [] { answerHeld(by: peer, 0) }
            }
            pair.run(for: .seconds(10))
        }
        if let finding = pair.finding { throw finding }
        if pair.ledger?.end.isEmpty == true {
            // A ping may just be on its way, in pieces.
            pair.run(
                for: .seconds(10),
                until: { pair in
                    StackPair.Peer.allCases.allSatisfy {
                        let usage = pair[$0].stack.memoryUsage
                        return usage.unparsed == 0 && usage.control == 0
                    }
                })
            pair.checkRest()
            for sink in pair.client.slowSinks() + pair.server.slowSinks() where !isHostile {
                try require(sink.ends == 1, "a sink is told \(sink.ends) times that nothing more comes")
            }
        } else {
            try require(mayEnd, "the session ends by itself: \(pair.ledger?.end ?? [:])")
        }
        if let finding = pair.finding { throw finding }
        let hadEnded = pair.bothEnded
        pair.cut()
        pair.run(for: .seconds(200))
        if let finding = pair.finding { throw finding }
        for peer in StackPair.Peer.allCases {
            guard let end = pair.ledger?.end[peer] else {
                throw FuzzFinding(description: "\(peer) is not told the end")
            }
            try require(pair[peer].stack.isEnded, "\(peer) does not end")
            if !hadEnded, !mayEnd { try require(end == .disconnected, "\(peer): \(end)") }
            try require(pair[peer].stack.memoryUsage.bufferedIncoming == 0, "\(peer) keeps bytes behind the end")
            for sink in pair[peer].slowSinks() {
                try require(sink.ends == 1, "a sink is told \(sink.ends) times that nothing more comes")
            }
        }
    }
}

/// Made once: a key pair takes longer than a short session.
private enum SessionIdentities {
    static let client = Result { () throws(TLSError) in try TLSIdentity.generate() }
    static let server = Result { () throws(TLSError) in try TLSIdentity.generate() }
}

/// The fuzz target "session".
func fuzzSession(_ bytes: UnsafeRawBufferPointer) throws { try SessionScript.play(bytes) }
