// What a relay sees of whom it serves, over real sockets.

import Synchronization
import Testing

@testable import BLIPNet
@testable import ChatCore

/// Takes TLS as a relay does, notes who has called, and hangs up.
private final class WatchingRelay: Sendable {
    private let listener: TCPListener
    private let identity: TLSIdentity
    private let shown = Mutex<[RelayID?]>([])

    /// The certificate hashes of everyone who has called.
    var callers: [RelayID?] { shown.withLock { $0 } }

    var server: RelayServer {
        guard case .host(let host, let port) = listener.localEndpoint else {
            return RelayServer(host: "127.0.0.1", port: 0, id: nil)
        }
        return RelayServer(host: host, port: port, id: identity.relayID)
    }

    init() throws {
        identity = try TLSIdentity.generate()
        listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        let (listener, identity) = (listener, identity)
        Task { [weak self] in
            for await connection in listener {
                var configuration = TLSConfiguration.server(identity: identity)
                configuration.trust = .anyKey
                configuration.clientCertificates = .required
                configuration.applicationProtocols = ["bep-relay"]
                do { try await connection.upgradeToTLS(configuration, role: .server) } catch { continue }
                let caller = await connection.info?.tls?.peerCertificate
                self?.shown.withLock { $0.append(caller) }
                connection.close()
            }
        }
    }

    deinit { listener.close() }
}

@Suite("REACH 6: a relay does not learn whose mailbox it has", .timeLimit(.minutes(2))) struct RelayViewTests {
    private final class Quiet: PeerRequestHandler {
        func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? { nil }
    }

    @Test("who is reached there shows the mailbox of this relay, and not their key")
    func reached() async throws {
        let identity = try TLSIdentity.generate()
        let connecting = LinkConnecting(identity: identity)
        var mailboxes: [RelayID?] = []
        for _ in 0..<2 {
            let relay = try WatchingRelay()
            let id = try #require(relay.server.id)
            let place = MailboxPlace.own(relay: id, generation: 0, slot: 0)
            let end = await connecting.beReached(
                at: relay.server, in: place, token: "", through: .direct, joined: { _ in }, accept: { _ in nil })
            guard case .relayFailed = end else {
                Issue.record("\(end)")
                return
            }
            try await eventually("it has been seen") { !relay.callers.isEmpty }
            #expect(relay.callers == [connecting.mailbox(at: place)])
            mailboxes += relay.callers
        }
        // Two relays that compare their notes do not find the same one, and neither finds the contact.
        #expect(mailboxes.count == 2 && mailboxes[0] != mailboxes[1])
        #expect(!mailboxes.contains(nil) && !mailboxes.contains(identity.relayID))
    }

    @Test("who calls there is somebody new in each run")
    func calling() async throws {
        let identity = try TLSIdentity.generate()
        let relay = try WatchingRelay()
        let id = try #require(relay.server.id)
        let route = Route.relay(
            RelayRoute(
                host: relay.server.host, port: relay.server.port, relay: id, mailbox: RelayID(ofCertificate: [1])))
        for run in 1...2 {
            let connecting = LinkConnecting(identity: identity)
            await #expect(throws: LinkError.self) {
                _ = try await connecting.connect(
                    along: route, isPublic: false, expecting: nil, through: .direct, handler: Quiet())
            }
            try await eventually("it has been seen") { relay.callers.count == run }
        }
        let own = LinkConnecting(identity: identity).mailbox(at: .own(relay: id, generation: 0, slot: 0))
        #expect(Set(relay.callers + [own, identity.relayID, nil]).count == 5)
    }
}
