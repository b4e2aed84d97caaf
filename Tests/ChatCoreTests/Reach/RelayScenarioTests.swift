// Two installations that find each other through a real strelaysrv.

import BLIPNet
import Testing

import class TestSupport.RelayProgram
import func TestSupport.eventuallyGet

@testable import ChatCore

@Suite(
    "Contacts behind a relay", .enabled(if: RelayProgram.isInstalled, "\(RelayProgram.missing)"),
    .timeLimit(.minutes(5)))
struct RelayScenarioTests {
    /// Who has joined the relay.
    private func reachable(
        _ name: String, at relay: RelayProgram, configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> TestPeer {
        let relays = try RelaySetting.list(relay.uri)
        let peer = try await TestPeer(name) {
            $0.relays = relays
            configure(&$0)
        }
        try await peer.start()
        try await waitUntilJoined(peer)
        return peer
    }

    private func waitUntilJoined(_ peer: TestPeer) async throws {
        try await eventually("\(peer.name) has joined") {
            try await peer.client.ask(.reach).relays.allSatisfy { $0.state.isJoined }
        }
    }

    private func waitUntilLinked(_ one: TestPeer, _ other: TestPeer) async throws {
        try await eventually("both are online") {
            guard try await one.isOnline(other.name) else { return false }
            return try await other.isOnline(one.name)
        }
    }

    /// The address with its relays alone.
    private func relayed(_ address: PeerAddress) throws -> PeerAddress {
        var relayed = address
        relayed.route = try #require(address.via.first)
        relayed.via.removeFirst()
        return relayed
    }

    private func details(_ peer: TestPeer, of name: String) async throws -> LinkDetails? {
        guard case .online(let details) = await peer.client.linkState(of: try await peer.contactID(name)) else {
            return nil
        }
        return details
    }

    @Test("an invitation makes two contacts at once, through the relay alone, and works once")
    func invitation() async throws {
        let relay = try await RelayProgram()
        let alice = try await reachable("alice", at: relay)
        let bob = try await TestPeer("bob", configure: { $0.hidesAddress = true }).start()
        let invitation = try await alice.client.ask(.invite(seconds: nil))
        let link = try #require(invitation.address)
        #expect(invitation.isReachable && link.once?.count == 16)
        let address = try relayed(link)
        _ = try await bob.client.ask(.addContact(address, name: "alice"))
        try await waitUntilLinked(bob, alice)
        #expect(try await details(bob, of: "alice")?.isRelayed == true)
        #expect(try await details(alice, of: "bob")?.isRelayed == true)
        try await bob.say("through the relay", to: "alice")
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["through the relay"] }
        #expect(try await alice.client.ask(.contactRequests).isEmpty)

        #expect(try await alice.contact("bob").metAt != nil)
        try await eventually("he has heard that she knows it, too") {
            try await bob.contact("alice").metAt != nil
        }
        try await eventually("she hears who it was") {
            alice.log.contains { if case .notice(.guestCame) = $0 { true } else { false } }
        }

        // Somebody else with the same link is an ordinary stranger, and hears why.
        let carol = try await TestPeer("carol", configure: { $0.hidesAddress = true }).start()
        _ = try await carol.client.ask(.addContact(address, name: "alice"))
        try await eventually("she has to ask") { try await alice.client.ask(.contactRequests).map(\.name) == ["carol"] }
        try await eventually("she hears that it was used") {
            carol.log.contains { if case .notice(.invitationUsed) = $0 { true } else { false } }
        }
        for peer in [alice, bob, carol] { await peer.stop() }
    }

