// Many sessions at random: whatever two users do and whatever the network does, both stacks keep their promises.
// BLIPNET_SEEDS says how many sessions of each kind (default 12), BLIPNET_SEED where the seeds begin (default 1).

import Glibc
import TestSupport
import Testing

@testable import BLIPNet

@Suite("Simulation") struct SimulationTests {
    @Test("two honest peers keep every promise", arguments: BLIPDialect.all, [false, true])
    func honest(dialect: BLIPDialect, tls: Bool) { play(dialect, tls: tls, hostile: false) }

    @Test(
        "bytes that change on the way and frames that nobody may send cost no more than the session",
        arguments: BLIPDialect.all, [false, true])
    func hostile(dialect: BLIPDialect, tls: Bool) { play(dialect, tls: tls, hostile: true) }

    private func play(_ dialect: BLIPDialect, tls: Bool, hostile: Bool) {
        let first = Self.number("BLIPNET_SEED") ?? 1
        let count = Self.number("BLIPNET_SEEDS") ?? 12
        for seed in first..<(first + count) {
            var random = SeededGenerator(seed: seed)
            let length = Int.random(in: 10...200, using: &random)
            let script = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            do {
                try script.withUnsafeBytes {
                    try SessionScript.play($0, tls: tls, hostile: hostile, dialect: dialect)
                }
            } catch {
                Issue.record(
                    "BLIPNET_SEED=\(seed) BLIPNET_SEEDS=1, \(dialect), TLS \(tls), hostile \(hostile): \(error)")
            }
        }
    }

    private static func number(_ variable: String) -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }
}
