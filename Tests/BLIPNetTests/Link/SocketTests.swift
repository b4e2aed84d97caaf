// The parts right above the kernel: addresses, the resolver, connecting, options.

import CLinux
import Glibc
import Testing

@testable import BLIPNet

@Suite("Sockets", .timeLimit(.minutes(5))) struct SocketTests {
    @Test("an IPv6 network of 64 bits counts as one, an IPv4 address for itself, however it is written")
    func networks() throws {
        func network(_ host: String) throws -> String { try #require(SocketAddress(host: host, port: 1)).network }
        #expect(try network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(try network("2001:db8:1:2::1") == "2001:db8:1:2::/64")
        #expect(try network("2001:db8:1:3::1") != network("2001:db8:1:2::1"))
        #expect(try network("192.0.2.1") == "192.0.2.1")
        #expect(try network("192.0.2.2") != network("192.0.2.1"))
        #expect(try network("::ffff:192.0.2.1") == "192.0.2.1")
        #expect(try #require(SocketAddress(unixPath: "/tmp/x")).network == "unix")
    }

    @Test("turns addresses into endpoints and back", arguments: ["127.0.0.1", "::1", "192.0.2.7", "fd00::1:2"])
    func addresses(host: String) throws {
        let address = try #require(NameResolver.numeric(host: host, port: 4711)?.first)
        #expect(address.endpoint == .host(host, port: 4711))
        #expect(address.hostText == host)
    }

    @Test(
        "knows which addresses are certainly on this machine",
        arguments: [
            ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("128.0.0.1", false), ("::2", false),
            ("::ffff:127.0.0.1", false), ("0.0.0.127", false), ("1::1", false),
        ])
    func local(host: String, isLocal: Bool) throws {
        #expect(try #require(NameResolver.numeric(host: host, port: 1)?.first).isLocal == isLocal)
        #expect(SocketAddress(unixPath: "/x")?.isLocal == true)
    }

    @Test("takes UNIX paths that fit, and no others")
    func unixPaths() {
        let longest = "/" + String(repeating: "x", count: 106)
        #expect(SocketAddress(unixPath: longest)?.endpoint == .unix(path: longest))
        #expect(SocketAddress(unixPath: longest + "x") == nil)
        #expect(SocketAddress(unixPath: "") == nil)
        #expect(SocketAddress(unixPath: "/a\u{0}b") == nil)
    }

    @Test("tries the families in turn, the preferred one first")
    func interleaving() throws {
        let addresses = try ["::1", "::2", "::3", "10.0.0.1", "10.0.0.2"].map {
            try #require(NameResolver.numeric(host: $0, port: 1)?.first)
        }
        #expect(
            NameResolver.interleaved(addresses).map(\.hostText) == ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"])
        #expect(NameResolver.interleaved([]).isEmpty)
    }

    @Test("sets the options that a link relies on")
    func options() async throws {
        let listening = try ListeningSockets.open(.host("127.0.0.1", port: 0))
        let socket = try await SocketConnector(loop: .next()).connect(
            to: listening.endpoint, options: LinkOptions().connect)
        let tcp = Int32(IPPROTO_TCP)
        #expect(socket.option(tcp, TCP_NODELAY) == 1)
        #expect(socket.option(tcp, TCP_NOTSENT_LOWAT) == 16_384)
        #expect(socket.option(tcp, TCP_USER_TIMEOUT) == 20_000)
        #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        // The kernel doubles what it is told, for its own needs.
        #expect(socket.option(SOL_SOCKET, SO_RCVBUF) == 131_072)
    }

    @Test("reports a write to a closed peer as an error, not as a signal")
    func brokenPipe() throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Socket.streamType, 0, &pair) == 0)
        let left = Socket(adopting: pair[0])
        _ = Socket(adopting: pair[1])
        let outcome = [UInt8(1)].withUnsafeBytes { left.write($0) }
        #expect(outcome == .failed(errno: EPIPE))
    }

    @Test("tells the end of the stream from silence")
    func reading() throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Socket.streamType | Int32(SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        let left = Socket(adopting: pair[0])
        let right = Socket(adopting: pair[1])
        #expect(read(left) == .nothingYet)
        _ = [UInt8(7)].withUnsafeBytes { right.write($0) }
        #expect(read(left) == .bytes(1))
        right.shutdownWrites()
        #expect(read(left) == .end)
    }

    private func read(_ socket: Socket) -> Socket.ReadOutcome {
        var buffer = [UInt8](repeating: 0, count: 16)
        return buffer.withUnsafeMutableBytes { socket.read(into: $0) }
    }

    @Test("gives up connecting in time, and when it is cancelled")
    func connectTimeout() async throws {
        // A full backlog: the kernel drops what comes next, so connecting to it hangs.
        let address = try #require(NameResolver.numeric(host: "127.0.0.1", port: 0)?.first)
        let full = try Socket.open(family: AF_INET)
        #expect(address.withSockaddr { bind(full.descriptor, $0, $1) } == 0)
        #expect(listen(full.descriptor, 0) == 0)
        let endpoint = try #require(full.localAddress?.endpoint)
        var callers: [Socket] = []
        for _ in 0..<4 {
            let caller = try Socket.open(family: AF_INET)
            _ = full.localAddress.map { caller.connect(to: $0) }
            callers.append(caller)
        }
        var options = ConnectOptions()
        options.timeout = .milliseconds(200)
        let late = await netError {
            _ = try await SocketConnector(loop: .next()).connect(to: endpoint, options: options)
        }
        guard case .connectTimedOut(let elapsed)? = late else {
            Issue.record("\(String(describing: late))")
            return
        }
        #expect(elapsed >= .milliseconds(200))
        options.timeout = .seconds(600)
        let patient = options
        let task = Task {
            await netError { _ = try await SocketConnector(loop: .next()).connect(to: endpoint, options: patient) }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        withExtendedLifetime((full, callers)) {}
    }
}
