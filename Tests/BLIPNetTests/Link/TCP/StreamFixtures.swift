// What the tests of the socket API share: a connection in each family, and small ways to look at its ends.

import Glibc
import TestSupport

@testable import BLIPNet

/// A family of sockets that a test runs over.
enum Transport: CaseIterable, CustomStringConvertible {
    case ipv4
    case ipv6
    case unix

    var description: String {
        switch self {
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        case .unix: "UNIX"
        }
    }
}

/// Two ends of one connection, made with the API itself.
struct ConnectedPair {
    let folder: TemporaryDirectory
    let listener: TCPListener
    let client: TCPConnection
    let server: TCPConnection

    init(_ transport: Transport, client: StreamOptions = StreamOptions(), server: StreamOptions = StreamOptions())
        async throws
    {
        folder = try TemporaryDirectory()
        var listen = ListenOptions()
        listen.stream = server
        listener = try TCPListener.listen(on: transport.endpoint(in: folder), options: listen)
        var connect = ConnectOptions()
        connect.stream = client
        self.client = TCPConnection.connect(to: listener.localEndpoint, options: connect)
        var callers = listener.makeAsyncIterator()
        guard let caller = await callers.next() else { throw ConditionNotMet("no caller came") }
        self.server = caller
        try await self.client.waitUntilConnected()
        try await self.server.waitUntilConnected()
    }

    /// TLS on both ends.
    func encrypt(_ authority: TestAuthority, client: TLSConfiguration? = nil) async throws {
        var trusting = TLSConfiguration()
        trusting.trust = .roots([try authority.pem()])
        trusting.serverName = "localhost"
        let configuration = client ?? trusting
        let identity = try authority.server()
        async let serverSide: Void = server.upgradeToTLS(.server(identity: identity), role: .server)
        try await self.client.upgradeToTLS(configuration)
        try await serverSide
    }
}

extension Transport {
    func endpoint(in folder: TemporaryDirectory) -> Endpoint {
        switch self {
        case .ipv4: .host("127.0.0.1", port: 0)
        case .ipv6: .host("::1", port: 0)
        case .unix: .unix(path: folder.file("socket"))
        }
    }
}

extension StreamOptions {
    /// With small buffers in the kernel, so that little data is enough to fill them.
    static let narrow: StreamOptions = {
        var options = StreamOptions()
        options.localBuffer = 32_768
        return options
    }()
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

/// What `body` throws; `nil` when it does not.
func netError(_ body: () async throws -> Void) async -> NetError? {
    do {
        try await body()
        return nil
    } catch { return error as? NetError ?? .badParameter(reason: "another error: \(error)") }
}

extension TCPConnection {
    /// How many operations wait in each queue.
    var waiting: (reads: Int, writes: Int) { (reads.count, writes.count) }
    /// What has been taken from the kernel and not been read.
    var unreadCount: Int { input.count }
}

/// A listening IPv4 socket whose queue is full: whoever connects to it hears nothing.
final class FullSocket {
    let listener: Socket
    let address: SocketAddress
    private var callers: [Socket] = []

    init() throws {
        let listener = try Socket.open(family: AF_INET)
        guard let any = SocketAddress(host: "127.0.0.1", port: 0),
            any.withSockaddr({ bind(listener.descriptor, $0, $1) }) == 0, listen(listener.descriptor, 0) == 0,
            let address = listener.localAddress
        else { throw SystemFailure("listen") }
        self.listener = listener
        self.address = address
        for _ in 0..<4 {
            let caller = try Socket.open(family: AF_INET)
            _ = caller.connect(to: address)
            callers.append(caller)
        }
    }

    /// Makes room for those who wait.
    func drain() {
        callers = []
        while case .connection = listener.accept() {}
    }
}
