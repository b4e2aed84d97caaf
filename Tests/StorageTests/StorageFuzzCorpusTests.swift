// Replays what the fuzzer has learned about the history: findings of the past stay mended.

import TestSupport
import Testing

@Suite("Fuzz corpora of the history") struct StorageFuzzCorpusTests {
    @Test("hold what the targets promise", arguments: FuzzTarget.storage)
    func replay(target: FuzzTarget) async throws {
        let faults = try await FuzzCorpus(of: target).faults()
        #expect(faults.isEmpty)
    }
}
