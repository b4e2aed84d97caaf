// What `send --lines` still waits for: in order, each with its own time, and nothing behind what was not delivered.

import ChatCore
import ChatSettings
import Testing

@testable import blipchat

@Suite struct SentLinesTests {
    private func id(_ number: Int64) -> MessageID { MessageID(at: Timestamp(milliseconds: number)) }
    private let late = CommandError(.queued, "bob", "queued")

    @Test("the first is waited for until it is delivered, then the next one")
    func order() {
        var sent = SentLines(timeout: .seconds(600))
        let ids = (1...3 as ClosedRange<Int64>).map(id)
        ids.forEach { sent.add($0) }
        #expect(sent.first?.id == ids[0] && sent.first?.whole == .seconds(600))
        // Its moment is over, not its time.
        sent.firstIsNotDone(late)
        #expect(sent.first?.id == ids[0] && sent.failure == nil)
        for expected in ids {
            #expect(sent.first?.id == expected)
            sent.firstIsDone()
        }
        #expect(!sent.isWaiting && sent.first == nil)
    }

    @Test("behind one that was not delivered in its time, or was refused, nothing is waited for")
    func failure() {
        for (timeout, error) in [(Duration.zero, late), (.seconds(600), CommandError(.refused, "bob", "no"))] {
            var sent = SentLines(timeout: timeout)
            sent.add(id(1))
            sent.add(id(2))
            sent.firstIsNotDone(error)
            #expect(sent.failure == error && !sent.isWaiting)
            sent.add(id(3))
            #expect(!sent.isWaiting)
        }
    }

    @Test("without a time-out nothing is waited for; with one, only so many are ahead")
    func bounds() {
        var queued = SentLines(timeout: nil)
        queued.add(id(1))
        #expect(!queued.isWaiting)
        var sent = SentLines(timeout: .seconds(1))
        var count = 0
        while !sent.areTooMany, count < 9000 {
            count += 1
            sent.add(id(Int64(count)))
        }
        #expect(count < 9000, "the outbox holds more than these")
    }
}
