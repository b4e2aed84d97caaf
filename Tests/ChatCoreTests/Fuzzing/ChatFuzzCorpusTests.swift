// Replays what the fuzzer has learned about the chat: findings of the past stay mended.

import TestSupport
import Testing

@Suite("Fuzz corpora of the chat") struct ChatFuzzCorpusTests {
    @Test("hold what the targets promise", arguments: FuzzTarget.chat)
    func replay(target: FuzzTarget) async throws {
        let faults = try await FuzzCorpus(of: target).faults()
        #expect(faults.isEmpty)
    }
}
