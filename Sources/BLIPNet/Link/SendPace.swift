// How fast bulk data leaves, so that the queue of the narrowest router on the way stays short and a chat line does not wait
// in it (Docs/decisions/0031). Pure.

/// The kernel's measurements of the way out of a TCP connection (TCP_INFO, tcp(7)).
struct PathSample {
    var now: MonotonicTime
    /// The mean round trip of late, and the shortest one of some minutes.
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
/// TCP fills the queue of a router until it overflows; everything of ours then waits for that queue, and so does
/// everything of others who share the line. How long the queue is shows in the round trip. The first time that it is
/// too long we send half of what the path takes until it must be empty. Where it is not much shorter then, it is no
/// queue of ours (a radio that is late, or somebody else who sends), and TCP gets its share without us for a while.
/// Otherwise the rate follows what arrives from then on: a little more while the queue is short, less while it is long.
struct SendPace {
    /// We accept a queue of this length, or of an eighth of the round trip, and always a packet or so more: a slow line needs
    /// that long for one.
    private static let harmless = Duration.milliseconds(10)
    private static let harmlessSegments = 1.25
    /// The shortest time over which a rate is measured, and the fewest packets.
    private static let window = Duration.milliseconds(100)
    private static let windowSegments = 8.0
    /// A radio that pauses for a moment is no queue: a queue has to be long in so many windows, and each in which it is
    /// short cancels so many of them. A queue that is short now and then is ours.
    private static let proof = 2
    private static let shortWeighs = 3
    /// The rate still grows when the present window has so many times that of the oldest one that is remembered.
    private static let growing = 1.25
    /// How many windows are remembered, and how fast the best rate is forgotten, each window.
    private static let remembered = 3
    private static let forgetting = 0.98
    /// The rate exceeds the last one by so much at most: less on a slow line, of whose queue the kernel's mean knows late.
    private static let most = 1.08
    private static let mostOfSlow = 1.04
    /// The rate is so much of the path's while its queue drains.
    private static let draining = 0.5
    /// Once a queue has drained, we send this share of what the path takes.
    private static let again = 0.95
    /// When a queue is this much longer than we accept, we send half of what the path takes.
    private static let halving = Duration.milliseconds(400)
    /// We send more than the path takes when only this share of it arrives. The estimate then falls to this share of
    /// itself at most, each window: a radio may only have paused for a moment.
    private static let keepingUp = 0.9
    private static let declining = 0.8
    /// A queue of a path that takes less than before soon has so many times the length that we accept.
    private static let decliningQueue = 2.5
    /// We have overestimated a slow path whose queue is long for so many windows. The estimate then falls to this share of
    /// itself, each window: with packets of a kilobyte, the kernel's counts are wrong for a moment after losses.
    private static let steady = 10
    private static let correcting = 0.97
    /// We send at most this many times what has arrived.
    private static let ahead = 1.15
    /// A queue that gets shorter at half the rate is this much of what it was, at most.
    private static let shrinking = 0.85
    /// The kernel's mean has not followed yet as long as each window shortens it to this much of itself.
    private static let settling = 0.98
    /// Where packets are few, the receiver holds each acknowledgement back until the next packet comes, for 40 ms in Linux (RFC
    /// 5681, 4.2, allows 500). At half the rate that makes the path look longer than it is, by this much at most.
    private static let acknowledgementDelay = Duration.milliseconds(60)
    /// A queue that stays long for so many windows, at no more than so much of the path's rate, is somebody else's.
    private static let patience = 20
    private static let yielded = 0.9
    /// How long TCP is left alone then.
    private static let truce = Duration.seconds(30)
    /// A path that delivers nothing for so long, in which it would have delivered so many packets and answered, has
    /// stopped, as a radio does: neither that time nor as much again after it tells the path's speed, or whose its
    /// queue is.
    private static let standstill = Duration.milliseconds(40)
    private static let standstillSegments = 12.0
    /// A path has not stopped when this share of the expected bytes has arrived.
    private static let standstillShare = 0.5
    /// How much our own buffers may hold, as time and in bytes.
    private static let backlogTime = 0.010
    private static let backlogs = 1 << 10...512 << 10
    private static let frames = 1 << 10...16_376

    private enum State {
        /// The queue has never been too long: TCP is as fast as it can.
        case free
        /// Half of `capacity`, until a queue of this length must be empty.
        case draining(capacity: Double, Duration, until: MonotonicTime)
        /// So many bytes per second. `capacity` is what arrived while the queue was too long.
        case paced(Double, capacity: Double)
        /// The queue is not ours.
        case standing(until: MonotonicTime)
    }

    private struct Window {
        var began: PathSample
        var last: PathSample
        var shortest: Duration
        /// The bytes in flight, summed over time: divided by the rate this is the mean round trip (Little's law).
        var area = 0.0

