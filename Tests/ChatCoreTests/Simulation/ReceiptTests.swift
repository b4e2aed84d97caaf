// Read receipts: idempotent, only for what was ours, only to whom we talk (RELIABILITY D7), in simulated time.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("D7: receipts")
struct ReceiptTests {
    @Test("a receipt is sent once, repeated ones change nothing, and none is answered with another")
    func idempotent() async throws {
        let simulation = try await Simulation(seed: 15)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        let message = try await alice.say("hello")
        try await simulation.eventually("it arrives") { try await bob.texts() == ["hello"] }
        let position = try #require(try await bob.history.first?.position)
        for _ in 0..<3 { try await bob.client.ask(.markSeen(bob.contact, upTo: position)) }
        try await simulation.eventually("it is read") { try await alice.history.first?.state == .read }
        await simulation.clock.advance(by: .seconds(30))
        #expect(simulation.network.requests("read", from: bob.id) == 1)
        #expect(simulation.network.requests("read", from: alice.id) == 0)
        let changes = alice.log.states(of: message.id).count
        // Bob says it again, as after a lost reply.
        let link = try #require(await bob.client.links.sessions.values.first?.link)
        for _ in 0..<3 { _ = link.connection.submit(ReadRequest(upTo: message.id).encoded(), bodySink: nil) }
        await simulation.clock.advance(by: .seconds(1))
        #expect(alice.log.states(of: message.id).count == changes)
        #expect(await alice.irregularities.foreignReceipts == 0)
        await simulation.stop()
    }

    @Test("a receipt for what is no message of ours to that contact is ignored and counted")
    func foreign() async throws {
        let simulation = try await Simulation(seed: 16)
        let bob = simulation.bob
        try await simulation.start()
        try await simulation.waitOnline()
        let carol = try await bob.client.ask(.addContact(PeerAddress(host: "carol"), name: "carol"))
        let toCarol = try await bob.client.ask(.send("for carol", to: carol.id, replyTo: nil))
        _ = try await bob.database.advanceState(of: toCarol.id, in: toCarol.contact, to: .delivered)
        let toAlice = try await bob.say("for alice")
        try await simulation.eventually("it is delivered") { try await bob.history.last?.state == .delivered }
        _ = try await simulation.ask(simulation.message(1, "from alice"))
        let theirs = try #require(try await bob.history.last)
        let unknown = MessageID(at: Timestamp(milliseconds: 5))
        for id in [toCarol.id, theirs.id, unknown] {
            // The answer does not tell which ids there are.
            #expect(try await simulation.ask(ReadRequest(upTo: id).encoded()).error == nil)
        }
        #expect(await bob.irregularities.foreignReceipts == 3)
        #expect(try await bob.database.message(toCarol.id)?.state == .delivered)
        #expect(try await bob.database.message(toAlice.id)?.state == .delivered)
        await simulation.stop()
    }

    @Test("none goes out on a link on which nobody has accepted anybody yet")
    func notBeforeHello() async throws {
        let simulation = try await Simulation(seed: 18)
        let (alice, bob, network) = (simulation.alice, simulation.bob, simulation.network)
        try await simulation.start()
        try await simulation.waitOnline()
        try await alice.say("hello")
        try await simulation.eventually("it arrives") { try await bob.texts() == ["hello"] }
        let position = try #require(try await bob.history.first?.position)
        let cut = try #require(await bob.client.links[bob.contact]?.link?.number)
        network.cutAll()
        // Step by step, for the next link may come at once and hello is answered soon; from then on nothing arrives.
        try await simulation.eventually("there is another link", step: .milliseconds(1)) {
            let number = await bob.client.links[bob.contact]?.link?.number
            return number != nil && number != cut
        }
        network.setUnreachable(true)
        network.silenceAll()
        #expect(try await !bob.isOnline)
        try await bob.client.ask(.markSeen(bob.contact, upTo: position))
        await simulation.clock.advance(by: .seconds(5))
        #expect(network.requests("read", from: bob.id) == 0)
        // The next link takes it.
        network.setUnreachable(false)
        try await simulation.eventually("it is read") { try await alice.history.first?.state == .read }
        await simulation.stop()
    }

    @Test("none goes to somebody who is blocked, or whose key has changed, or who has not accepted us")
    func notToEverybody() async throws {
        let simulation = try await Simulation(seed: 17)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        try await alice.say("hello")
        try await simulation.eventually("it arrives, and she knows") {
            try await alice.history.first?.state == .delivered
        }
        let position = try #require(try await bob.history.first?.position)
        try await bob.client.ask(.setBlocked(bob.contact, true))
        try await bob.client.ask(.markSeen(bob.contact, upTo: position))
        await simulation.clock.advance(by: .seconds(120))
        #expect(simulation.network.requests("read", from: bob.id) == 0)
        #expect(try await alice.history.first?.state == .delivered)
        // Alice does not talk to Bob any more: he is a stranger to her, and learns nothing.
        try await bob.client.ask(.setBlocked(bob.contact, false))
        try await alice.client.ask(.removeContact(alice.contact))
        await simulation.clock.advance(by: .seconds(120))
        #expect(simulation.network.requests("read", from: bob.id) == 0)
        await simulation.stop()
    }
}
