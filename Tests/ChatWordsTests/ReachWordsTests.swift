// What is said of ways to contacts.

import ChatCore
import Testing

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
