// How many bytes we keep in flight to a peer that we reach through a relay, a proxy or Tor, so that a chat line does
// not wait there (Docs/decisions/0036). Pure.

/// Limits the bytes in flight by the peer's ACKs.
///
/// A relay takes bytes before the peer has them: TCP calls them delivered, `SendPace` sees no queue, and an urgent
/// message waits for the megabytes ahead of it in the relay's memory. An ACK shows that a frame has reached the peer.
/// The ACKs give the path's round trip and its rate, and the two together say how many bytes in flight keep it busy.
struct AckPace {
    /// We accept a queue of so many seconds, but of so many bytes at most; on a long path one of a quarter of the round trip.
    private static let harmless = 0.035
    private static let harmlessBytes = 1e6
    /// The bytes that we keep in flight before the first ACK.
    private static let first: UInt64 = 512 << 10
    /// The shortest time over which a rate is measured, and how many rates are remembered.
    private static let window = Duration.milliseconds(100)
    private static let remembered = 8
    /// The rate is still growing when a window exceeds the best one so far by this factor. After so many windows that do not,
    /// it has stopped.
    private static let growth = 1.1
    private static let proof = 3
    /// When no round trip has been as short as the shortest one for so long, we drain the queue and measure it again.
    private static let believed = Duration.seconds(30)
    /// While we drain, we keep this share of what the path holds in flight: enough that filling it up again makes no new queue.
    private static let drained = 0.9
    /// When we have more than this many times what the path holds in flight, the rest of it is in a queue.
    private static let queued = 1.5
    /// A round trip counts as no longer than the shortest one up to this factor.
    private static let alike = 1.125
    /// We wait this long for an ACK, or four round trips: the peer may have lost it, or may be writing to a slow disk.
    private static let patience = Duration.seconds(1)

    /// A frame that the peer is going to acknowledge.
    private struct Mark {
        let number: UInt64
        let isOfResponse: Bool
        /// Of the message, up to the end of the frame.
        let byteCount: UInt64
        /// Of all messages, up to the end of the frame.
        let offset: UInt64
        let sent: MonotonicTime
    }

    private struct Window {
        let began: MonotonicTime
        let arrived: UInt64
        /// We held messages back during this window.
        var wasFull: Bool
    }

    private let interval: UInt64
    private var marks = FIFO<Mark>()
    /// Bytes of all messages since the link began.
    private var sent: UInt64 = 0
    private var arrived: UInt64 = 0
    private var progress = MonotonicTime(nanoseconds: 0)
    private var current: Window?
    /// How many messages were being sent when the last frame was written.
    private var running = 0
    /// Bytes per second, the newest last.
    private var rates: [Double] = []
    private var growing: (best: Double, stalled: Int)? = (0, 0)
    private var shortest: (time: Duration, seen: MonotonicTime)?
    /// While we drain: the value of `sent` when we began. Frames that we send after it meet no queue.
    private var drainsSince: UInt64?

    /// `interval`: after how many bytes of a message the peer acknowledges it (`BLIPLimits.ackInterval`).
    init(interval: UInt64) { self.interval = max(interval, 1) }

    /// The most that the peer can have without having acknowledged it, in bytes: one interval of each message, and some more.
    private func late(_ running: Int) -> UInt64 { UInt64(max(running, 0) + 1) * interval / 4 * 5 }

    private func hasQueue(at rate: Double) -> Bool {
        let trip = (shortest?.time ?? .zero) / .seconds(1)
        return sent - arrived > late(running) + Self.bytes(rate * trip * Self.queued)
    }

    /// The bytes that we may have in flight while we send `running` messages.
    private func allowed(_ running: Int) -> UInt64 {
        let least = late(running)
        guard let trip = shortest?.time, let best = rates.max() else { return max(Self.first, least) }
        let seconds = trip / .seconds(1)
        if drainsSince != nil { return max(Self.bytes(best * seconds * Self.drained), least) }
        if growing != nil { return max(Self.bytes(best * seconds * 2), Self.first, least) }
        let path = best * seconds
        return max(Self.bytes(path + max(min(best * Self.harmless, Self.harmlessBytes), path / 4)), least)
    }

