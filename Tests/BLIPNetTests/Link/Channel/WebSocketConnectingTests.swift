// Tests of how a client gets to an open channel: refusals, redirects, challenges, proxies, TLS. Over real sockets.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite struct WebSocketRedirectTests {
    @Test("follows a redirect on the same server, credentials and all")
    func sameServer() async throws {
        let server = try ChannelServer(decide: { head, _ in
            head.target == "/old" ? .redirect(to: "new?x") : .accept()
        })
        var request = try server.request("/old")
        request.fields.append(name: "Authorization", value: "Bearer token")
        let channel = try await WebSocketChannel.connect(request)
        #expect(channel.info.url?.target == "/new?x")
        #expect(server.log.requests.map(\.target) == ["/old", "/new?x"])
        #expect(server.log.requests[1].fields.single("Authorization") == "Bearer token")
        channel.close()
    }

    @Test(
        "leaves credentials behind on the way to another server, and other fields not",
        arguments: [301, 302, 303, 307, 308])
    func otherServer(status: Int) async throws {
        let target = try ChannelServer(decide: { _, _ in .accept() })
        let location = "http://\(target.address)/there"
        let server = try ChannelServer(decide: { _, _ in .redirect(to: location, status: status) })
        var request = try server.request()
        for (name, value) in [("Authorization", "Bearer token"), ("Cookie", "a=b"), ("X-Mood", "good")] {
            request.fields.append(name: name, value: value)
        }
        let channel = try await WebSocketChannel.connect(request)
        let head = try #require(target.log.requests.first)
        #expect(head.fields.values("Authorization").isEmpty)
        #expect(head.fields.values("Cookie").isEmpty)
        #expect(head.fields.single("X-Mood") == "good")
        #expect(head.fields.single("Host") == target.address)
        channel.close()
    }

    @Test("gives up after five redirects, or as many as the request says")
    func limit() async throws {
        let server = try ChannelServer(decide: { _, _ in .redirect(to: "/again") })
        await #expect(throws: WebSocketError.tooManyRedirects) {
            _ = try await WebSocketChannel.connect(server.request())
        }
        #expect(server.log.requests.count == 6)
        var request = try server.request()
        request.maxRedirects = 0
        #expect(await refusalStatus(request) == 307)
    }

    @Test(
        "does not go where it should not", arguments: ["unix:/run/x.sock", "ftp://127.0.0.1/", "ws://a:b@127.0.0.1/"])
    func refusals(location: String) async throws {
        let server = try ChannelServer(decide: { _, _ in .redirect(to: location) })
        guard case .redirectRefused(location, _)? = await connectError(try server.request()) else {
            Issue.record("not refused")
            return
        }
    }

    @Test("refuses to leave TLS")
    func downgrade() async throws {
        let authority = try TestAuthority()
        let plain = try ChannelServer()
        let identity = try authority.server()
        let location = "ws://\(plain.address)/"
        let server = try ChannelServer(
            configure: { $0.tls = .server(identity: identity) }, decide: { _, _ in .redirect(to: location) })
        var request = try server.request(scheme: "wss")
        request.tls.trust = .roots([try authority.pem()])
        guard case .redirectRefused? = await connectError(request) else {
            Issue.record("another outcome")
            return
        }

        #expect(plain.log.channels.isEmpty)
    }
}

@Suite struct WebSocketAuthenticationTests {
    private static let user = HTTPCredentials(user: "Aladdin", password: "open sesame")

    private static func refusal(_ challenge: String) -> UpgradeDecision {
        var fields = HTTPFields()
        fields.append(name: "WWW-Authenticate", value: challenge)
        return .refuse(status: 401, reason: "who are you", fields: fields)
    }

    /// Lets in who answers `challenge` correctly.
    private static func guarded(_ challenge: String) throws -> ChannelServer {
        try ChannelServer(decide: { head, _ in
            guard let answer = head.fields.single("Authorization") else { return refusal(challenge) }
            return isRight(answer, target: head.target) ? .accept() : refusal(challenge)
        })
    }

    private static func isRight(_ answer: String, target: String) -> Bool {
        if answer == user.basicAuthorization { return true }
        var parser = HTTPChallengeParser(answer)
        // What the client has computed must be what we compute from its nonce.
        guard let given = parser.parse().first?.parameters, let nonce = given["cnonce"],
            let algorithm = DigestAlgorithm(named: given["algorithm"]), given["uri"] == target,
            let secret = algorithm.hash("\(user.user):r:\(user.password)"),
            let request = algorithm.hash("GET:\(target)")
        else { return false }
        return given["response"] == algorithm.hash("\(secret):n1:00000001:\(nonce):auth:\(request)")
    }

    private static let challenges = [
        "Basic realm=r", #"Digest realm="r", nonce="n1", qop="auth,auth-int""#,
        #"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256, Basic realm=r"#,
    ]

