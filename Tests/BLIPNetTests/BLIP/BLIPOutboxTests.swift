// The order of outgoing frames, without frames.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPOutboxTests {
    /// Sends one frame of the next message, which has as many as `frames` says; returns its number.
    private struct Sender {
        var outbox = Outbox(maxRunning: 64)
        var frames: [UInt64: Int] = [:]
        var begun: [UInt64] = []

        mutating func add(
            _ number: UInt64, frames count: Int, urgent: Bool = false, type: BLIPFrameType = .request
        ) {
            frames[number] = count
            outbox.add(
                OutgoingMessage(
                    number: number, type: type, isUrgent: urgent, prefix: [0], body: .empty, compression: .frameStream))
        }

        mutating func step() -> UInt64? {
            guard let message = outbox.popNext() else { return nil }
            if message.isNew { begun.append(message.number) }
            message.isNew = false
            let left = (frames[message.number] ?? 1) - 1
            frames[message.number] = left
            if left > 0 { outbox.putBack(message) } else { outbox.finish(message) }
            return message.number
        }

        mutating func run(_ count: Int = .max) -> [UInt64] {
            var numbers: [UInt64] = []
            while numbers.count < count, let number = step() { numbers.append(number) }
            return numbers
        }
    }

    @Test("normal messages take turns")
    func turns() {
        var sender = Sender()
        for number in 1...3 { sender.add(UInt64(number), frames: number) }
        #expect(sender.run() == [1, 2, 3, 2, 3, 3])
    }

    @Test("an urgent message goes after at most one normal frame, and takes every second one")
    func urgentFirst() {
        var sender = Sender()
        for number in 1...4 { sender.add(UInt64(number), frames: 20) }
        #expect(sender.run(4) == [1, 2, 3, 4])
        sender.add(5, frames: 4, urgent: true)
        #expect(sender.outbox.hasUrgent)
        let order = sender.run(10)
        #expect(order == [1, 5, 2, 5, 3, 5, 4, 5, 1, 2])
        #expect(!sender.outbox.hasUrgent)
    }

    @Test("urgent messages have one normal frame between them")
    func betweenUrgents() {
        var sender = Sender()
        for number in 1...4 { sender.add(UInt64(number), frames: 9) }
        _ = sender.run(4)
        for number in 5...7 { sender.add(UInt64(number), frames: 1, urgent: true) }
        #expect(sender.run(7) == [1, 5, 2, 6, 3, 7, 4])
    }

    @Test("no more than two normal frames stand before an urgent message, however many bulk messages run")
    func latency() {
        var random = SeededGenerator(seed: 5)
        for bulk in 1...40 {
            var sender = Sender()
            for number in 1...bulk { sender.add(UInt64(number), frames: 1_000) }
            _ = sender.run(bulk + Int.random(in: 0..<50, using: &random))
            sender.add(1_000, frames: 1, urgent: true)
            #expect(sender.run(3).contains(1_000))
        }
    }

    @Test("normal messages keep going under more urgent ones than the connection can carry")
    func noStarvation() {
        var sender = Sender()
        for number in 1...3 { sender.add(UInt64(number), frames: 1_000) }
        _ = sender.run(3)
        var next: UInt64 = 4
        var order: [UInt64] = []
        for _ in 0..<1_000 {
            sender.add(next, frames: 1, urgent: true)
            sender.add(next + 1, frames: 2, urgent: true)
            next += 2
            order += sender.run(2)
        }
        for normal: UInt64 in 1...3 {
            let places = order.indices.filter { order[$0] == normal }
            let gaps = zip(places, places.dropFirst()).map { $1 - $0 }
            #expect(places.count > 25)
            #expect(gaps.max() ?? .max <= 64 + 3)
        }
    }

    @Test("a flood of urgent messages leaves one bulk body most of the frames, a burst passes it")
    func flood() {
        var sender = Sender()
        sender.add(1, frames: .max)
        _ = sender.run(1)
        var next: UInt64 = 2
        var order: [UInt64] = []
        while order.count < 2_000 {
            while sender.outbox.count < 40 {
                sender.add(next, frames: 1, urgent: true)
                next += 1
            }
            order += sender.run(1)
        }
        let burst = order.prefix(2 * Outbox.urgentBurst).count { $0 == 1 }
        #expect(burst < Outbox.urgentBurst)
        let share = order.dropFirst(200).count { $0 == 1 }
        #expect(share * 7 >= 1_800 * 6 - 14)
        #expect(share * 7 <= 1_800 * 6 + 14)
        #expect(sender.begun == Array(1..<next).filter { $0 == 1 || (sender.frames[$0] ?? 1) == 0 })
    }

    @Test("short normal responses keep half of the frames while more urgent ones wait than there are places")
    func shortResponses() {
        var sender = Sender()
        var order: [UInt64] = []
        var (urgent, normal): (UInt64, UInt64) = (0, 1_000_000)
        while order.count < 2_000 {
            while urgent < order.count + 100 {
                urgent += 1
                sender.add(urgent, frames: 1, urgent: true, type: .response)
            }
            while normal < 1_000_000 + order.count + 100 {
                normal += 1
                sender.add(normal, frames: 1, type: .response)
            }
            order += sender.run(1)
        }
        let share = order.count { $0 > 1_000_000 }
        #expect((950...1_050).contains(share))
    }

    @Test("few urgent messages at a time are never held up by what they owe")
    func fewAtATime() {
        var sender = Sender()
        for number in 1...16 { sender.add(UInt64(number), frames: .max) }
        _ = sender.run(16)
        for number: UInt64 in 100..<1_000 {
            sender.add(number, frames: 1, urgent: true)
            #expect(sender.run(3).contains(number))
            _ = sender.run(8)
        }
    }

    @Test("requests begin in the order of their numbers, urgent or not", arguments: 1...50)
    func numberOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sender = Sender()
        sender.outbox = Outbox(maxRunning: Int.random(in: 1...20, using: &random))
        var next: UInt64 = 0
        while next < 200 {
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                next += 1
                sender.add(next, frames: Int.random(in: 1...9, using: &random), urgent: .random(using: &random))
            }
            _ = sender.run(Int.random(in: 0...20, using: &random))
        }
        _ = sender.run()
        #expect(sender.begun == Array(1...next))
        #expect(sender.frames.values.allSatisfy { $0 == 0 })
    }

    @Test("an urgent response does not wait for requests that have not begun")
    func urgentResponse() {
        var sender = Sender()
        for number in 1...10 { sender.add(UInt64(number), frames: 1) }
        sender.add(99, frames: 1, urgent: true, type: .response)
        #expect(sender.run(2).contains(99))
        sender.add(11, frames: 1, urgent: true)
        #expect(sender.run() == Array(2...11) || sender.begun.filter { $0 != 99 } == Array(1...11))
    }

    @Test("keeps the number of running messages, with places for urgent ones")
    func bounded() {
        var sender = Sender()
        sender.outbox = Outbox(maxRunning: 8)
        for number in 1...20 { sender.add(UInt64(number), frames: 3, type: .response) }
        #expect(sender.outbox.count == 20)
        #expect(Set(sender.run(12)) == Set(1...6))
        sender.add(30, frames: 3, urgent: true, type: .response)
        #expect(sender.run(2).contains(30))
        #expect(Set(sender.run()).isSuperset(of: Set(7...20)))
        #expect(sender.outbox.isEmpty && sender.outbox.count == 0)
    }

    @Test("requests and responses that wait for room take turns")
    func fairBacklog() {
        var sender = Sender()
        sender.outbox = Outbox(maxRunning: 1)
        for number in 1...5 {
            sender.add(UInt64(number), frames: 1)
            sender.add(UInt64(100 + number), frames: 1, type: .response)
        }
        #expect(sender.run() == [1, 101, 2, 102, 3, 103, 4, 104, 5, 105])
    }
}
