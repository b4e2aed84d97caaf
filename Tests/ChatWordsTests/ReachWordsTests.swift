// What is said of ways to contacts.

import BLIPNet
import Testing

@testable import ChatCore
@testable import ChatWords

@Suite struct ReachWordsTests {
    @Test("a link by Tor is called onion, also where it goes by a relay of ours")
    func ways() {
        var details = LinkDetails(remoteAddress: "onion", isEncrypted: true)
        #expect(Sentences.words(for: details) == "TLS direct")
        details.isRelayed = true
        #expect(Sentences.words(for: details) == "TLS relay")
        details.isOnion = true
        #expect(Sentences.words(for: details) == "TLS onion")
    }

    @Test("what calls to ourselves have met: what works, where only, and what a failure from inside does not say")
    func trials() throws {
        func lines(_ way: ReachTrial.Way, isInside: Bool, _ outcome: ReachTrial.Outcome) -> [String] {
            let route = Route.direct(host: "10.0.1.3", port: 4985)
            return ReachWords.lines([ReachTrial(way: way, route: route, isInside: isInside, outcome: outcome)])
        }
        #expect(
            lines(.relay, isInside: false, .answered(after: .milliseconds(62))) == [
                "relay   10.0.1.3:4985  works, 62 ms"
            ])
        let inside = lines(.direct, isInside: true, .answered(after: .milliseconds(3)))
        #expect(inside == ["direct  10.0.1.3:4985  works, 3 ms, but only in this network", ReachWords.unreachable])
        let mapped = lines(.mapped, isInside: false, .failed(.timedOut(what: "connect")))
        #expect(mapped.count == 3 && mapped[1].contains("from inside") && mapped[2] == ReachWords.unreachable)
        #expect(lines(.direct, isInside: true, .failed(.timedOut(what: "connect"))).count == 2)
        #expect(lines(.direct, isInside: false, .somebodyElse)[0].hasSuffix("somebody else answers there"))
        #expect(ReachWords.lines([ReachTrial]()).count == 1)
    }

    @Test("where spoken words work, and where they do not yet")
    func spoken() throws {
        var spoken = Invitation.Spoken(
            words: "tiger-lemon-orbit-cable", until: Timestamp(milliseconds: 0), place: nil, isNear: false,
            onion: .starting(percent: 45))
        func invitation() -> Invitation {
            Invitation(address: nil, until: Timestamp(milliseconds: 0), isReachable: true, spoken: spoken)
        }
        #expect(ReachWords.troubles(of: spoken) == ["The words do not work by Tor yet: tor starts: 45 %"])
        #expect(ReachWords.reason(in: invitation()) == "tor starts: 45 %")
        spoken.onion = .ready
        #expect(ReachWords.reason(in: invitation()) == "it takes up to a minute until others find you there")
        spoken.onion = .announced
        #expect(ReachWords.troubles(of: spoken).isEmpty && ReachWords.reason(in: invitation()) == nil)
        #expect(
            ReachWords.place(of: invitation())
                == "The words work for somebody who uses Tor, too (/set reach.tor on).")
        spoken.isNear = true
        #expect(ReachWords.place(of: invitation())?.contains("in this network, and everywhere else for") == true)
        // At a relay they work without Tor.
        spoken.place = MeetPlace("relay.example.org")
        #expect(ReachWords.place(of: invitation()) == nil)
        spoken.trouble = .relay(host: "relay.example.org", .silent)
        #expect(ReachWords.troubles(of: spoken)[0].hasPrefix("The words do not work at the relay yet: the relay"))
        spoken.onion = nil
        #expect(ReachWords.troubles(of: spoken)[0].hasPrefix("The words do not work yet: the relay"))
    }

    @Test(
        "REACH 6: what is wrong with a relay",
        arguments: [
            (RelayReason.silent, "the relay relay.example.org does not answer"),
            (.otherKey, "another relay answers at relay.example.org: not the key that was given for it"),
            (.full, "the relay relay.example.org is full"), (.wantsToken, "the relay relay.example.org wants a token"),
            (.notThere, "not at the relay relay.example.org: offline, or gone from there"),
            (.elsewhere, "the relay relay.example.org offered a session elsewhere; refused"),
            (.peerSilent, "reached relay.example.org, but they did not come"),
        ])
    func relays(reason: RelayReason, words: String) {
        #expect(LinkReason.relay(host: "relay.example.org", reason).words == words)
    }

    @Test("REACH 6: what is wrong with a router, with words and with an invitation")
    func others() {
        #expect(ReachWords.words(for: MappingFailure.silent) == "the router gives no ports")
        #expect(ReachWords.words(for: MappingFailure.refused(code: 2)) == "the router gives no ports")
        #expect(
            ReachWords.words(for: MappingFailure.noPublicAddress("100.64.0.9"))
                == "the router has no public address itself (100.64.0.9)")
        #expect(
            ReachWords.words(for: MeetFailure.nobody) == "nobody waits with these words: mistyped, used or over")
        #expect(ReachWords.words(for: MeetFailure.used) == "this invitation has been used")
        #expect(
            Sentences.sentence(for: ChatNotice.wordsEnded) { _ in "" }
                == "Wrong words three times: yours are over; /invite makes new ones")
    }

    @Test("what is wrong with Tor, in the words of the specification")
    func tor() {
        #expect(OnionReason.notInstalled.words == "tor is not installed (apt install tor)")
        #expect(OnionReason.starting(percent: 45).words == "tor starts: 45 %")
        #expect(LinkReason.onion(.notThere).words == "their onion service is not there: offline")
        #expect(ReachWords.words(for: OnionState.starting(percent: 45)) == "tor starts: 45 %")
        #expect(ReachWords.words(for: OnionState.failed(.onion(.notInstalled))) == OnionReason.notInstalled.words)
        // What a program says is drawn as text.
        #expect(!OnionReason.ended(reason: "x\u{1B}[2Jy").words.contains("\u{1B}"))
    }
}
