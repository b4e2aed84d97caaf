// How fast a transfer is: the average over the last ten seconds. Pure: time is passed in.

import BLIPNet

/// The bytes that were there at some moments of the last seconds. Times count from any moment, always the same one.
package struct TransferRate: Sendable, Equatable {
    private struct Sample: Sendable, Equatable {
        var time: Duration
        var bytes: UInt64
    }

    static let window = Duration.seconds(10)
    /// Less time says nothing: a few bytes at once would be a fast transfer.
    static let shortest = Duration.milliseconds(250)

    /// Where something moved, and where the measuring began.
    private var samples: [Sample] = []
    private var latest: Duration?
    private var lastMove: Duration?
    /// How long it took from one move to the next, lately.
    private var pauses: [Duration] = []

    package init() {}

    /// Notes that `bytes` have been transferred in all. The first ones are where the measuring begins, and so are fewer
    /// than before: a part is fetched anew.
    package mutating func note(_ bytes: UInt64, at now: Duration) {
        latest = now
        if let last = samples.last, bytes < last.bytes { samples = [] }
        guard let last = samples.last else {
            samples = [Sample(time: now, bytes: bytes)]
            lastMove = now
            return
        }
        if bytes > last.bytes {
            if let lastMove { pauses = pauses.suffix(2) + [now - lastMove] }
            lastMove = now
            samples.append(Sample(time: now, bytes: bytes))
        } else if samples.count == 1, now - last.time > Self.window {
            // A long wait before anything moves is no part of the average.
            samples[0].time = last.time + (now - last.time - Self.window)
        }
        // One sample from before the window stays, so that the average covers the whole of it.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Bytes per second. Bursts that are further apart than the window count with the time between them.
    package var bytesPerSecond: Double {
        guard let first = samples.first, let last = samples.last, let latest, latest > first.time,
            last.bytes > first.bytes
        else { return 0 }
        return Double(last.bytes - first.bytes) / (max(latest - first.time, Self.shortest) / .seconds(1))
    }

    /// The longest of the last pauses between two moves; zero before there was one.
    var usualPause: Duration { pauses.max() ?? .zero }

    /// How long nothing has moved; zero below a second.
    func stalled(at now: Duration) -> Duration {
        guard let lastMove, now - lastMove >= .seconds(1) else { return .zero }
        return now - lastMove
    }
}

// The time as transfers tell it.
extension TransferRate {
    mutating func note(_ bytes: UInt64, at now: MonotonicTime) { note(bytes, at: now.sinceOrigin) }
    func stalled(at now: MonotonicTime) -> Duration { stalled(at: now.sinceOrigin) }
}

extension MonotonicTime {
    fileprivate var sinceOrigin: Duration { .nanoseconds(nanoseconds) }
}
