// Replays what the fuzzer has learned about the network: findings of the past stay mended.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("Fuzz corpora of the network") struct FuzzCorpusTests {
    @Test("hold what the targets promise", arguments: FuzzTarget.network)
    func replay(target: FuzzTarget) async throws {
        let faults = try await FuzzCorpus(of: target).faults()
        #expect(faults.isEmpty)
    }

    @Test("say what does not hold")
    func finding() {
        #expect(throws: FuzzFinding.self) { try require(false, "a promise") }
    }
}
