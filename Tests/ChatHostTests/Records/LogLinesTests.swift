// How often a log reads the contacts, whose names it writes, and how grave its lines are.

import BLIPNet
import ChatCore
import Synchronization
import TestSupport
import Testing

@testable import ChatHost

@Suite("Lines of a log") struct LogLinesTests {
    private let bob = ContactID(1)
    private let carol = ContactID(2)

    private func peer(_ id: ContactID, _ name: String) -> Peer {
        Peer(
            id: id, peerID: nil, name: name, addresses: [], trust: .unverified, added: Timestamp(milliseconds: 0))
    }

    @Test("a new name is in the next line; a new contact, too, however long reading takes")
    func names() async throws {
        let peers = Mutex([peer(bob, "bob")])
        let pause = Mutex(Duration.zero)
        var lines = LogLines {
            try? await Task.sleep(for: pause.withLock { $0 })
            return ContactDirectory(peers.withLock { $0 })
        }
        #expect(await lines.line(about: .messagesDeleted(bob))?.text == "messages of bob deleted")
        #expect(await lines.line(about: .typing(bob, true)) == nil)
        peers.withLock { $0[0].name = "bobby" }
        #expect(await lines.line(about: .conversationsChanged) == nil)
        try await eventually("the new name is there") {
            await lines.line(about: .messagesDeleted(bob))?.text == "messages of bobby deleted"
        }
        pause.withLock { $0 = .seconds(1) }
        _ = await lines.line(about: .conversationsChanged)
        _ = await lines.line(about: .messagesDeleted(bob))
        peers.withLock { $0.append(peer(carol, "carol")) }
        _ = await lines.line(about: .conversationsChanged)
        #expect(await lines.line(about: .messagesDeleted(carol))?.text == "messages of carol deleted")
    }

    @Test(
        "what asks for attention is a warning, and what is lost an error",
        arguments: [
            (ChatEvent.linkChanged(ContactID(1), .offline(reason: .keyChanged)), LogLevel.warning),
            (.linkChanged(ContactID(1), .offline(reason: .disconnected)), .info),
            (.messagesDeleted(ContactID(1)), .info),
            (.notice(.storeFailed(.diskFull)), .error),
            (.notice(.cannotListen(endpoint: "[::]:1", reason: .disconnected)), .warning),
        ])
    func levels(event: ChatEvent, level: LogLevel) async {
        let names = ContactDirectory([peer(bob, "bob")])
        var lines = LogLines { names }
        #expect(await lines.line(about: event)?.level == level)
    }

    @Test(
        "REACH 6: why a contact is not reached is in the log, where they are is not",
        arguments: [
            (LinkReason.somebodyElse(endpoint: "192.0.2.7:4985"), "somebody else answers at …"),
            (.unresolvable(host: "bob.example.org", reason: "unknown"), "… cannot be resolved: unknown"),
            (.relay(host: "relay.example.org", .silent), "the relay … does not answer"),
            (.onion(.notThere), "their onion service is not there: offline"),
            (.system(call: "connect", errno: 111), "nobody listens there"),
        ])
    func places(reason: LinkReason, words: String) async {
        let names = ContactDirectory([peer(bob, "bob")])
        var lines = LogLines { names }
        let text = await lines.line(about: .linkChanged(bob, .offline(reason: reason)))?.text ?? ""
        #expect(text.hasPrefix("bob: offline: ") && text.contains(words), "\(text)")
        #expect(!text.contains("192.0.2.7") && !text.contains("example"), "\(text)")
    }

    @Test("where reading takes long, it takes a tenth of the time at most")
    func seldom() async {
        let readings = Mutex(0)
        let names = ContactDirectory([peer(bob, "bob")])
        var lines = LogLines {
            try? await Task.sleep(for: .milliseconds(20))
            readings.withLock { $0 += 1 }
            return names
        }
        let begun = ContinuousClock.now
        for _ in 0..<5_000 {
            _ = await lines.line(about: .conversationsChanged)
            #expect(await lines.line(about: .messagesDeleted(bob))?.text == "messages of bob deleted")
        }
        let most = (ContinuousClock.now - begun) / .milliseconds(200) + 1
        #expect(Double(readings.withLock { $0 }) <= most)
    }
}
