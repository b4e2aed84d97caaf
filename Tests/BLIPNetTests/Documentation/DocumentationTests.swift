// Runs the listings of the DocC catalogue, so that they are right as well as compiled. Scripts/check_catalogue.py sees
// to it that the articles show nothing else.

import BLIPNet
import Testing

@Suite struct DocumentationTests {
    /// A link to a listener of its own, on this machine and without TLS.
    private struct Pair {
        let listener: LinkListener
        let link: PeerLink

        init(_ handler: any BLIPRequestHandler) async throws {
            listener = try LinkListener.listen(on: .host("127.0.0.1", port: 0), options: LinkOptions()) { _ in handler }
            link = try await PeerLink.connect(to: listener.localEndpoint, options: LinkOptions(), handler: handler)
        }
    }

    /// Answers with the profile and the size of the body, and serves `download`.
    private final class Clerk: BLIPRequestHandler {
        func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
            let profile = request.properties.profile ?? ""
            if profile == "download" { return BLIPResponse(body: .source(Zeros(count: 1_000_000))) }
            return BLIPResponse(body: .text("\(profile) \(request.body.count)"))
        }
    }

    @Test("Getting started: a client and a server in 30 lines")
    func gettingStarted() async throws {
        #expect(try await greet("world") == "Hello, world!")
    }

    @Test("Multiplexing: many requests at once, urgent ones ahead, answers from tasks")
    func multiplexing() async throws {
        let pair = try await Pair(Clerk())
        let picture = [UInt8](repeating: 7, count: 500_000)
        #expect(try await sendBoth(over: pair.link, picture: picture) == ["note 19", "store 500000"])
        let profiles = (1...100).map { "profile \($0)" }
        #expect(try await askAll(profiles, over: pair.link) == profiles.map { $0 + " 0" })
        #expect(try await count(upTo: 3, over: pair.link) == ["1 0", "2 0", "3 0"])
        let library = try await Pair(Librarian())
        let found = try await library.link.request(BLIPRequest(profile: "search", body: .text("abc")))
        #expect(found.bodyBytes == Array("cba".utf8))
    }

    @Test("Flow control: bodies that are made, counted, and taken at leisure")
    func flowControl() async throws {
        let archive = try await Pair(Archive())
        let upload = BLIPRequest(profile: "upload", body: .source(Zeros(count: 1_000_000)))
        #expect(try await archive.link.request(upload).body.text == "1000000 bytes")
        #expect(try await archive.link.request(BLIPRequest(profile: "other")).error == .notFound)
        let clerk = try await Pair(Clerk())
        var count = 0
        let response = try await download(over: clerk.link) { piece in
            count += piece.count
            await Task.yield()
        }
        #expect(count == 1_000_000 && response.error == nil)
    }

    @Test("Dialects: a server for new peers and old ones")
    func dialects() async throws {
        let listener = try listenToEverybody(options: LinkOptions(), handler: Clerk())
        for dialect in [BLIPDialect.blip3, .blip2013] {
            var options = LinkOptions()
            options.application = "example_1"
            options.dialects = [dialect]
            let link = try await PeerLink.connect(to: listener.localEndpoint, options: options, handler: Clerk())
            #expect(link.info.dialect == dialect)
            #expect(try await link.request(BLIPRequest(profile: "hi")).body.text == "hi 0")
        }
    }

    @Test("WebSocket: an echo, compressed, and a server that asks who is there")
    func webSockets() async throws {
        var options = WebSocketListenerOptions()
        options.handshake.deflate = PermessageDeflate()
        let echo = try WebSocketListener.listen(on: .host("127.0.0.1", port: 0), options: options) { _ in Echo() }
        let text = String(repeating: "hello ", count: 100)
        #expect(try await shout(text, to: echo.localEndpoint) == .text(text))

        let friends = try listenToFriends()
        let channel = try await visitFriends(at: friends.localEndpoint, password: "sesame")
        for count in 1...3 {
            try await channel.send(.binary([1, 2]))
            #expect(try await channel.receive() == .text("\(count * 2) bytes so far"))
        }
        channel.close()
        await #expect(throws: WebSocketError.self) {
            _ = try await visitFriends(at: friends.localEndpoint, password: "please")
        }
    }

    @Test("Sockets: a question and its answer")
    func sockets() async throws {
        let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        async let service: Void = answer(listener)
        #expect(try await ask("anybody there?", of: listener.localEndpoint) == "you said: anybody there?")
        listener.close()
        await service
    }

    @Test("Limits: links and WebSockets change two defaults of sockets, as the article says")
    func limits() throws {
        let request = WebSocketRequest(url: try WebSocketURL("ws://localhost/"))
        for options in [LinkOptions().connect, request.connect] {
            #expect(options.timeout == .seconds(10) && options.stream.userTimeout == .seconds(20))
        }
        #expect(LinkOptions().webSocket.maxMessageBytes == BLIPLimits().maxFrameIn)
    }
}
