// What the user's settings make of the chat, at the start and while it runs.

import BLIPNet
import Glibc
import Testing

@testable import ChatCore

@Suite("Settings of a chat") struct ConfiguringTests {
    /// Two people who know each other.
    private func pair() async throws -> (alice: TestPeer, bob: TestPeer) {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        try await ChatClient.befriend(alice, bob)
        return (alice, bob)
    }

    private func reconfigure(_ peer: TestPeer, _ change: (inout ChatConfiguration) -> Void) async {
        var wanted = await peer.client.configuration
        change(&wanted)
        await peer.client.reconfigure(wanted)
    }

    @Test("a new name is told at once")
    func name() async throws {
        let (alice, _) = try await pair()
        let events = await alice.client.events()
        await reconfigure(alice) { $0.name = "Alicia" }
        #expect(await alice.client.identity.name == "Alicia")
        for await event in events {
            guard case .identityChanged(let identity) = event else { continue }
            #expect(identity.name == "Alicia")
            break
        }
    }

    @Test("without receipts nobody learns what was read, also not when they are on again")
    func receipts() async throws {
        let (alice, bob) = try await pair()
        await reconfigure(bob) { $0.sendsReceipts = false }
        let first = try await alice.say("first", to: "bob")
        try await eventually("it arrives") { try await bob.texts(with: "alice") == ["first"] }
        let seen = try #require(try await bob.history(with: "alice").last)
        try await bob.client.ask(.markSeen(bob.contactID("alice"), upTo: seen.position))
        #expect(try await bob.store.unsentReadReceipt(for: bob.contactID("alice")) == nil)

        await reconfigure(bob) { $0.contactRules = ContactRules(byName: ["Alice": .init(sendsReceipts: true)]) }
        let second = try await alice.say("second", to: "bob")
        try await eventually("it arrives") { try await bob.texts(with: "alice").count == 2 }
        #expect(try await alice.state(of: first.id) == .delivered)
        let last = try #require(try await bob.history(with: "alice").last)
        try await bob.client.ask(.markSeen(bob.contactID("alice"), upTo: last.position))
        try await eventually("the exception counts") { try await alice.state(of: second.id) == .read }
        await alice.stop()
        await bob.stop()
    }

    @Test("typing is not told when the user does not want it")
    func typing() async throws {
        let (alice, bob) = try await pair()
        let contact = try await bob.contactID("alice")
        await reconfigure(alice) { $0.sendsTyping = false }
        try await alice.client.ask(.setTyping(true, to: try await alice.contactID("bob")))
        try await alice.say("done", to: "bob")
        try await eventually("it arrives") { try await bob.texts(with: "alice") == ["done"] }
        #expect(!bob.log.contains { $0 == .typing(contact, true) })
        await alice.stop()
        await bob.stop()
    }

    @Test("to an unverified contact nothing goes out until the numbers are compared")
    func requiresVerified() async throws {
        let (alice, bob) = try await pair()
        await reconfigure(alice) { $0.requiresVerified = true }
        let waiting = try await alice.say("for your eyes only", to: "bob")
        try await bob.say("are you there?", to: "alice")
        try await eventually("the other way is open") { try await alice.texts(with: "bob", .incoming).count == 1 }
        #expect(try await alice.state(of: waiting.id) == .pending)
        #expect(try await bob.texts(with: "alice", .incoming).isEmpty)
        // Not even that it was read, or that we are away.
        let heard = try #require(try await alice.history(with: "bob").last)
        try await alice.client.ask(.markSeen(alice.contactID("bob"), upTo: heard.position))
        try await alice.client.ask(.setAway("out"))
        try await bob.say("hello?", to: "alice")
        try await eventually("the next one is here") { try await alice.texts(with: "bob", .incoming).count == 2 }
        #expect(try await bob.state(of: heard.id) == .delivered)
        #expect(await bob.client.links.sessions.values.first?.peerAway == nil)
        try await alice.client.ask(.setVerified(alice.contactID("bob")))
        try await eventually("it goes out") { try await alice.state(of: waiting.id) == .delivered }
        try await eventually("and that we are away") {
            await bob.client.links.sessions.values.first?.peerAway == "out"
        }

        let other = try await bob.say("and I?", to: "alice")
        try await eventually("bob's own rule is his") { try await bob.state(of: other.id) == .delivered }
        await alice.stop()
        await bob.stop()
    }

