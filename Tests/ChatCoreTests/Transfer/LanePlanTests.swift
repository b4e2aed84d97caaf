// When files go over lanes: what the plan does on paths in simulated time.

import BLIPNet
import Testing

@testable import ChatCore

/// A path that loses packets by itself, and a router with a queue, under one to several TCP connections (additive increase, 0.7
/// of the window after a loss).
struct LossyPath: Sendable {
    /// Bytes per second.
    var rate: Double
    /// Seconds.
    var roundTrip: Double
    /// The share of packets that it loses.
    var loss: Double
    /// Seconds.
    var longestQueue = 0.2
    /// A queue of so many seconds is noticed, as SendPace does.
    var noticed = 0.02

    static let segment = 1448.0
    static let step = 0.01

    private struct Flow {
        /// In segments.
        var window = 10.0
        var counters = LossCounters(segments: 0, segmentsAgain: 0, acknowledged: 0, roundTrip: .zero)
        /// Fractions of segments and of lost ones.
        var sent = 0.0
        var lost = 0.0
        /// Segments.
        var arrived = 0.0
        /// It has answered a loss until then.
        var recovered = 0.0
        var inSlowStart = true
    }

    private var flows: [Int: Flow] = [0: Flow()]
    private var time = 0.0
    private var queue = 0.0

    init(rate: Double, roundTrip: Double, loss: Double, longestQueue: Double = 0.2, noticed: Double = 0.02) {
        self.rate = rate
        self.roundTrip = roundTrip
        self.loss = loss
        self.longestQueue = longestQueue
        self.noticed = noticed
    }

    var now: MonotonicTime { MonotonicTime(nanoseconds: Int64(time * 1e9)) }
    var lanes: Int { flows.count - 1 }
    var acknowledged: Double { flows.values.reduce(0) { $0 + Double($1.counters.acknowledged) } + gone }
    private var gone = 0.0
    private var opening: [Double] = []
    private var lastLane = 0

    var counters: [Int: LossCounters] { flows.mapValues(\.counters) }

    mutating func open(_ count: Int) {
        for _ in lanes..<max(count, lanes) { opening.append(time + 3 * roundTrip) }
    }

    mutating func close(_ count: Int) {
        for number in flows.keys.filter({ $0 > 0 }).sorted().suffix(count) {
            gone += Double(flows[number]?.counters.acknowledged ?? 0)
            flows[number] = nil
        }
    }

    mutating func advance() {
        time += Self.step
        for _ in opening.filter({ $0 <= time }) {
            lastLane += 1
            flows[lastLane] = Flow()
        }
        opening.removeAll { $0 <= time }
        // Once there are lanes, nothing of a file goes over the link.
        let busy = flows.keys.filter { lanes == 0 || $0 > 0 }.sorted()
        let trip = roundTrip + queue
        let offered = busy.reduce(0.0) { $0 + (flows[$1]?.window ?? 0) * Self.segment / trip }
        queue = max(0, queue + (offered - rate) / rate * Self.step)
        let overflow = max(0, queue - longestQueue) * rate / Self.segment
        queue = min(queue, longestQueue)
        for number in busy {
            guard var flow = flows[number] else { continue }
            let sent = flow.window / trip * Self.step
            flow.sent += sent
            flow.lost += sent * loss + overflow / Double(busy.count)
            let whole = flow.sent.rounded(.down)
            flow.sent -= whole
            flow.counters.segments += UInt64(whole)
            flow.counters.roundTrip = .seconds(trip)
            flow.counters.hasQueue = queue > noticed
            let lost = flow.lost.rounded(.down)
            flow.lost -= lost
            flow.arrived += whole - lost
            flow.counters.acknowledged = max(flow.counters.acknowledged, UInt64(max(flow.arrived, 0) * Self.segment))
            flow.counters.segmentsAgain += UInt64(lost)
            if lost > 0, time >= flow.recovered {
                flow.window = max(flow.window * 0.7, 1)
                flow.recovered = time + trip
                flow.inSlowStart = false
            } else {
                flow.window += flow.inSlowStart ? sent : sent / flow.window
            }
            flows[number] = flow
        }
    }
}

@Suite("When files go over lanes") struct LanePlanTests {
    private struct Course {
        var opened = 0
        var closed = 0
        /// Lanes at the end.
        var lanes = 0
        var bytes = 0.0
        /// Seconds.
        var openedAt: Double?
        /// Ranges go over the link in pieces.
        var hasPieces = false
    }

    private func run(
        _ path: LossyPath, for seconds: Double, remaining: UInt64 = 1 << 40, plan most: Int? = 6, answers: Bool = true
    ) -> Course {
        var path = path
        var plan = LanePlan(most: most ?? 0)
        var course = Course()
        var steps = 0
        while Double(steps) * LossyPath.step < seconds {
            path.advance()
            steps += 1
            guard steps.isMultiple(of: 25), most != nil else { continue }
            switch plan.note(path.counters, remaining: remaining, now: path.now) {
            case .stays: if plan.piece != nil { course.hasPieces = true }
            case .opens(let count):
                course.opened += 1
                course.openedAt = course.openedAt ?? Double(steps) * LossyPath.step
                if answers { path.open(count) }
            case .closes(let count):
                course.closed += count
                path.close(count)
            }
        }
        course.lanes = path.lanes
        course.bytes = path.acknowledged
        return course
    }

