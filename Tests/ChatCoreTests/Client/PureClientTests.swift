// The pure parts of the client: back-off, rates, windows, names, quotas, typing.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore

/// A point of time for tests, in seconds.
private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

/// What a run knows at its start of a contact without a key or an address.
private func newSession() -> PeerSession {
    let peer = Peer(
        id: ContactID(1), peerID: nil, name: "x", addresses: [], trust: .unverified,
        added: Timestamp(milliseconds: 0))
    return PeerSession(peer: peer, policy: ReconnectPolicy())
}

/// Always draws the largest number. It has a size: the thread sanitizer looks where an `inout` value is, and nothing is nowhere.
private struct Highest: RandomNumberGenerator {
    var number = UInt64.max
    mutating func next() -> UInt64 { number }
}

@Suite("When to dial again") struct ReconnectPolicyTests {
    @Test("delays double up to a minute")
    func doubling() {
        var policy = ReconnectPolicy()
        var generator = Highest()
        let delays = (0..<10).map { _ in policy.nextDelay(using: &generator) / .seconds(1) }
        let expected = [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60]
        for (delay, wanted) in zip(delays, expected) { #expect(abs(delay - wanted) < 0.001) }
    }

    @Test("the jitter covers the whole interval")
    func jitter() {
        var generator = SeededGenerator(seed: 1)
        let fractions = (0..<500).map { _ in
            var policy = ReconnectPolicy()
            return policy.nextDelay(using: &generator) / .milliseconds(500)
        }
        #expect(fractions.allSatisfy { (0...1).contains($0) })
        #expect(fractions.contains { $0 < 0.2 } && fractions.contains { $0 > 0.8 })
    }

    @Test("only a stable link or the user begins the series anew")
    func resets() {
        var policy = ReconnectPolicy()
        var generator = Highest()
        for _ in 0..<5 { _ = policy.nextDelay(using: &generator) }
        policy.linkEnded(after: .seconds(29))
        #expect(policy.ceiling() == .seconds(16))
        policy.linkEnded(after: .seconds(30))
        #expect(policy.ceiling() == .milliseconds(500))
        _ = policy.nextDelay(using: &generator)
        policy.reset()
        #expect(policy.ceiling() == .milliseconds(500))
    }

    @Test("who has been away for an hour or a day is called rarely, and a thousand failures do not overflow")
    func absence() {
        var policy = ReconnectPolicy()
        var generator = Highest()
        for (hours, minutes) in [(0, 1), (1, 5), (23, 5), (24, 15), (100_000, 15)] {
            let away = Duration.seconds(3600 * hours)
            policy.reset()
            // The series begins as it does for everybody.
            #expect(policy.ceiling(away: away) == .milliseconds(500))
            for _ in 0..<1000 { _ = policy.nextDelay(using: &generator) }
            #expect(policy.ceiling(away: away) == .seconds(60 * minutes))
        }
    }

    @Test("rare calls to many contacts fall together")
    func together() {
        var generator = SeededGenerator(seed: 1)
        var moments: Set<Int64> = []
        for second in 0..<200 {
            var policy = ReconnectPolicy()
            for _ in 0..<20 { _ = policy.nextDelay(using: &generator) }
            let now = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            let delay = policy.nextDelay(using: &generator, waiting: false, away: .seconds(100_000), now: now)
            #expect(delay >= .zero && delay <= .seconds(900))
            moments.insert((now + delay).nanoseconds)
        }
        // 300 s apart, from 0 to 900.
        #expect(moments.count <= 4)
    }
}

@Suite("How fast a peer may send") struct TokenBucketTests {
    @Test("a burst passes, then the rate holds")
    func burst() {
        var bucket = TokenBucket(rate: 20, burst: 100, now: at(0))
        let waits = (0..<101).map { _ in bucket.take(now: at(0)) }
        #expect(waits.dropLast().allSatisfy { $0 == .zero })
        #expect(waits[100] == .milliseconds(50))
        let later = bucket.take(now: at(10))
        #expect(later == .zero)
        // However long they were silent: a burst and no more.
        let afterAnHour = (0..<101).map { _ in bucket.take(now: at(3610)) }
        #expect(afterAnHour.dropLast().allSatisfy { $0 == .zero })
        #expect(afterAnHour[100] == .milliseconds(50))
    }

    @Test("time that runs backwards does no harm")
    func backwards() {
        var bucket = TokenBucket(rate: 20, burst: 1, now: at(10))
        let waits = [bucket.take(now: at(5)), bucket.take(now: at(5))]
        #expect(waits == [.zero, .milliseconds(50)])
    }
}

@Suite("What of the outbox is on the wire") struct OutboxWindowTests {
    private func entry(_ id: Int64) -> OutboxEntry {
        OutboxEntry(
            id: id, operation: .fileStatus(transfer: MessageID(at: Timestamp(milliseconds: id)), state: .accepted))
    }

