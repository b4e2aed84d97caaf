// A file through the queue of a slow router, in simulated time: the queue stays short and the file keeps its rate.

import TestSupport
import Testing

@testable import BLIPNet

/// A narrow place of a network with a queue before it, and one TCP connection through it: slow start, then additive growth, less
/// after a packet for which the queue has no room. A packet more or less is the same to it.
private struct NarrowPath {
    var bitsPerSecond: Double
    var roundTrip: Double
    /// As time.
    var queue: Double
    /// Every so many packets one is lost on the way.
    var lossInterval = 0
    /// Each packet is late by up to so much, as over a radio.
    var jitter = 0.0
    /// Each second the path stands still for so long.
    var stall = 0.0
    /// From then on somebody else sends through the same queue, with a TCP of their own.
    var rivalFrom = Double.infinity
    /// Between two looks at what the kernel says: rare where it takes much at once.
    var look = 0.01
    /// The kernel counts this share of the bytes too many in the first two seconds: it counts packets beyond a hole, and they
    /// may be small.
    var overcount = 0.0

    struct Outcome {
        /// What we got of the path, as a share.
        var share: Double
        var meanQueue: Double
        var pace: SendPace
    }

    private struct Connection {
        static let segment = 1448.0
        var window = 10 * segment
        var threshold = Double.infinity
        var flight = 0.0
        var sent: [(at: Double, back: Double)] = []
        var head = 0
        var acknowledged = 0.0

        /// Takes the acknowledgements that are there; the round trips that they show.
        mutating func acknowledge(until now: Double) -> [Double] {
            var trips: [Double] = []
            while head < sent.count, sent[head].back <= now {
                trips.append(sent[head].back - sent[head].at)
                head += 1
                flight -= Self.segment
                acknowledged += Self.segment
                window += window < threshold ? Self.segment : 2 * Self.segment * Self.segment / window
            }
            return trips
        }

        mutating func lose() {
            threshold = max(window * 0.7, 2 * Self.segment)
            window = threshold
        }
    }

    /// The last two thirds of `seconds` count.
    func run(seconds: Double, isPaced: Bool = true) -> Outcome {
        var pace = SendPace()
        var random = SeededGenerator(seed: 36)
        let bytesPerSecond = bitsPerSecond / 8
        let step = min(0.001, Connection.segment / bytesPerSecond / 4)
        var (ours, rival) = (Connection(), Connection())
        var smoothed = roundTrip
        var shortest = roundTrip
        // When the narrow place has sent all that it has.
        var busyUntil = 0.0
        var credit = 0.0
        var packets = 0
        var (queueSum, steps, before, nextSample) = (0.0, 0.0, 0.0, 0.0)
        var now = 0.0
        var overcounted = 0.0

        func send(_ connection: inout Connection) {
            guard busyUntil - now <= queue else { return connection.lose() }
            busyUntil = max(busyUntil, now) + Connection.segment / bytesPerSecond
            let second = Double(Int(busyUntil))
            if busyUntil - second < stall { busyUntil = second + stall }
            let late = jitter > 0 ? Double.random(in: 0...jitter, using: &random) : 0
            connection.sent.append((now, max(busyUntil + roundTrip + late, connection.sent.last?.back ?? 0)))
            connection.flight += Connection.segment
        }

        while now < seconds {
            for trip in ours.acknowledge(until: now) {
                smoothed += (trip - smoothed) / 8
                shortest = min(shortest, trip)
            }
            _ = rival.acknowledge(until: now)
            let limit = isPaced ? pace.limit.map { Double($0) } : nil
            credit = limit.map { min(credit + $0 * step, max(2 * Connection.segment, $0 * 0.002)) } ?? .infinity
            while ours.flight + Connection.segment <= ours.window, credit >= Connection.segment {
                credit -= Connection.segment
                packets += 1
                if lossInterval > 0, packets % lossInterval == 0 { ours.lose() }
                let sent = ours.sent.count
                send(&ours)
                if ours.sent.count == sent { break }
            }
            if credit == .infinity { credit = 0 }
            while now >= rivalFrom, rival.flight + Connection.segment <= rival.window {
                let sent = rival.sent.count
                send(&rival)
                if rival.sent.count == sent { break }
            }
            if now >= nextSample {
                nextSample = now + look
                if now < 2 { overcounted = ours.acknowledged * overcount }
                _ = pace.note(
                    PathSample(
                        now: MonotonicTime(nanoseconds: Int64(now * 1e9)), roundTrip: .seconds(smoothed),
                        shortestRoundTrip: .seconds(shortest), acknowledged: UInt64(ours.acknowledged + overcounted),
                        inFlight: Int(ours.flight), segment: Int(Connection.segment)))
            }
            if now > seconds / 3 {
                if steps == 0 { before = ours.acknowledged }
                queueSum += max(0, busyUntil - now)
                steps += 1
            }
            now += step
        }
        let share = (ours.acknowledged - before) / (seconds * 2 / 3) / bytesPerSecond
        return Outcome(share: share, meanQueue: queueSum / steps, pace: pace)
    }
}

