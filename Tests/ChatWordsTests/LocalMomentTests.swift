// From local times to moments: where clocks are changed some times come twice and some never.

import TestSupport
import Testing

@testable import ChatWords

@Suite("Local moments")
struct LocalMomentTests {
    /// A zone whose offset is `before` up to `change`, and `after` from then on.
    private func zone(_ before: Int64, _ after: Int64, at change: Int64) -> (Int64) -> Int64 {
        { $0 < change ? before : after }
    }

    @Test("a midnight that comes twice is the first one", arguments: [-9, -4, 0, 1, 3, 13] as [Int64])
    func twice(hours: Int64) {
        let midnight: Int64 = 20_000 * 86_400
        // At one o'clock it is midnight again.
        let change = midnight + 3600 - hours * 3600
        let offset = zone(hours * 3600, (hours - 1) * 3600, at: change)
        #expect(LocalMoment.first(showing: midnight, offset: offset) == change - 3600)
        // At a minute past midnight it is a minute past eleven again.
        let late = midnight + 60 - hours * 3600
        let back = zone(hours * 3600, (hours - 1) * 3600, at: late)
        #expect(LocalMoment.first(showing: midnight, offset: back) == late - 60)
    }

    @Test("a midnight that never comes is the change that skips it", arguments: [-9, -4, 0, 2, 13] as [Int64])
    func skipped(hours: Int64) {
        let midnight: Int64 = 20_000 * 86_400
        for minutes in [0, 30] as [Int64] {
            let change = midnight - minutes * 60 - hours * 3600
            let offset = zone(hours * 3600, (hours + 1) * 3600, at: change)
            #expect(LocalMoment.first(showing: midnight, offset: offset) == change)
        }
        // A whole day is left out, as in Samoa at the end of 2011.
        let change = midnight + 10 * 3600
        #expect(LocalMoment.first(showing: midnight, offset: zone(-36_000, 50_400, at: change)) == change)
    }

    @Test("what it gives is the first such moment of any zone with one change", arguments: 0..<200)
    func anyZone(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let before = Int64.random(in: -48...56, using: &generator) * 900
        let after = min(
            max(before + ([-7200, -3600, -1800, 1800, 3600].randomElement(using: &generator) ?? 3600), -43_200), 50_400)
        let change = Int64.random(in: 0...1_000_000, using: &generator) * 60
        let local = change + before + Int64.random(in: -7200...7200, using: &generator) / 60 * 60
        let offset = zone(before, after, at: change)
        let found = LocalMoment.first(showing: local, offset: offset)
        // Minute by minute, from well before.
        let expected = stride(from: local - 100_000 / 60 * 60 - 6000, through: local + 120_000, by: 60).first {
            $0 + offset($0) >= local
        }
        #expect(found == expected, "seed \(seed)")
    }

    @Test("the zone is looked at again after a while, and not with everything that happens")
    func watch() {
        var watch = ZoneWatch()
        let moments: [Duration] = [.seconds(5), .seconds(5) + .milliseconds(100), .seconds(6)]
        #expect(moments.map { watch.isDue(at: $0) } == [true, false, true])
    }
}
