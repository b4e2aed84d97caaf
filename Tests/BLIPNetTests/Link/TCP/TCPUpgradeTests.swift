// TLS on connections: SOCKETS A16 to A18, A22 and C4.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite("TCP connections: TLS", .timeLimit(.minutes(5))) struct TCPUpgradeTests {
    private static func trusting(_ authority: TestAuthority) throws -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.trust = .roots([try authority.pem()])
        configuration.serverName = "localhost"
        return configuration
    }

    @Test(
        "TLS in mid stream comes after the operations before it and covers those after it",
        arguments: Transport.allCases)
    func midStream(transport: Transport) async throws {
        let authority = try TestAuthority()
        let pair = try await ConnectedPair(transport)
        let trusting = try Self.trusting(authority)
        let identity = try authority.server()
        // The client's side is all queued before the server has said a word.
        async let greeting = pair.client.read(through: .crlf, max: 100)
        try await eventually("queued") { await pair.client.waiting.reads == 1 }
        async let upgraded: Void = pair.client.upgradeToTLS(trusting)
        try await eventually("queued") { await pair.client.waiting == (2, 1) }
        async let secret: Void = pair.client.write("secret".bytes)
        try await eventually("queued") { await pair.client.waiting == (2, 2) }
        async let answer = pair.client.read(exactly: 6)

        try await pair.server.write("220 ready\r\n".bytes)
        try await pair.server.upgradeToTLS(.server(identity: identity), role: .server)
        #expect(try await pair.server.read(exactly: 6) == "secret".bytes)
        try await pair.server.write("public".bytes)
        #expect(try await greeting == "220 ready\r\n".bytes)
        #expect(try await answer == "public".bytes)
        try await upgraded
        try await secret
        let info = try #require(await pair.client.info)
        #expect(info.isSecure && info.tls?.version == .tls13)
        #expect(info.tls?.cipher == "TLS_AES_128_GCM_SHA256")
        #expect(info.tls?.peerFingerprint == identity.fingerprint)
    }

    @Test("what is glued behind the reply to STARTTLS is never handed out as plain text", arguments: Transport.allCases)
    func injection(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        // Somebody in the middle has added a line (CVE-2011-0411).
        try await pair.server.write("220 go ahead\r\n250 you are admin\r\n".bytes)
        #expect(try await pair.client.read(through: .crlf, max: 100) == "220 go ahead\r\n".bytes)
        try await eventually("arrived") { await pair.client.unreadCount > 0 }
        var configuration = TLSConfiguration()
        configuration.serverName = "localhost"
        let error = await netError { try await pair.client.upgradeToTLS(configuration, deadline: .after(patience)) }
        #expect(error == .tls(.notTLS) && error?.endedBy == .peer)
        #expect(await netError { _ = try await pair.client.readSome() } == .tls(.notTLS))
        #expect(await netError { try await pair.client.write([1]) } == .tls(.notTLS))
        // The same for a server whose client has added a command.
        let other = try await ConnectedPair(transport)
        try await other.client.write("STARTTLS\r\nMAIL FROM:<a>\r\n".bytes)
        #expect(try await other.server.read(through: .crlf, max: 100) == "STARTTLS\r\n".bytes)
        let identity = try TestAuthority().server()
        let refused = await netError {
            try await other.server.upgradeToTLS(.server(identity: identity), role: .server, deadline: .after(patience))
        }
        #expect(refused == .tls(.notTLS))
    }

    @Test("TLS bytes that came too early are not lost", arguments: Transport.allCases)
    func earlyHandshake(transport: Transport) async throws {
        let authority = try TestAuthority()
        let pair = try await ConnectedPair(transport)
        let trusting = try Self.trusting(authority)
        async let upgraded: Void = pair.client.upgradeToTLS(trusting, deadline: .after(patience))
        try await eventually("the client's first flight is here") { await pair.server.unreadCount > 100 }
        try await pair.server.upgradeToTLS(.server(identity: authority.server()), role: .server)
        try await upgraded
        try await pair.client.write("ok".bytes)
        #expect(try await pair.server.read(exactly: 2) == "ok".bytes)
    }

    @Test("large transfers, delimiters, limits and back-pressure work through TLS", arguments: Transport.allCases)
    func transfers(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport, client: .narrow, server: .narrow)
        try await pair.encrypt(TestAuthority())
        let big = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 7) }
        let meter = ProgressMeter()
        async let written: Void = pair.client.write(big, progress: meter)
        async let back: Void = pair.server.write(big)
        #expect(try await pair.server.read(exactly: big.count) == big)
        #expect(try await pair.client.read(exactly: big.count) == big)
        try await written
        try await back
        var last: TransferProgress?
        for await value in meter.updates { last = value }
        #expect(last == TransferProgress(bytesDone: big.count, total: big.count))
        try await pair.client.write("line\r\nmore".bytes)
        #expect(try await pair.server.read(through: .crlf, max: 6) == "line\r\n".bytes)
        #expect(try await pair.server.readSome() == "more".bytes)
        // Nobody reads.
        let error = await netError {
            try await pair.client.write([UInt8](repeating: 0, count: 8 << 20), idle: .milliseconds(500))
        }
        guard case .writeTimedOut(_, let bytesDone)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(bytesDone < 8 << 20)
    }

    @Test("an orderly end through TLS is an end, a cut is an error", arguments: Transport.allCases)
    func ends(transport: Transport) async throws {
        let authority = try TestAuthority()
        let pair = try await ConnectedPair(transport)
        try await pair.encrypt(authority)
        try await pair.client.write("all".bytes)
        await pair.client.close(after: .writes)
        #expect(try await pair.server.read(exactly: 3) == "all".bytes)
        #expect(try await pair.server.readSome() == [])
        #expect(await pair.server.waitUntilClosed() == .closedByPeer)
        let cut = try await ConnectedPair(transport)
        try await cut.encrypt(authority)
        try await cut.client.write("some".bytes)
        try #require(await cut.client.socket).shutdownWrites()
        #expect(try await cut.server.read(exactly: 4) == "some".bytes)
        #expect(await netError { _ = try await cut.server.readSome() } == .tls(.truncated))
    }

    @Test("half-close works through TLS", arguments: Transport.allCases)
    func halfClose(transport: Transport) async throws {
        var options = StreamOptions()
        options.allowHalfClose = true
        let pair = try await ConnectedPair(transport, server: options)
        try await pair.encrypt(TestAuthority())
        try await pair.client.write("question".bytes)
        await pair.client.closeWrite()
        #expect(try await pair.server.read(exactly: 8) == "question".bytes)
        #expect(try await pair.server.readSome() == [])
        try await pair.server.write("answer".bytes)
        #expect(try await pair.client.read(exactly: 6) == "answer".bytes)
    }

    // MARK: Trust

    @Test("the name of the server is checked without being asked to", arguments: [Transport.ipv4, .ipv6])
    func serverName(transport: Transport) async throws {
        let authority = try TestAuthority()
        let pair = try await ConnectedPair(transport)
        var configuration = TLSConfiguration()
        configuration.trust = .roots([try authority.pem()])
        // The address that was called is in this certificate, not in the other one.
        try await pair.encrypt(authority, client: configuration)
        let wrong = try await ConnectedPair(transport)
        let identity = try authority.server("DNS:elsewhere.test")
        let server = Task {
            await netError { try await wrong.server.upgradeToTLS(.server(identity: identity), role: .server) }
        }
        let error = await netError { try await wrong.client.upgradeToTLS(configuration) }
        #expect(error == .untrusted(reason: "IP address mismatch"))
        #expect(await wrong.client.waitUntilClosed() == error)
        guard case .tls(.handshakeFailed)? = await server.value else {
            Issue.record("the server was not told")
            return
        }
        let nameless = try await ConnectedPair(.unix)
        guard case .badConfiguration? = await netError({ try await nameless.client.upgradeToTLS(configuration) }) else {
            Issue.record("trusted without a name")
            return
        }
    }

    @Test("a pin is compared on each connection", arguments: Transport.allCases)
    func pinned(transport: Transport) async throws {
        let authority = try TestAuthority()
        let identity = try authority.server()
        var configuration = TLSConfiguration()
        configuration.trust = .pinned(identity.fingerprint)
        for _ in 0..<2 {
            let pair = try await ConnectedPair(transport)
            async let serverSide: Void = pair.server.upgradeToTLS(.server(identity: identity), role: .server)
            try await pair.client.upgradeToTLS(configuration)
            try await serverSide
            #expect(await pair.client.info?.tls?.isResumed == false)
        }
        let other = try TLSIdentity.generate()
        configuration.trust = .pinned(other.fingerprint)
        let pair = try await ConnectedPair(transport)
        let server = Task {
            await netError { try await pair.server.upgradeToTLS(.server(identity: identity), role: .server) }
        }
        let error = await netError { try await pair.client.upgradeToTLS(configuration) }
        #expect(error == .wrongKey(expected: other.fingerprint, presented: identity.fingerprint))
        #expect(await server.value?.endedBy == .peer)
    }

    @Test("a decision may take its time; meanwhile no byte passes in either direction", arguments: Transport.allCases)
    func question(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        let identity = try TestAuthority().server()
        let (asked, question) = AsyncStream<CertificateChain>.makeStream()
        let (answers, answer) = AsyncStream<Bool>.makeStream()
        var configuration = TLSConfiguration()
        configuration.serverName = "localhost"
        configuration.trust = .custom { chain in
            question.yield(chain)
            for await isTrusted in answers { return isTrusted }
            return false
        }
        let trusting = configuration
        // One after the other: bytes that are queued before the handshake would go out in plain text.
        async let upgraded: Void = pair.client.upgradeToTLS(trusting)
        try await eventually("queued") { await pair.client.waiting == (1, 1) }
        async let written: Void = pair.client.write("mine".bytes)
        async let read = pair.client.read(exactly: 5)
        let server = Task {
            try await pair.server.upgradeToTLS(.server(identity: identity), role: .server)
            try await pair.server.write("yours".bytes)
            return try await pair.server.read(exactly: 4)
        }
        var questions = asked.makeAsyncIterator()
        let chain = try #require(await questions.next())
        #expect(chain.leaf.fingerprint == identity.fingerprint && chain.serverName == "localhost")
        #expect(chain.problem == "unable to get local issuer certificate")
        try await Task.sleep(for: .milliseconds(100))
        #expect(await pair.client.info?.tls == nil)
        #expect(await pair.server.info?.tls == nil)
        #expect(await pair.client.unreadCount == 0)
        answer.yield(true)
        try await upgraded
        try await written
        #expect(try await read == "yours".bytes)
        #expect(try await server.value == "mine".bytes)
    }

    @Test("a refusal ends the connection; an answer after the end has no effect")
    func refusal() async throws {
        let pair = try await ConnectedPair(.ipv4)
        let identity = try TestAuthority().server()
        let serving = Task {
            await netError { try await pair.server.upgradeToTLS(.server(identity: identity), role: .server) }
        }
        var configuration = TLSConfiguration()
        configuration.trust = .custom { _ in false }
        #expect(await netError { try await pair.client.upgradeToTLS(configuration) } == .untrusted(reason: "refused"))
        #expect(await serving.value?.endedBy == .peer)

        let late = try await ConnectedPair(.ipv4)
        let other = Task {
            await netError { try await late.server.upgradeToTLS(.server(identity: identity), role: .server) }
        }
        let (asked, question) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Bool>.makeStream()
        configuration.trust = .custom { _ in
            question.yield()
            for await isTrusted in answers { return isTrusted }
            return false
        }
        let slow = configuration
        let upgrade = Task { await netError { try await late.client.upgradeToTLS(slow) } }
        var questions = asked.makeAsyncIterator()
        _ = await questions.next()
        late.client.close()
        #expect(await upgrade.value == .closedLocally)
        answer.yield(true)
        #expect(await netError { try await late.client.write([1]) } == .closedLocally)
        _ = await other.value
    }

    @Test("client certificates and application protocols", arguments: Transport.allCases)
    func clientCertificates(transport: Transport) async throws {
        let authority = try TestAuthority()
        let clients = try TestAuthority("Clients")
        var server = TLSConfiguration.server(identity: try authority.server())
        server.clientCertificates = .required
        server.trust = .roots([try clients.pem()])
        server.applicationProtocols = ["b", "a"]
        var client = try Self.trusting(authority)
        client.identity = try clients.client()
        client.applicationProtocols = ["a", "b"]
        let (serverSide, clientSide) = (server, client)
        let pair = try await ConnectedPair(transport)
        async let served: Void = pair.server.upgradeToTLS(serverSide, role: .server)
        try await pair.client.upgradeToTLS(clientSide)
        try await served
        #expect(await pair.server.info?.tls?.peerFingerprint == client.identity?.fingerprint)
        #expect(await pair.server.info?.tls?.applicationProtocol == "b")
        client.identity = nil
        let without = client
        let refused = try await ConnectedPair(transport)
        let outcome = Task { await netError { try await refused.server.upgradeToTLS(serverSide, role: .server) } }
        _ = await netError {
            try await refused.client.upgradeToTLS(without)
            _ = try await refused.client.readSome()
        }
        #expect(await outcome.value == .tls(.handshakeFailed(reason: "peer did not return a certificate")))
    }

    // MARK: Time and order

    @Test("a handshake has a limit of time, and can be cancelled")
    func limits() async throws {
        let pair = try await ConnectedPair(.ipv4)
        var configuration = TLSConfiguration()
        configuration.serverName = "localhost"
        let client = configuration
        let error = await netError { try await pair.client.upgradeToTLS(client, deadline: .after(.milliseconds(50))) }
        guard case .handshakeTimedOut? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await pair.client.waitUntilClosed() == error)
        let other = try await ConnectedPair(.ipv4)
        let task = Task { await netError { try await other.client.upgradeToTLS(client) } }
        try await eventually("begun") { await other.client.isShakingHands }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await other.client.waitUntilClosed() == .closedLocally)
    }

    @Test("a handshake that waits behind a read can be taken back without harm; a second one is an error of ours")
    func takenBack() async throws {
        let authority = try TestAuthority()
        let pair = try await ConnectedPair(.ipv4)
        let trusting = try Self.trusting(authority)
        async let line = pair.client.read(through: .lineFeed, max: 10)
        try await eventually("queued") { await pair.client.waiting.reads == 1 }
        let task = Task { await netError { try await pair.client.upgradeToTLS(trusting) } }
        try await eventually("queued") { await pair.client.waiting == (2, 1) }
        task.cancel()
        #expect(await task.value == .cancelled)
        try await pair.server.write("go\n".bytes)
        #expect(try await line == "go\n".bytes)
        try await pair.encrypt(authority)
        guard case .badConfiguration? = await netError({ try await pair.client.upgradeToTLS(trusting) }) else {
            Issue.record("TLS in TLS")
            return
        }
        try await pair.client.write([1])
        #expect(try await pair.server.read(exactly: 1) == [1])
    }

    @Test("a session goes with the stream that is handed over")
    func detach() async throws {
        let pair = try await ConnectedPair(.ipv4)
        try await pair.encrypt(TestAuthority())
        let stream = try await pair.client.detach()
        let session = try #require(stream.tls)
        #expect(session.isEstablished && stream.unread.isEmpty)
        try "through".bytes.withUnsafeBytes { try session.write($0) }
        var wire = ByteQueue()
        #expect(session.nextOutgoing(into: &wire))
        _ = wire.withUnsafeBytes { stream.socket.write($0) }
        #expect(try await pair.server.read(exactly: 7) == "through".bytes)
    }
}
