// The examples of the article "Sockets by example" (BLIPNet.docc/SocketExamples.md), word for word, so that they stay true.

import BLIPNet
import Synchronization
import TestSupport
import Testing

@Suite("The page about sockets", .timeLimit(.minutes(5))) struct SocketPageTests {
    /// "Listening": a server that answers one line.
    private func serve() throws -> (port: UInt16, task: Task<Void, Never>) {
        let listener = try TCPListener.listen(on: .host("localhost", port: 0))
        guard case .host(_, let port) = listener.localEndpoint else { throw ConditionNotMet("no port") }
        let task = Task {
            for await caller in listener {
                Task {
                    let line = try await caller.read(through: .crlf, max: 1_000)
                    try await caller.write(line + Array("hello".utf8))
                    await caller.close(after: .writes)
                }
            }
        }
        return (port, task)
    }

    @Test("connecting, reading, writing, and listening")
    func basics() async throws {
        let (port, server) = try serve()
        let connection = TCPConnection.connect(to: .host("localhost", port: port))
        try await connection.write(Array("PING\r\n".utf8))
        let line = try await connection.read(through: .crlf, max: 1_000)
        let body = try await connection.read(exactly: 5)
        let rest = try await connection.readSome()
        connection.close()
        #expect(line == Array("PING\r\n".utf8) && body == Array("hello".utf8) && rest.isEmpty)
        server.cancel()
    }

    /// A connection and what the other side does with it.
    private func connected(
        _ serve: @escaping @Sendable (TCPConnection) async throws -> Void
    ) async throws -> (TCPConnection, Task<Void, any Error>) {
        let listener = try TCPListener.listen()
        let task = Task {
            var callers = listener.makeAsyncIterator()
            if let caller = await callers.next() { try await serve(caller) }
        }
        return (TCPConnection.connect(to: listener.localEndpoint), task)
    }

    @Test("limits of time")
    func limits() async throws {
        let isLate = Mutex(false)
        let (connection, server) = try await connected { caller in
            try await caller.write([UInt8](repeating: 1, count: 400))
            try await eventually("late") { isLate.withLock { $0 } }
            try await caller.write([UInt8](repeating: 1, count: 600))
            _ = try await caller.readSome()
        }
        var data: [UInt8] = []
        do throws(NetError) {
            _ = try await connection.read(exactly: 1_000, deadline: .after(.milliseconds(50)), idle: .seconds(10))
        } catch {
            guard case .readTimedOut(let elapsed, let bytesDone) = error else { throw error }
            #expect(elapsed > .zero && bytesDone <= 400)
            isLate.withLock { $0 = true }
            data = try await connection.read(exactly: 1_000)
        }
        #expect(data.count == 1_000)
        connection.close()
        try await server.value
    }

    @Test("where from, where to")
    func options() async throws {
        let (port, server) = try serve()
        var options = ConnectOptions()
        options.addressPolicy.preferred = .ipv4
        options.localInterface = "lo"
        options.timeout = .seconds(5)
        options.stream.keepalive?.idle = .seconds(30)
        options.stream.userTimeout = .seconds(20)
        options.timeout = patience
        let connection = TCPConnection.connect(to: .host("localhost", port: port), options: options)
        let info = try await connection.waitUntilConnected()
        #expect(info.isIPv4 && info.tls?.version == nil && info.remote == .host("127.0.0.1", port: port))
        server.cancel()
    }

    @Test("TLS in mid stream")
    func startTLS() async throws {
        let authority = try TestAuthority()
        let authorityPEM = try authority.pem()
        let identity = try authority.server()
        let (connection, server) = try await connected { caller in
            _ = try await caller.read(through: .crlf, max: 1_000)
            try await caller.write(Array("220 go ahead\r\n".utf8))
            try await caller.upgradeToTLS(.server(identity: identity), role: .server)
            let secret = try await caller.read(through: .crlf, max: 1_000)
            #expect(secret == Array("secret\r\n".utf8))
        }
        try await connection.write(Array("STARTTLS\r\n".utf8))
        _ = try await connection.read(through: .crlf, max: 1_000)
        var tls = TLSConfiguration()
        tls.trust = .roots([authorityPEM])
        try await connection.upgradeToTLS(tls, deadline: .after(patience))
        try await connection.write(Array("secret\r\n".utf8))
        try await server.value
    }

    @Test("progress")
    func progress() async throws {
        let (connection, server) = try await connected { caller in
            try await caller.write([UInt8](repeating: 1, count: 1_000_000))
            _ = try await caller.readSome()
        }
        let meter = ProgressMeter()
        let transfer = Task { try await connection.read(exactly: 1_000_000, progress: meter) }
        var last: TransferProgress?
        for await progress in meter.updates { last = progress }
        #expect(last?.fraction == 1)
        #expect(try await transfer.value.count == 1_000_000)
        connection.close()
        try await server.value
    }
}
