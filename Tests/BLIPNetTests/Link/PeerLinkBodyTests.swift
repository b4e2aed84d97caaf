// Bodies on real links: slow consumers, handlers that throw, answers before the end, cancelled requests.

import Synchronization
import Testing

@testable import BLIPNet

@Suite("Bodies of a PeerLink", .timeLimit(.minutes(5))) struct PeerLinkBodyTests {
    @Test(
        "a slow consumer slows only its own request; what waits for it is bounded",
        arguments: [BLIPDialect.blip3, .blip2])
    func slowRequest(dialect: BLIPDialect) async throws {
        let server = try StreamServer(dialect)
        let link = try await server.connect()
        let bulk = link.submit(BLIPRequest(profile: "stream", body: .source(PatternSource(count: 2_000_000))))
        await eventually("the window is full") { server.handler.waitingBytes >= 127_000 }
        for _ in 0..<20 {
            let echo = try await link.request(BLIPRequest(profile: "echo", body: .text("hello")))
            #expect(echo.bodyBytes == Array("hello".utf8))
        }
        #expect(server.handler.waitingBytes < 128_000 + 16_384)
        server.handler.open()
        #expect(try await bulk.value().bodyBytes == Array("2000000 intact".utf8))
    }

    @Test("without ACKs a slow consumer pauses the reading, and nothing is lost")
    func slowRequestWithoutAcks() async throws {
        let server = try StreamServer(.blip2013)
        let link = try await server.connect()
        let bulk = link.submit(BLIPRequest(profile: "stream", body: .source(PatternSource(count: 20_000_000))))
        await eventually("reading has paused") { server.handler.waitingBytes > 256 << 10 }
        let echo = link.submit(BLIPRequest(profile: "echo", body: .text("hello")))
        #expect(server.handler.waitingBytes < 1 << 20)
        server.handler.open()
        #expect(try await echo.value().bodyBytes == Array("hello".utf8))
        #expect(try await bulk.value().bodyBytes == Array("20000000 intact".utf8))
    }

    @Test("a response is taken as slowly as its consumer likes", arguments: BLIPDialect.all)
    func slowResponse(dialect: BLIPDialect) async throws {
        let server = try StreamServer(dialect)
        let link = try await server.connect()
        let stream = BLIPBodyStream()
        let pending = link.submit(
            BLIPRequest(profile: "source", properties: ["Size": "3000000"]), bodySink: stream.sink)
        await eventually("the window is full") { stream.waitingBytes >= 127_000 }
        var checker = CountingSink()
        checker = try await Self.consume(stream, into: checker)
        #expect(checker.count == 3_000_000 && checker.isIntact)
        #expect(try await pending.value().error == nil)
    }

    @Test("an error response ends the stream of its request with an error")
    func errorResponse() async throws {
        let server = try StreamServer(.blip3)
        let link = try await server.connect()
        let stream = BLIPBodyStream()
        let pending = link.submit(BLIPRequest(profile: "nothing"), bodySink: stream.sink)
        await #expect(throws: LinkError.bodyFailed(reason: "error BLIP 404")) {
            _ = try await Self.consume(stream, into: CountingSink())
        }
        #expect(try await pending.value().error == .notFound)
    }

    @Test("a consumer that lets go of its stream gives up its message and no other", arguments: BLIPDialect.all)
    func abandoned(dialect: BLIPDialect) async throws {
        let server = try StreamServer(dialect)
        let link = try await server.connect()
        let pending = await Self.submitAndLetGo(on: link)
        await #expect(throws: LinkError.self) { try await pending.value() }
        let echo = try await link.request(BLIPRequest(profile: "echo", body: .text("hello")))
        #expect(echo.bodyBytes == Array("hello".utf8))
    }

    @Test("a stream ends with the link")
    func linkEnds() async throws {
        let server = try StreamServer(.blip3)
        let link = try await server.connect()
        let stream = BLIPBodyStream()
        _ = link.submit(BLIPRequest(profile: "never"), bodySink: stream.sink)
        _ = try await link.request(BLIPRequest(profile: "echo"))
        link.close()
        await #expect(throws: LinkError.closedLocally) { _ = try await Self.consume(stream, into: CountingSink()) }
        let late = BLIPBodyStream()
        _ = link.submit(BLIPRequest(profile: "late"), bodySink: late.sink)
        await #expect(throws: LinkError.self) { _ = try await Self.consume(late, into: CountingSink()) }
    }

    @Test("a handler that throws answers 501 and goes on", arguments: BLIPDialect.all)
    func handlerThrows(dialect: BLIPDialect) async throws {
        let server = try StreamServer(dialect)
        let link = try await server.connect()
        let response = try await link.request(BLIPRequest(profile: "throw"))
        #expect(response.error == .handlerFailed)
        // The words of the error stay here.
        #expect(!String(decoding: response.bodyBytes, as: UTF8.self).contains("secret"))
        link.submitNoReply(BLIPRequest(profile: "throw"))
        #expect(try await link.request(BLIPRequest(profile: "echo")).error == nil)
    }

    @Test("error responses of any size arrive, from memory and from a source", arguments: BLIPDialect.all)
    func errorSizes(dialect: BLIPDialect) async throws {
        let server = try StreamServer(dialect)
        let link = try await server.connect()
        for size in [0, 1, 100_000, 3_000_000] {
            for kind in ["bytes", "source"] {
                let request = BLIPRequest(profile: "error", properties: ["Size": String(size), "Kind": kind])
                let response = try await link.request(request)
                #expect(response.error == BLIPErrorCode(domain: "test", code: 7))
                #expect(response.bodyBytes.count == size)
            }
        }
    }

    @Test("an error whose text is over the limit of memory arrives with what fits")
    func hugeError() async throws {
        let server = try StreamServer(.blip3) { $0.blip.maxBufferedBody = 50_000 }
        let link = try await server.connect()
        let request = BLIPRequest(profile: "error", properties: ["Size": "400000", "Kind": "source"])
        let response = try await link.request(request)
        #expect(response.error == BLIPErrorCode(domain: "test", code: 7))
        #expect(response.bodyBytes.count == 50_000)
    }

    @Test("an answer that is given before the request has ended waits for its last frame", arguments: BLIPDialect.all)
    func earlyAnswer(dialect: BLIPDialect) async throws {
        let server = try StreamServer(dialect)
        let link = try await server.connect()
        let source = PatternSource(count: 1_000_000)
        let response = try await link.request(BLIPRequest(profile: "hasty", body: .source(source)))
        #expect(response.bodyBytes == Array("no thanks".utf8))
        #expect(source.readCount == 1_000_000)
        #expect(try await link.request(BLIPRequest(profile: "echo")).error == nil)
    }

    @Test("a cancelled request frees its source and sink at once", arguments: BLIPDialect.all)
    func cancelFrees(dialect: BLIPDialect) async throws {
        let server = try StreamServer(dialect)
        let link = try await server.connect()
        let source = WeakReference<PatternSource>()
        let sink = WeakReference<CountingSink>()
        let pending = Self.submit(on: link, source, sink)
        await eventually("it is under way") { server.handler.waitingBytes > 100_000 }
        pending.cancel()
        await eventually("source and sink are gone") { source.isGone && sink.isGone }
        server.handler.open()
        #expect(try await link.request(BLIPRequest(profile: "echo")).error == nil)
    }

    /// A request whose response has begun to arrive when nobody is there for it any more.
    private static func submitAndLetGo(on link: PeerLink) async -> PendingResponse {
        let stream = BLIPBodyStream()
        let request = BLIPRequest(profile: "source", properties: ["Size": "3000000"])
        let pending = link.submit(request, bodySink: stream.sink)
        await eventually("the window is full") { stream.waitingBytes >= 127_000 }
        return pending
    }

    /// A request of which only the link knows the ends.
    private static func submit(
        on link: PeerLink, _ weakSource: WeakReference<PatternSource>, _ weakSink: WeakReference<CountingSink>
    ) -> PendingResponse {
        let source = PatternSource(count: 50_000_000)
        let sink = CountingSink()
        weakSource.set(source)
        weakSink.set(sink)
        return link.submit(BLIPRequest(profile: "stream", body: .source(source)), bodySink: sink)
    }

    fileprivate static func consume(
        _ stream: BLIPBodyStream, into checker: CountingSink
    ) async throws(LinkError) -> CountingSink {
        for try await piece in stream { piece.withUnsafeBytes { checker.write($0) } }
        return checker
    }
}

