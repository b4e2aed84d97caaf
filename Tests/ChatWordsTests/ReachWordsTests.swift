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