    @Test("what is answered while the outbox is read does not go out once more, though it was in what was read")
    func answeredMeanwhile() {
        var window = OutboxWindow()
        let mayRead = window.ask()
        window.beginReading()
        let first = window.admit([entry(1), entry(2), entry(3)], now: at(0)).map(\.id)
        #expect(mayRead && first == [1, 2, 3])
        window.beginReading()
        window.answered(1)
        window.answered(2)
        let second = window.admit([entry(1), entry(2), entry(3)], now: at(1))
        #expect(second.isEmpty)
        // A number that is used again is another entry.
        window.beginReading()
        let third = window.admit([entry(1)], now: at(2)).map(\.id)
        #expect(third == [1])
    }

    @Test("an entry goes out once per link, in order")
    func once() {
        var window = OutboxWindow()
        let first = window.admit([entry(1), entry(2)], now: at(0)).map(\.id)
        #expect(first == [1, 2])
        let second = window.admit([entry(1), entry(2), entry(3)], now: at(1)).map(\.id)
        #expect(second == [3])
        window.answered(1)
        #expect(window.oldest == at(0))
        window.linkEnded()
        let third = window.admit([entry(2), entry(3)], now: at(2)).map(\.id)
        #expect(third == [2, 3])
    }

    @Test("no more than so many bytes are on the wire, but one entry always may be")
    func bytes() {
        var window = OutboxWindow()
        let size = entry(1).bytes
        let first = window.admit([entry(1), entry(2), entry(3)], bytes: 2 * size, now: at(0)).map(\.id)
        #expect(first == [1, 2])
        let none = window.admit([entry(1), entry(2), entry(3)], bytes: 2 * size, now: at(0)).map(\.id)
        #expect(none == [])
        window.answered(1)
        let next = window.admit([entry(2), entry(3), entry(4)], bytes: 2 * size, now: at(0)).map(\.id)
        #expect(next == [3])
        var small = OutboxWindow()
        let large = small.admit([entry(1), entry(2)], bytes: 1, now: at(0)).map(\.id)
        #expect(large == [1])
    }

    @Test("calling again brings no new burst")
    func burstOfPeer() {
        var session = newSession()
        var limits = ChatLimits()
        limits.operationBurst = 3
        let waits = (0..<4).map { _ in session.takeOperation(within: limits, now: at(0)) }
        #expect(waits == [.zero, .zero, .zero, .milliseconds(50)])
        _ = session.linkEnded(LinkNumber(rawValue: 1), reason: nil, now: at(0))
        let after = session.takeOperation(within: limits, now: at(0))
        #expect(after > .zero)
    }

    @Test("that an offer is accepted is news three times, each offer by itself; that it is over always is")
    func news() {
        var session = newSession()
        let (one, other) = (MessageID(at: Timestamp(milliseconds: 1)), MessageID(at: Timestamp(milliseconds: 1)))
        let accepted = (0..<4).map { _ in session.takeNews(of: one, isLast: false) }
        #expect(accepted == [true, true, true, false])
        let ofAnother = session.takeNews(of: other, isLast: false)
        let over = session.takeNews(of: one, isLast: true)
        #expect(ofAnother && over)
    }

    @Test("what the user wants while a call is under way is remembered until the next one begins")
    func wishWhileCalling() {
        var session = newSession()
        session.wantCall()
        #expect(!session.wantsAnotherCall, "nothing is under way: the caller calls")
        let first = session.beginDial()
        session.wantCall()
        session.dialFailed(first, reason: .disconnected)
        #expect(session.wantsAnotherCall)
        let second = session.beginDial()
        #expect(!session.wantsAnotherCall)
        session.dialFailed(second, reason: .disconnected)
        #expect(!session.wantsAnotherCall)
    }

    @Test("only one look at a time, and none is forgotten")
    func looks() {
        var window = OutboxWindow()
        let asked = [window.ask(), window.ask()]
        #expect(asked == [true, false])
        let goOn = [window.finishLook(), window.finishLook()]
        #expect(goOn == [true, false])
        let askedAgain = window.ask()
        #expect(askedAgain)
    }

    @Test("after a refusal nothing new goes out until it is released")
    func hold() {
        var window = OutboxWindow()
        let patience = window.hold(refused: false)
        #expect(patience == 1)
        let whileHeld = (window.ask(), window.admit([entry(1)], now: at(0)).count)
        #expect(whileHeld == (false, 0))
        window.release()
        let released = (window.ask(), window.admit([entry(1)], now: at(0)).count)
        #expect(released == (true, 1))
    }

