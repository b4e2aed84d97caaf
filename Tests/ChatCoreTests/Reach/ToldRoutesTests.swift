// What a contact says of how to reach them: what is kept of it, and what is not called (REACH 2).

import BLIPNet
import Testing

import class TestSupport.PlainServer

@testable import ChatCore

@Suite("Routes that contacts tell") struct ToldRoutesTests {
    private let relay = RelayID(ofCertificate: [1])
    private let mailbox = RelayID(ofCertificate: [2])

    /// Alice, who has given Bob the address 192.0.2.1, and calls nobody.
    private func alice() async throws -> (peer: TestPeer, bob: ContactID) {
        let alice = try await TestPeer("alice", configure: { $0.callsContacts = false }).start()
        let key = PeerID(try TLSIdentity.generate().fingerprint)
        let address = PeerAddress(host: "192.0.2.1", port: 1, peerID: key, name: "bob")
        let bob = try await alice.client.ask(.addContact(address, name: nil)).id
        return (alice, bob)
    }

    private func tell(_ routes: [Route], _ alice: TestPeer, _ bob: ContactID) async throws -> [PeerAddress] {
        await alice.client.run { client in
            client.people.hear(routes, from: bob)
            return client.core.links[bob]?.peer.addresses ?? []
        }
    }

    @Test("they take the place of what was told before, not of what our user has given; they are stored")
    func replaced() async throws {
        let (alice, bob) = try await alice()
        let byRelay = Route.relay(RelayRoute(host: "relay.example.org", relay: relay, mailbox: mailbox))
        let first = try await tell([byRelay, .direct(host: "192.0.2.9", port: 2)], alice, bob)
        #expect(first.map(\.origin) == [.user, .told, .told])
        #expect(first.dropFirst().allSatisfy { $0.peerID == first[0].peerID })
        // One that our user has given is not told once more.
        let second = try await tell([.direct(host: "192.0.2.1", port: 1), byRelay], alice, bob)
        #expect(second.map(\.route) == [.direct(host: "192.0.2.1", port: 1), byRelay])
        try await eventually("it is stored") { try await alice.store.contacts().first?.addresses == second }
        #expect(try await tell([], alice, bob).map(\.origin) == [.user])
        await alice.stop()
    }

    @Test("those that lead to us or into private networks are not kept: nobody aims us at others")
    func inside() async throws {
        let (alice, bob) = try await alice()
        let routes: [Route] = [
            .direct(host: "127.0.0.1", port: 22), .direct(host: "192.168.1.1", port: 80),
            .direct(host: "localhost", port: 1),
            .relay(RelayRoute(host: "10.0.0.1", relay: relay, mailbox: mailbox)),
        ]
        #expect(try await tell(routes, alice, bob).count == 1)
        await alice.stop()
    }

    @Test("REACH 6: eight ways of our user and eight that were told; without a key only direct ones")
    func limits() async throws {
        let (alice, bob) = try await alice()
        // The first one came with the address.
        for number in 2...8 {
            try await alice.client.ask(.addRoute(.direct(host: "192.0.2.\(number)", port: 1), to: bob))
        }
        let ninth = Route.direct(host: "192.0.2.9", port: 1)
        await #expect(throws: ChatError.badAddress(.tooManyRoutes)) {
            try await alice.client.ask(.addRoute(ninth, to: bob))
        }
        // One of them once more is no other one.
        try await alice.client.ask(.addRoute(.direct(host: "192.0.2.3", port: 1), to: bob))
        let text = (0..<12).map { "198.51.100.\($0):1" }.joined(separator: " ")
        let told = try await tell(RouteList.routes(text), alice, bob)
        #expect(told.count { $0.origin == .user } == 8 && told.count { $0.origin == .told } == 8)

        let unknown = try await alice.client.ask(.addContact(PeerAddress(host: "192.0.2.77", port: 1), name: "carol"))
            .id
        for route in [
            Route.relay(RelayRoute(host: "192.0.2.5", relay: relay, mailbox: mailbox)),
            try #require(Route("rkeohxlubhyzl7ks3mwtzos5olfgocn7dwkbeg7toseadnapn5optfad.onion")),
        ] {
            await #expect(throws: ChatError.badAddress(.noRoute)) {
                try await alice.client.ask(.addRoute(route, to: unknown))
            }
        }
        await alice.stop()
    }

    @Test("a name that means this machine is not called either, and no onion service by its name")
    func names() async throws {
        let connecting = LinkConnecting(identity: try TLSIdentity.generate())
        let router = RequestRouter(limits: ChatLimits(), memory: WaitingMemory(bytes: 0))
        let server = try PlainServer(.silent)
        for host in ["127.0.0.1", "localhost"] {
            await #expect(throws: LinkError.self) {
                _ = try await connecting.connect(
                    along: .direct(host: host, port: server.port), isPublic: true, expecting: nil, through: .direct,
                    handler: router)
            }
        }
        #expect(server.callCount == 0)
        let onion = "rkeohxlubhyzl7ks3mwtzos5olfgocn7dwkbeg7toseadnapn5optfad.onion"
        let route = try #require(Route(onion))
        await #expect(throws: LinkError.onionFailed(.off)) {
            _ = try await connecting.connect(
                along: route, isPublic: false, expecting: nil, through: .direct, handler: router)
        }
        #expect(CallBook().order([PeerAddress(route)]).isEmpty)
        #expect(CallBook(tor: .on).order([PeerAddress(route)]).count == 1)
    }
}
