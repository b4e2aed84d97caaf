// Files give way while keys wait for a processor, and only then.

import Testing

@testable import ChatCore

@Suite("Typing before files", .serialized, .timeLimit(.minutes(10)))
struct TypingPriorityTests {
    private let id = MessageID(at: Timestamp(milliseconds: 1))

    @Test("a key that waited limits all files until nobody types any more; the user's own limits stay what they are")
    func limits() async throws {
        let pacing = TransferPacing(upload: nil, download: 1_000)
        TypingPriority.noteKey(hasWaited: true)
        #expect(pacing.limit(of: id, .outgoing) == nil, "no screen has said that its keys count")
        TypingPriority.use()
        TypingPriority.noteKey(hasWaited: false)
        #expect(pacing.limit(of: id, .outgoing) == nil, "no key had to wait")
        TypingPriority.noteKey(hasWaited: true)
        #expect(pacing.limit(of: id, .outgoing) == TypingPriority.rate)
        #expect(pacing.piece(of: .max, of: id, .outgoing) < TypingPriority.rate)
        #expect(pacing.limit(of: id, .incoming) == 1_000)
        #expect(pacing.limit(of: .all(.outgoing)) == nil && pacing.limit(of: .all(.incoming)) == 1_000)
        // What follows keeps its place, also when it has not waited.
        TypingPriority.noteKey(hasWaited: false)
        #expect(TypingPriority.isActive)
        while TypingPriority.isActive { try await Task.sleep(for: .milliseconds(50)) }
        #expect(pacing.limit(of: id, .outgoing) == nil && pacing.limit(of: id, .incoming) == 1_000)
    }

    @Test("bytes that wait go at the rate of now, and nothing is owed when the typing ends")
    func waiting() async throws {
        TypingPriority.use()
        let pacing = TransferPacing(upload: nil, download: nil)
        TypingPriority.noteKey(hasWaited: true)
        // More than goes at once: the rest waits, at the longest until nobody types.
        for _ in 0..<20 { #expect(await pacing.wait(for: TypingPriority.rate / 8, of: id, .outgoing)) }
        #expect(!TypingPriority.isActive || pacing.limit(of: id, .outgoing) == TypingPriority.rate)
        while TypingPriority.isActive { try await Task.sleep(for: .milliseconds(50)) }
        #expect(await pacing.wait(for: 1 << 40, of: id, .outgoing), "no limit is left")
    }
}