/// A server whose "stream" requests are consumed by a task, which begins when the test says so.
private struct StreamServer {
    let handler: StreamHandler
    private let listener: LinkListener
    private let options: LinkOptions

    init(_ dialect: BLIPDialect, configure: (inout LinkOptions) -> Void = { _ in }) throws {
        var options = TestServer.patient(LinkOptions())
        options.dialects = [dialect]
        configure(&options)
        let handler = StreamHandler()
        self.handler = handler
        self.options = options
        listener = try LinkListener.listen(
            on: .host("127.0.0.1", port: 0), options: options, admission: TestServer.manyHandshakes
        ) { link in
            handler.link = link
            return handler
        }
    }

    func connect() async throws -> PeerLink {
        try await PeerLink.connect(to: listener.localEndpoint, options: options, handler: TestHandler())
    }
}

private final class StreamHandler: BLIPRequestHandler {
    private struct Secret: Error, CustomStringConvertible {
        var description: String { "secret" }
    }

    private struct State {
        var streams: [UInt64: (stream: BLIPBodyStream, consumer: Task<String, Never>)] = [:]
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        weak var link: PeerLink?
    }

    private let state = Mutex(State())
    private let everyday = TestHandler()

    var link: PeerLink? {
        get { state.withLock { $0.link } }
        set { state.withLock { $0.link = newValue } }
    }

