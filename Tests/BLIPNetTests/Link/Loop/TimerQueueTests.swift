// The timers of a loop: order, cancelling, nothing early.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite("Timer queue", .timeLimit(.minutes(5))) struct TimerQueueTests {
    private final class Log: Sendable {
        private let entries = Mutex<[Int]>([])
        func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    private func time(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    @Test("timers come in the order of their deadlines, equal ones in the order of adding", arguments: 1...20)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue()
        let log = Log()
        let deadlines = (0..<300).map { _ in Int64.random(in: 0..<50, using: &random) }
        for (index, deadline) in deadlines.enumerated() {
            _ = queue.add(at: time(deadline)) { log.add(index) }
        }
        var now: Int64 = 0
        while let earliest = queue.earliest {
            #expect(queue.popDue(now: time(earliest.nanoseconds - 1)) == nil)
            now = max(now, earliest.nanoseconds)
            while let due = queue.popDue(now: time(now)) { due() }
        }
        let expected = deadlines.indices.sorted { (deadlines[$0], $0) < (deadlines[$1], $1) }
        #expect(log.all == expected)
    }

    @Test("cancelled timers never come, and do not stay in memory", arguments: 1...20)
    func cancel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue()
        let log = Log()
        var expected: [Int] = []
        for index in 0..<1000 {
            let number = queue.add(at: time(Int64(index))) { log.add(index) }
            if Int.random(in: 0..<10, using: &random) > 0 {
                #expect(queue.remove(number) != nil)
                #expect(queue.remove(number) == nil)
            } else {
                expected.append(index)
            }
        }
        #expect(queue.count == expected.count)
        while let due = queue.popDue(now: time(.max)) { due() }
        #expect(log.all == expected)
        #expect(queue.earliest == nil)
    }
}
