// How fast a transfer is: the average over the last ten seconds. Pure: time is passed in.

import BLIPNet

struct TransferRate {
    static let window = Duration.seconds(10)

    private var samples: [(time: MonotonicTime, bytes: UInt64)] = []
    private var lastMove: MonotonicTime?

    /// Notes that `bytes` have been transferred in all.
    mutating func note(_ bytes: UInt64, at now: MonotonicTime) {
        if samples.last?.bytes != bytes || lastMove == nil { lastMove = now }
        samples.append((now, bytes))
        // One sample from before the window stays, so that the average covers the whole of it.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Bytes per second.
    var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time, last.bytes > first.bytes
        else { return 0 }
        return Double(last.bytes - first.bytes) / ((last.time - first.time) / .seconds(1))
    }

    /// How long nothing has moved; zero below a second.
    func stalled(at now: MonotonicTime) -> Duration {
        guard let lastMove, now - lastMove >= .seconds(1) else { return .zero }
        return now - lastMove
    }
}
