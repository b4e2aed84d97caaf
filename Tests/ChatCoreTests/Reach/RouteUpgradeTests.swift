// When better ways are tried while the link takes a worse one, and which rest (REACH 4): pure, time passed in.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("When a contact is called along a better way") struct RouteUpgradeTests {
    private let start = MonotonicTime(nanoseconds: 1)

    private func seconds(_ time: MonotonicTime?) -> Int64? { time.map { ($0 - start).components.seconds } }

    /// The tries until `end`, in seconds.
    private func tries(_ upgrade: inout RouteUpgrade, until end: Duration) -> [Int64] {
        var times: [Int64] = []
        while let due = upgrade.due, due <= start + end, upgrade.next(now: due) { times += [seconds(due) ?? -1] }
        return times
    }

    @Test("at once, after 1 and 5 minutes, then each 15 minutes; each link begins anew")
    func schedule() {
        var upgrade = RouteUpgrade()
        #expect(upgrade.due == nil)
        upgrade.linked(.relay, now: start)
        #expect(tries(&upgrade, until: .seconds(4000)) == [0, 60, 360, 1260, 2160, 3060, 3960])
        upgrade.linked(.onion, now: start + .seconds(5000))
        #expect(tries(&upgrade, until: .seconds(5100)) == [5000, 5060])
    }

    @Test("never while the link is direct, nor without a link")
    func content() {
        var upgrade = RouteUpgrade()
        upgrade.linked(.relay, now: start)
        upgrade.linked(.direct, now: start)
        #expect(upgrade.due == nil)
        upgrade.somethingNew(now: start)
        upgrade.newNetwork(now: start)
        #expect(upgrade.due == nil && !upgrade.next(now: start + .seconds(9999)))
        upgrade.linked(.relay, now: start)
        upgrade.ended()
        #expect(upgrade.due == nil)
    }

    @Test("new ways are tried at once, but no more often than every ten seconds, however often they are told")
    func news() {
        var upgrade = RouteUpgrade()
        upgrade.linked(.relay, now: start)
        #expect(tries(&upgrade, until: .seconds(1)) == [0])
        var times: [Int64] = []
        for second in 20..<50 {
            let now = start + .seconds(second)
            upgrade.somethingNew(now: now)
            if upgrade.next(now: now) { times.append(Int64(second)) }
        }
        #expect(times == [20, 30, 40])
    }

    @Test("a new network of ours begins the series anew")
    func network() {
        var upgrade = RouteUpgrade()
        upgrade.linked(.relay, now: start)
        #expect(tries(&upgrade, until: .seconds(1300)) == [0, 60, 360, 1260])
        upgrade.newNetwork(now: start + .seconds(1400))
        #expect(tries(&upgrade, until: .seconds(1800)) == [1400, 1460, 1760])
    }

    @Test("a call that is under way tries better ways by itself: no other one beside it")
    func calls() {
        var upgrade = RouteUpgrade()
        upgrade.callBegan()
        upgrade.linked(.relay, now: start)
        #expect(upgrade.due == nil)
        upgrade.callBegan()
        upgrade.callEnded()
        #expect(upgrade.due == nil)
        upgrade.callEnded()
        #expect(seconds(upgrade.due) == 60)
    }
}

@Suite("Ways along which links do not last") struct RouteRestsTests {
    private let start = MonotonicTime(nanoseconds: 1)
    private let bad = Route.direct(host: "192.0.2.1", port: 1)
    private let good = Route.direct(host: "192.0.2.2", port: 1)

    private func left(_ rests: RouteRests, at seconds: Int64) -> [Route] {
        rests.rested([bad, good], now: start + .seconds(seconds), route: { $0 })
    }

    @Test("two links in a row of less than 30 s, and the way rests for 15 minutes")
    func twice() {
        var rests = RouteRests()
        rests.broke(bad, after: .seconds(29), now: start)
        #expect(left(rests, at: 0) == [bad, good])
        rests.broke(bad, after: .seconds(1), now: start)
        #expect(left(rests, at: 0) == [good] && left(rests, at: 899) == [good])
        #expect(left(rests, at: 900) == [bad, good])
    }

    @Test("a link that has lasted begins the count anew")
    func lasted() {
        var rests = RouteRests()
        for age in [29, 30, 29] as [Int64] { rests.broke(bad, after: .seconds(age), now: start) }
        #expect(left(rests, at: 0) == [bad, good])
    }

    @Test("where all of them rest, all are tried; on a new network none rests")
    func all() {
        var rests = RouteRests()
        for route in [bad, good, bad, good] { rests.broke(route, after: .zero, now: start) }
        #expect(left(rests, at: 0) == [bad, good])
        rests.broke(bad, after: .zero, now: start)
        rests.forget()
        rests.broke(bad, after: .zero, now: start)
        #expect(left(rests, at: 0) == [bad, good])
    }
}

@Suite("Rounds after changes of our networks") struct PathRoundsTests {
    private let start = MonotonicTime(nanoseconds: 1)

    @Test("what comes together is one round; an interface that comes and goes brings two a minute")
    func rounds() {
        var rounds = PathRounds(now: start)
        #expect(rounds.changed(now: start) == .milliseconds(200))
        #expect(rounds.changed(now: start) == nil)
        var count = 0
        var due: MonotonicTime? = start + .milliseconds(200)
        for second in 0..<600 {
            let now = start + .seconds(second + 1)
            if let time = due, now >= time {
                rounds.begin()
                count += 1
                due = nil
            }
            if let wait = rounds.changed(now: now) { due = now + wait }
        }
        #expect((20...30).contains(count), "\(count)")
    }
}
