// How fast bulk data leaves, so that the queue of the narrowest router on the way stays short and a chat line does not wait
// in it (Docs/decisions/0031). Pure.

/// What the kernel knows of the way out of a TCP connection (TCP_INFO, tcp(7)).
struct PathSample: Equatable {
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
/// TCP fills the queue of a router until it overflows; behind that queue everything of ours waits, and everything of whoever
/// shares the line. How long the queue is shows in the round trip. The first time that it is too long we send half of what the
/// path takes until it must be empty. Where it is not much shorter then, it is no queue of ours (a radio that is late, or
/// somebody else who sends), and TCP gets its share without us for a while. Otherwise the rate follows what arrives from then on:
/// a little more while the queue is short, less while it is long.
struct SendPace {
    /// A queue of so long is no harm, or an eighth of the round trip; a few packets are always let in it, however slow the
    /// line is.
    static let harmless = Duration.milliseconds(10)
    private static let harmlessSegments = 1.25
    /// The shortest time over which a rate is measured, and the fewest packets.
    private static let window = Duration.milliseconds(100)
    private static let windowSegments = 8.0
    /// A radio that stands still for a moment is no queue: it has to be long in so many windows in a row.
    private static let proof = 2
    private static let growing = 1.25
    /// The queue is somebody else's when it stays long though our rate has been this share of the best, for so many windows.
    private static let yielded = 0.9
    private static let patience = 10
    /// The path takes less than we send when so much of it arrives.
    private static let keepingUp = 0.9
    /// How long TCP is left alone then.
    private static let truce = Duration.seconds(30)
    /// How many windows are remembered, and how fast the best one is forgotten, each window.
    private static let remembered = 3
    private static let forgetting = 0.98
    /// The rate exceeds the last one by so much at most, and is so much of the path's while its queue drains.
    private static let most = 1.08
    private static let draining = 0.5
    /// Where the rate goes on when the queue is short again.
    private static let again = 0.95
    /// A queue that is longer than harmless by so much has us send half of what the path takes.
    private static let halving = Duration.milliseconds(400)
    /// What our own buffers may hold, as time and in bytes.
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
    /// What the last windows have delivered, bytes per second; the newest last.
    private var rates: [Double] = []
    /// The best rate of the last seconds: a path that loses packets takes much at once after it has taken little.
    private var peakRate = 0.0
    private var longQueues = 0

    /// The most that may be sent, in bytes per second; `nil` while that is TCP's own business.
    var limit: UInt64? {
        switch state {
        case .free, .standing: nil
        case .draining(let capacity, _, _): UInt64(min(max(capacity * Self.draining, 1000), 1e12))
        case .paced(let rate, _): UInt64(min(max(rate, 1000), 1e12))
        }
    }

    /// How many unsent bytes the kernel may hold: ten milliseconds of what the path takes. `nil`: not known yet.
    var backlog: Int? { rates.isEmpty ? nil : Self.share(of: peakRate, within: Self.backlogs) }

    /// The largest frame of a normal message, in bytes: what comes behind a frame waits for all of it.
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

    private mutating func judge(_ window: Window, rate: Double) {
        rates.append(rate)
        if rates.count > Self.remembered { rates.removeFirst() }
        peakRate = max(peakRate * Self.forgetting, rate)
        let sample = window.last
        let time = max((sample.now - window.began.now) / .seconds(1), 1e-6)
        // Two views of one thing: the kernel's mean is late, what is in flight counts what was lost.
        let trip = min(window.shortest, .seconds(window.area / time / rate))
        if let known = own, trip < known - Self.harmless { own = known - (known - trip) / 8 }
        let shortest = max(own ?? .zero, sample.shortestRoundTrip)
        let queue = trip - shortest
        let allowed =
            max(Self.harmless, shortest / 8) + .seconds(Self.harmlessSegments * Double(sample.segment) / rate)
        longQueues = max(0, longQueues + (queue > allowed ? 1 : -1))
        let recent = rates.suffix(2)
        let arriving = recent.reduce(0, +) / Double(max(recent.count, 1))
        let best = rates.max() ?? rate
        switch state {
        case .free:
            // As long as the rate grows, the path can take more.
            if longQueues >= Self.proof, rate < (rates.first ?? rate) * Self.growing {
                drain(queue, trip, sample.now, arriving)
            }
        case .standing(let end):
            if sample.now >= end { state = .free }
        case .draining(let capacity, let longest, let end):
            if queue > allowed / 2 {
                guard sample.now >= end else {
                    // What was on its way already comes to it.
                    if queue > longest { drain(queue, trip, sample.now, arriving) }
                    return
                }
                guard queue < longest / 2 else { return standAside(sample.now) }
                own = trip
            }
            longQueues = 0
            state = .paced(capacity * Self.again, capacity: capacity)
        case .paced(let pace, let known) where queue > allowed:
            // What arrives at our pace says nothing of what the path could take; less than that does.
            let capacity = arriving < pace * Self.keepingUp ? arriving : known
            guard longQueues < Self.patience || pace > capacity * Self.yielded else { return standAside(sample.now) }
            let excess = (queue - allowed / 2) / Self.halving
            state = .paced(capacity * max(1 - excess / 2, Self.draining), capacity: capacity)
        case .paced(let pace, let known):
            let capacity = max(known, min(rate, pace))
            guard pace < best * 2 else { return }
            // A path that takes much less than it may is held up by something else than our pace.
            let room = max(0, 1 - queue / allowed)
            state = .paced(max(pace * (1 + (Self.most - 1) * room), capacity * Self.again), capacity: capacity)
        }
    }

    private mutating func standAside(_ now: MonotonicTime) {
        longQueues = 0
        own = nil
        state = .standing(until: now + Self.truce)
    }

    /// At half the rate a queue is empty after twice its time, and the kernel's mean has followed some packets later.
    private mutating func drain(_ queue: Duration, _ trip: Duration, _ now: MonotonicTime, _ capacity: Double) {
        longQueues = 0
        own = nil
        state = .draining(capacity: capacity, queue, until: now + queue * 2 + trip * 2 + Self.window * 2)
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
