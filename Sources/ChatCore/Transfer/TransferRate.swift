// How fast a transfer is: the average over the last ten seconds. Pure: time is passed in.

import BLIPNet

struct TransferRate {
    static let window = Duration.seconds(10)
    /// Less time says nothing: a few bytes at once would be a fast transfer.
    static let shortest = Duration.milliseconds(250)

    private var samples: [(time: MonotonicTime, bytes: UInt64)] = []
    private var lastMove: MonotonicTime?

    /// Notes that `bytes` have been transferred in all. The first ones are where the measuring begins, and so are fewer
    /// than before: a part is fetched anew.
    mutating func note(_ bytes: UInt64, at now: MonotonicTime) {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        if samples.last?.bytes != bytes || lastMove == nil { lastMove = now }
        samples.append((now, bytes))
        // One sample from before the window stays, so that the average covers the whole of it.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Bytes per second.
    var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time, last.bytes > first.bytes
        else { return 0 }
        return Double(last.bytes - first.bytes) / (max(last.time - first.time, Self.shortest) / .seconds(1))
    }

    /// How long nothing has moved; zero below a second.
    func stalled(at now: MonotonicTime) -> Duration {
        guard let lastMove, now - lastMove >= .seconds(1) else { return .zero }
        return now - lastMove
    }
}