    /// Bytes that have arrived and that the consumers have not taken.
    var waitingBytes: Int { state.withLock { $0.streams.values.reduce(0) { $0 + $1.stream.waitingBytes } } }

    /// Lets the consumers begin.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func untilOpen() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func makeBodySink(for head: BLIPMessageHead) -> (any BodySink)? {
        switch head.properties.profile {
        case "stream":
            let stream = BLIPBodyStream()
            let consumer = Task {
                await untilOpen()
                do {
                    let checker = try await PeerLinkBodyTests.consume(stream, into: CountingSink())
                    return "\(checker.count) \(checker.isIntact ? "intact" : "damaged")"
                } catch {
                    return "failed: \(error)"
                }
            }
            state.withLock { $0.streams[head.number] = (stream, consumer) }
            return stream.sink
        case "hasty":
            return HastySink { [link] in
                link?.respond(to: head.number, with: BLIPResponse(body: .text("no thanks")))
            }
        default: return everyday.makeBodySink(for: head)
        }
    }

    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) throws -> BLIPResponse? {
        let properties = request.properties
        switch properties.profile {
        case "throw": throw Secret()
        case "hasty": return .failure(.unspecified, "too late")
        case "stream":
            guard let consumer = state.withLock({ $0.streams[request.number]?.consumer }) else { return nil }
            Task { link.respond(to: request.number, with: BLIPResponse(body: .text(await consumer.value))) }
            return nil
        case "error":
            let size = Int(properties["Size"] ?? "") ?? 0
            var response = BLIPResponse(
                body: properties["Kind"] == "source"
                    ? .source(PatternSource(count: size)) : .bytes([UInt8](repeating: 1, count: size)))
            response.error = BLIPErrorCode(domain: "test", code: 7)
            return response
        default: return everyday.handle(request, on: link)
        }
    }
}

/// Wants no more after the first bytes, and says so.
private final class HastySink: BodySink {
    private let answer: @Sendable () -> Void

    init(answer: @escaping @Sendable () -> Void) { self.answer = answer }

    func write(_ bytes: UnsafeRawBufferPointer) { answer() }
}

/// Holds nothing alive.
private final class WeakReference<Object: AnyObject & Sendable>: Sendable {
    private struct State {
        weak var object: Object?
    }

    private let state = Mutex(State())

    var isGone: Bool { state.withLock { $0.object == nil } }
    func set(_ object: Object) { state.withLock { $0.object = object } }
}
