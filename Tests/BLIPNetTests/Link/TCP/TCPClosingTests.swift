// How connections end: SOCKETS A19, A21, A24.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite("TCP connections: closing", .timeLimit(.minutes(5))) struct TCPClosingTests {
    @Test("closing drops what waits, and what was written before still arrives", arguments: Transport.allCases)
    func immediate(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        let read = Task { await netError { _ = try await pair.client.read(exactly: 10) } }
        try await eventually("queued") { await pair.client.waiting.reads == 1 }
        try await pair.client.write("last words".bytes)
        pair.client.close()
        #expect(await read.value == .closedLocally)
        #expect(await netError { _ = try await pair.client.readSome() } == .closedLocally)
        #expect(await netError { try await pair.client.write([1]) } == .closedLocally)
        #expect(await netError { try await pair.client.upgradeToTLS(TLSConfiguration()) } == .closedLocally)
        #expect(await pair.client.waitUntilClosed() == .closedLocally)
        #expect(NetError.closedLocally.endedBy == .us)
        #expect(try await pair.server.read(exactly: 10) == "last words".bytes)
        #expect(try await pair.server.readSome() == [])
        #expect(await pair.server.waitUntilClosed() == .closedByPeer)
    }

    @Test("bytes that we have not read do not cost the peer what we have sent", arguments: Transport.allCases)
    func unread(transport: Transport) async throws {
        var options = StreamOptions()
        options.readAhead = 1_000
        let pair = try await ConnectedPair(transport, client: options)
        try await pair.server.write([UInt8](repeating: 9, count: 150_000))
        try await eventually("arrived") { await pair.client.unreadCount >= 1_000 }
        try await pair.client.write("last words".bytes)
        pair.client.close()
        #expect(try await pair.server.read(exactly: 10) == "last words".bytes)
        #expect(try await pair.server.readSome() == [])
    }

    @Test("closing after the writes sends all of them, and waits for no reads", arguments: Transport.allCases)
    func afterWrites(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport, client: .narrow, server: .narrow)
        let big = [UInt8](repeating: 4, count: 4 << 20)
        let read = Task { await netError { _ = try await pair.client.read(exactly: 1) } }
        async let first: Void = pair.client.write(big)
        try await eventually("queued") { await pair.client.waiting == (1, 1) }
        await pair.client.close(after: .writes)
        #expect(await netError { try await pair.client.write([1]) } == .closing)
        #expect(await netError { _ = try await pair.client.readSome() } == .closing)
        #expect(await netError { try await pair.client.upgradeToTLS(TLSConfiguration()) } == .closing)
        #expect(try await pair.server.read(exactly: big.count) == big)
        try await first
        #expect(await read.value == .closedLocally)
        #expect(try await pair.server.readSome() == [])
        #expect(await netError { try await pair.client.write([1]) } == .closedLocally)
    }

    @Test("closing after the reads waits for no writes", arguments: Transport.allCases)
    func afterReads(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport, client: .narrow, server: .narrow)
        let write = Task { await netError { try await pair.client.write([UInt8](repeating: 4, count: 4 << 20)) } }
        async let read = pair.client.read(exactly: 3)
        try await eventually("queued") { await pair.client.waiting == (1, 1) }
        await pair.client.close(after: .reads)
        #expect(await pair.client.end == nil)
        try await pair.server.write("abc".bytes)
        #expect(try await read == "abc".bytes)
        #expect(await write.value == .closedLocally)
        #expect(await pair.client.waitUntilClosed() == .closedLocally)
    }

    @Test("closing after both waits for both; without any it closes at once", arguments: Transport.allCases)
    func afterBoth(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport, client: .narrow, server: .narrow)
        let big = [UInt8](repeating: 4, count: 4 << 20)
        async let written: Void = pair.client.write(big)
        async let read = pair.client.read(exactly: 3)
        try await eventually("queued") { await pair.client.waiting == (1, 1) }
        await pair.client.close(after: .both)
        #expect(try await pair.server.read(exactly: big.count) == big)
        try await written
        #expect(await pair.client.end == nil)
        try await pair.server.write("abc".bytes)
        #expect(try await read == "abc".bytes)
        #expect(await pair.client.waitUntilClosed() == .closedLocally)
        await pair.server.close(after: .both)
        #expect(await pair.server.waitUntilClosed() != .closing)
    }

    @Test("a half-closed peer can still be written to, if we want that", arguments: Transport.allCases)
    func halfClose(transport: Transport) async throws {
        var options = StreamOptions()
        options.allowHalfClose = true
        let pair = try await ConnectedPair(transport, server: options)
        try await pair.client.write("question".bytes)
        await pair.client.closeWrite()
        #expect(await netError { try await pair.client.write([1]) } == .closing)
        #expect(try await pair.server.read(exactly: 8) == "question".bytes)
        #expect(try await pair.server.readSome() == [])
        #expect(await pair.server.end == nil)
        try await pair.server.write("answer".bytes)
        #expect(try await pair.client.read(exactly: 6) == "answer".bytes)
        await pair.server.close(after: .writes)
        #expect(try await pair.client.readSome() == [])
        #expect(await pair.client.waitUntilClosed() == .closedByPeer)
    }

    @Test(
        "without that, the end of the peer's direction closes; what has arrived is still read",
        arguments: Transport.allCases)
    func noHalfClose(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        try await pair.client.write("bye".bytes)
        await pair.client.closeWrite()
        #expect(await pair.server.waitUntilClosed() == .closedByPeer)
        #expect(await netError { try await pair.server.write([1]) } == .closedByPeer)
        #expect(try await pair.server.readSome() == "bye".bytes)
        #expect(try await pair.server.readSome() == [])
    }

    @Test("a reset is told apart from an orderly end, and is the peer's doing", arguments: [Transport.ipv4, .ipv6])
    func reset(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        let stream = try await pair.server.detach()
        // Connecting a TCP socket to nowhere resets its connection (connect(2), AF_UNSPEC).
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        #expect(connect(stream.socket.descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size)) == 0)
        let error = await netError { _ = try await pair.client.read(exactly: 1) }
        #expect(error == .posix(call: "read", errno: ECONNRESET))
        #expect(error?.endedBy == .peer)
    }

    @Test("letting go of a connection closes it, and no descriptor is left", arguments: Transport.allCases)
    func letGo(transport: Transport) async throws {
        let folder = try TemporaryDirectory()
        let listener = try TCPListener.listen(on: transport.endpoint(in: folder))
        var callers = listener.makeAsyncIterator()
        func connectAndLetGo() async throws {
            let client = TCPConnection.connect(to: listener.localEndpoint)
            try await client.waitUntilConnected()
        }
        try await connectAndLetGo()
        let server = try #require(await callers.next())
        #expect(try await server.readSome() == [])
    }

    @Test("says for each error who ended it")
    func originators() {
        for (error, originator) in [
            (NetError.closing, NetError.Originator.us), (.cancelled, .us), (.closedByPeer, .peer),
            (.posix(call: "connect", errno: ECONNREFUSED), .peer),
            (.posix(call: "connect", errno: ENETUNREACH), .network),
            (.dns(host: "x", reason: "y"), .network), (.connectTimedOut(elapsed: .zero), .network),
            (.tls(.notTLS), .peer), (.untrusted(reason: ""), .peer), (.badParameter(reason: ""), .us),
        ] {
            #expect(error.endedBy == originator)
        }
    }

    @Test("an error of a socket becomes an error of a link")
    func linkErrors() throws {
        let key = try TLSIdentity.generate().fingerprint
        for (error, expected) in [
            (NetError.connectTimedOut(elapsed: .zero), LinkError.timedOut("connect")),
            (.dns(host: "a", reason: "b"), .unresolvable(host: "a", reason: "b")),
            (.posix(call: "connect", errno: ECONNREFUSED), .transport(call: "connect", errno: ECONNREFUSED)),
            (.posix(call: "read", errno: ECONNRESET), .disconnected), (.closedByPeer, .disconnected),
            (.cancelled, .closedLocally), (.closedLocally, .closedLocally),
            (.wrongKey(expected: key, presented: key), .wrongIdentity(expected: key, presented: key)),
            (.tls(.notTLS), .notBLIP(reason: "the other side does not speak TLS")),
        ] {
            #expect(LinkError(error) == expected)
        }
    }
}