        init(beginning sample: PathSample) {
            began = sample
            last = sample
            shortest = sample.roundTrip
        }
    }

    private var state = State.free
    private var current: Window?
    /// The path's own round trip, as far as it exceeds the shortest one that the kernel has seen.
    private var own: Duration?
    /// The round trip by the window before.
    private var lastTrip: Duration?
    /// The rates at which the last windows have delivered, in bytes per second; the newest last.
    private var rates: [Double] = []
    /// The best rate of the last seconds: a path that loses packets takes much at once after it has taken little.
    private var peakRate = 0.0
    private var longQueues = 0
    /// The path took so much when its queue was last short, in bytes per second.
    private var proven = 0.0
    /// When something last arrived, and until when we conclude nothing because the path had stopped.
    private var arrivedAt: MonotonicTime?
    private var recoveredAt: MonotonicTime?

    /// The most that may be sent, in bytes per second; `nil` while that is TCP's own business.
    var limit: UInt64? {
        switch state {
        case .free, .standing: nil
        case .draining(let capacity, _, _): UInt64(min(max(capacity * Self.draining, 1000), 1e12))
        case .paced(let rate, _): UInt64(min(max(rate, 1000), 1e12))
        }
    }

    /// Whether a queue has been found: ours, or that of somebody else for whom we step aside.
    var hasQueue: Bool { if case .free = state { false } else { true } }

    /// How many unsent bytes the kernel may hold: ten milliseconds of what the path takes. `nil`: not known yet.
    var backlog: Int? { rates.isEmpty ? nil : Self.share(of: peakRate, within: Self.backlogs) }

    /// The largest frame of a normal message, in bytes: whatever comes after a frame waits for all of it.
    var frame: Int { rates.isEmpty ? Self.frames.upperBound : Self.share(of: peakRate, within: Self.frames) }

    private static func share(of rate: Double, within range: ClosedRange<Int>) -> Int {
        min(max(Int(min(rate * backlogTime, 1e9)), range.lowerBound), range.upperBound)
    }

