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
    private let isThrough = Atomic(false)
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

    /// Everything was said.
    var hasSaidAll: Bool { isThrough.load(ordering: .acquiring) }

    /// `more`: what it says then, a piece each second.
    init(says bytes: [UInt8], then more: [[UInt8]] = []) throws {
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
                    for piece in more {
                        try await Task.sleep(for: .seconds(1))
                        try await connection.write(piece)
                    }
                    self?.isThrough.store(true, ordering: .releasing)
                    while case let some = try await connection.readSome(), !some.isEmpty {
                        self?.heard.withLock { $0 += some }
                    }
                }
            }
        }
    }
}

/// Where a hostile relay has its sessions: each key is welcome, and then the stream is in the hands of `body`.
private final class HostileSessions: Sendable {
    private let listener: TCPListener

    static let key: [UInt8] = [1, 2, 3]

    var port: UInt16 {
        guard case .host(_, let port) = listener.localEndpoint else { return 0 }
        return port
    }

    init(_ body: @escaping @Sendable (TCPConnection) async throws -> Void) throws {
        listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        let listener = listener
        Task {
            for await connection in listener {
                Task {
                    _ = try await connection.read(exactly: RelayMessage.joinSession(key: Self.key).encoded().count)
                    let welcome = RelayMessage.response(RelayResponse(.success, words: "success"))
                    try await connection.write(welcome.encoded())
                    try await body(connection)
                }
            }
        }
    }

    deinit { listener.close() }

    /// The relay calls at the other end of a session itself; `nil`: that came to nothing.
    static func call(over connection: TCPConnection, _ options: LinkOptions) async throws -> PeerLink? {
        let stream = try await connection.detach()
        let stack = try ProtocolStack.client(host: "localhost", options: options, now: .now())
        let link = PeerLink(
            loop: stream.loop, socket: stream.socket, stack: stack, options: options, isOutgoing: true)
        return await link.handshake(handler: TestHandler()) == nil ? link : nil
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

    /// `callee`: to whoever has called them; `nil`: to whoever has joined.
    private func invitation(_ address: [UInt8], port: UInt16, from callee: RelayID? = nil) -> [UInt8] {
        RelayMessage.invitation(
            RelayInvitation(
                from: callee ?? RelayID(ofCertificate: [1]), key: HostileSessions.key, address: address, port: port,
                isServer: callee == nil)
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

    @Test("that ends TLS itself poses as nobody: the caller knows the key, and says nothing to another one")
    func endsTLS() async throws {
        let own = try TLSIdentity.generate()
        let friend = try TLSIdentity.generate().fingerprint
        let heard = Atomic(0)
        let sessions = try HostileSessions { connection in
            var configuration = TLSConfiguration.server(identity: own)
            configuration.trust = .anyKey
            configuration.clientCertificates = .required
            try await connection.upgradeToTLS(configuration, role: .server)
            while case let some = try await connection.readSome(), !some.isEmpty {
                heard.add(some.count, ordering: .releasing)
            }
        }
        let callee = try #require(mailbox.relayID)
        let relay = try HostileRelay(says: invitation([], port: sessions.port, from: callee))
        var pinned = options
        pinned.expectedPeer = friend
        let stranger = try TLSIdentity.generate()
        let call = pinned
        await #expect(throws: LinkError.wrongIdentity(expected: friend, presented: own.fingerprint)) {
            _ = try await PeerLink.connect(
                to: callee, at: relay.server, as: stranger, options: call, handler: TestHandler())
        }
        #expect(heard.load(ordering: .acquiring) == 0)
    }

    @Test("that calls at the end of a session itself is a caller with another key than any friend's")
    func callsItself() async throws {
        let own = TestServer.patient(LinkOptions(identity: try TLSIdentity.generate()))
        let sessions = try HostileSessions { connection in
            _ = try await HostileSessions.call(over: connection, own)?.waitUntilClosed()
        }
        let relay = try HostileRelay(says: success + invitation([], port: sessions.port))
        let callers = Mutex<[SPKIFingerprint?]>([])
        let reception = RelayReception(at: relay.server, token: "", options: options) { link in
            callers.withLock { $0.append(link.info.remoteFingerprint) }
            return TestHandler()
        }
        let (mailbox, key) = (mailbox, own.identity?.fingerprint)
        let task = Task { await reception.serve(as: mailbox) { _ in } }
        try await eventually("it has called") { callers.withLock { !$0.isEmpty } }
        #expect(callers.withLock { $0 } == [key] && key != nil)
        task.cancel()
    }

    @Test("that brings somebody without TLS brings nobody")
    func plain() async throws {
        let ends = Atomic(0)
        let sessions = try HostileSessions { connection in
            defer { ends.add(1, ordering: .releasing) }
            let upgrade = "GET /chat HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
            try await connection.write(Array(upgrade.utf8))
            while case let some = try await connection.readSome(), !some.isEmpty {}
        }
        let relay = try HostileRelay(says: success + invitation([], port: sessions.port))
        let callers = Atomic(0)
        let reception = RelayReception(at: relay.server, token: "", options: options) { _ in
            callers.add(1, ordering: .releasing)
            return TestHandler()
        }
        let mailbox = mailbox
        let task = Task { await reception.serve(as: mailbox) { _ in } }
        try await eventually("it is hung up on") { ends.load(ordering: .acquiring) > 0 }
        #expect(callers.load(ordering: .acquiring) == 0)
        task.cancel()
    }

    @Test("that offers a thousand sessions in ten seconds: five begin in each, and an open link answers as before")
    func flood() async throws {
        let own = TestServer.patient(LinkOptions(identity: try TLSIdentity.generate()))
        let opened = Mutex<PeerLink?>(nil)
        let friend = try HostileSessions { connection in
            guard let link = try await HostileSessions.call(over: connection, own) else { return }
            opened.withLock { $0 = link }
            _ = await link.waitUntilClosed()
        }
        // Whoever hangs up at once makes room for the next one.
        let others = try PlainServer(.answers(""))
        let hundred = Array(repeating: invitation([], port: others.port), count: 100).flatMap { $0 }
        let relay = try HostileRelay(
            says: success + invitation([], port: friend.port), then: Array(repeating: hundred, count: 10))
        let reception = RelayReception(at: relay.server, token: "", options: options) { _ in TestHandler() }
        let mailbox = mailbox
        let begun = ContinuousClock.now
        let task = Task { await reception.serve(as: mailbox) { _ in } }
        let link = try await eventuallyGet("a link through the relay") { opened.withLock { $0 } }
        var slowest = Duration.zero
        while !relay.hasSaidAll {
            let asked = ContinuousClock.now
            let answer = try await link.request(BLIPRequest(profile: "echo", body: .text("still here")))
            slowest = max(slowest, ContinuousClock.now - asked)
            #expect(answer.bodyBytes == Array("still here".utf8))
            try await Task.sleep(for: .milliseconds(50))
        }
        let (calls, seconds) = (others.callCount, Int((ContinuousClock.now - begun).components.seconds))
        #expect(calls > 8 && calls <= 5 * (seconds + 1), "\(calls) sessions in \(seconds) s")
        #expect(slowest < .seconds(5))
        task.cancel()
    }
}