    @Test("an invitation that is over, or of somebody else, lets nobody in")
    func oldInvitation() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob").start()
        var address = try #require(try await alice.client.ask(.invite(seconds: 60)).address)
        alice.wallClock.advance(days: 1)
        _ = try await bob.client.ask(.addContact(address, name: "alice"))
        try await eventually("he has to ask") { try await alice.client.ask(.contactRequests).count == 1 }
        let carol = try await TestPeer("carol").start()
        _ = try await alice.client.ask(.invite(seconds: nil))
        address.once = [UInt8](repeating: 7, count: 16)
        _ = try await carol.client.ask(.addContact(address, name: "alice"))
        try await eventually("she has to ask") { try await alice.client.ask(.contactRequests).count == 2 }
        for peer in [alice, bob, carol] { await peer.stop() }
    }

    @Test("where a caller listens is not noted from a link through a relay: its address is nobody's")
    func listenPort() async throws {
        let relay = try await RelayProgram()
        let alice = try await reachable("alice", at: relay) { $0.acceptsRequests = true }
        let bob = try await TestPeer("bob").start()
        _ = try await bob.client.ask(.addContact(try relayed(try await alice.address), name: "alice"))
        try await waitUntilLinked(bob, alice)
        // Bob says where he listens, and his machine is the relay's: it would lead there.
        let contact = try await alice.contactID("bob")
        #expect(try await alice.client.ask(.routes(of: contact)).isEmpty)
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("contacts are told of the relay and call there when nothing else leads to us; a direct link takes over")
    func told() async throws {
        let relay = try await RelayProgram()
        let bob = try await TestPeer("bob", configure: { $0.limits.network.privateRoutes = 1 }).start()
        let alice = try await TestPeer("alice") { $0.hidesAddress = true }
        try await alice.start()
        _ = try await alice.client.ask(.addContact(try await bob.address, name: "bob"))
        let request = try await eventuallyGet("a request") { try await bob.client.ask(.contactRequests).first }
        _ = try await bob.client.ask(.approveRequest(request.id, name: "alice"))
        try await waitUntilLinked(bob, alice)
        #expect(try await bob.contact("alice").addresses.isEmpty)

        // The relay comes while they are linked, and Bob hears of it.
        let relays = try RelaySetting.list(relay.uri)
        var configuration = alice.configuration
        configuration.relays = relays
        await alice.client.reconfigure(configuration)
        try await waitUntilJoined(alice)
        try await eventually("he has heard of it") {
            try await bob.contact("alice").addresses.map(\.origin) == [.told, .told]
        }
        // The token stays here, and so does our address.
        #expect(try await bob.contact("alice").addresses.allSatisfy { $0.route.routeClass == .relay })

        // Nothing but the relay leads to Alice now, and she calls nobody.
        try await alice.client.ask(.disconnect(nil))
        try await eventually("the link is over") { try await !bob.isOnline("alice") }
        try await alice.client.ask(.removeAddress(try await bob.address, of: try await alice.contactID("bob")))
        try await alice.client.ask(.reconnect(nil))
        try await bob.client.ask(.reconnect(nil))
        try await waitUntilLinked(bob, alice)
        #expect(try await details(bob, of: "alice")?.isRelayed == true)
        // What is direct is better.
        try await alice.client.ask(.addRoute(try await bob.address.route, to: try await alice.contactID("bob")))
        try await eventually("the direct link has taken its place") {
            let (ours, theirs) = (try await details(bob, of: "alice"), try await details(alice, of: "bob"))
            return ours?.isRelayed == false && theirs?.isRelayed == false
        }
        try await bob.say("still here", to: "alice")
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["still here"] }
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("a relay that goes away and comes back is joined again, and what was said meanwhile arrives")
    func back() async throws {
        let relay = try await RelayProgram()
        let alice = try await reachable("alice", at: relay) { $0.acceptsRequests = true }
        let bob = try await TestPeer("bob", configure: { $0.hidesAddress = true }).start()
        _ = try await bob.client.ask(.addContact(try relayed(try await alice.address), name: "alice"))
        try await waitUntilLinked(bob, alice)
        try await relay.stop()
        try await eventually("the link is over") { try await !bob.isOnline("alice") }
        try await eventually("alice knows why") {
            guard case .failed(.relay(_, .silent))? = try await alice.client.ask(.reach).relays.first?.state else {
                return false
            }
            return true
        }
        try await bob.say("meanwhile", to: "alice")
        try await relay.startAgain()
        try await eventually("it is there") { try await alice.texts(with: "bob") == ["meanwhile"] }
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("new mailboxes shut out whoever knows the old ones, and stay after a restart")
    func renewed() async throws {
        let relay = try await RelayProgram()
        let alice = try await reachable("alice", at: relay) { $0.acceptsRequests = true }
        let old = try relayed(try await alice.address)
        try await alice.client.ask(.renewReach)
        try await waitUntilJoined(alice)
        let new = try await alice.address
        #expect(new.via.count == 2 && Set(new.via).isDisjoint(with: [old.route] + old.via))
        let bob = try await TestPeer("bob", configure: { $0.hidesAddress = true }).start()
        let contact = try await bob.client.ask(.addContact(old, name: "alice")).id
        try await eventually("he does not find her") {
            guard case .offline(.relay(_, .notThere)?) = await bob.client.linkState(of: contact) else { return false }
            return true
        }
        try await alice.restart()
        #expect(try await alice.address.via == new.via)
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("a call to ourselves comes back through the relay, and says when the relay is gone")
    func callingOurselves() async throws {
        let relay = try await RelayProgram()
        let alice = try await reachable("alice", at: relay)
        let trials = try await alice.client.ask(.testReach)
        #expect(trials.map(\.way) == [.direct, .relay])
        #expect(trials.map(\.isAnswered) == [true, true])
        try await relay.stop()
        let later = try await alice.client.ask(.testReach)
        #expect(later.map(\.isAnswered) == [true, false])
        await alice.stop()
    }

    @Test("a token is told to nobody: not in addresses, invitations or routes")
    func token() async throws {
        let relay = try await RelayProgram()
        let alice = try await TestPeer("alice") {
            $0.relays = [
                RelaySetting(host: "127.0.0.1", port: relay.port, token: "se cret-token")
            ]
        }
        try await alice.start()
        try await waitUntilJoined(alice)
        let invitation = try #require(try await alice.client.ask(.invite(seconds: nil)).address)
        let address = try await alice.address
        #expect(address.via.count == 2 && invitation.via == address.via)
        let told = await alice.client.run { $0.relays.told }
        for text in ["\(address)", "\(invitation)", RouteList.text(told)] {
            #expect(!text.contains("cret") && text.contains("127.0.0.1:\(relay.port)/"))
        }
        await alice.stop()
    }
}
