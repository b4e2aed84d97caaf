// Connections that die without a word, and bytes that change on the way.

import BLIPNet
import ChatCore
import Synchronization
import TestSupport
import Testing
import Workbench

@Suite("Silent and lying networks", .serialized) struct SilenceTests {
    /// Finds a dead peer within seconds, not within the 40 s that people have.
    private var impatient: LinkOptions {
        var options = LinkOptions()
        options.keepaliveInterval = .seconds(1)
        options.keepaliveTimeout = .seconds(1)
        options.handshakeTimeout = .seconds(1)
        return options
    }

    @Test("a connection that goes silent without an end is noticed, and everything arrives on the next one")
    func silence() async throws {
        let options = impatient
        var generator = SeededGenerator(seed: FaultSettings.seed)
        let places = (0..<6).map { index -> Fault in
            // One in the handshake, the others in what follows; in both directions.
            let offset =
                index < 2 ? UInt64.random(in: 0..<900, using: &generator) : .random(in: 900..<1_500, using: &generator)
            return Fault(.silence, index % 2 == 0 ? .up : .down, at: offset)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for fault in places {
                group.addTask {
                    let session = try await FaultedSession(options: options)
                    let reports = try await session.run { number in number == 0 ? FaultScript(fault) : FaultScript() }
                    #expect(reports.first?.end == .silence, "\(fault)")
                    #expect(reports.count >= 2, "\(fault)")
                    try await session.checkAll()
                    await session.stop()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a changed byte ends the connection as an error of TLS and never becomes data")
    func corruption() async throws {
        let session = try await FaultedSession(options: impatient)
        let whole = try #require(try await session.run { _ in FaultScript() }.first)
        var generator = SeededGenerator(seed: FaultSettings.seed)
        // Every byte of the first records' heads, then places at random.
        var places = (0..<8).map { Fault(.corrupt(mask: 1), $0 % 2 == 0 ? .up : .down, at: UInt64($0)) }
        for _ in 0..<(FaultSettings.number("BLIPCHAT_CORRUPTIONS") ?? 20) {
            let isUp = Bool.random(using: &generator)
            places.append(
                Fault(
                    .corrupt(mask: .random(in: 1...255, using: &generator)), isUp ? .up : .down,
                    at: .random(in: 0..<((isUp ? whole.up : whole.down) * 9 / 10), using: &generator)))
        }
        for fault in places {
            session.forgetEnds()
            let reports = try await session.run { number in number == 0 ? FaultScript(fault) : FaultScript() }
            #expect(reports.first?.fired == [fault])
            let ends = session.linkEnds
            // The version in the head of a record in the clear means nothing (RFC 8446 5.1); all else is noticed.
            if reports.count > 1 {
                // Who takes a call says nothing of a handshake that fails; the caller then sees the end of the connection.
                let isInHandshake = fault.offset < 2_000
                #expect(ends.contains { $0.isTLSFailure || isInHandshake }, "\(fault): \(ends)")
            } else {
                #expect(fault.offset < 2_000 && reports.first?.end == .open, "\(fault) went unnoticed")
            }
        }
        try await session.checkAll()
        await session.stop()
    }
}

extension FaultedSession {
    func forgetEnds() { for peer in [alice, bob] { peer.ends.withLock { $0 = [] } } }

    var linkEnds: [LinkError] { [alice, bob].flatMap { peer in peer.ends.withLock { $0 } } }
}

extension LinkError {
    /// TLS refused what came, or a record that never became complete ran out of time.
    fileprivate var isTLSFailure: Bool {
        switch self {
        case .peerViolated(let layer, _): layer == "TLS"
        case .timedOut, .notBLIP: true
        default: false
        }
    }
}
