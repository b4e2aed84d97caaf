// How fast a folder moves as a whole: most of its files may be too small to be measured one by one.

import ChatCore
import ChatWords

/// The rate of all files of a folder together, while something of it moves.
struct FolderPace: Sendable, Equatable {
    /// Less says nothing: a few bytes at once would be a fast folder.
    private static let shortest = Duration.seconds(1)
    /// Between two of its files nothing moves for a moment; what rests for longer does not move.
    private static let longestRest = Duration.seconds(5)

    private var rate = TransferRate()
    private var bytes: UInt64?
    /// When it began to be measured, and when something has moved since.
    private var begin: Duration?
    private var lastMove: Duration?

    /// Notes that `bytes` of it are there at `now` (uptime).
    mutating func note(_ bytes: UInt64, at now: Duration) {
        defer { self.bytes = bytes }
        guard let old = self.bytes, old <= bytes else {
            lastMove = nil
            return
        }
        guard bytes > old else { return }
        // After a rest, or at the beginning, it is measured anew: how long this step took, nobody knows.
        if lastMove.map({ now - $0 > Self.longestRest }) ?? true {
            rate = TransferRate()
            begin = now
        }
        lastMove = now
        // Moves only: a rate that changed with the clock alone would be drawn with every key.
        rate.note(bytes, at: now)
    }

    /// Bytes per second; `nil` while it rests, and before that can be known.
    func rate(at now: Duration) -> Double? {
        guard let begin, let lastMove, now - lastMove <= Self.longestRest, lastMove - begin >= Self.shortest else {
            return nil
        }
        return rate.bytesPerSecond
    }
}