    @Test("answers a challenge with the credentials of the URL, on a new connection", arguments: challenges)
    func credentialsOfURL(challenge: String) async throws {
        let server = try Self.guarded(challenge)
        var request = try server.request("/x?y")
        request.url = try WebSocketURL("ws://Aladdin:open%20sesame@\(server.address)/x?y")
        let channel = try await WebSocketChannel.connect(request)
        #expect(server.log.requests.count == 2)
        #expect(server.log.requests[0].fields.values("Authorization").isEmpty)
        try await channel.send(.text("in"))
        #expect(try await channel.receive() == .text("in"))
        channel.close()
    }

    @Test("asks the caller for credentials, and retries once", arguments: challenges)
    func credentialsOfCaller(challenge: String) async throws {
        let server = try Self.guarded(challenge)
        var request = try server.request()
        let asked = Counter()
        request.credentials = { challenge in
            asked.increment()
            #expect(challenge.realm == "r")
            #expect(!challenge.isFromProxy)
            return Self.user
        }
        try await WebSocketChannel.connect(request).close()
        #expect(asked.count == 1)
        request.credentials = { _ in HTTPCredentials(user: "Aladdin", password: "wrong") }
        #expect(await refusalStatus(request) == 401)
        #expect(server.log.requests.count == 4)
    }

    @Test("gives up without credentials, and without a challenge that it understands")
    func noAnswer() async throws {
        for challenge in ["Basic realm=r", "Negotiate"] {
            let server = try Self.guarded(challenge)
            var request = try server.request()
            request.credentials = { _ in nil }
            #expect(await refusalStatus(request) == 401)
            #expect(server.log.requests.count == 1)
        }
    }

    @Test("tells nobody who it is but the server that was called")
    func awayFromHome() async throws {
        let target = try Self.guarded("Basic realm=r")
        let location = "ws://\(target.address)/"
        let server = try ChannelServer(decide: { _, _ in .redirect(to: location) })
        var request = try server.request()
        request.url = try WebSocketURL("ws://Aladdin:open%20sesame@\(server.address)/")
        let asked = Counter()
        request.credentials = { _ in
            asked.increment()
            return Self.user
        }
        #expect(await refusalStatus(request) == 401)
        #expect(asked.count == 0)
        #expect(target.log.requests.count == 1)
        #expect(target.log.requests[0].fields.values("Authorization").isEmpty)
    }
}

@Suite struct WebSocketProxyTests {
    @Test("goes through a proxy, plain and with TLS to the server")
    func tunnels() async throws {
        let proxy = try TestProxy()
        let authority = try TestAuthority()
        let identity = try authority.server()
        let plain = try ChannelServer()
        let secure = try ChannelServer(configure: { $0.tls = .server(identity: identity) })
        for (server, scheme) in [(plain, "ws"), (secure, "wss")] {
            var request = try server.request(scheme: scheme)
            request.proxy = .proxy(HTTPProxy(endpoint: proxy.endpoint))
            request.tls.trust = .roots([try authority.pem()])
            let channel = try await WebSocketChannel.connect(request)
            try await channel.send(.text("through"))
            #expect(try await channel.receive() == .text("through"))
            channel.close()
            #expect(proxy.requests.last?.method == "CONNECT")
            #expect(proxy.requests.last?.target == server.address)
        }
    }

