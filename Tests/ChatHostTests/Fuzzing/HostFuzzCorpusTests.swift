// Replays what the fuzzer has learned about the host: findings of the past stay mended.

import TestSupport
import Testing

@Suite("Fuzz corpora of the host") struct HostFuzzCorpusTests {
    @Test("hold what the targets promise", arguments: FuzzTarget.host)
    func replay(target: FuzzTarget) async throws {
        let faults = try await FuzzCorpus(of: target).faults()
        #expect(faults.isEmpty)
    }
}
