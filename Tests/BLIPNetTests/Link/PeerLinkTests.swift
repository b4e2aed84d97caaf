// PeerLink over real sockets and real TLS: the ordinary use.

import Glibc
import Synchronization
import Testing

@testable import BLIPNet

@Suite("PeerLink", .timeLimit(.minutes(5))) struct PeerLinkTests {
    @Test("echoes over TLS, and knows who the peer is")
    func echo() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let response = try await link.request(BLIPRequest(profile: "echo", body: .text("hello")))
        #expect(response.bodyBytes == Array("hello".utf8))
        #expect(response.properties.profile == "echoed")
        #expect(link.info.isEncrypted)
        #expect(link.info.isOutgoing)
        #expect(link.info.remoteFingerprint == server.clientOptions.expectedPeer)
        #expect(link.info.subprotocol == "BLIP_3+app_1")
        #expect(link.info.remoteHost == "127.0.0.1")
        #expect(link.info.remoteAddress == server.endpoint.description)
        let serverSide = try #require(server.handler.links.first)
        #expect(serverSide.info.remoteFingerprint == server.clientOptions.identity?.fingerprint)
        #expect(!serverSide.info.isOutgoing)
        #expect(serverSide.info.remoteAddress == link.info.localAddress)
    }

    @Test("speaks without TLS when there is no identity")
    func plain() async throws {
        let server = try TestServer(isPlain: true)
        let link = try await server.connect()
        #expect(try await link.request(BLIPRequest(profile: "echo", body: .text("x"))).bodyBytes == [0x78])
        #expect(!link.info.isEncrypted)
        #expect(link.info.remoteFingerprint == nil)
    }

    @Test("speaks over a UNIX-domain socket")
    func unixSocket() async throws {
        let path = "/tmp/blipnet-\(getpid())-echo.sock"
        let server = try TestServer(on: .unix(path: path), isPlain: true)
        let link = try await server.connect()
        #expect(try await link.request(BLIPRequest(profile: "echo", body: .text("x"))).bodyBytes == [0x78])
        #expect(link.info.remoteHost == "unix")
        #expect(link.info.remoteAddress == "unix:\(path)")
    }

    @Test("calls through a proxy: the peer's key is checked as ever, and it is the peer that the link names")
    func proxy() async throws {
        let server = try TestServer()
        let proxy = try TestProxy()
        var options = server.clientOptions
        options.proxy = .proxy(HTTPProxy(endpoint: proxy.endpoint))
        let link = try await PeerLink.connect(to: server.endpoint, options: options, handler: TestHandler())
        #expect(try await link.request(BLIPRequest(profile: "echo", body: .text("x"))).bodyBytes == [0x78])
        #expect(proxy.requests.map(\.target) == [server.endpoint.description])
        #expect(link.info.remoteAddress == server.endpoint.description)
        #expect(link.info.remoteHost == "127.0.0.1")
        #expect(link.info.proxy == proxy.endpoint)
        // Where only the public network may be called the proxy may still be inside: our user has named it.
        var outside = options
        outside.connect.addressPolicy.allowsInside = false
        guard case .host(_, let port) = server.endpoint else {
            Issue.record("the server has no port")
            return
        }
        for host in ["127.0.0.1", "localhost"] {
            _ = try? await PeerLink.connect(to: .host(host, port: port), options: outside, handler: TestHandler())
        }
        #expect(proxy.requests.map(\.target) == [server.endpoint.description, "localhost:\(port)"])
        options.expectedPeer = try TLSIdentity.generate().fingerprint
        await #expect(throws: LinkError.self) {
            _ = try await PeerLink.connect(to: server.endpoint, options: options, handler: TestHandler())
        }
    }

    @Test("a proxy that refuses, is none, or is not there is named with the reason")
    func badProxies() async throws {
        let server = try TestServer()
        func failure(_ proxy: Endpoint) async -> LinkError? {
            var options = server.clientOptions
            options.proxy = .proxy(HTTPProxy(endpoint: proxy))
            do throws(LinkError) {
                _ = try await PeerLink.connect(to: server.endpoint, options: options, handler: TestHandler())
                return nil
            } catch {
                return error
            }
        }
        let strict = try TestProxy { _ in "HTTP/1.1 403 Not from here\r\n\r\n" }
        #expect(await failure(strict.endpoint) == .proxyFailed(reason: "\(strict.endpoint) answers 403 Not from here"))
        let none = await failure(.host("127.0.0.1", port: 1))
        #expect(none == .proxyFailed(reason: "127.0.0.1:1: Connection refused"))
    }

    @Test("speaks over IPv6, and finds a host by name")
    func hostNames() async throws {
        let server = try TestServer(on: .host("::", port: 0))
        guard case .host(_, let port) = server.endpoint else {
            Issue.record("the server has no port")
            return
        }
        for host in ["::1", "127.0.0.1", "localhost"] {
            let link = try await PeerLink.connect(
                to: .host(host, port: port), options: server.clientOptions, handler: TestHandler())
            #expect(try await link.request(BLIPRequest(profile: "echo")).error == nil)
        }
    }

    @Test("a task that prefers the link's executor stays on its event loop from answer to answer")
    func taskExecutor() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let loop = link.loop
        try await withTaskExecutorPreference(link.taskExecutor) {
            for _ in 0..<10 {
                _ = try await link.request(BLIPRequest(profile: "echo", body: .text("x")))
                #expect(loop.isCurrent)
            }
        }
        #expect(!loop.isCurrent)
    }

    @Test("answers later, from another thread")
    func answersLater() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        #expect(try await link.request(BLIPRequest(profile: "later")).bodyBytes == Array("later".utf8))
    }

    @Test("lets the server ask back on the same link before it answers")
    func asksBack() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        #expect(try await link.request(BLIPRequest(profile: "ask-back")).bodyBytes == Array("asked back".utf8))
    }

    @Test("returns an error response as a response")
    func errorResponse() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let response = try await link.request(BLIPRequest(profile: "unheard of"))
        #expect(response.error == .notFound)
        #expect(response.bodyBytes == Array("no such profile".utf8))
    }

    @Test("delivers requests in the order of submission, whoever waits for which")
    func order() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let pending = (0..<500).map { link.submit(BLIPRequest(profile: "p\($0)")) }
        for response in pending { _ = try await response.value() }
        #expect(server.handler.profiles == (0..<500).map { "p\($0)" })
    }

    @Test("delivers no-reply requests before a later request")
    func noReply() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        for index in 0..<50 { link.submitNoReply(BLIPRequest(profile: "n\(index)")) }
        _ = try await link.request(BLIPRequest(profile: "echo"))
        #expect(server.handler.profiles.count == 51)
    }

    @Test("moves 100 echoes of 1 MB in each direction at once")
    func bothDirections() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        _ = try await link.request(BLIPRequest(profile: "echo"))
        let serverSide = try #require(server.handler.links.first)
        let pending = (0..<100).flatMap { index in
            let body = [UInt8](repeating: UInt8(index), count: 1_000_000)
            return [link, serverSide].map {
                (UInt8(index), $0.submit(BLIPRequest(profile: "echo", body: .bytes(body))))
            }
        }
        for (byte, response) in pending {
            let response = try await response.value()
            #expect(response.error == nil)
            let body = response.bodyBytes
            #expect(body.count == 1_000_000)
            #expect(body.first == byte && body.last == byte)
        }
    }

    @Test("streams bodies of 64 MiB both ways with no more than the send window in memory")
    func bigBody() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let size = 64 << 20
        let source = PatternSource(count: size)
        let upload = link.submit(BLIPRequest(profile: "sink", body: .source(source)))
        let sink = CountingSink()
        let download = link.submit(
            BLIPRequest(profile: "source", properties: ["Size": "\(size)"]), bodySink: sink)
        var highest = 0
        while sink.count < size || (server.handler.sinks.first?.count ?? 0) < size {
            // In this order: the difference never looks smaller than it is by more than what moves in between.
            let written = server.handler.sinks.first?.count ?? 0
            let read = source.readCount
            if written == server.handler.sinks.first?.count ?? 0 { highest = max(highest, read - written) }
            await Task.yield()
        }
        #expect(try await upload.value().bodyBytes == Array("\(size)".utf8))
        #expect(try await download.value().error == nil)
        #expect(sink.count == size)
        #expect(sink.isIntact)
        #expect(server.handler.sinks.first?.isIntact == true)
        #expect(highest < 128_000 + 4 * 16_384)
    }

    @Test("lets an urgent request overtake a bulk body")
    func urgent() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let source = PatternSource(count: 32 << 20)
        let bulk = link.submit(BLIPRequest(profile: "sink", body: .source(source)))
        await eventually("the bulk body is on its way") { source.readCount > 0 }
        let urgent = try await link.request(BLIPRequest(profile: "echo", body: .text("now"), urgent: true))
        #expect(urgent.bodyBytes == Array("now".utf8))
        // The sink's request is complete only with its last frame, so the order of completion is that of delivery.
        #expect(server.handler.profiles.first == "echo")
        #expect(try await bulk.value().error == nil)
    }

    @Test("measures the round trip when asked")
    func roundTrip() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        #expect(await link.roundTrip == nil)
        link.ping()
        await eventually("a round trip is known") { await link.roundTrip != nil }
        let roundTrip = try #require(await link.roundTrip)
        #expect(roundTrip > .zero && roundTrip < .seconds(60))
    }

    @Test("keeps an idle link alive with pings")
    func keepalive() async throws {
        let server = try TestServer { options in
            options.keepaliveInterval = .milliseconds(20)
            options.keepaliveTimeout = .seconds(60)
        }
        let link = try await server.connect()
        await eventually("a keepalive ping is answered") { await link.roundTrip != nil }
        #expect(try await link.request(BLIPRequest(profile: "echo")).error == nil)
    }

    @Test("cancels a request without harm to the others")
    func cancels() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        let forgotten = link.submit(BLIPRequest(profile: "never"))
        let waiter = Task { () -> LinkError? in
            do throws(LinkError) {
                _ = try await forgotten.value()
                return nil
            } catch { return error }
        }
        waiter.cancel()
        #expect(await waiter.value == .closedLocally)
        #expect(try await link.request(BLIPRequest(profile: "echo", body: .text("x"))).bodyBytes == [0x78])
        #expect(await link.waiting.isEmpty)
    }

    @Test("limits the requests that wait")
    func maxWaiting() async throws {
        let server = try TestServer { $0.maxWaitingRequests = 3 }
        let link = try await server.connect()
        let pending = (0..<4).map { _ in link.submit(BLIPRequest(profile: "never")) }
        await #expect(throws: LinkError.limitExceeded("3 requests wait already")) { try await pending[3].value() }
        #expect(!pending[2].isComplete)
    }
}