    @Test("waits for the proxy's last word behind interim responses")
    func interimOfProxy() async throws {
        let hint = "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"
        let server = try ChannelServer()
        for count in [1, 4] {
            let proxy = try TestProxy { _ in String(repeating: hint, count: count) + "HTTP/1.1 200 OK\r\n\r\n" }
            var request = try server.request()
            request.proxy = .proxy(HTTPProxy(endpoint: proxy.endpoint))
            let channel = try await WebSocketChannel.connect(request)
            try await channel.send(.text("through"))
            #expect(try await channel.receive() == .text("through"))
            channel.close()
        }
        let endless = try TestProxy { _ in String(repeating: hint, count: 1_000) }
        var request = try server.request()
        request.proxy = .proxy(HTTPProxy(endpoint: endless.endpoint))
        let limited = request
        await #expect(throws: WebSocketError.proxyViolated(reason: "head too large")) {
            _ = try await WebSocketChannel.connect(limited)
        }
    }

    @Test("answers a 407 once, with what the caller says about the proxy")
    func authentication() async throws {
        let challenge = "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=p\r\n\r\n"
        let right = HTTPCredentials(user: "u", password: "p")
        let proxy = try TestProxy { head in
            head.fields.single("Proxy-Authorization") == right.basicAuthorization
                ? "HTTP/1.1 200 OK\r\n\r\n" : challenge
        }
        let server = try ChannelServer(decide: { _, _ in .accept() })
        var request = try server.request()
        request.proxy = .proxy(HTTPProxy(endpoint: proxy.endpoint, credentials: right))
        try await WebSocketChannel.connect(request).close()
        #expect(proxy.requests.count == 2)
        // What is for the proxy does not reach the server.
        #expect(server.log.requests[0].fields.values("Proxy-Authorization").isEmpty)

        request.proxy = .proxy(HTTPProxy(endpoint: proxy.endpoint))
        request.credentials = { challenge in
            #expect(challenge.isFromProxy)
            return HTTPCredentials(user: "u", password: "wrong")
        }
        guard case .refusedByProxy(let response)? = await connectError(request) else {
            Issue.record("another outcome")
            return
        }
        #expect(response.status == 407)

        #expect(proxy.requests.count == 4)
    }

    @Test("reports a proxy that refuses, and one that does not speak HTTP")
    func refusals() async throws {
        let server = try ChannelServer()
        for (answer, isHTTP) in [("HTTP/1.1 403 No\r\n\r\n", true), ("SSH-2.0-x\r\n\r\n", false)] {
            let proxy = try TestProxy { _ in answer }
            var request = try server.request()
            request.proxy = .proxy(HTTPProxy(endpoint: proxy.endpoint))
            switch await connectError(request) {
            case .refusedByProxy(let response): #expect(isHTTP && response.status == 403)
            case .proxyViolated: #expect(!isHTTP)
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }
}

@Suite struct WebSocketTLSTests {
    @Test("checks that the server is the one that was called")
    func names() async throws {
        let authority = try TestAuthority()
        let right = try authority.server()
        let wrong = try authority.server("DNS:example.org")
        for (identity, isRight) in [(right, true), (wrong, false)] {
            let server = try ChannelServer(configure: { $0.tls = .server(identity: identity) })
            var request = try server.request(scheme: "wss")
            request.tls.trust = .roots([try authority.pem()])
            if isRight {
                let channel = try await WebSocketChannel.connect(request)
                #expect(channel.info.isEncrypted)
                #expect(channel.info.remoteFingerprint == identity.fingerprint)
                try await channel.send(.binary([UInt8](repeating: 1, count: 200_000)))
                #expect(try await channel.receive()?.byteCount == 200_000)
                channel.close()
            } else {
                await Self.expectUntrusted(request)
            }
            // Nobody has signed for the authorities of the system.
            request.tls.trust = .roots([try TestAuthority().pem()])
            await Self.expectUntrusted(request)
        }
    }

    private static func expectUntrusted(_ request: WebSocketRequest) async {
        let error = await connectError(request)
        guard case .tls(.untrusted)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("lets the caller decide about a certificate (SOCKETS C4)", arguments: [true, false])
    func custom(isTrusted: Bool) async throws {
        let identity = try TestAuthority().server()
        let server = try ChannelServer(configure: { $0.tls = .server(identity: identity) })
        var request = try server.request(scheme: "wss")
        let asked = Counter()
        request.tls.trust = .custom { chain in
            asked.increment()
            await Task.yield()
            return isTrusted && chain.leaf.fingerprint == identity.fingerprint && chain.problem != nil
        }
        if isTrusted {
            let channel = try await WebSocketChannel.connect(request)
            try await channel.send(.text("trusted"))
            #expect(try await channel.receive() == .text("trusted"))
            channel.close()
        } else {
            await Self.expectUntrusted(request)
        }
        #expect(asked.count == 1)
    }

    @Test("reports a server that does not speak TLS")
    func notTLS() async throws {
        let server = try ChannelServer()
        let request = try server.request(scheme: "wss")
        await #expect(throws: WebSocketError.tls(.notTLS)) { _ = try await WebSocketChannel.connect(request) }
    }

    @Test("a listener without a certificate says so at once")
    func noIdentity() {
        #expect(throws: LinkError.self) { _ = try ChannelServer(configure: { $0.tls = TLSConfiguration() }) }
    }
}

@Suite struct WebSocketRequestTests {
    @Test(
        "refuses fields that would change the handshake or split the head",
        arguments: [
            ("Host", "x"), ("sec-websocket-key", "x"), ("A b", "x"), ("", "x"), ("X", "a\r\nB: c"), ("X", "\0"),
        ])
    func fields(name: String, value: String) async throws {
        var request = WebSocketRequest(url: try WebSocketURL("ws://127.0.0.1:1"))
        request.fields.append(name: name, value: value)
        guard case .badRequest? = await connectError(request) else {
            Issue.record("another outcome")
            return
        }

    }

    @Test("reports a server that is not there")
    func nobody() async throws {
        let port = try PlainServer.freePort()
        var request = WebSocketRequest(url: try WebSocketURL("ws://127.0.0.1:\(port)"))
        request.proxy = .direct
        guard case .link(.transport(call: "connect", _))? = await connectError(request) else {
            Issue.record("another outcome")
            return
        }

    }

    @Test("can be cancelled while the server thinks")
    func cancelled() async throws {
        let server = try ChannelServer(decide: { _, _ in
            try? await Task.sleep(for: .seconds(600))
            return .accept()
        })
        let request = try server.request()
        let task = Task { await connectError(request) }
        try await eventually("the server is asked") { !server.log.requests.isEmpty }
        task.cancel()
        #expect(await task.value == .link(.closedLocally))
    }
}

/// Counts calls.
private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func increment() { value.withLock { $0 += 1 } }
}