    @Test("a peer who has no room is asked half as often after each refusal, and as before once something was taken")
    func patience() {
        var window = OutboxWindow()
        var patience = (0..<9).map { _ in window.hold(refused: true) }
        #expect(patience == [1, 2, 4, 8, 16, 32, 64, 64, 64])
        window.accepted()
        patience = [window.hold(refused: true), window.hold(refused: false), window.hold(refused: true)]
        #expect(patience == [1, 1, 2])
        window.linkEnded()
        patience = [window.hold(refused: true)]
        #expect(patience == [1])
    }
}

@Suite("Names of contacts") struct ContactNamesTests {
    @Test("names are trimmed; empty, long and controlling ones are refused")
    func checked() throws {
        #expect(try ContactNames.checked("  Zoë ") == "Zoë")
        for bad in ["", "   ", "a\u{1B}b", "a\nb", "a\u{202E}b", String(repeating: "ä", count: 33)] {
            #expect(throws: ChatError.badName(bad)) { try ContactNames.checked(bad) }
        }
    }

    @Test("names from peers are made usable")
    func cleaned() {
        #expect(ContactNames.cleaned("\u{1B}[31mred\u{202E}", fallback: "x") == "[31mred")
        #expect(ContactNames.cleaned("\u{7}\u{0}", fallback: "somebody") == "somebody")
        #expect(ContactNames.cleaned(String(repeating: "ä", count: 100), fallback: "x").utf8.count == 64)
    }

    @Test("a taken name gets a number, regardless of case")
    func unique() {
        #expect(ContactNames.unique("Bob", among: []) == "Bob")
        #expect(ContactNames.unique("Bob", among: ["bob", "BOB 2"]) == "Bob 3")
    }

    @Test(
        "nobody is called as the user is called in histories, however it is written",
        arguments: ["me", " ME ", "m\u{200B}e"])
    func reserved(name: String) {
        #expect(throws: ChatError.badName(name)) { try ContactNames.checked(name) }
        let cleaned = ContactNames.cleaned(name, fallback: "x")
        #expect(ContactNames.unique(cleaned, among: []) == cleaned + " 2")
        #expect(!ContactNames.isReserved(cleaned + " 2"))
    }
}

@Suite("Contact requests per address") struct CallerQuotaTests {
    @Test("ten a day for each host")
    func daily() {
        var quota = CallerQuota(perDay: 10)
        let day = Timestamp(milliseconds: 1_000_000)
        let first = (0..<11).map { _ in quota.admit("a", now: day) }
        #expect(first == [Bool](repeating: true, count: 10) + [false])
        let other = quota.admit("b", now: day)
        let nextDay = quota.admit("a", now: Timestamp(milliseconds: day.milliseconds + 86_400_000))
        #expect(other && nextDay)
    }

    @Test("a flood of hosts does not grow the table")
    func flood() {
        var quota = CallerQuota(perDay: 1)
        let admitted = (0..<5000).map { quota.admit("host \($0)", now: Timestamp(milliseconds: Int64($0))) }
        #expect(admitted.allSatisfy { $0 })
        let again = quota.admit("host 4999", now: Timestamp(milliseconds: 5000))
        #expect(!again)
    }
}

@Suite("Which of two links stays") struct LinkRuleTests {
    private func id(_ byte: UInt8) throws -> PeerID {
        PeerID(try #require(SPKIFingerprint([UInt8](repeating: byte, count: 32))))
    }

    @Test("of two links dialled at once both sides keep the same one, in whatever order they come")
    func simultaneous() throws {
        let ids = (small: try id(1), large: try id(2))
        for presentIsSmalls in [true, false] {
            // The small side sees its own call as outgoing, the large side as incoming.
            let smallSide = PeerSession.newLinkStays(
                isOutgoing: !presentIsSmalls, presentIsOutgoing: presentIsSmalls, age: .seconds(1), own: ids.small,
                peer: ids.large)
            let largeSide = PeerSession.newLinkStays(
                isOutgoing: presentIsSmalls, presentIsOutgoing: !presentIsSmalls, age: .seconds(1), own: ids.large,
                peer: ids.small)
            #expect(smallSide == !presentIsSmalls)
            #expect(largeSide == smallSide)
        }
    }

    @Test("a call that comes later replaces a link that the caller no longer has")
    func later() throws {
        let ids = (try id(1), try id(2))
        for isOutgoing in [true, false] {
            for presentIsOutgoing in [true, false] {
                #expect(
                    PeerSession.newLinkStays(
                        isOutgoing: isOutgoing, presentIsOutgoing: presentIsOutgoing, age: .seconds(10), own: ids.0,
                        peer: ids.1))
            }
        }
        #expect(
            PeerSession.newLinkStays(
                isOutgoing: false, presentIsOutgoing: false, age: .zero, own: ids.0, peer: ids.1))
    }
}