    private static func bytes(_ count: Double) -> UInt64 { UInt64(min(max(count, 0), 1e12)) }

    /// Whether messages that can wait have to, until an ACK comes.
    func isFull(running: Int) -> Bool { !marks.isEmpty && sent - arrived >= allowed(running) }

    /// When `handleTimeout` is to be called while it is full.
    var deadline: MonotonicTime? {
        guard !marks.isEmpty else { return nil }
        return progress + max(Self.patience, (shortest?.time ?? .zero) * 4)
    }

    /// When no ACK has come for too long, the bytes in flight no longer count against the limit.
    mutating func handleTimeout(now: MonotonicTime) {
        guard let deadline, now >= deadline else { return }
        marks.removeAll()
        arrived = sent
        drainsSince = nil
        current = nil
    }

    /// We have sent a frame with `count` bytes of a message, and `total` bytes of that message so far.
    mutating func wrote(
        _ count: UInt64, of number: UInt64, isOfResponse: Bool, total: UInt64, isLast: Bool, running: Int,
        now: MonotonicTime
    ) {
        sent += count
        self.running = running
        // The peer does not acknowledge the last frame of a message.
        if !isLast, (total - min(count, total)) / interval < total / interval {
            if marks.isEmpty {
                // The peer has acknowledged every frame before this one that it acknowledges at all, so they have arrived.
                arrived = max(arrived, sent - count)
                progress = max(progress, now)
            }
            marks.append(
                Mark(number: number, isOfResponse: isOfResponse, byteCount: total, offset: sent, sent: now))
        }
        if isFull(running: running) { current?.wasFull = true }
    }

    /// The peer acknowledges the first `byteCount` bytes of a message. It also has all that we sent before them, because frames
    /// do not overtake each other.
    mutating func acknowledged(_ byteCount: UInt64, of number: UInt64, isOfResponse: Bool, now: MonotonicTime) {
        let position = (0..<marks.count).last { position in
            guard let mark = marks[position] else { return false }
            return mark.number == number && mark.isOfResponse == isOfResponse && mark.byteCount <= byteCount
        }
        guard let position, let mark = marks[position] else { return }
        for _ in 0...position { _ = marks.popFirst() }
        arrived = mark.offset
        note(trip: max(now - mark.sent, .zero), of: mark, now: now)
        noteRate(now: now)
        progress = max(progress, now)
    }

    private mutating func note(trip: Duration, of mark: Mark, now: MonotonicTime) {
        if let since = drainsSince {
            guard mark.offset > since else { return }
            drainsSince = nil
            shortest = (trip, now)
        } else if let known = shortest, trip > known.time {
            if trip < known.time * Self.alike {
                shortest = (known.time, now)
            } else if now - known.seen > Self.believed, growing == nil {
                drainsSince = sent
            }
        } else {
            shortest = (trip, now)
        }
    }

    private mutating func noteRate(now: MonotonicTime) {
        let least = max(Self.window, shortest?.time ?? .zero)
        guard let window = current, now - progress < least * 4 else {
            // This is the first ACK, or the first after a rest: the path may have changed.
            current = Window(began: now, arrived: arrived, wasFull: false)
            growing = (0, 0)
            return
        }
        let time = now - window.began
        guard time >= least, arrived > window.arrived else { return }
        current = Window(began: now, arrived: arrived, wasFull: false)
        guard drainsSince == nil else { return }
        let rate = Double(arrived - window.arrived) / (time / .seconds(1))
        // If we had nothing more to send, the rate says nothing about the path. A queue shows that we had: something else may
        // hold our messages back (`BLIPLimits.sendWindow`).
        guard window.wasFull || hasQueue(at: rate) || rate > rates.max() ?? 0 else { return }
        rates.append(rate)
        if rates.count > Self.remembered { rates.removeFirst() }
        guard let known = growing else { return }
        if rate > known.best * Self.growth {
            growing = (rate, 0)
        } else {
            growing = known.stalled + 1 < Self.proof ? (known.best, known.stalled + 1) : nil
        }
    }
}
