// Requests over kept connections: when one is used again, and when a request is repeated.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite struct HTTPClientTests {
    /// A server that answers each connection with a script, one step for each request.
    private final class Script: Sendable {
        enum Step: Sendable {
            case answer(String)
            /// Reads the request and closes the connection.
            case hangUp
            /// Reads the request and says nothing.
            case ignore
            /// Reads the request and says this.
            case say(String)
            /// Answers, and closes the connection when the client has the answer.
            case lastAnswer(String)
        }

        let listener: TCPListener
        private let task: Task<Void, Never>
        private let log: Log

        private final class Log: Sendable {
            let requests = Mutex<[String]>([])
            let connections = Atomic(0)
        }

        /// The request lines, in order.
        var requests: [String] { log.requests.withLock { $0 } }
        var connectionCount: Int { log.connections.load(ordering: .acquiring) }

        init(_ connections: [[Step]]) throws {
            let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
            let log = Log()
            self.listener = listener
            self.log = log
            task = Task {
                await withDiscardingTaskGroup { group in
                    for steps in connections {
                        var calls = listener.makeAsyncIterator()
                        guard let connection = await calls.next() else { return }
                        log.connections.add(1, ordering: .acquiringAndReleasing)
                        group.addTask { await Self.serve(connection, steps, log) }
                    }
                }
            }
        }

        deinit { task.cancel() }

        func client(maxIdle: Duration = .seconds(4)) throws -> HTTPClient {
            var settings = HTTPClient.Settings(origin: try WebSocketURL("http://\(listener.localEndpoint)"))
            settings.proxy = .direct
            settings.maxIdle = maxIdle
            return HTTPClient(settings)
        }

        private static func serve(_ connection: TCPConnection, _ steps: [Step], _ log: Log) async {
            defer { connection.close() }
            for step in steps {
                guard let head = try? await connection.read(through: .blankLine, max: 10_000) else { return }
                let text = String(decoding: head, as: UTF8.self)
                log.requests.withLock { $0.append(String(text.prefix { $0 != "\r\n" })) }
                // The body of each POST here.
                if text.hasPrefix("POST"), (try? await connection.read(exactly: 1)) == nil { return }
                switch step {
                case .hangUp: return
                case .ignore: continue
                case .say(let text): try? await connection.write(Array(text.utf8))
                case .answer(let body): try? await connection.write(answer(body))
                case .lastAnswer(let body):
                    try? await connection.write(answer(body))
                    await connection.close(after: .writes)
                    return
                }
            }
            // Stays open, silent.
            _ = await connection.waitUntilClosed()
        }

        private static func answer(_ body: String) -> [UInt8] {
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        }
    }

    private static func body(_ result: Result<HTTPResponse, HTTPClientError>) throws -> String {
        String(decoding: try result.get().body, as: UTF8.self)
    }

    private static func post(_ target: String) -> HTTPRequest {
        HTTPRequest(method: .post, target: target, body: Array("x".utf8))
    }

    @Test("requests share a connection")
    func keeps() async throws {
        let server = try Script([[.answer("one"), .answer("two"), .answer("three")]])
        let client = try server.client()
        #expect(try Self.body(await client.send(HTTPRequest(target: "/1"))) == "one")
        #expect(try Self.body(await client.send(HTTPRequest(target: "/2"))) == "two")
        #expect(try Self.body(await client.send(HTTPRequest(target: "/3"))) == "three")
        #expect(server.connectionCount == 1)
    }

    @Test("a GET that meets the end of an idle connection goes out again on a new one")
    func repeatsGet() async throws {
        let server = try Script([[.answer("one"), .hangUp], [.answer("two")]])
        let client = try server.client()
        #expect(try Self.body(await client.send(HTTPRequest(target: "/1"))) == "one")
        #expect(try Self.body(await client.send(HTTPRequest(target: "/2"))) == "two")
        #expect(server.requests.count == 3)
    }

    @Test("a POST that the server may have carried out is not sent again")
    func doesNotRepeatPost() async throws {
        let server = try Script([[.answer("one"), .hangUp], [.answer("two")]])
        let client = try server.client()
        #expect(try Self.body(await client.send(Self.post("/1"))) == "one")
        await #expect(throws: HTTPClientError.self) { try await client.send(Self.post("/2")).get() }
        #expect(server.requests == ["POST /1 HTTP/1.1", "POST /2 HTTP/1.1"])
    }

    @Test("a POST after the end of an idle connection goes to a new one")
    func postsOnNewConnection() async throws {
        let server = try Script([[.lastAnswer("one")], [.answer("two")]])
        let client = try server.client(maxIdle: .milliseconds(1))
        #expect(try Self.body(await client.send(Self.post("/1"))) == "one")
        try await Task.sleep(for: .milliseconds(20))
        #expect(try Self.body(await client.send(Self.post("/2"))) == "two")
        #expect(server.connectionCount == 2)
    }

    @Test("a request that fails on a new connection is not repeated")
    func failsOnce() async throws {
        let server = try Script([[.hangUp], [.answer("two")]])
        let client = try server.client()
        #expect(await client.send(HTTPRequest(target: "/1")) == .failure(.stream(.closedByPeer)))
        #expect(server.requests.count == 1)
    }

    @Test("one request at a time; a deadline and a cancelled task end it")
    func ends() async throws {
        let server = try Script([[.answer("first"), .ignore], [.ignore]])
        let client = try server.client()
        _ = await client.send(HTTPRequest(target: "/0"))
        let waiting = Task { await client.send(HTTPRequest(target: "/1")) }
        try await eventually("the second request waits") { server.requests.count == 2 }
        #expect(await client.send(HTTPRequest(target: "/x")) == .failure(.busy))
        waiting.cancel()
        #expect(await waiting.value == .failure(.cancelled))
        let late = await client.send(HTTPRequest(target: "/2"), deadline: .now() + .milliseconds(50))
        guard case .failure(.stream(.readTimedOut)) = late else {
            Issue.record("\(late)")
            return
        }
    }

    @Test("what is not HTTP is an error")
    func notHTTP() async throws {
        let server = try Script([[.say("220 ready\r\n")]])
        let result = await (try server.client()).send(HTTPRequest(target: "/"))
        #expect(result == .failure(.response(.head(.malformed("this is not HTTP")))))
    }

    @Test("a challenge of the server is answered with the credentials of its URL")
    func authenticates() async throws {
        let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        let service = Task {
            for await connection in listener {
                while let head = try? await connection.read(through: .blankLine, max: 10_000) {
                    let isKnown = String(decoding: head, as: UTF8.self).contains("Authorization: Basic YTpi\r\n")
                    let answer =
                        isKnown
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
                        : "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
                    try? await connection.write(Array(answer.utf8))
                }
            }
        }
        defer { service.cancel() }
        var settings = HTTPClient.Settings(origin: try WebSocketURL("http://a:b@\(listener.localEndpoint)"))
        settings.proxy = .direct
        #expect(try Self.body(await HTTPClient(settings).send(Self.post("/"))) == "hi")
        settings.origin = try WebSocketURL("http://a:c@\(listener.localEndpoint)")
        #expect(try await HTTPClient(settings).send(HTTPRequest(target: "/")).get().head.status == 401)
    }

    @Test("a proxy makes a tunnel, and one that refuses is named")
    func proxies() async throws {
        let server = try Script([[.answer("through")]])
        let proxy = try ConnectProxy(password: "u:p")
        var settings = HTTPClient.Settings(origin: try WebSocketURL("http://\(server.listener.localEndpoint)"))
        settings.proxy = .proxy(try #require(HTTPProxy("http://u:p@\(proxy.address)")))
        #expect(try Self.body(await HTTPClient(settings).send(HTTPRequest(target: "/"))) == "through")
        #expect(proxy.requests.count == 2)
        settings.proxy = .proxy(try #require(HTTPProxy("http://\(proxy.address)")))
        guard case .failure(.proxy(.proxyFailed)) = await HTTPClient(settings).send(HTTPRequest(target: "/")) else {
            Issue.record("went through")
            return
        }
    }
}