@Suite("Typing") struct TypingStateTests {
    @Test("composing is said every three seconds at most, and stopping once")
    func throttle() {
        var typing = TypingState()
        let said = [(true, 0), (true, 2.9), (true, 3), (false, 3.1), (false, 3.2)].map {
            typing.shouldSay($0.0, now: at($0.1))
        }
        #expect(said == [true, false, true, true, false])
    }
}

@Suite("The line between a link and the client") struct RequestRouterTests {
    private func request(_ number: UInt64, _ profile: String?, bytes: Int = 0) -> BLIPIncomingRequest {
        var properties = BLIPProperties()
        properties.profile = profile
        return BLIPIncomingRequest(
            number: number, properties: properties, body: Array(repeating: 0x61, count: bytes), isUrgent: true,
            isNoReply: false)
    }

    private func received(_ number: UInt64, bytes: Int = 0) -> ReceivedRequest {
        ReceivedRequest(.message, request(number, "message", bytes: bytes))
    }

    private func line(limit: Int, _ memory: WaitingMemory = WaitingMemory(bytes: 1 << 20)) -> RequestLane {
        RequestLane(limit: limit, memory: memory)
    }

    @Test("before hello is answered everything else is forbidden")
    func gate() {
        let router = RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 1 << 20))
        #expect(router.handle(request(1, "hello")) == nil)
        #expect(router.handle(request(2, "message"))?.error == .forbidden)
        #expect(router.handle(request(3, "nonsense"))?.error == .forbidden)
        #expect(router.handle(request(4, nil))?.error == .notFound)
        router.admit()
        #expect(router.handle(request(5, "message")) == nil)
        #expect(router.handle(request(6, "nonsense"))?.error == .notFound)
    }

    @Test("behind the hello of a contact operations wait for its answer, and nothing else comes through")
    func behindHello() async throws {
        let router = RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 1 << 20))
        router.expectOperations()
        #expect(router.handle(request(1, "hello")) == nil)
        for (number, profile) in ["message", "edit", "retract", "react", "file-offer", "file-status"].enumerated() {
            #expect(router.handle(request(UInt64(number) + 2, profile)) == nil, "\(profile)")
        }
        for profile in ["read", "typing", "file-get", "file-digest", "routes", "nonsense"] {
            #expect(router.handle(request(10, profile))?.error == .forbidden, "\(profile)")
        }
        let hello = try #require(await router.chat.next())
        let id = MessageID(at: Timestamp(milliseconds: 1))
        let said = BLIPIncomingRequest(
            number: 20, properties: ["Profile": "message", "Id": id.text, "Seq": "1", "Sent": "1"], body: [0x61],
            isUrgent: true, isNoReply: false)
        let message = ReceivedRequest(.message, said)
        #expect(router.mayHandle(hello) && !router.mayHandle(message), "their hello may be refused")
        router.admit()
        #expect(router.mayHandle(message))
    }

    @Test("requests come out in the order in which they came in")
    func order() async {
        let lane = line(limit: 100)
        for number in 1...50 { _ = lane.append(received(UInt64(number))) }
        for number in 1...50 { #expect(await lane.next()?.number == UInt64(number)) }
        lane.close()
        #expect(await lane.next() == nil)
    }

    @Test("a waiting consumer gets the next request, or the end")
    func waiting() async {
        let lane = line(limit: 1)
        async let first = lane.next()
        _ = lane.append(received(1))
        #expect(await first?.number == 1)
        async let second = lane.next()
        lane.close()
        #expect(await second == nil)
    }

    @Test("a line that is finished takes nothing more and gives what waits; one that is closed gives nothing")
    func ending() async {
        let (finished, closed) = (line(limit: 9), line(limit: 9))
        for lane in [finished, closed] { for number in 1...2 { _ = lane.append(received(UInt64(number))) } }
        finished.finish()
        closed.close()
        for lane in [finished, closed] { _ = lane.append(received(3)) }
        for number in [1, 2, nil] as [UInt64?] { #expect(await finished.next()?.number == number) }
        #expect(await closed.next() == nil)
    }

    @Test("one request over the limit ends the line")
    func overrun() async {
        let lane = line(limit: 2)
        for number in 1...3 { _ = lane.append(received(UInt64(number))) }
        #expect(lane.isOverrun)
        #expect(await lane.next() == nil)
    }

    @Test("a request that is longer than any chat is refused before it waits")
    func long() async {
        let router = RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 1 << 20))
        router.admit()
        #expect(router.handle(request(1, "message", bytes: 65_536)) == nil)
        #expect(router.handle(request(2, "message", bytes: 65_537))?.error == .badRequest)
        router.finish()
        #expect(await router.chat.next()?.number == 1)
        #expect(await router.chat.next() == nil)
    }

    @Test("what waits in all lines together has a limit; each line has a share, and gives back what it held")
    func memory() async {
        let memory = WaitingMemory(bytes: 256 << 10)
        let (greedy, modest) = (line(limit: 1000, memory), line(limit: 1000, memory))
        func fill(_ line: RequestLane, from first: UInt64 = 1) -> UInt64 {
            var number = first
            while number < 1000, line.append(received(number, bytes: 65_536)) { number += 1 }
            return number - first
        }
        // 256 KiB of all and 128 KiB of its own hold less than six texts of 64 KiB; the other line has its own.
        #expect(fill(greedy) == 5)
        #expect(fill(modest) == 2)
        #expect(await greedy.next()?.number == 1)
        #expect(fill(modest, from: 3) == 1)
        greedy.close()
        modest.finish()
        for number in [1, 2, 3, nil] as [UInt64?] { #expect(await modest.next()?.number == number) }
        #expect(fill(line(limit: 1000, memory)) == 5)
    }

    @Test("of the links of a peer one remainder is kept at a time")
    func remainders() {
        var session = newSession()
        for number in 1...3 as ClosedRange<UInt64> { session.beginConsuming(LinkNumber(rawValue: number)) }
        let kept = ([2, 1, 4] as [UInt64]).map { session.keepsRemainder(of: LinkNumber(rawValue: $0)) }
        #expect(kept == [true, false, false])
        session.endConsuming(LinkNumber(rawValue: 2))
        session.endConsuming(LinkNumber(rawValue: 3))
        let later = ([1, 3] as [UInt64]).map { session.keepsRemainder(of: LinkNumber(rawValue: $0)) }
        #expect(later == [true, false])
    }
}

