// Bodies for simulated sessions: streamed from and to memory, failing on the way if they are told to.

import Synchronization

@testable import BLIPNet

/// A body that is pulled in pieces.
final class SimulatedSource: BodySource {
    struct Failure: Error {}

    /// All of it; `nil` when it fails before its end.
    let wholeBody: [UInt8]?
    private let bytes: [UInt8]
    private let piece: Int
    private let failsAt: Int?
    private let offset = Mutex(0)

    /// `failsAt`: how many bytes it yields before it throws.
    init(_ bytes: [UInt8], piece: Int = .max, failsAt: Int? = nil) {
        self.bytes = bytes
        self.piece = max(piece, 1)
        self.failsAt = failsAt
        wholeBody = failsAt == nil ? bytes : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try offset.withLock { offset in
            let end = min(failsAt ?? bytes.count, bytes.count)
            if failsAt != nil, offset == end { throw Failure() }
            let count = min(buffer.count, piece, end - offset)
            buffer.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
    }
}

/// A place for a body.
final class SimulatedSink: BodySink {
    private struct Content {
        var bytes: [UInt8] = []
        var hasFailed = false
    }

    private let failsAfter: Int
    private let content = Mutex(Content())

    init(failsAfter: Int = .max) { self.failsAfter = failsAfter }

    var bytes: [UInt8] { content.withLock { $0.bytes } }
    var hasFailed: Bool { content.withLock { $0.hasFailed } }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try content.withLock { content in
            if bytes.count > failsAfter - content.bytes.count {
                content.hasFailed = true
                throw SimulatedSource.Failure()
            }
            content.bytes.append(contentsOf: bytes)
        }
    }
}

/// A place whose consumer takes the bytes when it is told to.
final class SlowSink: DeferredBodySink {
    private struct Content {
        var bytes: [UInt8] = []
        var takenCount = 0
        var ends = 0
        var taken: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())

    var bytes: [UInt8] { content.withLock { $0.bytes } }
    var untakenBytes: Int { content.withLock { $0.bytes.count - $0.takenCount } }
    /// How often it was told that nothing more comes.
    var ends: Int { content.withLock { $0.ends } }

    func whenTaken(_ taken: @escaping @Sendable () -> Void) { content.withLock { $0.taken = taken } }

    func write(_ bytes: UnsafeRawBufferPointer) { content.withLock { $0.bytes.append(contentsOf: bytes) } }

    func bodyEnded(_ failure: LinkError?) { content.withLock { $0.ends += 1 } }

    func take(_ limit: Int) {
        let taken = content.withLock { content in
            content.takenCount += min(limit, content.bytes.count - content.takenCount)
            return content.taken
        }
        taken?()
    }
}

/// The slow sinks that were handed out.
final class SlowSinks: Sendable {
    private let all = Mutex<[SlowSink]>([])

    func callAsFunction() -> [SlowSink] { all.withLock { $0 } }

    func make() -> SlowSink {
        let sink = SlowSink()
        all.withLock { $0.append(sink) }
        return sink
    }
}