@Suite struct SendPaceTests {
    /// Name, bits per second, round trip, queue, seconds.
    static let lines: [(String, Double, Double, Double, Double)] = [
        ("1 Mbit/s, queue of a second", 1e6, 0.04, 1, 40), ("10 Mbit/s, queue of a second", 10e6, 0.04, 1, 20),
        ("1 Mbit/s, short queue", 1e6, 0.04, 0.25, 40), ("50 Mbit/s at home", 50e6, 0.02, 0.1, 8),
        ("20 Mbit/s by satellite", 20e6, 0.6, 0.6, 60),
    ]

    @Test("the queue of a router stays short, and the file keeps its rate", arguments: lines)
    func shortQueue(name: String, rate: Double, roundTrip: Double, queue: Double, seconds: Double) {
        let path = NarrowPath(bitsPerSecond: rate, roundTrip: roundTrip, queue: queue)
        let free = path.run(seconds: seconds, isPaced: false)
        let paced = path.run(seconds: seconds)
        #expect(free.meanQueue > 0.06, "\(name): the path has no queue to speak of")
        #expect(paced.meanQueue < max(roundTrip / 2, 0.015), "\(name): \(paced.meanQueue) s")
        #expect(paced.share > free.share * 0.9, "\(name): \(paced.share) of \(free.share)")
    }

    @Test(
        "a slow path that was overestimated at first has a short queue all the same",
        arguments: [(1e6, 0.25, 0.03), (1e6, 0.25, 0.1), (1e6, 0.25, 0.2), (5e5, 0.4, 0.1), (1.3e6, 0.2, 0.2)])
    func overestimated(rate: Double, queue: Double, overcount: Double) {
        let path = NarrowPath(bitsPerSecond: rate, roundTrip: 0.04, queue: queue, overcount: overcount)
        let outcome = path.run(seconds: 40)
        #expect(outcome.meanQueue < 0.03)
        #expect(outcome.share > 0.9)
    }

    @Test("behind a modem a few packets wait, not seconds")
    func modem() {
        let path = NarrowPath(bitsPerSecond: 64e3, roundTrip: 0.2, queue: 2)
        let outcome = path.run(seconds: 120)
        #expect(outcome.meanQueue < 0.2)
        #expect(outcome.share > 0.85)
        #expect(outcome.pace.frame == 1024)
    }

    @Test("frames and what the kernel holds are ten milliseconds of the path")
    func backlog() {
        let slow = NarrowPath(bitsPerSecond: 2e6, roundTrip: 0.04, queue: 1).run(seconds: 20).pace
        let fast = NarrowPath(bitsPerSecond: 100e6, roundTrip: 0.02, queue: 0.1).run(seconds: 3).pace
        #expect((1500...3500).contains(slow.frame))
        #expect(slow.backlog == max(slow.frame, 1 << 10))
        #expect(fast.frame == 16_376)
        #expect((100_000...140_000).contains(fast.backlog ?? 0))
    }

    @Test("loss and a radio's jitter are not taken for a queue")
    func noQueue() {
        for path in [
            NarrowPath(bitsPerSecond: 50e6, roundTrip: 0.04, queue: 0.1, lossInterval: 100),
            NarrowPath(bitsPerSecond: 50e6, roundTrip: 0.01, queue: 0.2, lossInterval: 1000, jitter: 0.012, stall: 0.1),
            NarrowPath(bitsPerSecond: 5e6, roundTrip: 0.06, queue: 0.3, lossInterval: 500, jitter: 0.04),
        ] {
            let (free, paced) = (path.run(seconds: 12, isPaced: false), path.run(seconds: 12))
            #expect(paced.share > free.share * 0.9, "\(paced.share) of \(free.share)")
        }
    }

    @Test("rare looks are no pauses of the path: its queue drains", arguments: [0.03, 0.045, 0.06])
    func rareLooks(look: Double) {
        let path = NarrowPath(bitsPerSecond: 50e6, roundTrip: 0.02, queue: 0.1, look: look)
        let (free, paced) = (path.run(seconds: 12, isPaced: false), path.run(seconds: 12))
        #expect(paced.share > free.share * 0.9, "\(paced.share) of \(free.share)")
    }

