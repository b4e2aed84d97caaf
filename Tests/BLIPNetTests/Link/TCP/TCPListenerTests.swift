// Listeners: SOCKETS A13 and A14.

import CLinux
import Glibc
import TestSupport
import Testing

@testable import BLIPNet

@Suite("TCP listeners", .timeLimit(.minutes(5))) struct TCPListenerTests {
    private func port(_ listener: TCPListener) -> UInt16 {
        if case .host(_, let port) = listener.localEndpoint { return port }
        return 0
    }

    /// Whether somebody answers there.
    private func answers(_ host: String, _ port: UInt16) async throws -> Bool {
        let address = try #require(SocketAddress(host: host, port: port))
        return await netError { try await TCPConnection.connect(to: [address]).waitUntilConnected() } == nil
    }

    @Test("hands out callers one after the other, and ends with its closing", arguments: Transport.allCases)
    func iterates(transport: Transport) async throws {
        let folder = try TemporaryDirectory()
        let listener = try TCPListener.listen(on: transport.endpoint(in: folder))
        let endpoint = listener.localEndpoint
        let clients = Task {
            for index in 0..<40 {
                let client = TCPConnection.connect(to: endpoint)
                try await client.write([UInt8(index)])
                _ = try await client.readSome()
            }
        }
        var seen: [UInt8] = []
        for await connection in listener {
            seen += try await connection.read(exactly: 1)
            connection.close()
            if seen.count == 40 { listener.close() }
        }
        #expect(seen == Array(0..<40))
        try await clients.value
        #expect(await netError { try await TCPConnection.connect(to: endpoint).waitUntilConnected() } != nil)
    }

    @Test("listens on loopback of both families by default, at a port of the kernel's choice")
    func both() async throws {
        let listener = try TCPListener.listen()
        #expect(port(listener) != 0)
        #expect(try await answers("127.0.0.1", port(listener)))
        #expect(try await answers("::1", port(listener)))
        #expect(try await !answers("127.0.0.9", port(listener)))
        let everywhere = try TCPListener.listen(on: .host("*", port: 0))
        #expect(try await answers("127.0.0.9", port(everywhere)))
        #expect(try await answers("::1", port(everywhere)))
    }

    @Test("families can be switched off; an interface and a single address bind only there")
    func places() async throws {
        var options = ListenOptions()
        options.addressPolicy.allowsIPv6 = false
        let only4 = try TCPListener.listen(on: .host("*", port: 0), options: options)
        #expect(try await answers("127.0.0.1", port(only4)))
        #expect(try await !answers("::1", port(only4)))
        for interface in ["lo", "127.0.0.1"] {
            options = ListenOptions()
            options.interface = interface
            let listener = try TCPListener.listen(on: .host("*", port: 0), options: options)
            #expect(try await answers("127.0.0.1", port(listener)))
            #expect(try await !answers("127.0.0.9", port(listener)))
            #expect(try await answers("::1", port(listener)) == (interface == "lo"))
        }
        options.interface = "nowhere9"
        #expect(throws: NetError.self) { try TCPListener.listen(on: .host("*", port: 0), options: options) }
        options.interface = "lo:1"
        #expect(throws: NetError.self) { try TCPListener.listen(on: .host("*", port: 2), options: options) }
    }

    @Test("a port can be taken again at once after closing")
    func reuse() async throws {
        let first = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        let client = TCPConnection.connect(to: first.localEndpoint)
        var callers = first.makeAsyncIterator()
        let server = try #require(await callers.next())
        server.close()
        _ = try await client.readSome()
        #expect(throws: NetError.posix(call: "bind", errno: EADDRINUSE)) {
            try TCPListener.listen(on: first.localEndpoint)
        }
        first.close()
        let second = try TCPListener.listen(on: first.localEndpoint)
        #expect(second.localEndpoint == first.localEndpoint)
    }

    @Test("callers that nobody takes wait, most of them in the kernel")
    func waiting() async throws {
        var options = ListenOptions()
        options.maxWaiting = 2
        let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0), options: options)
        var clients: [TCPConnection] = []
        for index in 0..<6 {
            let client = TCPConnection.connect(to: listener.localEndpoint)
            try await client.write([UInt8(index)])
            clients.append(client)
        }
        var callers = listener.makeAsyncIterator()
        for index in 0..<6 {
            let caller = try #require(await callers.next())
            #expect(try await caller.read(exactly: 1) == [UInt8(index)])
        }
        let taker = Task { () -> TCPConnection? in
            var callers = listener.makeAsyncIterator()
            return await callers.next()
        }
        taker.cancel()
        #expect(await taker.value == nil)
    }

    // MARK: UNIX-domain sockets

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test("the socket file is ours alone, and gone after closing")
    func file() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("s")
        let listener = try TCPListener.listen(on: .unix(path: path))
        #expect(mode(path) == 0o600)
        listener.close()
        #expect(mode(path) == nil)
    }

    @Test("a socket file that somebody has left behind is replaced, one in use and other files are not")
    func stale() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("s")
        do {
            let address = try #require(SocketAddress(unixPath: path))
            let dead = try Socket.open(family: AF_UNIX)
            #expect(address.withSockaddr { bind(dead.descriptor, $0, $1) } == 0)
        }
        let listener = try TCPListener.listen(on: .unix(path: path))
        #expect(throws: NetError.posix(call: "bind", errno: EADDRINUSE)) {
            try TCPListener.listen(on: .unix(path: path))
        }
        let client = TCPConnection.connect(to: .unix(path: path))
        try await client.waitUntilConnected()
        listener.close()
        let text = folder.file("precious.txt")
        let file = open(text, O_CREAT | O_WRONLY, 0o644)
        _ = close(file)
        #expect(symlink(text, folder.file("link")) == 0)
        for name in ["precious.txt", "link"] {
            #expect(throws: NetError.posix(call: "bind", errno: EADDRINUSE)) {
                try TCPListener.listen(on: .unix(path: folder.file(name)))
            }
        }
        #expect(mode(text) == 0o644)
    }

    @Test("closing leaves a file alone that stands there instead by now")
    func replaced() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("s")
        let first = try TCPListener.listen(on: .unix(path: path))
        #expect(unlink(path) == 0)
        let second = try TCPListener.listen(on: .unix(path: path))
        first.close()
        #expect(mode(path) == 0o600)
        try await TCPConnection.connect(to: .unix(path: path)).waitUntilConnected()
        _ = second
    }

    @Test("adopts a listening descriptor")
    func adopt() async throws {
        let descriptor = socket(AF_INET, Socket.streamType, 0)
        let any = try #require(SocketAddress(host: "127.0.0.1", port: 0))
        #expect(any.withSockaddr { bind(descriptor, $0, $1) } == 0 && Glibc.listen(descriptor, 8) == 0)
        let listener = try TCPListener(adopting: descriptor)
        #expect(try await answers("127.0.0.1", port(listener)))
    }
}