    @Test("a path that loses packets gets lanes within seconds, and three times as much goes", arguments: [0.01, 0.05])
    func lossy(loss: Double) throws {
        let path = LossyPath(rate: 6.25e6, roundTrip: 0.04, loss: loss)
        let alone = run(path, for: 30, plan: nil)
        let course = run(path, for: 30)
        #expect(try #require(course.openedAt) < 4)
        #expect(course.opened == 1 && course.closed == 0 && course.lanes == 6)
        #expect(course.bytes > 3 * alone.bytes && course.hasPieces)
    }

    @Test("a long path that loses packets gets them, too")
    func long() throws {
        let course = run(LossyPath(rate: 12.5e6, roundTrip: 0.3, loss: 0.01), for: 60)
        #expect(course.opened == 1 && course.lanes == 6)
    }

    @Test(
        "no lanes where nothing is lost, little is, or what is lost overflows a queue that we see",
        arguments: [
            LossyPath(rate: 125e6, roundTrip: 0.001, loss: 0), LossyPath(rate: 12.5e6, roundTrip: 0.15, loss: 0),
            LossyPath(rate: 3e6, roundTrip: 0.01, loss: 0.001),
            LossyPath(rate: 125e3, roundTrip: 0.04, loss: 0, longestQueue: 1),
            LossyPath(rate: 6.25e6, roundTrip: 0.02, loss: 0, longestQueue: 0.1),
        ])
    func clean(path: LossyPath) {
        let course = run(path, for: 60)
        #expect(course.opened == 0 && !course.hasPieces)
    }

    @Test(
        "on a path that is full without a queue that shows they bring nothing, go again, and are not tried for a minute",
        arguments: [
            LossyPath(rate: 250e3, roundTrip: 0.04, loss: 0, longestQueue: 0.01, noticed: 1),
            LossyPath(rate: 100e3, roundTrip: 0.3, loss: 0.01, longestQueue: 0.01, noticed: 1),
        ])
    func shallow(path: LossyPath) {
        let course = run(path, for: 90)
        #expect(course.opened <= 2)
        #expect(course.closed == 6 * course.opened && course.opened > 0)
    }

    @Test("where lanes fill the path, they go one by one until no queue is left")
    func full() {
        let course = run(LossyPath(rate: 1.5e6, roundTrip: 0.04, loss: 0.01), for: 60)
        #expect(course.opened >= 1)
        #expect(course.lanes < 6 && course.closed > 0)
    }

    @Test("not for a file that is over soon")
    func small() {
        let path = LossyPath(rate: 6.25e6, roundTrip: 0.04, loss: 0.01)
        #expect(run(path, for: 30, remaining: 200_000).opened == 0)
    }

    @Test("a peer that opens none is asked again after a minute, not sooner")
    func unanswered() {
        let path = LossyPath(rate: 6.25e6, roundTrip: 0.04, loss: 0.01)
        #expect(run(path, for: 60, answers: false).opened == 1)
        #expect(run(path, for: 90, answers: false).opened == 2)
    }
}

@Suite("Which lane a range goes over") struct LaneLoadTests {
    private func range(_ number: Int) -> FileRange { FileRange(offset: UInt64(number), length: 1) }

    @Test("none before the first bytes have come over the link; a whole range is not waited for")
    func begun() {
        var load = LaneLoad()
        load.note(written: 0)
        #expect(load.usable([1, 2]) == [])
        load.note(written: 1)
        #expect(load.usable([2, 1]) == [1, 2])
    }

    @Test("the one with the fewest ranges, and none that has failed")
    func fewest() throws {
        var load = LaneLoad()
        load.note(written: 1)
        for number in 0..<6 {
            load.begin(range(number), on: try #require(load.next(of: load.usable([1, 2, 3]))))
        }
        load.end(range(1))
        #expect(load.next(of: load.usable([1, 2, 3])) == 2)
        load.fail(range(0))
        #expect(load.usable([1, 2, 3]) == [2, 3])
        load.fail(range(4))
        load.fail(range(5))
        #expect(load.usable([1, 2, 3]) == [])
        #expect(load.next(of: []) == nil)
    }

    @Test("a file over lanes comes whole, in ranges that do not overlap, and the last ones are small")
    func planned() throws {
        let size: UInt64 = 10_000_000
        var planner = RangePlanner(size: size, done: 0)
        var (open, covered): ([FileRange], [FileRange]) = ([], [])
        var lost = 0
        while !planner.isComplete {
            while let range = planner.nextRange(over: 3) { open.append(range) }
            #expect(open.count <= 3 * RangePlanner.inFlightOnLane)
            let range = open.removeFirst()
            if lost < 5, covered.count > 4, range.length > 1000 {
                // Its lane has ended behind the first bytes.
                lost += 1
                planner.takeBack(range, after: 1000)
                covered.append(FileRange(offset: range.offset, length: 1000))
            } else {
                planner.finished(range, after: .milliseconds(700))
                covered.append(range)
            }
        }
        var end: UInt64 = 0
        for range in covered.sorted(by: { $0.offset < $1.offset }) {
            #expect(range.offset == end)
            end = range.end
        }
        #expect(end == size && lost == 5)
        #expect(try #require(covered.max { $0.offset < $1.offset }).length <= RangePlanner.first / 2)
    }
}
