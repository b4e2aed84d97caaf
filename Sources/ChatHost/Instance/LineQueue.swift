// Lines on their way to somebody who may have stopped reading, or to a disk that hangs: whoever writes them never waits.

import Dispatch
import Synchronization

/// Writes lines on a thread of its own, in their order. While nothing can be written at most `limit` bytes wait; what comes
/// then is left out, counted, and reported as soon as lines can be written again.
package final class LineQueue: Sendable {
    private struct State {
        var waiting: [[UInt8]] = []
        var bytes = 0
        /// Lines that were left out after those that wait.
        var lost = 0
        var isWriting = false
        var flushes: [Int: Flush] = [:]
        var lastFlush = 0
    }

    /// Somebody who waits until everything is written, and what ends their patience.
    private struct Flush {
        var continuation: CheckedContinuation<Bool, Never>
        var alarm: Task<Void, Never>?

        func end(_ isDone: Bool) {
            alarm?.cancel()
            continuation.resume(returning: isDone)
        }
    }

    static let limit = 256 << 10

    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let limit: Int
    private let write: @Sendable ([UInt8]) -> Void
    private let lost: @Sendable (Int) -> [UInt8]

    /// `write` may block for as long as it wants to. `lost` is the line that says how many were left out.
    package init(
        label: String, limit: Int = LineQueue.limit, lost: @escaping @Sendable (Int) -> [UInt8],
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        queue = DispatchQueue(label: label)
        self.limit = limit
        self.lost = lost
        self.write = write
    }

    /// Adds a line; returns at once.
    package func post(_ line: [UInt8]) {
        let begins = state.withLock { state in
            // After one that was left out the others are, too, until a line reports their number: no line that came
            // after the gap may be written before it.
            if state.lost == 0, state.bytes + line.count <= limit {
                state.waiting.append(line)
                state.bytes += line.count
            } else {
                state.lost += 1
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { queue.async { [self] in writeAll() } }
    }

    /// Returns `true` when all that was added is written, `false` when that takes longer than `patience`.
    package func flush(within patience: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state -> Int? in
                guard state.isWriting else { return nil }
                state.lastFlush += 1
                state.flushes[state.lastFlush] = Flush(continuation: continuation)
                return state.lastFlush
            }
            guard let number else { return continuation.resume(returning: true) }
            let alarm = Task { [self] in
                do { try await Task.sleep(for: patience) } catch { return }
                state.withLock { $0.flushes.removeValue(forKey: number) }?.end(false)
            }
            state.withLock { state in
                if state.flushes[number] != nil { state.flushes[number]?.alarm = alarm } else { alarm.cancel() }
            }
        }
    }

    private func writeAll() {
        while let line = next() { write(line) }
    }

    /// The next line; `nil` when there is none, and then whoever waits for that is woken.
    private func next() -> [UInt8]? {
        let (line, flushes) = state.withLock { state -> ([UInt8]?, [Flush]) in
            if !state.waiting.isEmpty {
                let line = state.waiting.removeFirst()
                state.bytes -= line.count
                return (line, [])
            }
            if state.lost > 0 {
                defer { state.lost = 0 }
                return (lost(state.lost), [])
            }
            state.isWriting = false
            defer { state.flushes = [:] }
            return (nil, Array(state.flushes.values))
        }
        for flush in flushes { flush.end(true) }
        return line
    }
}
