// Calls as values: each returns what it says, and does what the method of the client does.

import Testing

@testable import ChatCore

@Suite("Calls of the chat") struct ChatCallTests {
    @Test("each call returns a value of the type that it names")
    func replies() async throws {
        let alice = try await TestPeer("alice").start()
        let chat: any ChatService = alice.client
        let address = PeerAddress(host: "127.0.0.1", port: 1)
        let bob = try await chat.ask(.addContact(address, name: "bob")).id
        try await chat.ask(.disconnect(bob))

        #expect(try await chat.ask(.identity).name == "alice")
        #expect(try await chat.ask(.conversations).map(\.peer.id) == [bob])
        #expect(try await chat.ask(.linkState(of: bob)) == .offline(reason: LinkReason.putOff))
        #expect(try await chat.ask(.safetyNumber(for: bob)) == nil)
        #expect(try await chat.ask(.maySend(to: bob)))
        #expect(try await chat.ask(.contactRequests).isEmpty)
        #expect(try await chat.ask(.traffic(with: bob)) == nil)

        let message = try await chat.ask(.send("one", to: bob))
        let id = MessageID(at: message.sent)
        let second = try await chat.ask(.send("two", as: id, to: bob))
        #expect(second.id == id)
        #expect(try await chat.ask(.page(of: bob, .newest, limit: 5)).map(\.id) == [message.id, id])
        #expect(try await chat.ask(.messages([id], of: bob)).map(\.id) == [id])
        #expect(try await chat.ask(.message(.last(1, .ownText), of: bob))?.id == id)
        #expect(try await chat.ask(.firstMessage(of: bob, since: .endless)) == nil)
        #expect(try await chat.ask(.search(SearchQuery(text: "two"))).hits.map(\.id) == [id])
        #expect(try await chat.ask(.edit(second, to: "three")).content == .text("three"))
        #expect(try await chat.ask(.versions(of: second)).map(\.text) == ["two", "three"])
        #expect(try await chat.ask(.react(to: second, with: "👍")).reactions.count == 1)
        #expect(try await chat.ask(.setPinned(second, true)).id == id)
        #expect(try await chat.ask(.pinnedMessages(of: bob)).map(\.id) == [id])
        #expect(try await chat.ask(.retract(second)).isRetracted)

        try await chat.ask(.setDraft("half", for: bob))
        #expect(try await chat.ask(.draft(for: bob)) == "half")
        try await chat.ask(.setRetention(.days(3), of: bob))
        #expect(try await chat.ask(.retention(of: bob)) == .days(3))
        try await chat.ask(.setRateLimit(1000, of: .all(.incoming)))
        #expect(try await chat.ask(.rateLimit(of: .all(.incoming))) == 1000)
        #expect(try await chat.ask(.rateLimit(of: .all(.outgoing))) == nil)
        #expect(try await chat.ask(.downloadsSpace) != nil)
        // Whoever runs the chat knows more of these.
        #expect(try await chat.ask(.transferProgress).isEmpty)
        await #expect(throws: ChatError.self) { try await chat.ask(.importHistory(from: "/e")) }

        let path = try alice.makeFile("f", size: 10)
        let file = try await chat.ask(.sendFile(at: path, named: "g", caption: "c", to: bob))
        let offered = try #require(try await chat.ask(.transfers(unfinishedOnly: true)).first)
        #expect(offered.name == "g")
        #expect(try await chat.ask(.transfer(offered.number)).id == file.id)
        try await chat.ask(.cancelTransfer(offered.number))
        #expect(try await chat.ask(.transfer(offered.number)).state == .cancelled)
        #expect(try await chat.ask(.deleteMessages([message.key], of: bob)) == 1)
        #expect(try await chat.ask(.deleteMessages(of: bob, storedBefore: nil)) == 2)

        try await chat.ask(.renameContact(bob, to: "rob"))
        #expect(try await chat.ask(.conversations).map(\.peer.name) == ["rob"])
        await #expect(throws: ChatError.notOnline) { try await chat.ask(.ping(bob)) }
        await #expect(throws: ChatError.noSuchRequest) { try await chat.ask(.approveRequest(7, name: nil)) }
        await alice.stop()
    }

    @Test("questions change nothing, and what changes something is none")
    func questions() {
        #expect(AnyCall.conversations.isQuestion)
        #expect(ChatCall.ping(ContactID(1)).plain.isQuestion)
        #expect(!ChatCall.send("x", to: ContactID(1)).plain.isQuestion)
        #expect(!ChatCall.reconnect(nil).plain.isQuestion)
    }

    @Test("a reply of another type is an error")
    func otherReply() async throws {
        struct Confused: LocalChat {
            let identity: LocalIdentity
            func events() async -> AsyncStream<ChatEvent> { AsyncStream { $0.finish() } }
            func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply { "no" }
        }
        let key = try #require(PeerID(String(repeating: "a", count: 52)))
        let chat = Confused(identity: LocalIdentity(peerID: key, name: "x", address: nil, listening: nil))
        await #expect(throws: ChatError.instanceLost(reason: "it is a different version")) {
            try await chat.ask(.conversations)
        }
        #expect(await chat.linkState(of: ContactID(1)) != .connecting)
    }
}
