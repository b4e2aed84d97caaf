// How fast bulk data leaves, so that the queue of the narrowest router on the way stays short and a chat line does not wait
// in it (Docs/decisions/0031). Pure.

/// What the kernel knows of the way out of a TCP connection (TCP_INFO, tcp(7)).
struct PathSample: Equatable {
    var now: MonotonicTime
    /// The mean round trip of late, and the shortest of some minutes.
    var roundTrip: Duration
    var shortestRoundTrip: Duration
    /// Payload that the peer's kernel says has arrived since the connection began, in bytes.
    var acknowledged: UInt64
    /// Payload on its way or in a queue of the network, in bytes.
    var inFlight: Int
    /// The payload of a full packet, in bytes.
    var segment: Int
}

/// Finds the rate that keeps a path busy and its queue short.
///
/// TCP fills the queue of a router until it overflows; behind that queue everything of ours waits, and everything of whoever
/// shares the line. How long the queue is shows in the round trip: it is what exceeds the shortest one. From the first time
/// that it is too long, the rate follows what arrives: a little more while the queue is short, less while it is long. Where
/// less of ours does not shorten the queue, it is somebody else's, and TCP gets its share without us for a while.
struct SendPace {
    /// A queue of so long is no harm; a few packets are always let in it, however slow the line is.
    static let harmless = Duration.milliseconds(10)
    private static let harmlessSegments = 1.25
    /// The shortest time over which a rate is measured, and the fewest packets.
    private static let window = Duration.milliseconds(100)
    private static let windowSegments = 8.0
    /// The rate that is looked for exceeds the present one by so much at most, and falls below it by so much at most.
    private static let most = 1.08
    private static let least = 0.5
    /// Where the rate goes on when the queue is short again.
    private static let again = 0.95
    /// A queue that is longer than harmless by so much halves the rate.
    private static let halving = Duration.milliseconds(400)
    /// The queue is somebody else's when it stays long though our rate has been this share of the best, for so many windows.
    private static let yielded = 0.4
    private static let patience = 10
    /// How long TCP is left alone then.
    private static let truce = Duration.seconds(30)
    /// What our own buffers may hold, as time and in bytes.
    private static let backlogTime = 0.010
    private static let backlogs = 1 << 10...512 << 10
    private static let frames = 1 << 10...16_376

    private enum State {
        /// The queue has never been too long: TCP is as fast as it can.
        case free
        /// So many bytes per second. `capacity` is what arrived while the queue was too long.
        case paced(Double, capacity: Double)
        /// The queue is somebody else's.
        case standing(until: MonotonicTime)
    }

    private struct Window {
        var began: PathSample
        var last: PathSample
        var shortest: Duration
        /// The bytes in flight, summed over time: divided by the rate this is the mean round trip (Little's law).
        var area = 0.0
    }

    private var state = State.free
    private var current: Window?
    /// What the last windows have delivered, bytes per second; the newest last.
    private var rates: [Double] = []
    private var bestRate = 0.0
    private var longQueues = 0

    /// The most that may be sent, in bytes per second; `nil` while that is TCP's own business.
    var limit: UInt64? {
        guard case .paced(let rate, _) = state else { return nil }
        return UInt64(min(max(rate, 1000), 1e12))
    }

    /// How many unsent bytes the kernel may hold: ten milliseconds of what the path takes. `nil`: not known yet.
    var backlog: Int? { lastRate.map { Self.share(of: $0, within: Self.backlogs) } }

    /// The largest frame of a normal message, in bytes: what comes behind a frame waits for all of it.
    var frame: Int { lastRate.map { Self.share(of: $0, within: Self.frames) } ?? Self.frames.upperBound }

    private var lastRate: Double? { rates.max() }

    private static func share(of rate: Double, within range: ClosedRange<Int>) -> Int {
        min(max(Int(min(rate * backlogTime, 1e9)), range.lowerBound), range.upperBound)
    }

