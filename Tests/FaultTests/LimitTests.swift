// The limits of the chat on the network, each one over (RELIABILITY 3; the table is in Docs/settings.md).

import BLIPNet
import ChatCore
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("Limits of the network", .serialized) struct LimitTests {
    /// A peer that takes calls within these limits.
    private func listener(_ configure: (inout NetworkLimits) -> Void) async throws -> (peer: FaultPeer, at: Endpoint) {
        let peer = try await FaultPeer("bob", listens: true) {
            $0.acceptsRequests = false
            configure(&$0.limits.network)
        }
        try await peer.start()
        let address = try #require(await peer.client.identity.address)
        return (peer, .host("127.0.0.2", port: address.port))
    }

    /// How a caller over a limit is told: often together with the end of its handshake, so that there is no link at all.
    private func end(ofStrangerAt endpoint: Endpoint) async -> LinkError {
        do throws(LinkError) { return await (try stranger(endpoint)).waitUntilClosed() } catch { return error }
    }

    /// Calls as somebody whom nobody knows, and says nothing.
    private func stranger(_ endpoint: Endpoint, from address: String? = nil) async throws(LinkError) -> PeerLink {
        var options = LinkOptions()
        options.application = LinkConnecting.application
        do { options.identity = try TLSIdentity.generate() } catch { throw .disconnected }
        options.connect.localInterface = address
        return try await PeerLink.connect(to: endpoint, options: options, handler: SilentRequests())
    }

    private let refused = LinkError.closedByPeer(code: 1008, reason: "too many connections")

    @Test("of unknown callers no more than the limit stay, and a contact still gets in")
    func unknownConnections() async throws {
        let (bob, endpoint) = try await listener {
            $0.unknownConnections = 3
            $0.unknownConnectionsPerAddress = 100
        }
        var links: [PeerLink] = []
        for _ in 0..<3 { links.append(try await stranger(endpoint)) }
        #expect(await end(ofStrangerAt: endpoint) == refused)
        let alice = try await contact(of: bob, calling: endpoint)
        try await eventually("the contact is online") {
            try await bob.isOnline(#require(try await bob.contact("alice")))
        }
        // A place that is free again is given again.
        links.removeLast().close()
        try await eventually("the next stranger stays") {
            let next = try await self.stranger(endpoint)
            let request = next.submit(BLIPRequest(profile: "message", urgent: true))
            // Whoever may stay is told to say hello first; whoever may not is gone.
            guard let response = try? await request.value() else { return false }
            return response.error == .forbidden
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("of unknown callers from one address no more than the limit stay, those of others do")
    func perAddress() async throws {
        let (bob, endpoint) = try await listener { $0.unknownConnectionsPerAddress = 2 }
        var links: [PeerLink] = []
        for _ in 0..<2 { links.append(try await stranger(endpoint)) }
        #expect(await end(ofStrangerAt: endpoint) == refused)
        let other = try await stranger(endpoint, from: "127.0.0.9")
        #expect(try await other.request(BLIPRequest(profile: "message", urgent: true)).error == .forbidden)
        _ = links
        await bob.stop()
    }

    @Test("of contacts no more than the limit are linked; the next one waits for its turn")
    func knownConnections() async throws {
        let (bob, endpoint) = try await listener { $0.knownConnections = 1 }
        let first = try await contact(of: bob, calling: endpoint, name: "first")
        let id = try #require(try await bob.contact("first"))
        try await eventually("the first is online") { await bob.isOnline(id) }
        let second = try await contact(of: bob, calling: endpoint, name: "second")
        let other = try #require(try await bob.contact("second"))
        try await eventually("the second was refused") { second.ends.withLock { $0.contains(self.refused) } }
        #expect(await bob.isOnline(id))
        #expect(await !bob.isOnline(other))
        await first.stop()
        try await eventually("the second is online") { await bob.isOnline(other) }
        await second.stop()
        await bob.stop()
    }

    @Test("who does not say hello in time is closed, and the time of the handshake counts", arguments: [true, false])
    func handshakeTime(speaksTLS: Bool) async throws {
        let (bob, endpoint) = try await listener { $0.handshakeTime = .seconds(1) }
        if speaksTLS {
            let link = try await stranger(endpoint)
            #expect(await link.waitUntilClosed() == .closedByPeer(code: 1008, reason: "did not introduce itself"))
        } else {
            let connection = TCPConnection.connect(to: endpoint)
            _ = try await connection.waitUntilConnected()
            _ = await connection.waitUntilClosed()
        }
        await bob.stop()
    }

    @Test("the outbox takes so many messages and then says so")
    func outbox() async throws {
        let alice = try await FaultPeer("alice", listens: false) { $0.limits.outboxMessages = 3 }
        try await alice.start()
        let nobody = try await alice.client.ask(.addContact(PeerAddress(host: "127.0.0.1", port: 1), name: "nobody"))
        for _ in 0..<3 { _ = try await alice.client.ask(.send("x", to: nobody.id, replyTo: nil)) }
        await #expect(throws: ChatError.outboxFull(limit: 3)) {
            try await alice.client.ask(.send("one too many", to: nobody.id, replyTo: nil))
        }
        #expect(try HistoryProbe(alice.historyPath).outgoing.count == 3)
        await alice.stop()
    }

    /// Somebody whom `bob` knows, who calls.
    private func contact(
        of bob: FaultPeer, calling endpoint: Endpoint, name: String = "alice"
    ) async throws -> FaultPeer {
        guard case .host(let host, let port) = endpoint else { throw ConditionNotMet("a host") }
        let caller = try await FaultPeer(name, listens: false)
        let nowhere = PeerAddress(host: "127.0.0.1", port: 1, peerID: PeerID(caller.identity.fingerprint))
        _ = try await bob.client.ask(.addContact(nowhere, name: name))
        try await caller.start()
        _ = try await caller.client.ask(
            .addContact(
                PeerAddress(host: host, port: port, peerID: PeerID(bob.identity.fingerprint)), name: "bob"))
        return caller
    }
}

/// Answers nothing.
private final class SilentRequests: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { nil }
}
