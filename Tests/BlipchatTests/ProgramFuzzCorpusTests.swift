// Replays what the fuzzer has learned about the program: findings of the past stay mended.

import TestSupport
import Testing

@Suite("Fuzz corpora of the program") struct ProgramFuzzCorpusTests {
    @Test("hold what the targets promise", arguments: FuzzTarget.program)
    func replay(target: FuzzTarget) async throws {
        let faults = try await FuzzCorpus(of: target).faults()
        #expect(faults.isEmpty)
    }
}