    /// Takes what the kernel says while there is more to send than it takes. Returns whether `limit`, `backlog` or `frame`
    /// may be others now.
    mutating func note(_ sample: PathSample) -> Bool {
        guard var window = current, sample.now - window.last.now < max(Self.window * 4, sample.roundTrip * 4) else {
            // The first one, or the first after a rest: what was delivered meanwhile says nothing about the path.
            current = Window(began: sample, last: sample, shortest: sample.roundTrip)
            return false
        }
        window.area += Double(window.last.inFlight) * ((sample.now - window.last.now) / .seconds(1))
        window.shortest = min(window.shortest, sample.roundTrip)
        window.last = sample
        current = window
        let time = sample.now - window.began.now
        guard time >= max(Self.window, sample.shortestRoundTrip), sample.acknowledged > window.began.acknowledged else {
            return false
        }
        let arrived = Double(sample.acknowledged - window.began.acknowledged)
        guard arrived >= Self.windowSegments * Double(sample.segment) || time >= Self.window * 20 else { return false }
        current = Window(began: sample, last: sample, shortest: sample.roundTrip)
        judge(window, rate: arrived / (time / .seconds(1)))
        return true
    }

    private mutating func judge(_ window: Window, rate: Double) {
        rates.append(rate)
        if rates.count > 3 { rates.removeFirst() }
        let sample = window.last
        let time = max((sample.now - window.began.now) / .seconds(1), 1e-6)
        // Two views of one thing: the kernel's mean is late, what is in flight counts what was lost.
        let littles = Duration.seconds(window.area / time / rate)
        let queue = min(window.shortest, littles) - sample.shortestRoundTrip
        let allowed =
            max(Self.harmless, sample.shortestRoundTrip / 8)
            + .seconds(Self.harmlessSegments * Double(sample.segment) / rate)
        switch state {
        case .free:
            if queue > allowed { slowDown(queue, allowed) }
        case .standing(let end):
            if sample.now >= end { state = .free }
        case .paced(let pace, let capacity):
            if queue > allowed {
                longQueues += 1
                if longQueues >= Self.patience, pace < bestRate * Self.yielded {
                    state = .standing(until: sample.now + Self.truce)
                    (longQueues, bestRate) = (0, 0)
                } else {
                    slowDown(queue, allowed)
                }
            } else {
                longQueues = 0
                speedUp(from: pace, capacity, queue, allowed)
            }
        }
    }

    /// What has arrived while there was a queue is what the path can take; less than that empties the queue.
    private mutating func slowDown(_ queue: Duration, _ allowed: Duration) {
        let capacity = rates.suffix(2).reduce(0, +) / Double(max(rates.suffix(2).count, 1))
        let excess = (queue - allowed / 2) / Self.halving
        bestRate = max(bestRate, capacity)
        state = .paced(capacity * max(1 - excess / 2, Self.least), capacity: capacity)
    }

    /// A path that takes much less than it may is held up by something else than our pace.
    private mutating func speedUp(from pace: Double, _ capacity: Double, _ queue: Duration, _ allowed: Duration) {
        guard let best = rates.max(), pace < best * 2 else { return }
        let room = max(0, 1 - queue / allowed)
        bestRate = max(bestRate * 0.99, min(best, pace))
        state = .paced(max(pace * (1 + (Self.most - 1) * room), capacity * Self.again), capacity: capacity)
    }
}

/// Keeps the socket of a link to what `SendPace` finds.
struct PacedSocket {
    private var pace = SendPace()
    private var lookedAt: MonotonicTime?
    private var limit: UInt64?
    private var backlog: Int?
    /// How often the kernel is asked.
    private static let interval = Duration.milliseconds(10)

    /// The largest frame of a normal message, in bytes.
    var frame: Int { pace.frame }

    /// To be called while there is more to send than the kernel takes. Returns how many unsent bytes the kernel may hold
    /// from now on, when that has changed.
    mutating func look(at socket: Socket, now: MonotonicTime) -> Int? {
        if let lookedAt, now - lookedAt < Self.interval { return nil }
        lookedAt = now
        guard let sample = socket.pathSample(now: now), pace.note(sample) else { return nil }
        if pace.limit != limit {
            limit = pace.limit
            socket.limitSending(to: limit)
        }
        guard let wanted = pace.backlog, wanted != backlog else { return nil }
        backlog = wanted
        socket.setUnsentLowWater(wanted)
        return wanted
    }
}
