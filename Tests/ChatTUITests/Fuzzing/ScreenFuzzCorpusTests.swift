// Replays what the fuzzer has learned about the screen: findings of the past stay mended.

import TestSupport
import Testing

@Suite("Fuzz corpora of the screen") struct ScreenFuzzCorpusTests {
    @Test("hold what the targets promise", arguments: FuzzTarget.screen)
    func replay(target: FuzzTarget) async throws {
        let faults = try await FuzzCorpus(of: target).faults()
        #expect(faults.isEmpty)
    }
}
