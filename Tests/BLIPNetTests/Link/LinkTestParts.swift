// Parts that the link tests share: handlers, bodies, and waiting for a condition.

import BLIPNet
import Glibc
import Synchronization
import Testing

/// Answers the profiles that the tests use.
final class TestHandler: BLIPRequestHandler {
    private struct State {
        var sinks: [CountingSink] = []
        var profiles: [String] = []
        var links: [PeerLink] = []
        var held: [(PeerLink, UInt64)] = []
    }
    private let state = Mutex(State())

    /// Profiles in the order of arrival.
    var profiles: [String] { state.withLock { $0.profiles } }
    var links: [PeerLink] { state.withLock { $0.links } }
    var sinks: [CountingSink] { state.withLock { $0.sinks } }
    var heldCount: Int { state.withLock { $0.held.count } }

    func makeBodySink(for head: BLIPMessageHead) -> (any BodySink)? {
        guard head.properties.profile == "sink" else { return nil }
        let sink = CountingSink()
        state.withLock { $0.sinks.append(sink) }
        return sink
    }

    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        let profile = request.properties.profile ?? ""
        state.withLock {
            $0.profiles.append(profile)
            if !$0.links.contains(where: { $0 === link }) { $0.links.append(link) }
        }
        switch profile {
        case "echo": return BLIPResponse(properties: ["Profile": "echoed"], body: .bytes(request.body))
        case "sink": return BLIPResponse(body: .text("\((request.sink as? CountingSink)?.count ?? -1)"))
        case "source":
            return BLIPResponse(body: .source(PatternSource(count: Int(request.properties["Size"] ?? "") ?? 0)))
        case "never": return nil
        case "later":
            Task { link.respond(to: request.number, with: BLIPResponse(body: .text("later"))) }
            return nil
        case "ask-back":
            let answer = link.submit(BLIPRequest(profile: "echo", body: .text("asked back")))
            Task {
                let text = (try? await answer.value().bodyBytes) ?? []
                link.respond(to: request.number, with: BLIPResponse(body: .bytes(text)))
            }
            return nil
        default: return .failure(.notFound, "no such profile")
        }
    }
}

/// Counts bytes and checks that they follow `PatternSource`'s pattern.
final class CountingSink: BodySink {
    private struct State {
        var count = 0
        var isIntact = true
    }
    private let state = Mutex(State())
    var count: Int { state.withLock { $0.count } }
    var isIntact: Bool { state.withLock { $0.isIntact } }

    func write(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            // Every 251st byte and the ends: enough to notice a lost, doubled or moved piece, cheap in debug builds.
            for index in stride(from: 0, to: bytes.count, by: 251)
            where bytes[index] != PatternSource.byte(at: state.count + index) {
                state.isIntact = false
            }
            state.count += bytes.count
        }
    }
}

/// A body of any size that needs no memory.
final class PatternSource: BodySource {
    static func byte(at position: Int) -> UInt8 { UInt8(truncatingIfNeeded: (position >> 8) &* 31 &+ 7) }

    private let count: Int
    private let position = Mutex(0)

    init(count: Int) { self.count = count }

    var readCount: Int { position.withLock { $0 } }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        position.withLock { position in
            let size = min(buffer.count, count - position)
            var done = 0
            while done < size {
                // The pattern is constant within 256 bytes.
                let run = min(size - done, 256 - (position + done) & 255)
                UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + run)])
                    .initializeMemory(as: UInt8.self, repeating: Self.byte(at: position + done))
                done += run
            }
            position += size
            return size
        }
    }
}

/// Waits until `condition` holds; a failed expectation after a generous time.
func eventually(
    _ what: Comment, within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: @Sendable () async -> Bool
) async {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while clock.now < deadline {
        if await condition() { return }
        try? await Task.sleep(for: .milliseconds(5))
    }
    Issue.record(what, sourceLocation: sourceLocation)
}

/// A server and the options with which clients reach it.
struct TestServer {
    let listener: LinkListener
    let handler: TestHandler
    let clientOptions: LinkOptions

    var endpoint: Endpoint { listener.localEndpoint }

    /// Listens on loopback (or `endpoint`), with TLS unless `isPlain`.
    init(
        on endpoint: Endpoint = .host("127.0.0.1", port: 0), isPlain: Bool = false,
        admission: ListenerLimits = TestServer.manyHandshakes,
        configure: (inout LinkOptions) -> Void = { _ in }
    ) throws {
        var server = LinkOptions()
        var client = LinkOptions()
        if !isPlain {
            let identity = try TLSIdentity.generate()
            server.identity = identity
            client.identity = try TLSIdentity.generate()
            client.expectedPeer = identity.fingerprint
        }
        server = Self.patient(server)
        client = Self.patient(client)
        configure(&server)
        configure(&client)
        let handler = TestHandler()
        self.handler = handler
        clientOptions = client
        listener = try LinkListener.listen(on: endpoint, options: server, admission: admission) { _ in handler }
    }

    /// A loaded machine is no reason for a test to fail.
    static func patient(_ options: LinkOptions) -> LinkOptions {
        var options = options
        for time in [\LinkOptions.connectTimeout, \.handshakeTimeout, \.closeTimeout, \.keepaliveTimeout] {
            options[keyPath: time] = .seconds(120)
        }
        return options
    }

    static var manyHandshakes: ListenerLimits {
        var limits = ListenerLimits()
        limits.maxHandshakes = 1000
        limits.maxHandshakesPerAddress = 1000
        limits.handshakesPerSecond = 10_000
        limits.handshakesPerSecondPerNetwork = 10_000
        limits.firstByteTime = .seconds(120)
        limits.helloTime = .seconds(120)
        return limits
    }

    func connect(handler: TestHandler = TestHandler()) async throws -> PeerLink {
        try await PeerLink.connect(to: endpoint, options: clientOptions, handler: handler)
    }
}

/// Descriptors that this process has open.
func openDescriptorCount() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count - 3
}