@Suite("Who hears of events") struct EventHubTests {
    @Test("a reader that goes while news come holds nobody up, and is forgotten with the next of them")
    func goers() async {
        let hub = EventHub()
        let publisher = Task.detached {
            while !Task.isCancelled {
                hub.publish(.conversationsChanged)
                await Task.yield()
            }
        }
        for _ in 0..<3000 {
            let stream = hub.subscribe()
            let reader = Task.detached { for await _ in stream {} }
            await Task.yield()
            reader.cancel()
            await reader.value
        }
        publisher.cancel()
        await publisher.value
        hub.publish(.conversationsChanged)
        #expect(!hub.hasReaders)
    }

    @Test("what is published before the end is read after it; streams that are asked for later end at once")
    func finished() async {
        let hub = EventHub()
        let stream = hub.subscribe(beginningWith: [.typing(ContactID(1), true)])
        hub.publish(.conversationsChanged)
        hub.finish()
        hub.publish(.conversationsChanged)
        var seen: [ChatEvent] = []
        for await event in stream { seen.append(event) }
        #expect(seen == [.typing(ContactID(1), true), .conversationsChanged])
        for await event in hub.subscribe() { Issue.record("\(event)") }
    }

    @Test("a reader that is far behind hears what to read anew, and how the rest is now")
    func behind() async {
        let hub = EventHub()
        let stream = hub.subscribe()
        let (bob, carol) = (ContactID(1), ContactID(2))
        hub.publish(.notice(.keyChanged(carol)))
        hub.publish(.linkChanged(bob, .connecting))
        hub.publish(.linkChanged(bob, .awaitingApproval))
        for _ in 0...EventBacklog.limit { hub.publish(.messagesDeleted(bob)) }
        hub.publish(.typing(carol, true))
        hub.finish()
        var seen: [ChatEvent] = []
        for await event in stream { seen.append(event) }
        #expect(seen.count < 20 && seen.last == .typing(carol, true))
        for wanted in [
            .conversationsChanged, .historyReplaced(bob), .linkChanged(bob, .awaitingApproval),
            .notice(.keyChanged(carol)),
        ] as [ChatEvent] {
            #expect(seen.contains(wanted), "\(wanted)")
        }
        #expect(!seen.contains(.historyReplaced(carol)) && !seen.contains(.linkChanged(bob, .connecting)))
    }
}
