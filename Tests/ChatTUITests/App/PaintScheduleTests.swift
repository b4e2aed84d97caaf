// The rate of pictures: bounded for whatever happens, and no wait for a person who types.

import Testing

@testable import ChatTUI

@Suite("Paint schedule")
struct PaintScheduleTests {
    /// What was painted when, and how long each key and each piece of news waited.
    private struct Record {
        var pictures: [Duration] = []
        var keyWaits: [Duration] = []
        var newsWaits: [Duration] = []
        /// When news came that no picture shows yet.
        var news: [Duration] = []

        mutating func paintedAll(at now: Duration) {
            pictures.append(now)
            newsWaits += news.map { now - $0 }
            news = []
        }
    }

    /// Paints what a program would whose user presses a key every `keys` while news come every `news`. Keys that only
    /// type are painted by themselves when they may.
    private func run(keys: Duration, news: Duration, for time: Duration, typing: Bool = true) -> Record {
        var schedule = PaintSchedule()
        var record = Record()
        var timers: [Duration] = []
        var now = Duration.seconds(100)
        let start = now
        var nextKey = now
        var nextNews = now
        while now < start + time {
            now = min(nextKey, nextNews, timers.min() ?? nextKey)
            if let index = timers.firstIndex(where: { $0 <= now }) {
                timers.remove(at: index)
                if schedule.isDue(at: now) {
                    schedule.painted(at: now)
                    record.paintedAll(at: now)
                }
                continue
            }
            let isKey = nextKey <= nextNews
            if isKey {
                nextKey += keys
            } else {
                nextNews += news
                record.news.append(now)
            }
            if isKey, typing, schedule.mayEcho(at: now) {
                schedule.echoed(at: now)
                record.pictures.append(now)
                record.keyWaits.append(.zero)
                continue
            }
            let delay = schedule.request(at: now, asEcho: isKey)
            if isKey { record.keyWaits.append(delay ?? (timers.min() ?? now) - now) }
            guard let delay else { continue }
            if isKey, delay == .zero {
                schedule.painted(at: now)
                record.paintedAll(at: now)
            } else {
                timers.append(now + delay)
            }
        }
        return record
    }

    private func mostInASecond(_ pictures: [Duration]) -> Int {
        pictures.indices.map { first in
            pictures[first...].prefix { $0 < pictures[first] + .seconds(1) }.count
        }.max() ?? 0
    }

    @Test(
        "never more than 60 pictures in a second, whatever comes",
        arguments: [1, 5, 16, 17, 25, 30, 33, 50, 90] as [Int], [1, 3, 40])
    func rate(keys: Int, news: Int) {
        for typing in [true, false] {
            let record = run(keys: .milliseconds(keys), news: .milliseconds(news), for: .seconds(5), typing: typing)
            #expect(mostInASecond(record.pictures) <= 60)
            #expect(record.pictures.count >= 50)
        }
    }

    @Test("a key shows at once while news flood in, up to 50 keys a second", arguments: [20, 28, 33, 50, 77])
    func echo(keys: Int) {
        for typing in [true, false] {
            let record = run(keys: .milliseconds(keys), news: .milliseconds(1), for: .seconds(5), typing: typing)
            #expect(record.keyWaits.allSatisfy { $0 == .zero })
        }
    }

    @Test("no typing keeps news from the screen", arguments: [1, 5, 10, 16, 20, 25, 33, 50, 90])
    func news(keys: Int) {
        for news in [1, 3, 40] {
            let record = run(keys: .milliseconds(keys), news: .milliseconds(news), for: .seconds(5))
            #expect(record.newsWaits.count > 100 && record.news.count <= 100 / news)
            #expect(record.newsWaits.allSatisfy { $0 <= PaintSchedule.interval * (PaintSchedule.advance + 1) })
        }
    }

    @Test("what is shown is shown once: nothing is painted without something new")
    func rest() {
        var schedule = PaintSchedule()
        let now = Duration.seconds(7)
        #expect(schedule.request(at: now, asEcho: true) == .zero)
        schedule.painted(at: now)
        #expect(!schedule.isDue(at: now + .seconds(1)))
        #expect(schedule.request(at: now + .milliseconds(1), asEcho: false) == .milliseconds(17))
        #expect(schedule.request(at: now + .milliseconds(2), asEcho: false) == nil)
        #expect(schedule.request(at: now + .milliseconds(3), asEcho: true) == .zero)
        schedule.painted(at: now + .milliseconds(3))
        #expect(!schedule.isDue(at: now + .milliseconds(18)))
    }
}
