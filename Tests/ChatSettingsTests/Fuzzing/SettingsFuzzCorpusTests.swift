// Replays what the fuzzer has learned about the settings: findings of the past stay mended.

import TestSupport
import Testing

@Suite("Fuzz corpora of the settings") struct SettingsFuzzCorpusTests {
    @Test("hold what the targets promise", arguments: FuzzTarget.settings)
    func replay(target: FuzzTarget) async throws {
        let faults = try await FuzzCorpus(of: target).faults()
        #expect(faults.isEmpty)
    }
}
