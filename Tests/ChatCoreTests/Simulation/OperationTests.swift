// Edits, retractions and reactions between two people (PROTOCOL 4), in simulated time.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("Changes of messages between two people")
struct OperationTests {
    @Test("an edit, a reaction and a retraction reach the other side, and both see the same")
    func bothSee() async throws {
        let simulation = try await Simulation(seed: 10)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        let first = try await alice.say("frist")
        let second = try await alice.say("second")
        let edited = try await alice.client.ask(.edit(first, to: "first"))
        #expect(edited.plainText == "first" && edited.operationState == .pending)
        try await simulation.eventually("bob reads it") { try await bob.texts() == ["first", "second"] }
        #expect(try await bob.history.first?.edited != nil)
        let theirs = try #require(try await bob.history.first)
        _ = try await bob.client.ask(.react(to: theirs, with: "👍"))
        try await simulation.eventually("alice sees the thumb") {
            try await alice.history.first?.reactions == [Reaction(direction: .incoming, emoji: "👍")]
        }
        #expect(try await bob.history.first?.reactions == [Reaction(direction: .outgoing, emoji: "👍")])
        _ = try await alice.client.ask(.retract(second))
        try await simulation.eventually("bob sees it go") { try await bob.history.last?.isRetracted == true }
        #expect(try await bob.history.last?.plainText == "")
        try await simulation.eventually("nothing waits") {
            let left = try await alice.waiting()
            return try await left + bob.waiting() == 0
        }
        #expect(try await alice.history.map(\.operationState) == [.delivered, .delivered])
        #expect(await alice.client.links.sessions.values.map(\.queuedCount) == [0])
        // The events tell it as well.
        #expect(
            bob.log.contains {
                if case .messageChanged(let changed) = $0 { changed.plainText == "first" } else { false }
            })
        await simulation.stop()
    }

    @Test("what is changed while the other side is away goes out when it comes, once")
    func whileAway() async throws {
        let simulation = try await Simulation(seed: 11)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await alice.client.start()
        let message = try await alice.say("one")
        _ = try await alice.client.ask(.edit(message, to: "two"))
        _ = try await alice.client.ask(.edit(message, to: "three"))
        let unsent = try await alice.say("never sent")
        _ = try await alice.client.ask(.retract(unsent))
        try await alice.say("last")
        try await alice.crash()
        try await bob.client.start()
        try await simulation.eventually("nothing waits") { try await alice.waiting() == 0 }
        #expect(try await bob.texts() == ["three", "last"])
        #expect(try await bob.history.map(\.missingBefore) == [0, 0])
        #expect(try await bob.database.operations(of: bob.contact).map(\.sequence) == [2, 3, 4])
        await simulation.stop()
    }

    @Test("nobody changes the messages of others: forged requests get 403 and leave nothing")
    func forged() async throws {
        let simulation = try await Simulation(seed: 12)
        let bob = simulation.bob
        try await simulation.start()
        try await simulation.waitOnline()
        let mine = try await bob.say("bob's words")
        let time = Timestamp(milliseconds: 1_795_000_000_000)
        let head = OperationHead(StoredHead(id: MessageID(at: time), sequence: 1, sent: time), target: mine.id)
        #expect(try await simulation.ask(EditRequest(head: head, text: "forged").encoded()).error == .forbidden)
        #expect(try await simulation.ask(RetractRequest(head: head).encoded()).error == .forbidden)
        #expect(try await bob.database.message(mine.id)?.content == .text("bob's words"))
        #expect(try await bob.database.operations(of: bob.contact).isEmpty)
        #expect(try await simulation.ask(ReactRequest(head: head, emoji: "🎉").encoded()).error == nil)
        #expect(try await simulation.ask(ReactRequest(head: head, emoji: "🎉").encoded()).error == nil)
        #expect(try await simulation.ask(ReactRequest(head: head, emoji: "😡").encoded()).error == .conflict)
        #expect(try await bob.database.message(mine.id)?.reactions == [Reaction(direction: .incoming, emoji: "🎉")])
        await simulation.stop()
    }

    @Test("a change that the other side refuses is shown as failed, and sending goes on")
    func refused() async throws {
        let simulation = try await Simulation(seed: 13)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await alice.client.start()
        let message = try await alice.say("mine")
        // On Bob's side the id is Bob's own: for him it is not Alice's to change.
        try await bob.forge(outgoing: message.id)
        _ = try await alice.database.advanceState(of: message.id, in: message.contact, to: .delivered)
        _ = try await alice.client.ask(.edit(message, to: "changed"))
        try await alice.say("next")
        try await bob.client.start()
        try await simulation.eventually("nothing waits") { try await alice.waiting() == 0 }
        let changed = try #require(try await alice.history.first)
        #expect(changed.operationState == .failed(reason: .notAllowed))
        #expect(try await alice.history.last?.state == .delivered)
        await simulation.stop()
    }

    @Test("users cannot change what is not theirs, is gone, or has no text")
    func refusedHere() async throws {
        let simulation = try await Simulation(seed: 14)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        let message = try await alice.say("x")
        try await simulation.eventually("it arrives") { try await bob.texts() == ["x"] }
        let theirs = try #require(try await bob.history.first)
        await #expect(throws: ChatError.notOwnMessage) { try await bob.client.ask(.edit(theirs, to: "y")) }
        await #expect(throws: ChatError.notOwnMessage) { try await bob.client.ask(.retract(theirs)) }
        await #expect(throws: ChatError.emptyText) { try await alice.client.ask(.edit(message, to: "")) }
        await #expect(throws: ChatError.badReaction) { try await alice.client.ask(.react(to: message, with: "")) }
        await #expect(throws: ChatError.badReaction) {
            try await alice.client.ask(.react(to: message, with: String(repeating: "x", count: 65)))
        }
        await #expect(throws: ChatError.textTooLong(bytes: 65_537, limit: 65_536)) {
            try await alice.client.ask(.edit(message, to: String(repeating: "x", count: 65_537)))
        }
        _ = try await alice.client.ask(.retract(message))
        await #expect(throws: ChatError.retracted) { try await alice.client.ask(.edit(message, to: "y")) }
        await #expect(throws: ChatError.retracted) { try await alice.client.ask(.retract(message)) }
        await simulation.stop()
    }
}

extension SimulatedPeer {
    /// Puts an own message with this id into the history, as no honest program would make it.
    fileprivate func forge(outgoing id: MessageID) async throws {
        let contact = contact
        try await database.writer.write { connection throws(StoreError) in
            try connection.run(
                """
                INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, text)
                VALUES (?, 1, ?, 1, 1, 1, 3, 'bob''s')
                """,
                .integer(contact.rawValue), .text(id.text))
        }
    }
}
