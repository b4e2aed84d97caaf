// The listener: where it listens, whom it takes, and what it leaves behind.

import CLinux
import Glibc
import Synchronization
import Testing

@testable import BLIPNet

@Suite("LinkListener", .timeLimit(.minutes(5))) struct LinkListenerTests {
    @Test("listens on both families with one free port", arguments: ["::", "*"])
    func bothFamilies(host: String) async throws {
        let server = try TestServer(on: .host(host, port: 0))
        guard case .host("::", let port) = server.endpoint else {
            Issue.record("\(server.endpoint)")
            return
        }
        #expect(port != 0)
        for host in ["127.0.0.1", "::1"] {
            let link = try await PeerLink.connect(
                to: .host(host, port: port), options: server.clientOptions, handler: TestHandler())
            #expect(link.info.remoteHost == host)
        }
    }

    @Test("says that the port is taken")
    func portTaken() throws {
        let server = try TestServer()
        #expect(throws: LinkError.transport(call: "bind", errno: EADDRINUSE)) {
            try TestServer(on: server.endpoint)
        }
    }

    @Test("frees the address at once when it is closed, and leaves open links alone")
    func closes() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        _ = try await link.request(BLIPRequest(profile: "echo"))
        server.listener.close()
        let next = try TestServer(on: server.endpoint)
        #expect(next.endpoint == server.endpoint)
        #expect(try await link.request(BLIPRequest(profile: "echo")).error == nil)
    }

    @Test("turns away whom the owner does not want")
    func refuses() async throws {
        let options = TestServer.patient(LinkOptions())
        let listener = try LinkListener.listen(
            on: .host("127.0.0.1", port: 0), options: options, admission: TestServer.manyHandshakes
        ) { _ in nil }
        // The end often comes with the answer to the upgrade; the caller has been let in before it all the same.
        for _ in 0..<100 {
            let link = try await PeerLink.connect(to: listener.localEndpoint, options: options, handler: TestHandler())
            #expect(await link.waitUntilClosed() == .closedByPeer(code: 1008, reason: "not welcome"))
        }
    }

    @Test("keeps to the limit of connections, and takes callers again when others have left")
    func maxConnections() async throws {
        var limits = TestServer.manyHandshakes
        limits.maxConnections = 2
        let server = try TestServer(admission: limits)
        let first = try await server.connect()
        let second = try await server.connect()
        // The server knows of their end of the handshake: until then a newcomer takes the place of the oldest one.
        for link in [first, second] { _ = try await link.request(BLIPRequest(profile: "echo")) }
        await #expect(throws: LinkError.disconnected) { try await server.connect() }
        first.close()
        await eventually("there is room again") { await server.listener.connectionCount == 1 }
        _ = try await server.connect().request(BLIPRequest(profile: "echo"))
        withExtendedLifetime(second) {}
    }

    @Test("an address that has all its handshakes running loses the oldest one, and the new caller gets in")
    func maxHandshakes() async throws {
        var limits = TestServer.manyHandshakes
        limits.maxHandshakesPerAddress = 1
        let server = try TestServer(admission: limits)
        let silent = try await SocketConnector(loop: .next()).connect(
            to: server.endpoint, options: ConnectOptions())
        await eventually("the silent caller is in its handshake") { await server.listener.connectionCount == 1 }
        let first = try await server.connect()
        _ = try await first.request(BLIPRequest(profile: "echo"))
        await eventually("the silent caller is gone") { Self.hasEnded(silent) }
        #expect(await server.listener.connectionCount == 1)
        // A finished handshake does not count any more, and nobody takes its place.
        _ = try await server.connect().request(BLIPRequest(profile: "echo"))
        _ = try await first.request(BLIPRequest(profile: "echo"))
    }

    /// Whether the other side has closed, with or without a word.
    private static func hasEnded(_ socket: Socket) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            switch socket.read(into: buffer) {
            case .end, .failed: true
            case .bytes, .nothingYet: false
            }
        }
    }

    @Test("whoever says nothing, or half a ClientHello, is dropped soon", arguments: [true, false])
    func idle(isSilent: Bool) async throws {
        var limits = TestServer.manyHandshakes
        limits.firstByteTime = isSilent ? .milliseconds(200) : .seconds(120)
        limits.helloTime = isSilent ? .seconds(120) : .milliseconds(200)
        let server = try TestServer(admission: limits)
        let caller = try await SocketConnector(loop: .next()).connect(to: server.endpoint, options: ConnectOptions())
        if !isSilent {
            let half: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC]
            _ = half.withUnsafeBytes { caller.write($0) }
        }
        await eventually("it is dropped") { Self.hasEnded(caller) }
        #expect(await server.listener.connectionCount == 0)
    }

    @Test(
        "hundreds of callers who only sit there, from many addresses or one, keep no contact out", arguments: [64, 1])
    func idleStrangers(addressCount: Int) async throws {
        var limits = ListenerLimits()
        limits.maxConnections = 40
        limits.maxHandshakes = 32
        limits.handshakesPerSecond = 10_000
        limits.handshakesPerSecondPerNetwork = 10_000
        // Nobody is dropped for being slow here: room has to be made.
        limits.firstByteTime = .seconds(120)
        limits.helloTime = .seconds(120)
        let server = try TestServer(admission: limits)
        server.listener.favour(networks: ["192.0.2.0/24"])
        var strangers: [Socket] = []
        for number in 0..<300 {
            var options = ConnectOptions()
            options.localInterface = "127.0.\(number % addressCount).9"
            strangers.append(try await SocketConnector(loop: .next()).connect(to: server.endpoint, options: options))
            guard number >= 100, number.isMultiple(of: 10) else { continue }
            // From an address of their own, and from the one of all strangers.
            var contact = server.clientOptions
            contact.connect.localInterface = number.isMultiple(of: 20) ? "127.0.0.9" : "127.9.9.9"
            let link = try await PeerLink.connect(to: server.endpoint, options: contact, handler: TestHandler())
            #expect(try await link.request(BLIPRequest(profile: "echo")).error == nil)
            link.close()
            _ = await link.waitUntilClosed()
        }
        #expect(await server.listener.connectionCount <= limits.maxConnections)
        withExtendedLifetime(strangers) {}
    }

    @Test("callers who hang up at once use up no handshakes")
    func hangingUp() async throws {
        var limits = TestServer.manyHandshakes
        limits.handshakesPerSecond = 2
        limits.handshakesPerSecondPerNetwork = 2
        let server = try TestServer(admission: limits)
        for _ in 0..<100 {
            _ = try await SocketConnector(loop: .next()).connect(to: server.endpoint, options: ConnectOptions())
        }
        _ = try await server.connect().request(BLIPRequest(profile: "echo"))
    }

    @Test("more handshakes than may begin in a second are not begun")
    func handshakeRate() async throws {
        var limits = TestServer.manyHandshakes
        limits.handshakesPerSecond = 1
        limits.handshakesPerSecondPerNetwork = 1
        let server = try TestServer(admission: limits)
        var refused = 0
        // One a second may pass, however long this takes: of two at once one is too many.
        for _ in 0..<20 where refused == 0 {
            async let one = server.connect()
            async let other = server.connect()
            do { _ = try await (one, other) } catch { refused += 1 }
        }
        #expect(refused == 1)
    }

    @Test("drops a caller that does not finish its handshake")
    func handshakeDeadline() async throws {
        let server = try TestServer {
            $0.handshakeTimeout = .milliseconds(100); $0.closeTimeout = .milliseconds(100)
        }
        let silent = try await SocketConnector(loop: .next()).connect(
            to: server.endpoint, options: ConnectOptions())
        await eventually("the silent caller is dropped") {
            [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
                if silent.read(into: UnsafeMutableRawBufferPointer(buffer)) == .end { count = 1 }
            }.count == 1
        }
        await eventually("nothing of it is left") { await server.listener.connectionCount == 0 }
    }

    @Test("makes a socket file for its owner alone, and removes it")
    func socketFile() throws {
        let path = "/tmp/blipnet-\(getpid())-mode.sock"
        let server = try TestServer(on: .unix(path: path), isPlain: true)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        server.listener.close()
        #expect(lstat(path, &status) == -1)
    }

    @Test("takes the place of a dead socket file, not of a live one and not of another file")
    func staleSocketFile() throws {
        let path = "/tmp/blipnet-\(getpid())-stale.sock"
        defer { unlink(path) }
        // A socket that nobody listens on: bound, then closed without removing the file.
        let dead = try Socket.open(family: AF_UNIX)
        let address = try #require(SocketAddress(unixPath: path))
        #expect(address.withSockaddr { bind(dead.descriptor, $0, $1) } == 0)
        let server = try TestServer(on: .unix(path: path), isPlain: true)
        #expect(throws: LinkError.transport(call: "bind", errno: EADDRINUSE)) {
            try TestServer(on: .unix(path: path), isPlain: true)
        }
        server.listener.close()
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        #expect(file >= 0)
        close(file)
        #expect(throws: LinkError.transport(call: "bind", errno: EADDRINUSE)) {
            try TestServer(on: .unix(path: path), isPlain: true)
        }
        var status = stat()
        #expect(lstat(path, &status) == 0)
    }
}
