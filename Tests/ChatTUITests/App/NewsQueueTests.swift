// News between the chat and the screen: order, bound, and how often the screen is told.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI

@Suite("News on their way to the screen")
struct NewsQueueTests {
    private func event(_ number: Int64) -> ChatEvent { .messagesDeleted(ContactID(number)) }

    private func numbers(_ events: [ChatEvent]) -> [Int64] {
        events.compactMap { if case .messagesDeleted(let contact) = $0 { contact.rawValue } else { nil } }
    }

    @Test("the screen is told of what comes after nothing, and takes all of it in order, portion by portion")
    func told() {
        let news = NewsQueue()
        let count = Int64(2 * NewsQueue.portion + 5)
        #expect((1...count).map { news.add(event($0)) } == [true] + Array(repeating: false, count: Int(count) - 1))
        var taken: [Int64] = []
        var portions: [Int] = []
        var isMore = true
        while isMore {
            let portion = news.take()
            taken += numbers(portion.events)
            portions.append(portion.events.count)
            isMore = portion.isMore
        }
        #expect(taken == Array(1...count))
        #expect(portions == [NewsQueue.portion, NewsQueue.portion, 5])
        #expect(news.add(event(1)), "the next is told again")
    }

    @Test(
        "whatever order they are added and taken in: nothing is lost, and nobody waits untold",
        arguments: 1...8 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let news = NewsQueue()
        var waiting: [Int64] = []
        var last: Int64 = 0
        var isTold = false
        for _ in 0..<2000 {
            if Bool.random(using: &generator) {
                for _ in 0..<Int.random(in: 1...60, using: &generator) {
                    last += 1
                    waiting.append(last)
                    #expect(news.add(event(last)) == !isTold)
                    isTold = true
                }
            } else if isTold {
                let portion = news.take()
                #expect(numbers(portion.events) == Array(waiting.prefix(NewsQueue.portion)))
                waiting.removeFirst(portion.events.count)
                #expect(portion.isMore == !waiting.isEmpty)
                isTold = portion.isMore
            }
        }
    }

    @Test("a screen that takes nothing reads its chats anew")
    func bound() {
        let news = NewsQueue()
        for number in 0...Int64(EventBacklog.limit) { _ = news.add(event(number % 3)) }
        let portion = news.take()
        #expect(!portion.isMore && portion.events.count < 10)
        for contact in 0...2 as ClosedRange<Int64> {
            #expect(portion.events.contains(.historyReplaced(ContactID(contact))))
        }
    }
}

@Suite("How fast news go to the screen")
struct NewsPaceTests {
    /// What happens when `perSecond` events come for a second to a listener that reads at once what waits.
    private func listen(perSecond: Int) -> (looks: Int, tells: Int, waiting: Int, read: Int) {
        let start = ContinuousClock.now
        let interval = Duration.seconds(1) / perSecond
        var pace = NewsPace(at: start)
        var now = start
        var (looks, tells, most, read) = (0, 0, 0, 0)
        while read < perSecond {
            // It waits for the next one, or finds several.
            now = max(now, start + interval * (read + 1))
            let there = min(perSecond, max(read + 1, Int((now - start) / interval)))
            looks += 1
            most = max(most, there - read)
            var isResting = false
            while read < there, !isResting {
                read += 1
                if pace.tell(at: now) == .zero { tells += 1 }
                isResting = pace.rests(at: now)
            }
            guard isResting else { continue }
            now += NewsPace.rest
            pace.begin(at: now)
        }
        return (looks, tells, most, read)
    }

    @Test("in a flood the listener looks seldom and never falls behind", arguments: [3000, 10_000, 50_000])
    func flood(perSecond: Int) {
        let result = listen(perSecond: perSecond)
        #expect(result.read == perSecond)
        #expect(result.looks * 2 < perSecond)
        #expect(result.waiting <= perSecond / 1000 * 6, "what comes while it rests")
    }

    @Test("what comes now and then is looked at and told at once", arguments: [1, 10, 100, 200])
    func seldom(perSecond: Int) {
        let result = listen(perSecond: perSecond)
        #expect(result.looks == perSecond && result.tells == perSecond && result.waiting == 1)
    }

    @Test("the screen is told at most once in four milliseconds, and of everything")
    func told() {
        let start = ContinuousClock.now
        var pace = NewsPace(at: start)
        #expect(pace.tell(at: start) == .zero)
        #expect(pace.tell(at: start + .milliseconds(1)) == .milliseconds(3))
        #expect(pace.tell(at: start + .milliseconds(9)) == .zero)
    }
}
