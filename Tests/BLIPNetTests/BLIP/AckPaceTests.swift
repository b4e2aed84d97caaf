// What may be on its way to a peer behind a relay that takes in everything at once.

import Testing

@testable import BLIPNet

/// A relay without end, and behind it a path: frames leave it at `rate`, and each ACK comes back after the round trip.
private struct RelayedPath {
    /// Bytes per second.
    var rate: Double
    let roundTrip: Duration
    /// Messages that are sent beside each other, and how long each is.
    var messages = 6
    var length: UInt64 = 8 << 20
    static let frame: UInt64 = 16_376
    static let interval: UInt64 = 50_000

    private var pace = AckPace(interval: interval)
    private var now = MonotonicTime(nanoseconds: 0)
    private var freeAt = MonotonicTime(nanoseconds: 0)
    private var acks: [(time: MonotonicTime, number: UInt64, bytes: UInt64, offset: UInt64)] = []
    private var open: [(number: UInt64, sent: UInt64)] = []
    private var lastNumber: UInt64 = 0
    private(set) var sent: UInt64 = 0
    /// How long the next urgent frame would wait in the relay.
    private(set) var longestQueue = Duration.zero
    /// What else bounds what is on its way: the window of each message.
    var window = UInt64.max
    private var arrived: UInt64 = 0
    /// The peer acknowledges nothing.
    var isSilent = false

    init(rate: Double, roundTrip: Duration) {
        self.rate = rate
        self.roundTrip = roundTrip
    }

    /// Sends what may be sent for `duration`. Returns the share of the path that was used.
    mutating func run(_ duration: Duration) -> Double {
        let (end, before) = (now + duration, sent)
        longestQueue = .zero
        while now < end {
            while !pace.isFull(running: messages), freeAt - now < .seconds(20), sent - arrived < window { sendFrame() }
            longestQueue = max(longestQueue, freeAt - now)
            let next = [acks.first?.time, pace.deadline, end].compactMap { $0 }.min() ?? end
            now = max(now + .microseconds(10), min(next, end))
            pace.handleTimeout(now: now)
            while let ack = acks.first, ack.time <= now {
                acks.removeFirst()
                arrived = ack.offset
                pace.acknowledged(ack.bytes, of: ack.number, isOfResponse: true, now: now)
            }
        }
        return Double(sent - before) / rate / (duration / .seconds(1))
    }

    private mutating func sendFrame() {
        if open.count < messages {
            lastNumber += 1
            open.append((lastNumber, 0))
        }
        var message = open.removeFirst()
        let count = min(Self.frame, length - message.sent)
        let before = message.sent
        message.sent += count
        sent += count
        freeAt = max(freeAt, now) + .seconds(Double(count) / rate)
        let isLast = message.sent == length
        pace.wrote(
            count, of: message.number, isOfResponse: true, total: message.sent, isLast: isLast, running: messages,
            now: now)
        if !isLast {
            open.append(message)
            if before / Self.interval < message.sent / Self.interval, !isSilent {
                acks.append((freeAt + roundTrip, message.number, message.sent, sent))
            }
        }
    }
}

@Suite struct AckPaceTests {
    @Test(
        "keeps the path busy, and the queue in the relay short",
        arguments: [
            (25e6, 60), (25e6, 5), (2.5e6, 20), (2.5e6, 150), (1.25e6, 300), (12.5e6, 300), (5e6, 800),
        ])
    func steady(rate: Double, milliseconds: Int) {
        var path = RelayedPath(rate: rate, roundTrip: .milliseconds(milliseconds))
        _ = path.run(.seconds(15))
        for _ in 0..<8 {
            let share = path.run(.seconds(10))
            #expect(share > 0.9)
            // What is counted but has arrived, an interval for each message, and what we accept.
            let lag = Duration.seconds(7 * 1.25 * 50_000 / rate)
            let accepted = max(.milliseconds(50), .milliseconds(milliseconds) / 4)
            #expect(path.longestQueue < accepted * 1.6 + lag)
        }
    }

