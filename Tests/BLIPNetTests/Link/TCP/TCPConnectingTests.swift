// How connections come about: SOCKETS A8 to A12, A15, A22, A23, and RFC 8305.

import CLinux
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite("TCP connections: connecting", .timeLimit(.minutes(5))) struct TCPConnectingTests {
    @Test("tells both ends of a connection", arguments: Transport.allCases)
    func info(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        let client = try #require(await pair.client.info)
        let server = try #require(await pair.server.info)
        #expect(client.isOutgoing && !server.isOutgoing)
        #expect(!client.isSecure && client.tls == nil)
        #expect((client.isIPv4, client.isIPv6) == (transport == .ipv4, transport == .ipv6))
        #expect(client.kind == server.kind)
        #expect(client.remote == pair.listener.localEndpoint)
        if transport == .unix {
            #expect(server.peerUser == geteuid() && client.peerUser == geteuid())
        } else {
            #expect(server.remote == client.local)
            #expect(server.remoteAddress == client.localAddress)
            #expect(client.localAddress?.port != 0)
        }
    }

    @Test("a host name is tried at all its addresses")
    func hostName() async throws {
        // Only one of the two families of localhost listens.
        let known = try await SocketAddress.lookup(host: "localhost", port: 0).map(\.hostText)
        for host in ["127.0.0.1", "::1"] where known.contains(host) {
            let listener = try TCPListener.listen(on: .host(host, port: 0))
            guard case .host(_, let port) = listener.localEndpoint else { continue }
            let client = TCPConnection.connect(to: .host("localhost", port: port))
            let info = try await client.waitUntilConnected()
            #expect(info.remoteAddress?.hostText == host)
        }
    }

    @Test("refusal is told at once, by whom")
    func refused() async throws {
        let closed = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        let endpoint = closed.localEndpoint
        closed.close()
        let error = await netError { try await TCPConnection.connect(to: endpoint).waitUntilConnected() }
        #expect(error == .posix(call: "connect", errno: ECONNREFUSED))
        let folder = try TemporaryDirectory()
        let nothing = TCPConnection.connect(to: .unix(path: folder.file("nothing")))
        #expect(await netError { try await nothing.write([1]) } == .posix(call: "connect", errno: ENOENT))
        let long = TCPConnection.connect(to: .unix(path: String(repeating: "x", count: 200)))
        #expect(await netError { try await long.write([1]) } == .posix(call: "connect", errno: ENAMETOOLONG))
    }

    @Test("the limit for connecting covers the resolver, whose late answer harms nobody")
    func resolverTimeout() async throws {
        let late = Mutex<[@Sendable (Result<[SocketAddress], NetError>) -> Void]>([])
        let connector = SocketConnector(loop: .next()) { _, _, completion in late.withLock { $0.append(completion) } }
        var options = ConnectOptions()
        options.timeout = .milliseconds(100)
        let error = await netError {
            _ = try await connector.connect(to: .host("slow.test", port: 1), options: options)
        }
        guard case .connectTimedOut(let elapsed)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(elapsed >= .milliseconds(100))
        late.withLock { $0 }.first?(.success([try #require(SocketAddress(host: "127.0.0.1", port: 1))]))
        let unknown = TCPConnection.connect(to: .host("no-such-name.invalid", port: 1))
        guard case .dns(host: "no-such-name.invalid", _)? = await netError({ try await unknown.waitUntilConnected() })
        else {
            Issue.record("an unknown name was resolved")
            return
        }
    }

    @Test("cancelling who waits for the connection does not end it")
    func cancelledWait() async throws {
        let full = try FullSocket()
        let client = TCPConnection.connect(to: [full.address])
        let waiter = Task { await netError { try await client.waitUntilConnected() } }
        try await eventually("dialling") { await client.connector != nil }
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
        let closing = Task { await client.waitUntilClosed() }
        closing.cancel()
        #expect(await closing.value == .cancelled)
        // The idle limit is one of the stream, not of the way there.
        let read = Task { await netError { _ = try await client.read(exactly: 1, idle: .milliseconds(1)) } }
        try await Task.sleep(for: .milliseconds(100))
        #expect(await client.waiting.reads == 1)
        read.cancel()
        #expect(await read.value == .cancelled)
        #expect(await client.end == nil)
        client.close()
        #expect(await client.waitUntilClosed() == .closedLocally)
    }

    // MARK: Happy Eyeballs

    @Test("an address that does not answer does not hold up the others, all of which are tried")
    func race() async throws {
        let silent = [try FullSocket(), try FullSocket(), try FullSocket()]
        let listener = try TCPListener.listen(on: .host("::1", port: 0))
        guard case .host(_, let port) = listener.localEndpoint else {
            Issue.record("the listener has no port")
            return
        }
        let good = try #require(SocketAddress(host: "::1", port: port))
        var options = ConnectOptions()
        options.addressPolicy.attemptDelay = .milliseconds(20)
        options.addressPolicy.preferred = .ipv4
        options.timeout = patience
        let client = TCPConnection.connect(to: silent.map(\.address) + [good], options: options)
        #expect(try await client.waitUntilConnected().remoteAddress == good)
        // One after the other, and refusals need no delay.
        let refusing = try #require(SocketAddress(host: "127.0.0.1", port: 1))
        options.addressPolicy.attemptDelay = .seconds(600)
        let quick = TCPConnection.connect(to: [refusing, refusing.withPort(2), good], options: options)
        #expect(try await quick.waitUntilConnected().remoteAddress == good)
    }

    @Test("attempts that have begun go on beside later ones")
    func lateWinner() async throws {
        let (slow, silent) = (try FullSocket(), try FullSocket())
        var options = ConnectOptions()
        options.addressPolicy.attemptDelay = .milliseconds(20)
        options.timeout = patience
        let client = TCPConnection.connect(to: [slow.address, silent.address], options: options)
        try await Task.sleep(for: .milliseconds(200))
        #expect(await client.info == nil)
        // The kernel asks again after a second, and now there is room.
        slow.drain()
        #expect(try await client.waitUntilConnected().remoteAddress == slow.address)
    }

    @Test("families can be switched off and preferred")
    func policy() async throws {
        let listener = try TCPListener.listen(on: .host("localhost", port: 0))
        guard case .host(_, let port) = listener.localEndpoint else {
            Issue.record("the listener has no port")
            return
        }
        let known = try await SocketAddress.lookup(host: "localhost", port: 0).map(\.hostText)
        for (configure, expected) in [
            ({ $0.preferred = .ipv4 }, "127.0.0.1"), ({ $0.preferred = .ipv6 }, "::1"),
            ({ $0.allowsIPv6 = false }, "127.0.0.1"), ({ $0.allowsIPv4 = false }, "::1"),
            (
                {
                    $0.allowsIPv4 = false
                    $0.preferred = .ipv4
                }, "::1"
            ),
        ] as [((inout AddressPolicy) -> Void, String)] {
            var options = ConnectOptions()
            configure(&options.addressPolicy)
            let addresses = ["::1", "127.0.0.1"].compactMap { SocketAddress(host: $0, port: port) }
            let raw = TCPConnection.connect(to: addresses, options: options)
            #expect(try await raw.waitUntilConnected().remoteAddress?.hostText == expected)
            // What this machine calls localhost is its own affair.
            guard known.contains(expected) else { continue }
            let named = TCPConnection.connect(to: .host("localhost", port: port), options: options)
            #expect(try await named.waitUntilConnected().remoteAddress?.hostText == expected)
        }
        var none = ConnectOptions()
        none.addressPolicy.allowsIPv4 = false
        let impossible = TCPConnection.connect(to: .host("127.0.0.1", port: port), options: none)
        guard case .dns? = await netError({ try await impossible.waitUntilConnected() }) else {
            Issue.record("IPv4 was used though it is switched off")
            return
        }
        #expect(ConnectOptions().addressPolicy.attemptDelay == .milliseconds(250))
    }

    @Test("interleaves the families, the preferred one first")
    func order() throws {
        let addresses = try ["::1", "::2", "10.0.0.1", "10.0.0.2"].map {
            try #require(SocketAddress(host: $0, port: 1))
        }
        var policy = AddressPolicy()
        policy.preferred = .ipv4
        #expect(NameResolver.interleaved(addresses, policy).map(\.hostText) == ["10.0.0.1", "::1", "10.0.0.2", "::2"])
        policy.allowsIPv4 = false
        #expect(NameResolver.interleaved(addresses, policy).map(\.hostText) == ["::1", "::2"])
    }

    // MARK: Local addresses

    /// A port that was free a moment ago.
    private func freePort() throws -> UInt16 {
        let probe = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        defer { probe.close() }
        guard case .host(_, let port) = probe.localEndpoint else { return 0 }
        return port
    }

    @Test(
        "calls from the interface, address and port that it is told",
        arguments: ["lo", "127.0.0.1", "127.0.0.77", "localhost", "loopback", "lo:", "127.0.0.1:", ":"])
    func localInterface(text: String) async throws {
        let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        var options = ConnectOptions()
        options.timeout = patience
        let port = text.hasSuffix(":") ? try freePort() : 0
        options.localInterface = port == 0 ? text : "\(text)\(port)"
        let client = TCPConnection.connect(to: listener.localEndpoint, options: options)
        let local = try #require(try await client.waitUntilConnected().localAddress)
        #expect(local.hostText == (text == "127.0.0.77" ? text : "127.0.0.1"))
        if port != 0 { #expect(local.port == port) }
        var numbered = ConnectOptions()
        numbered.localPort = try freePort()
        let second = TCPConnection.connect(to: listener.localEndpoint, options: numbered)
        #expect(try await second.waitUntilConnected().localAddress?.port == numbered.localPort)
    }

    @Test("IPv6: an interface by its name, and an address in brackets with a port", arguments: ["lo", "::1", "[::1]:"])
    func localInterface6(text: String) async throws {
        let listener = try TCPListener.listen(on: .host("::1", port: 0))
        var options = ConnectOptions()
        let port = text.hasSuffix(":") ? try freePort() : 0
        options.localInterface = port == 0 ? text : "\(text)\(port)"
        let client = TCPConnection.connect(to: listener.localEndpoint, options: options)
        let local = try #require(try await client.waitUntilConnected().localAddress)
        #expect(local.hostText == "::1" && (port == 0 || local.port == port))
    }

    @Test("an interface that is not there, nonsense and two ports are errors of ours")
    func badInterface() async throws {
        for (text, port) in [("nowhere9", 0), ("lo:x", 0), ("lo:99999", 0), ("lo:1000", 1001), ("192.0.2.1:", 0)]
            as [(String, UInt16)]
        {
            var options = ConnectOptions()
            options.localInterface = text
            options.localPort = port
            let client = TCPConnection.connect(to: .host("127.0.0.1", port: 9), options: options)
            #expect(await netError { try await client.waitUntilConnected() }?.endedBy == .us, "\(text)")
        }
        var foreign = ConnectOptions()
        foreign.localInterface = "192.0.2.1"
        let client = TCPConnection.connect(to: .host("127.0.0.1", port: 9), options: foreign)
        #expect(await netError { try await client.waitUntilConnected() } == .posix(call: "bind", errno: EADDRNOTAVAIL))
    }

    // MARK: Addresses

    @Test("raw addresses keep their zone")
    func scope() throws {
        let address = try #require(SocketAddress(host: "fe80::1%lo", port: 80))
        #expect(address.endpoint == .host("fe80::1%lo", port: 80))
        #expect(address.isLinkLocal && address.port == 80)
        #expect(address.withPort(8080).endpoint == .host("fe80::1%lo", port: 8080))
        #expect(SocketAddress(host: "localhost", port: 1) == nil)
        #expect(SocketAddress(host: "192.0.2.7", port: 5)?.description == "192.0.2.7:5")
        #expect(SocketAddress(unixPath: "/x")?.port == 0)
    }

    @Test("looks hosts up, and cancelling does not wait for the resolver")
    func lookup() async throws {
        let addresses = try await SocketAddress.lookup(host: "localhost", port: 80)
        #expect(addresses.contains { $0.hostText == "127.0.0.1" && $0.port == 80 })
        guard case .dns? = await netError({ _ = try await SocketAddress.lookup(host: "x.invalid", port: 1) }) else {
            Issue.record("an unknown name was found")
            return
        }
        let task = Task { await netError { _ = try await SocketAddress.lookup(host: "y.invalid", port: 1) } }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("a UNIX address works as a raw one, too")
    func rawUNIX() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("s")
        let listener = try TCPListener.listen(on: .unix(path: path))
        let client = TCPConnection.connect(to: [try #require(SocketAddress(unixPath: path))])
        #expect(try await client.waitUntilConnected().remote == .unix(path: path))
        _ = listener
    }

    // MARK: Adopting

    @Test("adopts connected descriptors: of socketpair and of accept")
    func adopt() async throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Socket.streamType, 0, &ends) == 0)
        let (one, other) = (try TCPConnection(adopting: ends[0]), try TCPConnection(adopting: ends[1]))
        try await one.write("through".bytes)
        #expect(try await other.read(exactly: 7) == "through".bytes)
        #expect(fcntl(ends[0], F_GETFD) & FD_CLOEXEC != 0)
        let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        guard case .host(_, let port) = listener.localEndpoint,
            let address = SocketAddress(host: "127.0.0.1", port: port)
        else {
            Issue.record("the listener has no port")
            return
        }
        let descriptor = socket(AF_INET, Socket.streamType, 0)
        #expect(address.withSockaddr { Glibc.connect(descriptor, $0, $1) } == 0)
        let adopted = try TCPConnection(adopting: descriptor)
        var callers = listener.makeAsyncIterator()
        let server = try #require(await callers.next())
        try await adopted.write([7])
        #expect(try await server.read(exactly: 1) == [7])
        #expect(await adopted.info?.isIPv4 == true)
    }

    @Test("leaves descriptors alone that are no connected streams")
    func refusesToAdopt() throws {
        let unconnected = socket(AF_INET, Socket.streamType, 0)
        let datagram = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let file = open("/dev/null", O_RDONLY)
        for descriptor in [unconnected, datagram, file, -1] {
            #expect(throws: NetError.self) { try TCPConnection(adopting: descriptor) }
            #expect(throws: NetError.self) { try TCPListener(adopting: descriptor) }
        }
        for descriptor in [unconnected, datagram, file] {
            #expect(fcntl(descriptor, F_GETFD) >= 0)
            _ = close(descriptor)
        }
    }

    // MARK: Handing over

    @Test(
        "hands the socket and unread bytes to a driver; the connection is over for its users",
        arguments: Transport.allCases)
    func detach(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        try await pair.client.write("head\nbody".bytes)
        #expect(try await pair.server.read(through: .lineFeed, max: 10) == "head\n".bytes)
        let read = Task { await netError { _ = try await pair.server.read(exactly: 100) } }
        try await eventually("queued") { await pair.server.waiting.reads == 1 }
        guard case .badConfiguration? = await netError({ _ = try await pair.server.detach() }) else {
            Issue.record("detached though a read waits")
            return
        }
        read.cancel()
        _ = await read.value
        let stream = try await pair.server.detach()
        #expect(stream.unread == "body".bytes)
        #expect(await netError { try await pair.server.write([1]) } == .closedLocally)
        #expect([UInt8(5)].withUnsafeBytes { stream.socket.write($0) } == .bytes(1))
        #expect(try await pair.client.read(exactly: 1) == [5])
    }
}
