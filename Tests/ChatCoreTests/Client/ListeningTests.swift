// Which port calls are taken at: contacts must find it again after a restart.

import BLIPNet
import ChatCore
import Testing

@Suite("Where calls are taken") struct ListeningTests {
    private static let anyPort = Endpoint.host("127.0.0.1", port: 0)

    @Test("any free port means the one of the last run, as long as it is free")
    func samePortAgain() async throws {
        let peer = try await TestPeer("alice").start()
        let first = try await peer.address.port
        try await peer.restart { $0.listen = Self.anyPort }
        #expect(try await peer.address.port == first)

        try await peer.restart(starting: false) { $0.listen = Self.anyPort }
        let other = try await TestPeer("bob", listen: .host("127.0.0.1", port: first)).start()
        try await peer.start()
        let second = try await peer.address.port
        #expect(second != first)
        #expect(!peer.log.contains { if case .notice = $0 { true } else { false } })
        await other.stop()
        try await peer.restart { $0.listen = Self.anyPort }
        #expect(try await peer.address.port == second)
        await peer.stop()
    }

    @Test("where the wanted port is taken, the same other one is used each time, and everybody who watches is told")
    func taken() async throws {
        let owner = try await TestPeer("owner").start()
        let wanted = Endpoint.host("127.0.0.1", port: try await owner.address.port)
        let peer = try await TestPeer("alice", listen: wanted) { $0.fallbackToAnyPort = true }
        try await peer.start()
        let port = try await peer.address.port
        func isNotice(_ event: ChatEvent) -> Bool {
            guard case .notice(.listensElsewhere(wanted.description, _, let place)) = event else { return false }
            return place == "127.0.0.1:\(port)"
        }
        try await eventually("who watched before is told") { peer.log.contains(isNotice) }
        let late = await EventLog(of: peer.client)
        try await eventually("who comes later is told") { late.contains(isNotice) }

        try await peer.restart { $0.listen = wanted }
        #expect(try await peer.address.port == port)
        await owner.stop()
        try await peer.restart { $0.listen = wanted }
        #expect(await peer.client.identity.listening == wanted.description)
        #expect(!peer.log.contains { if case .notice = $0 { true } else { false } })
        await peer.stop()
    }

    @Test("a port that contacts know is taken again, also when the wanted one is free by now; nobody is told anything")
    func known() async throws {
        let owner = try await TestPeer("owner").start()
        let wanted = Endpoint.host("127.0.0.1", port: try await owner.address.port)
        let peer = try await TestPeer("alice", listen: wanted) { $0.fallbackToAnyPort = true }
        try await peer.start()
        let port = try await peer.address.port
        _ = try await peer.client.ask(.addContact(try await owner.address, name: "owner"))
        await owner.stop()
        try await peer.restart { $0.listen = wanted }
        #expect(try await peer.address.port == port)
        #expect(!peer.log.contains { if case .notice(.listensElsewhere) = $0 { true } else { false } })
        // Its place is the next one's.
        let next = try await TestPeer("next", listen: wanted).start()
        #expect(await next.client.identity.listening == wanted.description)
        for peer in [next, peer] { await peer.stop() }
    }

    @Test("without permission to take another port a taken one is an error")
    func refused() async throws {
        let owner = try await TestPeer("owner").start()
        let wanted = Endpoint.host("127.0.0.1", port: try await owner.address.port)
        let peer = try await TestPeer("alice", listen: wanted)
        await #expect(throws: ChatError.self) { try await peer.client.start() }
        await owner.stop()
        await peer.stop()
    }
}