    @Test("finds the rate of a path within some round trips")
    func beginning() {
        var path = RelayedPath(rate: 12.5e6, roundTrip: .milliseconds(100))
        let share = path.run(.seconds(3))
        #expect(share > 0.7)
        #expect(path.longestQueue < .milliseconds(400))
    }

    @Test("follows a path that gets slower or faster")
    func changes() {
        var path = RelayedPath(rate: 10e6, roundTrip: .milliseconds(60))
        _ = path.run(.seconds(10))
        path.rate = 2.5e6
        _ = path.run(.seconds(5))
        let slow = path.run(.seconds(5))
        #expect(slow > 0.9)
        #expect(path.longestQueue < .milliseconds(350))
        path.rate = 20e6
        _ = path.run(.seconds(5))
        let fast = path.run(.seconds(5))
        #expect(fast > 0.9)
    }

    @Test("a relay that takes a burst before it holds back is not taken for a fast path, whatever else bounds a file")
    func burst() {
        var path = RelayedPath(rate: 200e6, roundTrip: .milliseconds(2))
        path.window = 6_000_000
        _ = path.run(.milliseconds(500))
        path.rate = 20e6
        _ = path.run(.seconds(3))
        #expect(path.longestQueue < .milliseconds(150))
        let share = path.run(.seconds(5))
        #expect(share > 0.9)
        #expect(path.longestQueue < .milliseconds(100))
    }

    @Test("a peer that acknowledges nothing gets a little each second, and is not waited for for ever")
    func silence() {
        var path = RelayedPath(rate: 10e6, roundTrip: .milliseconds(60))
        path.isSilent = true
        _ = path.run(.seconds(10))
        #expect(path.sent > 4 << 20 && path.sent < 12 << 20)
    }

    @Test("ACKs of what was never sent, and of old frames, mean nothing")
    func foreign() {
        var pace = AckPace(interval: 50_000)
        let now = MonotonicTime(nanoseconds: 1)
        pace.acknowledged(1000, of: 1, isOfResponse: true, now: now)
        #expect(!pace.isFull(running: 1) && pace.deadline == nil)
        var total: UInt64 = 0
        while !pace.isFull(running: 1), total < 10 << 20 {
            total += 16_000
            pace.wrote(16_000, of: 1, isOfResponse: true, total: total, isLast: false, running: 1, now: now)
        }
        #expect(total < 1 << 20)
        for (number, isOfResponse) in [(2, true), (1, false)] as [(UInt64, Bool)] {
            pace.acknowledged(total, of: number, isOfResponse: isOfResponse, now: now)
        }
        pace.acknowledged(49_999, of: 1, isOfResponse: true, now: now)
        #expect(pace.isFull(running: 1))
        pace.acknowledged(.max, of: 1, isOfResponse: true, now: now)
        #expect(!pace.isFull(running: 1))
    }

    @Test("on such a link urgent messages and new requests go while a normal message waits for ACKs")
    func connection() throws {
        var limits = BLIPLimits()
        limits.pacesByAcks = true
        limits.sendWindow = 100 << 20
        var connection = BLIPConnection(dialect: .blip3, limits: limits) { _ in nil }
        connection.noteTime(MonotonicTime(nanoseconds: 0))
        _ = connection.send(
            BLIPRequest(profile: "bulk", body: .bytes([UInt8](repeating: 7, count: 4 << 20))), sink: nil, noReply: false
        )
        var frame = ByteQueue()
        var bulk = 0
        while bulk < 1000, connection.nextFrame(into: &frame) { bulk += 1 }
        #expect(bulk > 20 && bulk < 100)
        #expect(!connection.hasOutgoing && connection.hasUnsent)
        _ = connection.send(BLIPRequest(profile: "small"), sink: nil, noReply: false)
        var went = connection.nextFrame(into: &frame)
        #expect(went)
        _ = connection.send(BLIPRequest(profile: "chat", urgent: true), sink: nil, noReply: false)
        went = connection.nextFrame(into: &frame)
        #expect(went)
        went = connection.nextFrame(into: &frame)
        #expect(!went)
        // Nothing comes back: after a while it goes on all the same.
        let deadline = try #require(connection.deadline)
        connection.handleTimeout(now: deadline)
        went = connection.nextFrame(into: &frame)
        #expect(went)
    }
}
