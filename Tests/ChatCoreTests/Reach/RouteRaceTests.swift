// A round of calls in simulated time: what is tried when (REACH 4).

import BLIPNet
import Testing

@testable import ChatCore

@Suite("The race of routes") struct RouteRaceTests {
    private let start = MonotonicTime(nanoseconds: 1)

    private func race(_ routes: RouteClass...) -> RouteRace { RouteRace(routes, now: start) }

    /// Everything that the race does by itself until `end`, with its time in milliseconds.
    private func run(_ race: inout RouteRace, until end: Duration, free: Int = 16) -> [(Int64, RouteRace.Step)] {
        var done: [(Int64, RouteRace.Step)] = []
        var now = start
        while now <= start + end {
            done += race.next(now: now, free: free).map { ((now - start).inNanoseconds / 1_000_000, $0) }
            guard let next = race.deadline(free: free), next > now else { break }
            now = next
        }
        return done
    }

    private func starts(_ steps: [(Int64, RouteRace.Step)]) -> [Int64: Int] {
        var starts: [Int64: Int] = [:]
        for case (let time, .start(let index)) in steps { starts[time] = index }
        return starts
    }

    @Test("direct ways begin 250 ms apart, relays after 300 ms and a second apart, an onion service after 3 s")
    func schedule() {
        var race = race(.direct, .direct, .relay, .relay, .onion)
        #expect(starts(run(&race, until: .seconds(4))) == [0: 0, 250: 1, 300: 2, 1300: 3, 3000: 4])
    }

    @Test("where a way fails the next one of its kind begins at once, and a worse kind when no better one is left")
    func failures() {
        var race = race(.direct, .direct, .relay, .relay)
        #expect(race.next(now: start, free: 16) == [.start(0)])
        race.failed(0)
        #expect(race.next(now: start + .milliseconds(10), free: 16) == [.start(1)])
        race.failed(1)
        #expect(race.next(now: start + .milliseconds(20), free: 16) == [.start(2)])
        race.failed(2)
        #expect(race.next(now: start + .milliseconds(30), free: 16) == [.start(3)])
        #expect(!race.isOver)
        race.failed(3)
        #expect(race.isOver && race.deadline(free: 16) == nil)
    }

    @Test("four direct ways and two relays at once are the most, and so are those of all contacts together")
    func most() {
        var race = RouteRace(Array(repeating: .direct, count: 6) + Array(repeating: .relay, count: 4), now: start)
        let begun = starts(run(&race, until: .seconds(5)))
        #expect(begun == [0: 0, 250: 1, 500: 2, 750: 3, 300: 6, 1300: 7])
        var crowded = self.race(.direct, .direct)
        #expect(crowded.next(now: start, free: 0).isEmpty && crowded.deadline(free: 0) == nil)
        #expect(crowded.next(now: start + .seconds(1), free: 1) == [.start(0)])
    }

    @Test("the first link ends its kind and worse ones; better ones go on, and are still begun")
    func firstWins() {
        var race = race(.direct, .relay, .relay, .onion)
        #expect(race.next(now: start, free: 16) == [.start(0)])
        #expect(race.next(now: start + .milliseconds(300), free: 16) == [.start(1)])
        #expect(race.next(now: start + .milliseconds(1300), free: 16) == [.start(2)])
        #expect(race.linked(1) == [.cancel(2)])
        #expect(!race.isOver, "the direct way may still lead there")
        #expect(race.linked(0).isEmpty)
        #expect(race.isOver)
        var direct = self.race(.direct, .direct, .relay)
        _ = direct.next(now: start + .milliseconds(0), free: 16)
        _ = direct.next(now: start + .milliseconds(300), free: 16)
        #expect(direct.linked(0) == [.cancel(1), .cancel(2)])
        #expect(direct.isOver)
    }

    @Test("whoever does not get anywhere in its time is given up: 20 s direct, 10 s by a relay, 100 s by onion")
    func limits() {
        var race = race(.direct, .relay, .onion)
        let steps = run(&race, until: .seconds(200)).filter { if case .cancel = $0.1 { true } else { false } }
        #expect(steps.map(\.0) == [10_300, 20_000, 103_000])
        #expect(race.isOver)
    }

    @Test("nothing is to be done for nobody, nor for an index that there is not")
    func empty() {
        var race = race()
        #expect(race.isOver && race.next(now: start, free: 16).isEmpty)
        race.failed(3)
        #expect(race.linked(-1).isEmpty)
    }
}
