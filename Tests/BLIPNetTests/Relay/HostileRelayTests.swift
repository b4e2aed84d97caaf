// A relay that does not play by the rules, or wants to use us against others (REACH 6).

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

/// Speaks TLS like a relay and says whatever it is told to.
private final class HostileRelay: Sendable {
    let listener: TCPListener
    private let heard = Mutex<[UInt8]>([])
    private let ends = Mutex<[Bool]>([])
    private let identity: TLSIdentity

    var server: RelayServer {
        guard case .host(_, let port) = listener.localEndpoint else {
            return RelayServer(host: "127.0.0.1", port: 0, id: nil)
        }
        return RelayServer(host: "127.0.0.1", port: port, id: identity.relayID)
    }

    /// Of each call, whether its TLS handshake came to its end: then the caller has shown its certificate.
    var handshakes: [Bool] { ends.withLock { $0 } }

    /// Bytes that came after TLS.
    var bytesHeard: Int { heard.withLock { $0.count } }

    init(says bytes: [UInt8]) throws {
        identity = try TLSIdentity.generate()
        listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        let (listener, identity) = (listener, identity)
        Task { [weak self] in
            for await connection in listener {
                Task { [weak self] in
                    var configuration = TLSConfiguration.server(identity: identity)
                    configuration.trust = .anyKey
                    configuration.clientCertificates = .required
                    configuration.applicationProtocols = ["bep-relay"]
                    do {
                        try await connection.upgradeToTLS(configuration, role: .server)
                    } catch {
                        self?.ends.withLock { $0.append(false) }
                        throw error
                    }
                    self?.ends.withLock { $0.append(true) }
                    try await connection.write(bytes)
                    while case let some = try await connection.readSome(), !some.isEmpty {
                        self?.heard.withLock { $0 += some }
                    }
                }
            }
        }
    }
}

@Suite("A hostile relay", .timeLimit(.minutes(5))) struct HostileRelayTests {
    private let mailbox: TLSIdentity
    private let options: LinkOptions

    init() throws {
        mailbox = try TLSIdentity(mailboxSeed: [UInt8](repeating: 3, count: 32))
        options = TestServer.patient(LinkOptions(identity: try TLSIdentity.generate()))
    }

    private let success = RelayMessage.response(RelayResponse(.success, words: "success")).encoded()

    /// How it ends for who wants to be reached there.
    private func end(with relay: HostileRelay) async -> RelayProblem? {
        let reception = RelayReception(at: relay.server, token: "", options: options) { _ in nil }
        guard case .relayFailed(let failure) = await reception.serve(as: mailbox, joined: { _ in }) else { return nil }
        return failure.problem
    }

    private func invitation(_ address: [UInt8], port: UInt16) -> [UInt8] {
        RelayMessage.invitation(
            RelayInvitation(
                from: RelayID(ofCertificate: [1]), key: [1, 2, 3], address: address, port: port, isServer: true)
        ).encoded()
    }

    @Test("cannot send us to somebody else: no connection is made, and it is left")
    func elsewhere() async throws {
        let victim = try PlainServer(.silent)
        for address: [UInt8] in [[127, 0, 0, 2], [10, 0, 1, 1], [UInt8](repeating: 0, count: 15) + [1]] {
            let relay = try HostileRelay(says: success + invitation(address, port: victim.port))
            #expect(await end(with: relay) == .elsewhere)
        }
        #expect(victim.callCount == 0)
    }

    @Test("is left when it talks nonsense", arguments: [0, 1, 2])
    func nonsense(kind: Int) async throws {
        let words: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\n\r\n".utf8), [UInt8](repeating: 0xFF, count: 5000), invitation([], port: 9),
        ]
        let relay = try HostileRelay(says: words[kind])
        guard case .violated? = await end(with: relay) else {
            Issue.record("it was believed")
            return
        }
    }

    @Test("with another certificate than the expected one it hears nothing of us")
    func otherKey() async throws {
        let relay = try HostileRelay(says: success)
        var server = relay.server
        server.id = RelayID(ofCertificate: [9])
        let reception = RelayReception(at: server, token: "secret", options: options) { _ in nil }
        let end = await reception.serve(as: mailbox) { _ in }
        #expect(end == .relayFailed(RelayFailure(relay: server.endpoint, problem: .otherKey)))
        try await eventually("the relay has seen the end of the call") { !relay.handshakes.isEmpty }
        #expect(relay.handshakes == [false] && relay.bytesHeard == 0)
    }
}
