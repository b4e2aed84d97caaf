// Two real clients chat over loopback: delivery, order, receipts, requests, keys (RELIABILITY D1-D9, D12, D13).

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Two people chat") struct ChatScenarioTests {
    @Test("messages go both ways, are delivered, and are read")
    func bothWays() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)

        let hello = try await alice.say("hello", to: "bob")
        #expect(hello.state == .pending)
        try await eventually("hello is delivered") { try await alice.state(of: hello.id) == .delivered }
        try await bob.say("hi", to: "alice")
        try await eventually("hi arrives") { try await alice.texts(with: "bob") == ["hello", "hi"] }
        #expect(try await bob.texts(with: "alice") == ["hello", "hi"])

        let last = try #require(try await bob.history(with: "alice").first)
        try await bob.client.ask(.markSeen(bob.contactID("alice"), upTo: last.position))
        try await eventually("hello is read") { try await alice.state(of: hello.id) == .read }
        try await eventually("the mark was shown") { alice.log.states(of: hello.id).last == .read }
        let ranks = alice.log.states(of: hello.id).map(\.rank)
        #expect(ranks == ranks.sorted() && ranks.first == 0)
        await alice.stop()
        await bob.stop()
    }

    @Test("D6: what many tasks send at once is shown on both sides as the histories have it")
    func burst() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        let (client, contact) = (alice.client, try await alice.contactID("bob"))
        let sent = try await withThrowingTaskGroup(of: ChatMessage.self) { group in
            for number in 1...90 {
                group.addTask { try await client.ask(.send("line \(number)", to: contact, replyTo: nil)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let last = try #require(sent.map(\.position).max())
        try await eventually("all are delivered") {
            try await alice.history(with: "bob").allSatisfy { $0.state == .delivered }
        }
        for message in sent {
            try await eventually("the mark was shown") { alice.log.states(of: message.id).last == .delivered }
            let ranks = alice.log.states(of: message.id).map(\.rank)
            #expect(ranks == ranks.sorted() && ranks.first == 0)
        }
        for (peer, direction) in [(alice, MessageDirection.outgoing), (bob, .incoming)] {
            let places = peer.log.events.compactMap { event -> HistoryPosition? in
                guard case .messageAdded(let message) = event, message.direction == direction else { return nil }
                return message.position
            }
            #expect(places.count == 90 && places == places.sorted())
        }
        #expect(try await alice.history(with: "bob").last?.position == last)
        await alice.stop()
        await bob.stop()
    }

    @Test("what was stored before the end of the program goes out before the goodbye, and is stored after it")
    func lastWords() async throws {
        let alice = try await TestPeer("alice").start()
        // Slow enough for lines to wait on his side when the link ends.
        let bob = try await TestPeer("bob") {
            $0.limits.operationsPerSecond = 50
            $0.limits.operationBurst = 1
        }.start()
        try await ChatClient.befriend(alice, bob)
        for round in 1...5 {
            for number in 1...10 { try await alice.say("\(round).\(number)", to: "bob") }
            try await alice.restart(starting: false)
            try await eventually("all of it is there") { try await bob.texts(with: "alice").count == 10 * round }
            try await alice.start()
            try await eventually("alice knows") {
                try await alice.store.outbox(for: alice.contactID("bob"), limit: 1).isEmpty
            }
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("what is written while the peer is away goes out in order when it comes")
    func offline() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        try await bob.restart(starting: false)
        try await eventually("alice sees bob go") { try await !alice.isOnline("bob") }

        let texts = (1...150).map { "line \($0)" }
        for text in texts { try await alice.say(text, to: "bob") }
        let states = try await alice.history(with: "bob").map(\.state)
        #expect(states.allSatisfy { $0 == .pending })
        try await alice.restart()
        try await bob.start()
        try await eventually("all lines are delivered") {
            try await alice.history(with: "bob").allSatisfy { $0.state == .delivered }
        }
        #expect(try await bob.texts(with: "alice") == texts)
        #expect(try await alice.store.outbox(for: alice.contactID("bob"), limit: 10).isEmpty)
        await alice.stop()
        await bob.stop()
    }

    @Test("what failed is sent again once, a text and a file; then the next failed one is meant")
    func retry() async throws {
        let alice = try await TestPeer("alice").start()
        let path = try alice.makeFile("a.txt", size: 100)
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        try await bob.restart(starting: false)
        try await eventually("alice sees bob go") { try await !alice.isOnline("bob") }
        let contact = try await alice.contactID("bob")
        let texts = [try await alice.say("one", to: "bob"), try await alice.say("two", to: "bob")]
        let file = try await alice.client.ask(.sendFile(at: path, named: "b.txt", caption: "words", to: contact))
        for message in texts + [file] {
            _ = try await alice.store.advanceState(of: message.id, in: contact, to: .failed(reason: .unreadable))
        }
        func last() async throws -> MessageID? {
            try await alice.client.ask(.message(.last(1, .failed), of: contact))?.id
        }
        for message in [file, texts[1], texts[0]] {
            #expect(try await last() == message.id)
            let again = try await alice.client.ask(.retry(message.id))
            #expect(again.id != message.id && again.state == .pending)
            await #expect(throws: ChatError.noSuchMessage) { try await alice.client.ask(.retry(message.id)) }
            #expect(try await alice.state(of: message.id) == .sentAgain)
            guard case .file(let offered) = again.content else { continue }
            #expect(offered.name == "b.txt" && offered.caption == "words")
        }
        #expect(try await last() == nil)
        try await bob.start()
        try await eventually("each arrives once") {
            let arrived = try await bob.history(with: "alice")
            let names = arrived.compactMap { message in
                if case .file(let file) = message.content { file.name } else { nil }
            }
            return try await bob.texts(with: "alice") == ["two", "one"] && names == ["b.txt"]
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("a message whose reply is lost is sent again and stored once")
    func lostReply() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        bob.tap.loseReply(to: "message")
        let message = try await alice.say("once", to: "bob")
        try await eventually("it is delivered") { try await alice.state(of: message.id) == .delivered }
        #expect(alice.tap.requests("message").count >= 2)
        #expect(try await bob.texts(with: "alice") == ["once"])
        let ranks = alice.log.states(of: message.id).map(\.rank)
        #expect(ranks == ranks.sorted())
        await alice.stop()
        await bob.stop()
    }

    @Test("a read receipt whose reply is lost is sent again")
    func lostReceipt() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        let message = try await alice.say("hello", to: "bob")
        try await eventually("it is delivered") { try await alice.state(of: message.id) == .delivered }
        let contact = try await bob.contactID("alice")
        alice.tap.loseReply(to: "read")
        try await bob.client.ask(
            .markSeen(contact, upTo: try #require(try await bob.history(with: "alice").last).position))
        try await eventually("the receipt is confirmed") {
            try await bob.store.unsentReadReceipt(for: contact) == nil
        }
        #expect(bob.tap.requests("read").count >= 2)
        #expect(try await alice.state(of: message.id) == .read)
        await alice.stop()
        await bob.stop()
    }

    @Test("a known id with another text is refused, and so is what cannot be read")
    func conflictingAndMalformed() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        let link = try await alice.openLink()
        let id = MessageID(at: Timestamp(milliseconds: 1))
        func send(_ text: String) async throws -> BLIPErrorCode? {
            let request = MessageRequest(StoredHead(id: id, sequence: 1, sent: Timestamp(milliseconds: 1)), text: text)
            return try await link.connection.submit(request.encoded(), bodySink: nil).value().error
        }
        #expect(try await send("first") == nil)
        #expect(try await send("first") == nil)
        #expect(try await send("second") == .conflict)
        #expect(try await send("") == .badRequest)
        let unknown = BLIPRequest(profile: "dance", urgent: true)
        #expect(try await link.connection.submit(unknown, bodySink: nil).value().error == .notFound)
        #expect(try await bob.texts(with: "alice") == ["first"])
        await alice.stop()
        await bob.stop()
    }

    @Test("both dial at once, again and again, and no line is lost or doubled")
    func simultaneousDial() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        for round in 1...8 {
            await alice.client.cutLinks()
            await bob.client.cutLinks()
            let clients = (alice.client, bob.client)
            async let first: Void = clients.0.ask(.reconnect(nil))
            async let second: Void = clients.1.ask(.reconnect(nil))
            _ = try await (first, second)
            try await alice.say("a\(round)", to: "bob")
            try await bob.say("b\(round)", to: "alice")
        }
        try await eventually("everything is delivered") {
            let first = try await alice.history(with: "bob").filter { $0.direction == .outgoing }
            let second = try await bob.history(with: "alice").filter { $0.direction == .outgoing }
            return (first + second).allSatisfy { $0.state == .delivered }
        }
        #expect(try await bob.texts(with: "alice", .incoming) == (1...8).map { "a\($0)" })
        #expect(try await alice.texts(with: "bob", .incoming) == (1...8).map { "b\($0)" })
        #expect(await alice.client.openLinks <= 1)
        await alice.stop()
        await bob.stop()
    }

    @Test("typing is told and ends with the message")
    func typing() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        let contact = try await bob.contactID("alice")
        try await alice.client.ask(.setTyping(true, to: try await alice.contactID("bob")))
        try await eventually("bob sees it") { bob.log.contains { $0 == .typing(contact, true) } }
        try await alice.say("done", to: "bob")
        try await eventually("bob sees the end") { bob.log.contains { $0 == .typing(contact, false) } }
        await alice.stop()
        await bob.stop()
    }

    @Test("a flood beyond the rate is slowed down and nothing is lost")
    func flood() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob") {
            $0.limits.operationsPerSecond = 50
            $0.limits.operationBurst = 20
        }.start()
        try await ChatClient.befriend(alice, bob)
        let texts = (1...60).map { "\($0)" }
        let begun = ContinuousClock.now
        for text in texts { try await alice.say(text, to: "bob") }
        try await eventually("all lines are there") { try await bob.texts(with: "alice") == texts }
        #expect(ContinuousClock.now - begun > .milliseconds(600))
        await alice.stop()
        await bob.stop()
    }

    @Test("stop ends everything, also in the middle of dialling and sending")
    func stopping() async throws {
        let alice = try await TestPeer("alice").start()
        _ = try await alice.client.ask(.addContact(PeerAddress(host: "127.0.0.1", port: 1), name: "nobody"))
        let message = try await alice.say("later", to: "nobody")
        await alice.client.stop()
        #expect(await alice.client.openLinks == 0)
        #expect(try await alice.state(of: message.id) == .pending)
        await alice.stop()
    }
}

extension ChatClient {
    /// Breaks every link, as a bad network would.
    func cutLinks() {
        for session in links.sessions.values { session.link?.connection.close(code: 1001, reason: "cut by the test") }
    }

    var openLinks: Int { links.all.count }
}
