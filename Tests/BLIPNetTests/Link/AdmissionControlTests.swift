// Whom a listener takes and whom it drops, in simulated time.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("AdmissionControl", .timeLimit(.minutes(5))) struct AdmissionControlTests {
    private func limits(
        connections: Int = 100, handshakes: Int = 100, perAddress: Int = 100, perSecond: Int = 100,
        perNetwork: Int = 100
    ) -> ListenerLimits {
        var limits = ListenerLimits()
        limits.maxConnections = connections
        limits.maxHandshakes = handshakes
        limits.maxHandshakesPerAddress = perAddress
        limits.handshakesPerSecond = perSecond
        limits.handshakesPerSecondPerNetwork = perNetwork
        return limits
    }
    private let start = MonotonicTime(nanoseconds: 1_000)

    private func place(_ host: String) -> CallerPlace {
        let address = SocketAddress(host: host, port: 1)
        return CallerPlace(address: address?.network ?? "", network: address?.neighbourhood ?? "")
    }

    @Test("has the limits of the specification by default")
    func defaults() {
        let limits = ListenerLimits()
        #expect(limits.maxConnections == 128)
        #expect(limits.maxHandshakesPerAddress == 8)
        #expect(limits.handshakesPerSecond == 50 && limits.handshakesPerSecondPerNetwork == 20)
        #expect(limits.firstByteTime == .seconds(2) && limits.helloTime == .seconds(3))
    }

    @Test("networks have 24 bits of IPv4 and 64 of IPv6")
    func networks() {
        #expect(place("192.0.2.7") == CallerPlace(address: "192.0.2.7", network: "192.0.2.0/24"))
        #expect(place("::ffff:192.0.2.7") == place("192.0.2.7"))
        #expect(place("2001:db8:1:2::9").network == place("2001:db8:1:2:8::1").network)
        #expect(place("2001:db8:1:2::9").network != place("2001:db8:1:3::9").network)
    }

    @Test("when all handshakes are taken, the oldest goes; who has finished TLS goes last")
    func oldest() {
        var control = AdmissionControl(limits: limits(handshakes: 3))
        for id in 1...3 as ClosedRange<UInt64> {
            #expect(
                control.admit(id, from: place("10.0.\(id).1"), now: start + .seconds(Int(id)))
                    == .admitted(dropping: []))
        }
        #expect(control.reached(.secured, by: 1, now: start) == true)
        #expect(control.admit(4, from: place("10.0.4.1"), now: start + .seconds(4)) == .admitted(dropping: [2]))
        #expect(control.admit(5, from: place("10.0.5.1"), now: start + .seconds(5)) == .admitted(dropping: [3]))
        for id in 4...5 as ClosedRange<UInt64> { #expect(control.reached(.secured, by: id, now: start) == true) }
        #expect(control.admit(6, from: place("10.0.6.1"), now: start + .seconds(6)) == .admitted(dropping: [1]))
        #expect(control.count == 3)
    }

    @Test("the network that has most of the places loses one")
    func fairness() {
        var control = AdmissionControl(limits: limits(handshakes: 4))
        _ = control.admit(1, from: place("10.0.1.1"), now: start)
        for id in 2...4 as ClosedRange<UInt64> {
            _ = control.admit(id, from: place("10.0.2.\(id)"), now: start + .seconds(1))
        }
        #expect(control.admit(5, from: place("10.0.2.9"), now: start + .seconds(2)) == .admitted(dropping: [2]))
    }

    @Test("an address that has its share loses its own oldest, others and UNIX sockets none")
    func handshakesPerAddress() {
        var control = AdmissionControl(limits: limits(perAddress: 2))
        for id in 1...2 as ClosedRange<UInt64> {
            #expect(control.admit(id, from: place("10.0.0.1"), now: start) == .admitted(dropping: []))
        }
        #expect(control.admit(3, from: place("10.0.0.1"), now: start) == .admitted(dropping: [1]))
        #expect(control.admit(4, from: place("10.0.0.2"), now: start) == .admitted(dropping: []))
        for id in 5...9 as ClosedRange<UInt64> {
            #expect(control.admit(id, from: nil, now: start) == .admitted(dropping: []))
        }
        control.opened(2)
        #expect(control.admit(10, from: place("10.0.0.1"), now: start) == .admitted(dropping: []))
    }

    @Test("open connections are never dropped: without anybody in a handshake the newest is refused")
    func connections() {
        var control = AdmissionControl(limits: limits(connections: 2))
        for id in 1...2 as ClosedRange<UInt64> {
            _ = control.admit(id, from: place("10.0.0.1"), now: start)
            control.opened(id)
        }
        #expect(control.admit(3, from: place("10.0.0.2"), now: start) == .refused(.tooManyConnections))
        control.left(1)
        #expect(control.admit(4, from: place("10.0.0.2"), now: start) == .admitted(dropping: []))
        #expect(control.admit(5, from: place("10.0.0.3"), now: start) == .admitted(dropping: [4]))
        #expect(control.count == 2)
    }

    @Test("a quarter of the places is for networks of contacts, once it is known which they are")
    func reserve() {
        var control = AdmissionControl(limits: limits(connections: 8, handshakes: 8))
        control.favour(["10.9.9.0/24"])
        for id in 1...6 as ClosedRange<UInt64> {
            #expect(control.admit(id, from: place("10.0.\(id).1"), now: start) == .admitted(dropping: []))
            _ = control.reached(.secured, by: id, now: start)
            control.opened(id)
        }
        #expect(control.admit(7, from: place("10.0.7.1"), now: start) == .refused(.tooManyConnections))
        for id in 8...9 as ClosedRange<UInt64> {
            #expect(control.admit(id, from: place("10.9.9.\(id)"), now: start) == .admitted(dropping: []))
        }
        // Contacts among themselves: the oldest one again.
        #expect(control.admit(10, from: place("10.9.9.10"), now: start) == .admitted(dropping: [8]))
        // A stranger never takes the place of one of them.
        #expect(control.admit(11, from: place("10.0.8.1"), now: start) == .refused(.tooManyConnections))
    }

    @Test("handshakes that begin are counted, callers are not; what is over a second's worth waits for the next")
    func rate() {
        var control = AdmissionControl(
            limits: limits(connections: 1000, handshakes: 1000, perAddress: 1000, perSecond: 10))
        for id in 1...200 as ClosedRange<UInt64> { _ = control.admit(id, from: place("10.0.0.1"), now: start) }
        for id in 1...10 as ClosedRange<UInt64> { #expect(control.admitsHello(of: id, now: start) == true) }
        #expect(control.admitsHello(of: 1, now: start) == true, "it is counted once")
        #expect(control.admitsHello(of: 11, now: start) == false)
        #expect(control.admitsHello(of: 12, now: start + .milliseconds(99)) == false)
        #expect(control.admitsHello(of: 13, now: start + .milliseconds(100)) == true)
        #expect(control.admitsHello(of: 14, now: start + .milliseconds(101)) == false)
        let later = start + .seconds(3600)
        for id in 15...24 as ClosedRange<UInt64> { #expect(control.reached(.secured, by: id, now: later) == true) }
        #expect(control.reached(.secured, by: 25, now: later) == false)
    }

    @Test("a network that uses up its rate takes nothing from others, and strangers leave a quarter to contacts")
    func rateOfNetwork() {
        var control = AdmissionControl(limits: limits(perSecond: 8, perNetwork: 3))
        control.favour(["10.9.9.0/24"])
        for id in 1...9 as ClosedRange<UInt64> {
            _ = control.admit(id, from: place("10.0.\(id > 4 ? 2 : 1).\(id)"), now: start)
        }
        for id in 1...3 as ClosedRange<UInt64> { #expect(control.admitsHello(of: id, now: start) == true) }
        #expect(control.admitsHello(of: 4, now: start) == false)
        for id in 5...7 as ClosedRange<UInt64> { #expect(control.admitsHello(of: id, now: start) == true) }
        // Two are left, and are not for strangers.
        _ = control.admit(10, from: place("10.0.3.1"), now: start)
        _ = control.admit(11, from: place("10.9.9.1"), now: start)
        #expect(control.admitsHello(of: 10, now: start) == false)
        #expect(control.admitsHello(of: 11, now: start) == true)
    }

    @Test("networks that are remembered are bounded")
    func manyNetworks() {
        var rates = HandshakeRates(limits(perSecond: 1_000_000, perNetwork: 2))
        for number in 0..<(HandshakeRates.maxNetworks * 2) {
            #expect(rates.take(network: "\(number)", isFavoured: true, now: start) == true)
        }
        #expect(rates.take(network: "0", isFavoured: true, now: start) == true)
        #expect(rates.take(network: "0", isFavoured: true, now: start) == false)
    }

    @Test("two seconds for the first byte, three for the whole ClientHello, none at a UNIX socket")
    func time() {
        var control = AdmissionControl(limits: limits())
        for id in 1...3 as ClosedRange<UInt64> { _ = control.admit(id, from: place("10.0.0.\(id)"), now: start) }
        _ = control.admit(4, from: nil, now: start)
        _ = control.reached(.heard, by: 2, now: start)
        _ = control.reached(.greeted, by: 3, now: start)
        #expect(control.nextDeadline == start + .seconds(2))
        #expect(control.takeOverdue(now: start + .milliseconds(1999)) == [])
        #expect(control.takeOverdue(now: start + .seconds(2)) == [1])
        #expect(control.nextDeadline == start + .seconds(3))
        #expect(control.takeOverdue(now: start + .seconds(3)) == [2])
        #expect(control.nextDeadline == nil && control.count == 2)
    }

    @Test("a contact gets in every time, whatever strangers do", arguments: 0..<20 as Range<UInt64>)
    func flood(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = ListenerLimits()
        limits.maxConnections = 160
        limits.maxHandshakes = 32
        var control = AdmissionControl(limits: limits)
        control.favour(["203.0.113.0/24"])
        var now = start
        var next: UInt64 = 1
        for _ in 0..<2_000 {
            now = now + .milliseconds(Int.random(in: 0...20, using: &random))
            _ = control.takeOverdue(now: now)
            next += 1
            _ = control.admit(
                next,
                from: place("10.\(Int.random(in: 0...3, using: &random)).0.\(Int.random(in: 1...9, using: &random))"),
                now: now)
            if Bool.random(using: &random) { _ = control.reached(.heard, by: next, now: now) }
            if Int.random(in: 0..<4, using: &random) == 0 {
                if control.admitsHello(of: next, now: now), Bool.random(using: &random) {
                    _ = control.reached(.secured, by: next, now: now)
                }
            }
            guard Int.random(in: 0..<50, using: &random) == 0 else { continue }
            // The contact, with a round trip of 60 ms in which two more strangers come.
            next += 1
            let contact = next
            guard case .admitted = control.admit(contact, from: place("203.0.113.9"), now: now) else {
                Issue.record("refused, seed \(seed)")
                return
            }
            for _ in 0..<2 {
                now = now + .milliseconds(30)
                next += 1
                _ = control.admit(next, from: place("10.4.0.\(next % 200)"), now: now)
            }
            #expect(control.admitsHello(of: contact, now: now) == true, "seed \(seed)")
            control.opened(contact)
            control.left(contact)
        }
        #expect(control.count <= 160)
    }
}
