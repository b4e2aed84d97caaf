// How fast a folder moves as a whole: most of its files may be too small to be measured one by one.

import ChatCore

/// The bytes of a folder that were there at some moments of the last seconds.
struct FolderPace: Sendable, Equatable {
    private struct Sample: Sendable, Equatable {
        var time: Duration
        var bytes: UInt64
    }

    /// The average is taken over this much time.
    private static let window = Duration.seconds(10)
    /// Less says nothing: a few bytes at once would be a fast folder.
    private static let shortest = Duration.seconds(1)
    private static let step = Duration.milliseconds(500)
    /// Between two of its files nothing moves for a moment; what rests for longer does not move.
    private static let longestRest = Duration.seconds(5)

    private var samples: [Sample] = []
    private var lastMove: Duration?

    /// Notes that `bytes` of it are there at `now` (uptime).
    mutating func note(_ bytes: UInt64, at now: Duration) {
        guard let last = samples.last, last.bytes <= bytes else {
            samples = [Sample(time: now, bytes: bytes)]
            lastMove = nil
            return
        }
        guard bytes > last.bytes else { return }
        defer { lastMove = now }
        // After a rest, or at the beginning, it is measured anew: how long this step took, nobody knows.
        if lastMove.map({ now - $0 > Self.longestRest }) ?? true {
            samples = [Sample(time: now, bytes: bytes)]
            return
        }
        if samples.count > 1, now - last.time < Self.step {
            samples[samples.count - 1].bytes = bytes
        } else {
            samples.append(Sample(time: now, bytes: bytes))
        }
        // One from before the window stays, so that the average covers the whole of it.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Bytes per second; `nil` while it rests, and before that can be known.
    func rate(at now: Duration) -> Double? {
        guard let first = samples.first, let last = samples.last, let lastMove, last.bytes > first.bytes,
            now - lastMove <= Self.longestRest, lastMove - first.time >= Self.shortest
        else { return nil }
        // Up to the last move: a rate that changed with the clock alone would be drawn with every key.
        return Double(last.bytes - first.bytes) / ((lastMove - first.time) / .seconds(1))
    }
}