    @Test("what waits for a comparison goes out when the rule is taken back")
    func rule() async throws {
        let (alice, bob) = try await pair()
        await reconfigure(alice) { $0.requiresVerified = true }
        let waiting = try await alice.say("soon", to: "bob")
        let heard = try await bob.say("hello?", to: "alice")
        try await eventually("it is here") { try await alice.texts(with: "bob", .incoming).count == 1 }
        let last = try #require(try await alice.history(with: "bob").last)
        try await alice.client.ask(.markSeen(alice.contactID("bob"), upTo: last.position))
        try await alice.client.ask(.setAway("out"))
        await reconfigure(alice) { $0.requiresVerified = false }
        try await eventually("it goes out") { try await alice.state(of: waiting.id) == .delivered }
        try await eventually("that it was read, too") { try await bob.state(of: heard.id) == .read }
        try await eventually("and that we are away") {
            await bob.client.links.sessions.values.first?.peerAway == "out"
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("those whom we call are not told where to call us, when the user does not want it")
    func hiddenAddress() async throws {
        let bob = try await TestPeer("bob") { $0.acceptsRequests = true }.start()
        let alice = try await TestPeer("alice") { $0.hidesAddress = true }.start()
        _ = try await alice.client.ask(.addContact(bob.address, name: "bob"))
        try await eventually("they are linked") { try await alice.isOnline("bob") }
        #expect(try await bob.contact("alice").addresses.isEmpty)
        await alice.stop()
        await bob.stop()
    }

    @Test("files are taken without asking as the settings and the exceptions of contacts say")
    func acceptance() async throws {
        let (alice, bob) = try await pair()
        await reconfigure(bob) {
            $0.acceptsFilesUpTo = 10
            $0.contactRules = ContactRules(byName: ["alice": .init(acceptsFilesUpTo: 1000)])
        }
        let small = try await alice.client.ask(
            .sendFile(
                at: alice.makeFile("small", size: 1000), named: nil, caption: "", to: alice.contactID("bob")))
        let large = try await alice.client.ask(
            .sendFile(
                at: alice.makeFile("large", size: 1001), named: nil, caption: "", to: alice.contactID("bob")))
        try await eventually("the small one is taken") { try await bob.transfer(small.id)?.state == .complete }
        try await eventually("the large one is asked for") { try await bob.transfer(large.id)?.state == .offered }
        await alice.stop()
        await bob.stop()
    }

    @Test("received files go with their messages where the user wants it, but not what was changed since")
    func deletedFiles() async throws {
        let (alice, bob) = try await pair()
        await reconfigure(bob) { $0.acceptsFilesUpTo = 1 << 20 }
        var paths: [String] = []
        for name in ["kept", "gone"] {
            let sent = try await alice.client.ask(
                .sendFile(
                    at: alice.makeFile(name, size: 500), named: nil, caption: "", to: alice.contactID("bob")))
            try await eventually("it is here") { try await bob.transfer(sent.id)?.state == .complete }
            paths.append(try #require(try await bob.transfer(sent.id)?.path))
        }
        #expect(truncate(paths[0], 10) == 0)
        try await eventually("nothing is on its way") {
            try await bob.store.outbox(for: bob.contactID("alice"), limit: 10).isEmpty
        }
        await reconfigure(bob) { $0.deletesFiles = true }
        bob.wallClock.advance(days: 3)
        await reconfigure(bob) { $0.retention = RetentionRules(standard: .days(1)) }
        #expect(try await bob.history(with: "alice").isEmpty)
        #expect(access(paths[0], F_OK) == 0)
        #expect(access(paths[1], F_OK) != 0)
        await alice.stop()
        await bob.stop()
    }
}
