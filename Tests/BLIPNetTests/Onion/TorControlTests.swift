// The conversation with tor on its control port, recorded and played by somebody else.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("Tor's control port") struct TorControlTests {
    private let vectors: TorControlVectors
    private let service: OnionService
    private let start = MonotonicTime(nanoseconds: 1)

    init() throws {
        vectors = try reachVector(TorControlVectors.self, "tor_control.json")
        service = try #require(OnionService(seed: bytes(hex: vectors.keys[0].seed)))
    }

    private var cookie: [UInt8] { bytes(hex: vectors.safeCookie.cookie) }

    private func control(isOurs: Bool = false, calls: Bool = true) -> TorControl {
        TorControl(
            TorControl.Wish(
                service: calls ? service : nil, target: "unix:/run/user/1000/blipchat/default.onion", isOurs: isOurs),
            nonce: bytes(hex: vectors.safeCookie.clientNonce), now: start)
    }

    /// Answers as the recorded tor until nothing more is asked. Returns what was said and what has happened.
    private func play(
        _ control: inout TorControl, cutting step: Int = .max, cookie: [UInt8]?, changing: [String: [String]] = [:]
    ) -> (said: [String], events: [TorControl.Event]) {
        var answers = vectors.answers
        answers["TAKEOWNERSHIP"] = ["250 OK"]
        answers["GETINFO net/listeners/socks"] = [
            "250-net/listeners/socks=\"127.0.0.1:9050\" \"unix:/run/tor/socks\"", "250 OK",
        ]
        answers.merge(changing) { $1 }
        var said: [String] = []
        var events: [TorControl.Event] = []
        while true {
            while let event = control.nextEvent() {
                events.append(event)
                if case .wantsCookie = event { control.provide(cookie: cookie, now: start) }
            }
            let lines = String(decoding: control.takeOutgoing(), as: UTF8.self).split(separator: "\r\n").map(
                String.init)
            guard !lines.isEmpty else { return (said, events) }
            for line in lines {
                said.append(line)
                let wire = (answers[line] ?? ["510 Unrecognized command"]).map { $0 + "\r\n" }.joined()
                var rest = Array(wire.utf8)[...]
                while !rest.isEmpty {
                    control.receive(Array(rest.prefix(step)), now: start)
                    rest = rest.dropFirst(step)
                }
            }
        }
    }

    @Test("a recorded session, in any cut", arguments: [1, 7, Int.max])
    func session(step: Int) {
        var control = control()
        let (said, events) = play(&control, cutting: step, cookie: cookie)
        let recorded = vectors.session.filter { $0.hasPrefix(">") }.map { String($0.dropFirst(2)) }
        #expect(said.filter { $0 != "GETINFO net/listeners/socks" } == Array(recorded.dropLast()))
        #expect(
            events == [
                .wantsCookie(path: "/run/tor/control.authcookie"), .started(percent: 100),
                .socks(["127.0.0.1:9050", "unix:/run/tor/socks"]), .added, .announced,
            ])
        control.leave()
        #expect(String(decoding: control.takeOutgoing(), as: UTF8.self) == recorded.last.map { $0 + "\r\n" })
    }

    @Test("a child ends with us, and is not asked where it takes calls")
    func child() {
        var control = control(isOurs: true)
        let (said, _) = play(&control, cookie: cookie)
        #expect(said.contains("TAKEOWNERSHIP") && !said.contains("GETINFO net/listeners/socks"))
        var caller = self.control(isOurs: true, calls: false)
        let quiet = play(&caller, cookie: cookie)
        #expect(!quiet.said.contains { $0.hasPrefix("ADD_ONION") } && quiet.events.last == .started(percent: 100))
    }

    @Test("who does not know the cookie is not the tor that wrote it, and hears nothing of it")
    func otherTor() {
        var control = control()
        var other = cookie
        other[31] ^= 1
        let (said, events) = play(&control, cookie: other)
        #expect(events.last == .ended(.otherTor))
        #expect(!said.contains { $0.hasPrefix("AUTHENTICATE") })
        let proof = TorProof(
            cookie: cookie, ours: bytes(hex: vectors.safeCookie.clientNonce),
            theirs: bytes(hex: vectors.safeCookie.serverNonce))
        #expect(proof.server == bytes(hex: vectors.safeCookie.serverHash))
        #expect(proof.client == bytes(hex: vectors.safeCookie.clientHash))
    }

    @Test("a file that is no cookie is proved to nobody", arguments: [nil, 0, 31, 33])
    func noCookie(count: Int?) {
        var control = control()
        let (said, events) = play(&control, cookie: count.map { [UInt8](repeating: 7, count: $0) })
        #expect(events.last == .ended(.noCookie))
        #expect(said == ["PROTOCOLINFO 1"])
    }

    @Test("what tor refuses is told in its words")
    func refusals() {
        let command = TorCommand.addOnion(service, target: "unix:/run/user/1000/blipchat/default.onion").text
        for refusal in vectors.refusals {
            var control = control()
            let (_, events) = play(&control, cookie: cookie, changing: [command: [refusal]])
            #expect(events.last == .ended(.refused(reason: refusal)))
        }
    }

    @Test("how far it has come: at once, and by events; the last news count")
    func starting() {
        var control = control()
        let (_, events) = play(
            &control, cookie: cookie,
            changing: ["GETINFO status/bootstrap-phase": vectors.starting.map { String($0.dropFirst(2)) }])
        #expect(events.contains(.started(percent: 0)) && !events.contains(.started(percent: 100)))
        for (percent, isNews) in [(45, true), (45, false), (14, false), (100, true), (101, false)] {
            control.receive(
                Array("650 STATUS_CLIENT NOTICE BOOTSTRAP PROGRESS=\(percent) TAG=x SUMMARY=\"y z\"\r\n".utf8),
                now: start)
            #expect(control.nextEvent() == (isNews ? .started(percent: percent) : nil))
        }
    }

    @Test("another service than ours is none of ours")
    func otherService() {
        let command = TorCommand.addOnion(service, target: "unix:/run/user/1000/blipchat/default.onion").text
        var control = control()
        let (_, events) = play(&control, cookie: cookie, changing: [command: ["250-ServiceID=abc", "250 OK"]])
        #expect(events.last == .ended(.violated(reason: "another service than ours")))
    }

    @Test("a tor that does not answer is given up; one that has nothing to say is not")
    func time() {
        var control = control()
        control.handleTimeout(now: start + .seconds(19))
        #expect(control.nextEvent() == nil)
        control.handleTimeout(now: start + .seconds(20))
        #expect(control.nextEvent() == .ended(.silent))
        var quiet = self.control()
        _ = play(&quiet, cookie: cookie)
        #expect(quiet.deadline == nil)
    }

    // MARK: Lines

    private func replies(_ text: String) throws(TorViolation) -> [TorReply] {
        var reader = TorReplyReader()
        reader.append(Array(text.utf8))
        var replies: [TorReply] = []
        while let reply = try reader.next() { replies.append(reply) }
        return replies
    }

    @Test("replies of many lines, values of many lines, and events between them")
    func lines() throws {
        let replies = try replies(
            "250-a=1\r\n650 HS_DESC UPLOADED x\r\n250+b=\r\nfirst\r\n..second\r\n.\r\n250 OK\r\n650-x\r\n650 y\r\n")
        #expect(
            replies == [
                TorReply(status: 650, lines: ["HS_DESC UPLOADED x"]),
                TorReply(status: 250, lines: ["a=1", "b=", "first", ".second", "OK"]),
                TorReply(status: 650, lines: ["x", "y"]),
            ])
        let quoted = TorReply(status: 250, lines: [#"AUTH METHODS=COOKIE COOKIEFILE="/a \"b\\ c/d" X=1"#])
        #expect(quoted.value(of: "COOKIEFILE") == #"/a "b\ c/d"#)
        #expect(quoted.value(of: "X") == "1" && quoted.value(of: "Y") == nil && quoted.value(of: "AUTH") == nil)
    }

    @Test(
        "what no tor says ends the conversation",
        arguments: [
            "x\r\n", "25\r\n", "250\r\n", "250x\r\n", "099 x\r\n", "250 x\n", "250-a\r\n251 b\r\n", "250 \u{0}\r\n",
            String(repeating: "a", count: 4096), String(repeating: "250-a\r\n", count: 65),
            "250+a\r\n" + String(repeating: "b\r\n", count: 65),
        ])
    func malformed(text: String) {
        #expect(throws: TorViolation.self) { try replies(text) }
        var control = control()
        control.receive(Array(text.utf8), now: start)
        guard case .ended(.violated)? = control.nextEvent() else {
            Issue.record("it goes on")
            return
        }
    }
}
