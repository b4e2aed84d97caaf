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
        await #expect(throws: LinkError.disconnected) { try await server.connect() }
        first.close()
        await eventually("there is room again") { await server.listener.connectionCount == 1 }
        _ = try await server.connect().request(BLIPRequest(profile: "echo"))
        withExtendedLifetime(second) {}
    }

    @Test("keeps to the limit of unfinished handshakes per address")
    func maxHandshakes() async throws {
        var limits = TestServer.manyHandshakes
        limits.maxHandshakesPerAddress = 1
        let server = try TestServer(admission: limits)
        let silent = try await SocketConnector(loop: .next()).connect(
            to: server.endpoint, options: ConnectOptions())
        await eventually("the silent caller is in its handshake") { await server.listener.connectionCount == 1 }
        await #expect(throws: LinkError.disconnected) { try await server.connect() }
        silent.shutdownBoth()
        await eventually("the silent caller is gone") { await server.listener.connectionCount == 0 }
        // A finished handshake does not count any more.
        let first = try await server.connect()
        _ = try await first.request(BLIPRequest(profile: "echo"))
        _ = try await server.connect().request(BLIPRequest(profile: "echo"))
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

@Suite("AdmissionControl", .timeLimit(.minutes(5))) struct AdmissionControlTests {
    private func limits(connections: Int = 100, perAddress: Int = 100, perSecond: Int = 100) -> ListenerLimits {
        var limits = ListenerLimits()
        limits.maxConnections = connections
        limits.maxHandshakesPerAddress = perAddress
        limits.handshakesPerSecond = perSecond
        return limits
    }
    private let start = MonotonicTime(nanoseconds: 1_000)

    @Test("has the limits of the specification by default")
    func defaults() {
        let limits = ListenerLimits()
        #expect(limits.maxConnections == 128)
        #expect(limits.maxHandshakesPerAddress == 8)
        #expect(limits.handshakesPerSecond == 50)
    }

    @Test("counts handshakes that run, from all addresses together")
    func handshakes() {
        var limits = limits()
        limits.maxHandshakes = 2
        var control = AdmissionControl(limits: limits)
        #expect(control.admit(host: "a", now: start) == nil)
        #expect(control.admit(host: nil, now: start) == nil)
        #expect(control.admit(host: "c", now: start) == .tooManyHandshakes)
        control.handshakeEnded(host: nil)
        #expect(control.admit(host: "c", now: start) == nil)
        #expect(control.admit(host: "d", now: start) == .tooManyHandshakes)
    }

    @Test("counts connections")
    func connections() {
        var control = AdmissionControl(limits: limits(connections: 2))
        #expect(control.admit(host: "a", now: start) == nil)
        #expect(control.admit(host: "b", now: start) == nil)
        #expect(control.admit(host: "c", now: start) == .tooManyConnections)
        control.connectionEnded()
        #expect(control.admit(host: "c", now: start) == nil)
    }

    @Test("counts handshakes per address, not those of others and not those over UNIX sockets")
    func handshakesPerAddress() {
        var control = AdmissionControl(limits: limits(perAddress: 2))
        #expect(control.admit(host: "a", now: start) == nil)
        #expect(control.admit(host: "a", now: start) == nil)
        #expect(control.admit(host: "a", now: start) == .tooManyFromAddress)
        #expect(control.admit(host: "b", now: start) == nil)
        for _ in 0..<5 { #expect(control.admit(host: nil, now: start) == nil) }
        control.handshakeEnded(host: "a")
        #expect(control.admit(host: "a", now: start) == nil)
    }

    @Test("refills the rate as time passes, up to one second's worth")
    func rate() {
        var control = AdmissionControl(limits: limits(connections: 1000, perSecond: 10))
        for _ in 0..<10 { #expect(control.admit(host: "a", now: start) == nil) }
        #expect(control.admit(host: "a", now: start) == .tooFast)
        #expect(control.admit(host: "a", now: start + .milliseconds(99)) == .tooFast)
        #expect(control.admit(host: "a", now: start + .milliseconds(100)) == nil)
        #expect(control.admit(host: "a", now: start + .milliseconds(101)) == .tooFast)
        let later = start + .seconds(3600)
        for _ in 0..<10 { #expect(control.admit(host: "a", now: later) == nil) }
        #expect(control.admit(host: "a", now: later) == .tooFast)
    }
}