    /// Takes what the kernel says while there is more to send than it takes. Returns whether `limit`, `backlog` or `frame`
    /// may be others now.
    mutating func note(_ sample: PathSample) -> Bool {
        guard var window = current, sample.now - window.last.now < max(Self.window * 4, sample.roundTrip * 4) else {
            // The first one, or the first after a rest: what was delivered meanwhile says nothing about the path.
            current = Window(beginning: sample)
            arrivedAt = sample.now
            return false
        }
        if sample.acknowledged > window.last.acknowledged {
            let pause = arrivedAt.map { sample.now - $0 } ?? .zero
            arrivedAt = sample.now
            let arrived = sample.acknowledged - window.last.acknowledged
            if hasStoodStill(pause, window.last, arrived) { recoveredAt = sample.now + pause }
        }
        if let end = recoveredAt {
            if sample.now >= end { recoveredAt = nil }
            current = Window(beginning: sample)
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
        current = Window(beginning: sample)
        judge(window, rate: arrived / (time / .seconds(1)))
        return true
    }

    /// `sample`: the last one before something `arrived` again. A pause with little on its way is one of our own, or an
    /// acknowledgement that waits for the next packet; one in which much has arrived is a time at which we did not look. As
    /// long as TCP is left alone its queue is what we look for.
    private func hasStoodStill(_ pause: Duration, _ sample: PathSample, _ arrived: UInt64) -> Bool {
        guard let limit, pause > max(Self.standstill, sample.shortestRoundTrip) else { return false }
        let few = Self.standstillSegments * Double(sample.segment)
        let expected = pause / .seconds(1) * min(arriving, Double(limit))
        return Double(sample.inFlight) > few && expected > few && Double(arrived) < expected * Self.standstillShare
    }

    /// The findings of a window about the queue.
    private struct Reading {
        let now: MonotonicTime
        /// Bytes per second that have arrived.
        let rate: Double
        let roundTrip: Duration
        /// The round trip is clearly shorter than in the window before.
        let isFalling: Bool
        let queue: Duration
        /// We accept a queue up to this length.
        let allowed: Duration
        /// At this length the rate stays what it is. Where a packet or two are most of what we accept, the kernel's
        /// mean hides further ones after them.
        let aim: Duration
        /// A packet or two are most of what we accept.
        let isSlow: Bool
        var isLong: Bool { queue > allowed }
    }

    private mutating func judge(_ window: Window, rate: Double) {
        rates.append(rate)
        if rates.count > Self.remembered { rates.removeFirst() }
        peakRate = max(peakRate * Self.forgetting, rate)
        let reading = reading(of: window, rate)
        longQueues = max(0, longQueues + (reading.isLong ? 1 : -Self.shortWeighs))
        switch state {
        case .free:
            // As long as the rate grows, the path can take more.
            if longQueues >= Self.proof, rate < (rates.first ?? rate) * Self.growing { drain(reading) }
        case .standing(let end):
            if reading.now >= end { state = .free }
        case .draining(let capacity, let longest, let end): drained(capacity, longest, end, reading)
        case .paced(let pace, let capacity) where reading.isLong: slowDown(from: pace, capacity, reading)
        case .paced(let pace, let capacity): speedUp(from: pace, capacity, reading)
        }
    }

    private mutating func reading(of window: Window, _ rate: Double) -> Reading {
        let sample = window.last
        let time = max((sample.now - window.began.now) / .seconds(1), 1e-6)
        // Two views of one thing: the kernel's mean is late, what is in flight counts what was lost.
        let trip = min(window.shortest, .seconds(window.area / time / rate))
        if let known = own, trip < known - Self.harmless { own = known - (known - trip) / 8 }
        let shortest = max(own ?? .zero, sample.shortestRoundTrip)
        let few = Duration.seconds(Self.harmlessSegments * Double(sample.segment) / rate)
        let allowed = max(Self.harmless, shortest / 8) + few
        let isFalling = lastTrip.map { trip < $0 * Self.settling } ?? false
        lastTrip = trip
        return Reading(
            now: sample.now, rate: rate, roundTrip: trip, isFalling: isFalling, queue: max(trip - shortest, .zero),
            allowed: allowed, aim: allowed / (1 + 2 * (few / allowed)), isSlow: few > Self.harmless)
    }

    /// The mean of the last two windows.
    private var arriving: Double {
        let recent = rates.suffix(2)
        return recent.isEmpty ? 0 : recent.reduce(0, +) / Double(recent.count)
    }

    /// At half the rate a queue is empty after twice its time, and the kernel's mean has followed some packets later.
    private mutating func drain(_ reading: Reading) {
        longQueues = 0
        own = nil
        let time = (reading.queue + reading.roundTrip + Self.window) * 2
        state = .draining(capacity: arriving, reading.queue, until: reading.now + time)
    }

    private mutating func drained(
        _ capacity: Double, _ longest: Duration, _ end: MonotonicTime, _ reading: Reading
    ) {
        if reading.queue > reading.allowed / 2 {
            guard reading.now >= end, !reading.isFalling else {
                // Packets that we sent before we slowed down still join the queue.
                if reading.queue > longest { drain(reading) }
                return
            }
            guard reading.queue < longest / 2 else {
                // A queue that gets shorter is ours: we have overestimated the path, and half of that was still much.
                return reading.queue < longest * Self.shrinking ? drain(reading) : standAside(reading.now)
            }
            if !reading.isSlow || reading.queue > Self.acknowledgementDelay { own = reading.roundTrip }
        }
        longQueues = 0
        proven = capacity
        state = .paced(capacity * Self.again, capacity: capacity)
    }

    private mutating func slowDown(from pace: Double, _ known: Double, _ reading: Reading) {
        // A rate that equals our pace says nothing of what the path could take; a lower one does, where the queue grows: else TCP
        // has sent less, after a loss.
        let isTooMuch = arriving < pace * Self.keepingUp && reading.queue > reading.allowed * Self.decliningQueue
        var capacity = isTooMuch ? max(arriving, known * Self.declining) : known
        // All that we send arrives, and the queue stays what it is: the path takes this and no more.
        if reading.isSlow, !isTooMuch, longQueues >= Self.steady, !reading.isFalling {
            capacity = min(known, max(arriving, known * Self.correcting))
        }
        guard longQueues < Self.patience || pace > capacity * Self.yielded else { return standAside(reading.now) }
        // Less and less arrives, and the queue is what it was: neither was it ours.
        if longQueues >= 2 * Self.patience, pace <= proven * Self.yielded, !reading.isFalling {
            return standAside(reading.now)
        }
        let excess = (reading.queue - reading.allowed / 2) / Self.halving
        state = .paced(capacity * max(1 - excess / 2, Self.draining), capacity: capacity)
    }

    private mutating func speedUp(from pace: Double, _ known: Double, _ reading: Reading) {
        let capacity = max(known, min(arriving, pace))
        proven = capacity
        // The kernel notices a queue late; until it does, we send little more than what arrives.
        guard let best = rates.max() else { return }
        let room = 1 - reading.queue / reading.aim
        let most = reading.isSlow ? Self.mostOfSlow : Self.most
        let next = min(pace * (1 + (most - 1) * room), max(best * Self.ahead, pace))
        state = .paced(max(next, capacity * Self.again), capacity: capacity)
    }

    private mutating func standAside(_ now: MonotonicTime) {
        longQueues = 0
        own = nil
        state = .standing(until: now + Self.truce)
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

    var hasQueue: Bool { pace.hasQueue }

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
