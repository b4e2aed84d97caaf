// Lines for a reader who may have stopped, or for a disk that hangs.

import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ChatHost

@Suite struct LineQueueTests {
    /// Takes lines, and nothing while it is closed.
    private final class Reader: Sendable {
        private let lines = Mutex<[String]>([])
        private let gate = Mutex(())

        var read: [String] { lines.withLock { $0 } }

        func take(_ line: [UInt8]) {
            gate.withLock { _ in }
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }

        /// Nothing is taken while `body` runs.
        func whileClosed(_ body: () -> Void) { gate.withLock { _ in body() } }
    }

    private func queue(_ reader: Reader, limit: Int = LineQueue.limit) -> LineQueue {
        LineQueue(label: "test", limit: limit, lost: { Array("\($0) lost".utf8) }, write: { reader.take($0) })
    }

    @Test("writes everything in its order, and whoever waits for that is woken then")
    func order() async {
        let reader = Reader()
        let queue = queue(reader)
        for number in 0..<1000 { queue.post(Array("\(number)".utf8)) }
        #expect(await queue.flush(within: .seconds(600)))
        #expect(reader.read == (0..<1000).map(String.init))
        #expect(await queue.flush(within: .seconds(600)))
    }

    @Test("keeps so many bytes for a reader who has stopped, and says in their place how many lines are missing")
    func limit() async {
        let reader = Reader()
        let queue = queue(reader, limit: 100)
        reader.whileClosed {
            // One may be on its way by now, the others wait.
            for number in 0..<50 { queue.post(Array("line \(1000 + number)".utf8)) }
        }
        #expect(await queue.flush(within: .seconds(600)))
        let lines = reader.read
        #expect((11...13).contains(lines.count), "\(lines)")
        let lost = lines.last?.split(separator: " ").first.flatMap { Int($0) }
        #expect(lost == 50 - (lines.count - 1))
        #expect(lines.dropLast().elementsEqual((0..<lines.count - 1).map { "line \(1000 + $0)" }))
        // It goes on, and a line that is too long for any queue is told of, too.
        queue.post(Array("next".utf8))
        #expect(await queue.flush(within: .seconds(600)))
        queue.post([UInt8](repeating: 65, count: 101))
        #expect(await queue.flush(within: .seconds(600)))
        #expect(reader.read.suffix(2) == ["next", "1 lost"])
    }

    @Test("does not wait for ever for a reader who has stopped")
    func patience() async {
        let reader = Reader()
        let queue = queue(reader)
        let (opened, open) = AsyncStream<Void>.makeStream()
        let read = DispatchSemaphore(value: 0)
        DispatchQueue(label: "test.reader").async {
            reader.whileClosed {
                queue.post(Array("a".utf8))
                open.yield()
                read.wait()
            }
        }
        for await _ in opened { break }
        #expect(await !queue.flush(within: .milliseconds(1)))
        read.signal()
        #expect(await queue.flush(within: .seconds(600)))
        #expect(reader.read == ["a"])
    }
}