    @Test("a radio whose packets are always late and sometimes lost keeps its rate", arguments: [0.02, 0.03, 0.04])
    func lateRadio(jitter: Double) {
        let path = NarrowPath(bitsPerSecond: 5e6, roundTrip: 0.06, queue: 0.3, lossInterval: 500, jitter: jitter)
        let (free, paced) = (path.run(seconds: 120, isPaced: false), path.run(seconds: 120))
        #expect(paced.share > free.share * 0.85, "\(paced.share) of \(free.share)")
    }

    @Test("a radio that stands still each second keeps its rate: a pause says nothing of how fast the path is")
    func standstill() {
        for (loss, least) in [(1000, 0.95), (0, 0.87)] {
            let path = NarrowPath(
                bitsPerSecond: 50e6, roundTrip: 0.004, queue: 0.2, lossInterval: loss, jitter: 0.006, stall: 0.15)
            let (free, paced) = (path.run(seconds: 20, isPaced: false), path.run(seconds: 20))
            #expect(paced.share > free.share * least, "\(paced.share) of \(free.share)")
        }
    }

    /// What a pace makes of a line of about 1 Mbit/s, whose round trips a test makes up.
    private struct SlowLine {
        var pace = SendPace()
        var now = 0.0
        var acknowledged = 0.0
        var queue = 0.36

        /// Each 10 ms what the mean shows of a queue comes nearer to `end`. Returns the limits, one for each window.
        mutating func pass(_ steps: Int, towards end: Double) -> [Double] {
            var limits: [Double] = []
            for _ in 0..<steps {
                let bytesPerSecond = min(pace.limit.map { Double($0) } ?? .infinity, 120_000)
                now += 0.01
                acknowledged += bytesPerSecond * 0.01
                queue = end + (queue - end) * 0.975
                let trip = 0.04 + queue
                let sample = PathSample(
                    now: MonotonicTime(nanoseconds: Int64(now * 1e9)), roundTrip: .seconds(trip),
                    shortestRoundTrip: .milliseconds(40), acknowledged: UInt64(acknowledged),
                    inFlight: Int(bytesPerSecond * trip), segment: 1448)
                if pace.note(sample) { limits.append(pace.limit.map { Double($0) } ?? .infinity) }
            }
            return limits
        }
    }

    @Test("the kernel's mean comes late: as long as it falls, it is not the path's own round trip")
    func lateMean() {
        var line = SlowLine()
        _ = line.pass(50, towards: 0.36)
        #expect((40_000...65_000).contains(line.pace.limit ?? 0), "half of what arrives, while the queue drains")
        // The queue is empty after a second or so; the mean has followed after three.
        let limits = line.pass(600, towards: 0)
        let (first, last) = (limits.first ?? 0, limits.last ?? 0)
        #expect(first < 65_000 && last > 80_000, "\(limits)")
        #expect(limits.allSatisfy { $0 <= 120_000 * 1.16 }, "little more than what arrives: \(limits)")
        for (before, after) in zip(limits, limits.dropFirst()) where before > 65_000 {
            #expect(after <= before * 1.081, "\(limits)")
        }
    }

    @Test("an acknowledgement that waits for the next packet does not make a path longer")
    func delayedAcknowledgements() {
        var line = SlowLine()
        _ = line.pass(50, towards: 0.36)
        let limits = line.pass(600, towards: 0.045)
        #expect(limits.contains { $0 > 80_000 }, "\(limits)")
        // The same at the full rate is a queue of ours.
        #expect((limits.last ?? 0) < 114_000, "\(limits)")
    }

    @Test("where somebody else fills the queue, we get our share of the path all the same")
    func rival() {
        let path = NarrowPath(bitsPerSecond: 10e6, roundTrip: 0.04, queue: 0.5, rivalFrom: 5)
        let (free, paced) = (path.run(seconds: 120, isPaced: false), path.run(seconds: 120))
        #expect(paced.share > free.share / 2, "\(paced.share) of \(free.share)")
    }

    @Test("after a rest nothing is concluded from what was delivered meanwhile")
    func rest() {
        var pace = NarrowPath(bitsPerSecond: 2e6, roundTrip: 0.04, queue: 1).run(seconds: 20).pace
        let (limit, frame) = (pace.limit, pace.frame)
        for second in [3600, 3700] {
            let sample = PathSample(
                now: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000), roundTrip: .milliseconds(400),
                shortestRoundTrip: .milliseconds(40), acknowledged: (1 << 40) + UInt64(second), inFlight: 1448,
                segment: 1448)
            let isOther = pace.note(sample)
            #expect(!isOther)
        }
        #expect(pace.limit == limit)
        #expect(pace.frame == frame)
    }
}
