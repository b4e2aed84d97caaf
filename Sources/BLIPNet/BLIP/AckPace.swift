// How much may be on its way to a peer behind a relay, a proxy or Tor, so that a chat line does not wait there
// (Docs/decisions/0036). Pure.

/// Bounds what is on its way by what the peer's ACKs say of it.
///
/// A relay takes in what the peer has not got yet: TCP calls it delivered, `SendPace` sees no queue, and an urgent message
/// waits behind megabytes in the relay's memory. An ACK says when a frame has come all the way. From that follow the
/// path's round trip and its rate, and with them what has to be on its way to keep it busy.
struct AckPace {
    /// We accept a queue of this length, but at most so many bytes; or one of a quarter of the round trip.
    private static let harmless = 0.035
    private static let harmlessBytes = 1e6
    /// What may be on its way before anything is known, in bytes.
    private static let first: UInt64 = 512 << 10
    /// The shortest time over which a rate is measured, and how many rates are remembered.
    private static let window = Duration.milliseconds(100)
    private static let remembered = 8
    /// The rate still grows when a window has so many times the best one before it; it has stopped after so many others.
    private static let growth = 1.1
    private static let proof = 3
    /// A round trip that has not been as short as the shortest for so long is measured again, with the queue drained.
    private static let believed = Duration.seconds(30)
    /// What is on its way then: the path has no queue, and is not so empty that filling it again makes one.
    private static let drained = 0.9
    /// What is on its way is a queue when it is more than so many times what the path itself holds.
    private static let queued = 1.5
    /// As short as the shortest one: up to so many times it.
    private static let alike = 1.125
    /// When no ACK comes for so long, or for four round trips, it has got lost, or the peer writes to a slow disk.
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
        /// There was more to send than we let go.
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
    /// Frames that are sent from here on meet no queue.
    private var drainsSince: UInt64?

    /// `interval`: after how many bytes of a message the peer acknowledges it (`BLIPLimits.ackInterval`).
    init(interval: UInt64) { self.interval = max(interval, 1) }

    /// What has arrived and is not acknowledged yet: an interval for each message.
    private func late(_ running: Int) -> UInt64 { UInt64(max(running, 0) + 1) * interval / 4 * 5 }

    private func hasQueue(at rate: Double) -> Bool {
        let trip = (shortest?.time ?? .zero) / .seconds(1)
        return sent - arrived > late(running) + Self.bytes(rate * trip * Self.queued)
    }

    /// What may be on its way, in bytes, while so many messages are being sent.
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

    /// Nothing that can wait may be sent until an ACK comes.
    func isFull(running: Int) -> Bool { !marks.isEmpty && sent - arrived >= allowed(running) }

    /// When `handleTimeout` is to be called while it is full.
    var deadline: MonotonicTime? {
        guard !marks.isEmpty else { return nil }
        return progress + max(Self.patience, (shortest?.time ?? .zero) * 4)
    }

    /// No ACK has come for long: what is on its way no longer counts.
    mutating func handleTimeout(now: MonotonicTime) {
        guard let deadline, now >= deadline else { return }
        marks.removeAll()
        arrived = sent
        drainsSince = nil
        current = nil
    }

    /// A frame with `count` bytes of a message is sent, of which `total` have been sent by now.
    mutating func wrote(
        _ count: UInt64, of number: UInt64, isOfResponse: Bool, total: UInt64, isLast: Bool, running: Int,
        now: MonotonicTime
    ) {
        sent += count
        self.running = running
        // The peer does not acknowledge the last frame of a message.
        if !isLast, (total - min(count, total)) / interval < total / interval {
            if marks.isEmpty {
                // What was sent before has no mark any more, and has arrived.
                arrived = max(arrived, sent - count)
                progress = max(progress, now)
            }
            marks.append(
                Mark(number: number, isOfResponse: isOfResponse, byteCount: total, offset: sent, sent: now))
        }
        if isFull(running: running) { current?.wasFull = true }
    }

    /// The peer has so many bytes of a message. What was sent before them has arrived as well: frames do not overtake.
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
            // The first ACK, or the first after a rest: the path may be another one by now.
            current = Window(began: now, arrived: arrived, wasFull: false)
            growing = (0, 0)
            return
        }
        let time = now - window.began
        guard time >= least, arrived > window.arrived else { return }
        current = Window(began: now, arrived: arrived, wasFull: false)
        guard drainsSince == nil else { return }
        let rate = Double(arrived - window.arrived) / (time / .seconds(1))
        // Where there was no more to send the rate says nothing of the path, unless a queue shows that it is the path's: something
        // else may hold our messages back (`BLIPLimits.sendWindow`).
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
