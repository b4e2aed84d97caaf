// An HTTP proxy on loopback that makes tunnels (CONNECT), for tests of real processes.

import BLIPNet
import Synchronization

package final class ConnectProxy: Sendable {
    /// `host:port`, for settings and https_proxy.
    package let address: String
    private let task: Task<Void, Never>
    private let log: Log

    /// What clients have asked for: shared with the tasks that serve them.
    private final class Log: Sendable {
        let requests = Mutex<[String]>([])
    }

    /// The first lines of all requests so far, and what stands in their Proxy-Authorization.
    package var requests: [String] { log.requests.withLock { $0 } }

    /// With `password` (`user:password`), clients without it are asked for it (Basic).
    package init(password: String? = nil) throws {
        let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        address = listener.localEndpoint.description
        let log = Log()
        self.log = log
        task = Task {
            await withDiscardingTaskGroup { group in
                for await client in listener { group.addTask { await Self.serve(client, password, log) } }
            }
        }
    }

    deinit { task.cancel() }

    private static func serve(_ client: TCPConnection, _ password: String?, _ log: Log) async {
        defer { client.close() }
        guard let bytes = try? await client.read(through: Array("\r\n\r\n".utf8), max: 16_384) else { return }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        guard let first = lines.first else { return }
        let authorization = lines.first { $0.hasPrefix("Proxy-Authorization: ") }
        log.requests.withLock { $0.append(authorization.map { "\(first) | \($0)" } ?? first) }
        if password != nil, authorization == nil {
            let answer =
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"test\"\r\n"
                + "Content-Length: 0\r\n\r\n"
            try? await client.write(Array(answer.utf8))
            client.close()
            return
        }
        let words = first.split(separator: " ")
        guard words.count == 3, words[0] == "CONNECT", let target = Endpoint(String(words[1])) else {
            try? await client.write(Array("HTTP/1.1 405 Only CONNECT\r\n\r\n".utf8))
            return
        }
        let server = TCPConnection.connect(to: target)
        defer { server.close() }
        guard (try? await server.waitUntilConnected()) != nil else {
            try? await client.write(Array("HTTP/1.1 502 Nobody there\r\n\r\n".utf8))
            await client.closeWrite()
            _ = try? await client.readSome()
            return
        }
        try? await client.write(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
        await withDiscardingTaskGroup { group in
            group.addTask { await relay(from: client, to: server) }
            group.addTask { await relay(from: server, to: client) }
        }
    }

    private static func relay(from source: TCPConnection, to target: TCPConnection) async {
        while let bytes = try? await source.readSome(), !bytes.isEmpty {
            guard (try? await target.write(bytes)) != nil else { return source.close() }
        }
        await target.closeWrite()
    }
}
