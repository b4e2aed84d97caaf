// The conversation with a relay in simulated time, and how many of its sessions are begun.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("Control connections to a relay") struct RelayControlTests {
    private let start = MonotonicTime(nanoseconds: 1)
    private let callee: RelayID
    private let loopback: [UInt8] = [127, 0, 0, 1]

    init() throws {
        let bytes = bytes(hex: "b8a2af1faa23158988488335d5819182ea2f8f2a246e6875d25f2a8ea3999272")
        callee = try #require(RelayID(bytes))
    }

    private func events(_ control: inout RelayControl) -> [RelayControl.Event] {
        var events: [RelayControl.Event] = []
        while let event = control.nextEvent() { events.append(event) }
        return events
    }

    private func invitation(_ address: [UInt8], isServer: Bool = true, from: RelayID? = nil) -> RelayMessage {
        .invitation(
            RelayInvitation(from: from ?? callee, key: [7], address: address, port: 22067, isServer: isServer))
    }

    private func joined() -> RelayControl {
        var control = RelayControl(.beReached(token: ""), address: loopback, now: start)
        _ = control.takeOutgoing()
        control.receive(RelayMessage.response(RelayResponse(.success, words: "success")).encoded(), now: start)
        #expect(events(&control) == [.joined])
        return control
    }

    @Test("both sides of the recorded meeting say what was recorded")
    func transcript() throws {
        let transcript = try reachVector(RelayTranscript.self, "relay_transcript.json")
        var reached = RelayControl(.beReached(token: ""), address: loopback, now: start)
        #expect(reached.takeOutgoing() == transcript.bytes("callee", ">").first)
        for bytes in transcript.bytes("callee", "<").prefix(2) { reached.receive(bytes, now: start) }
        let seen = events(&reached)
        #expect(seen.first == .joined)
        guard case .invited(let invitation)? = seen.last else {
            Issue.record("no invitation")
            return
        }
        #expect(RelayMessage.joinSession(key: invitation.key).encoded() == transcript.bytes("callee", ">")[1])
        #expect(invitation.isServer && invitation.port == 22067)

        var absent = RelayControl(
            .call(try #require(RelayID([UInt8](repeating: 0, count: 32)))), address: loopback, now: start)
        #expect(absent.takeOutgoing() == transcript.bytes("caller", ">")[0])
        absent.receive(transcript.bytes("caller", "<")[0], now: start)
        #expect(events(&absent) == [.ended(.notThere)])

        var calling = RelayControl(.call(callee), address: loopback, now: start)
        #expect(calling.takeOutgoing() == transcript.bytes("caller", ">")[1])
        calling.receive(transcript.bytes("caller", "<")[1], now: start)
        guard case .invited(let called)? = events(&calling).first else {
            Issue.record("no invitation")
            return
        }
        #expect(RelayMessage.joinSession(key: called.key).encoded() == transcript.bytes("caller", ">")[2])

        var second = RelayControl(.beReached(token: ""), address: loopback, now: start)
        second.receive(transcript.bytes("second", "<")[0], now: start)
        #expect(events(&second) == [.ended(.idTaken)])
    }

    @Test("an invitation to another address is refused; one without an address, or in the form of IPv6, is not")
    func elsewhere() {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]
        for address in [[], loopback, mapped, [0, 0, 0, 0]] {
            var control = joined()
            control.receive(invitation(address).encoded(), now: start)
            #expect(events(&control).count == 1 && control.deadline != nil)
        }
        for address: [UInt8] in [[10, 0, 1, 1], mapped.dropLast() + [2], [UInt8](repeating: 0x20, count: 16)] {
            var control = joined()
            control.receive(invitation(address).encoded(), now: start)
            #expect(events(&control) == [.ended(.elsewhere)])
        }
    }

    @Test("what nobody has asked for ends the connection")
    func unexpected() {
        var early = RelayControl(.beReached(token: ""), address: loopback, now: start)
        early.receive(invitation(loopback).encoded(), now: start)
        guard case .ended(.violated)? = events(&early).first else {
            Issue.record("an invitation before the answer was taken")
            return
        }
        for message in [
            invitation(loopback, isServer: false), RelayMessage.joinRelay(token: ""), .connect(callee),
            .response(RelayResponse(.success, words: "")),
        ] {
            var control = joined()
            control.receive(message.encoded(), now: start)
            guard case .ended(.violated)? = events(&control).first else {
                Issue.record("\(message) was taken")
                continue
            }
            // Nothing more comes out.
            control.receive(invitation(loopback).encoded(), now: start)
            #expect(events(&control).isEmpty)
        }
        var calling = RelayControl(.call(callee), address: loopback, now: start)
        calling.receive(
            invitation(loopback, isServer: false, from: RelayID(ofCertificate: [9])).encoded(), now: start)
        guard case .ended(.violated)? = events(&calling).first else {
            Issue.record("an invitation of somebody else was taken")
            return
        }
    }

    @Test("each refusal has its own reason")
    func refusals() {
        let cases: [(RelayMessage, RelayProblem)] = [
            (.full, .full), (.response(RelayResponse(.wrongToken, words: "wrong token")), .wantsToken),
            (.response(RelayResponse(.alreadyConnected, words: "")), .idTaken),
            (.response(RelayResponse(.other(77), words: "no")), .violated(reason: "no")),
        ]
        for (message, problem) in cases {
            var control = RelayControl(.beReached(token: "t"), address: loopback, now: start)
            control.receive(message.encoded(), now: start)
            #expect(events(&control) == [.ended(problem)])
        }
        var gone = joined()
        gone.receiveEnd()
        gone.receiveEnd()
        #expect(events(&gone) == [.ended(.gone)])
    }

    @Test("pings are answered; a silent relay is asked after 20 s and given up after 40")
    func silence() {
        var control = joined()
        control.receive(RelayMessage.ping.encoded(), now: start + .seconds(1))
        #expect(control.takeOutgoing() == RelayMessage.pong.encoded())
        #expect(control.deadline == start + .seconds(21))
        control.handleTimeout(now: start + .seconds(20))
        #expect(control.takeOutgoing().isEmpty)
        control.handleTimeout(now: start + .seconds(21))
        #expect(control.takeOutgoing() == RelayMessage.ping.encoded())
        control.receive(RelayMessage.pong.encoded(), now: start + .seconds(22))
        #expect(control.deadline == start + .seconds(42))
        control.handleTimeout(now: start + .seconds(42))
        control.handleTimeout(now: start + .seconds(62))
        #expect(events(&control) == [.ended(.silent)])
        var asking = RelayControl(.call(callee), address: loopback, now: start)
        // Pings do not make a relay that answers nothing else worth waiting for.
        asking.receive(RelayMessage.ping.encoded(), now: start + .seconds(4))
        asking.handleTimeout(now: start + .seconds(5))
        #expect(events(&asking) == [.ended(.silent)])
    }

    @Test(
        "we ask only when the relay's own pings are late: by 10 s, and after 75 s at the latest",
        arguments: [(2, 20), (20, 30), (60, 70), (65, 75), (600, 75)])
    func relayAsks(interval: Int64, silence: Int64) {
        var control = joined()
        let first = start + .seconds(1)
        control.receive(RelayMessage.ping.encoded(), now: first)
        #expect(control.deadline == first + .seconds(20))
        let second = first + .seconds(interval)
        control.receive(RelayMessage.ping.encoded(), now: second)
        #expect(control.deadline == second + .seconds(silence))
        // A quicker one does not make us ask sooner: pings come a little early or late.
        control.receive(RelayMessage.ping.encoded(), now: second + .seconds(1))
        _ = control.takeOutgoing()
        let late = second + .seconds(1 + silence)
        #expect(control.deadline == late)
        control.handleTimeout(now: late)
        #expect(control.takeOutgoing() == RelayMessage.ping.encoded())
        #expect(control.deadline == late + .seconds(20))
        control.handleTimeout(now: late + .seconds(20))
        #expect(events(&control) == [.ended(.silent)])
    }

    @Test("of many invitations five are taken in a second and eight at once; 32 wait, for a minute")
    func sessions() {
        var sessions = RelaySessions()
        for number in 0..<100 {
            sessions.invite(
                RelayInvitation(from: callee, key: [UInt8(number)], address: [], port: 1, isServer: true), now: start)
        }
        func take(at time: MonotonicTime) -> [UInt8] {
            var keys: [UInt8] = []
            while let invitation = sessions.next(now: time) { keys += invitation.key }
            return keys
        }
        #expect(take(at: start) == [0, 1, 2, 3, 4])
        #expect(sessions.nextTry == start + .seconds(1))
        #expect(take(at: start + .seconds(1)) == [5, 6, 7])
        #expect(sessions.nextTry == nil)
        sessions.ended()
        #expect(take(at: start + .seconds(1)) == [8])
        for _ in 0..<8 { sessions.ended() }
        var rest: [UInt8] = []
        for second in 2..<20 {
            let keys = take(at: start + .seconds(second))
            for _ in keys { sessions.ended() }
            rest += keys
        }
        #expect(rest.last == 31)
        sessions.invite(
            RelayInvitation(from: callee, key: [99], address: [], port: 1, isServer: true), now: start + .seconds(30))
        #expect(take(at: start + .seconds(90)).isEmpty)
    }
}
