// How links end and fail to be made: who says so, and that nothing stays behind.

import Glibc
import Synchronization
import Testing

@testable import BLIPNet

@Suite("The end of a PeerLink", .timeLimit(.minutes(5))) struct PeerLinkEndTests {
    @Test("closing tells the peer the code and the reason")
    func close() async throws {
        let server = try TestServer()
        let link = try await server.connect()
        _ = try await link.request(BLIPRequest(profile: "echo"))
        let serverSide = try #require(server.handler.links.first)
        link.close(code: 4000, reason: "good night")
        #expect(await link.waitUntilClosed() == .closedLocally)
        #expect(await serverSide.waitUntilClosed() == .closedByPeer(code: 4000, reason: "good night"))
        await #expect(throws: LinkError.closedLocally) { try await link.request(BLIPRequest(profile: "echo")) }
    }

    @Test("closing sends what is queued first, even when nobody refers to the link any more")
    func flushes() async throws {
        let server = try TestServer()
        do {
            let link = try await server.connect()
            for index in 0..<200 {
                let body = [UInt8](repeating: 1, count: 20_000)
                link.submitNoReply(BLIPRequest(profile: "n\(index)", body: .bytes(body)))
            }
            link.close()
        }
        await eventually("all have arrived") { server.handler.profiles.count == 200 }
    }

    @Test("leaving sends what is queued and the goodbye, and waits for nobody", arguments: [true, false])
    func leaves(isEncrypted: Bool) async throws {
        let server = try TestServer(isPlain: !isEncrypted)
        let link = try await server.connect()
        _ = try await link.request(BLIPRequest(profile: "echo"))
        let serverSide = try #require(server.handler.links.first)
        for index in 0..<50 {
            link.submitNoReply(BLIPRequest(profile: "n\(index)", body: .bytes([UInt8](repeating: 1, count: 20_000))))
        }
        link.leave(code: 1001, reason: "good night")
        #expect(await link.waitUntilClosed() == .closedLocally)
        #expect(await serverSide.waitUntilClosed() == .closedByPeer(code: 1001, reason: "good night"))
        #expect(server.handler.profiles.count == 51)
    }

    @Test("leaving does not wait for the goodbye of a peer that never says one")
    func leavesMute() async throws {
        let mute = try MuteServer(answering: .upgradeThenSilence)
        var options = TestServer.patient(LinkOptions())
        options.closeTimeout = .seconds(200)
        let link = try await PeerLink.connect(to: mute.endpoint, options: options, handler: TestHandler())
        let begun = ContinuousClock.now
        link.leave()
        #expect(await link.waitUntilClosed() == .closedLocally)
        #expect(ContinuousClock.now - begun < .seconds(100))
    }

    @Test("closing waits only so long for a peer that reads nothing")
    func closeTimesOut() async throws {
        let mute = try MuteServer(answering: .upgradeThenSilence)
        var options = TestServer.patient(LinkOptions())
        options.closeTimeout = .milliseconds(100)
        let link = try await PeerLink.connect(to: mute.endpoint, options: options, handler: TestHandler())
        let pending = link.submit(BLIPRequest(profile: "sink", body: .source(PatternSource(count: 1 << 40))))
        link.close()
        #expect(await link.waitUntilClosed() == .closedLocally)
        await #expect(throws: LinkError.closedLocally) { try await pending.value() }
    }

    @Test("letting go of the link disconnects, and fails what waits")
    func letsGo() async throws {
        let server = try TestServer()
        var link: PeerLink? = try await server.connect()
        _ = try await link?.request(BLIPRequest(profile: "echo"))
        let pending = try #require(link?.submit(BLIPRequest(profile: "never")))
        let serverSide = try #require(server.handler.links.first)
        link = nil
        #expect(await serverSide.waitUntilClosed() == .disconnected)
        await #expect(throws: LinkError.closedLocally) { try await pending.value() }
    }

    @Test("a peer that vanishes fails every request that waits with disconnected", arguments: BLIPDialect.all)
    func peerVanishes(dialect: BLIPDialect) async throws {
        let server = try TestServer { $0.dialects = [dialect] }
        let link = try await server.connect()
        _ = try await link.request(BLIPRequest(profile: "echo"))
        let pending = (0..<50).map { _ in link.submit(BLIPRequest(profile: "never")) }
        let bulk = link.submit(BLIPRequest(profile: "sink", body: .source(PatternSource(count: 1 << 40))))
        await eventually("the bulk body is on its way") { (server.handler.sinks.first?.count ?? 0) > 1 << 20 }
        let serverSide = try #require(server.handler.links.first)
        await serverSide.breakOff()
        for response in pending + [bulk] {
            await #expect(throws: LinkError.disconnected) { try await response.value() }
        }
        #expect(await link.waitUntilClosed() == .disconnected)
        await #expect(throws: LinkError.disconnected) { try await link.request(BLIPRequest(profile: "echo")) }
    }

    @Test("a peer that stops answering pings times out")
    func keepaliveTimesOut() async throws {
        let mute = try MuteServer(answering: .upgradeThenSilence)
        var options = TestServer.patient(LinkOptions())
        options.keepaliveInterval = .milliseconds(20)
        options.keepaliveTimeout = .milliseconds(50)
        let link = try await PeerLink.connect(to: mute.endpoint, options: options, handler: TestHandler())
        #expect(await link.waitUntilClosed() == .timedOut("keepalive"))
    }

    @Test("leaves no descriptor behind, however the link ends")
    func noDescriptorLeaks() async throws {
        let server = try TestServer()
        _ = try await server.connect().request(BLIPRequest(profile: "echo"))
        await eventually("the first link is gone") { await server.listener.connectionCount == 0 }
        for round in 0..<20 {
            let link = try await server.connect()
            if round % 2 == 0 { link.close() }
            if round % 3 == 0 { _ = try? await link.request(BLIPRequest(profile: "echo")) }
        }
        var stranger = server.clientOptions
        stranger.expectedPeer = SPKIFingerprint([UInt8](repeating: 1, count: 32))
        for _ in 0..<5 {
            _ = try? await PeerLink.connect(to: server.endpoint, options: stranger, handler: TestHandler())
        }
        await eventually("all links are gone") { await server.listener.connectionCount == 0 }
        // Other tests open and close descriptors of their own: what counts is which sockets are connected to ours.
        guard case .host(_, let port) = server.endpoint else {
            Issue.record("the server has no port")
            return
        }
        await eventually("no descriptor is connected to the server") { socketsConnected(toPort: port) == 0 }
    }

    @Test("a source that throws fails its request alone")
    func sourceThrows() async throws {
        struct Torn: Error {}
        final class TornSource: BodySource {
            let reads = Mutex(0)
            func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
                try reads.withLock {
                    $0 += 1
                    if $0 > 3 { throw Torn() }
                }
                return buffer.count
            }
        }
        let server = try TestServer()
        let link = try await server.connect()
        let torn = link.submit(BLIPRequest(profile: "sink", body: .source(TornSource())))
        await #expect(throws: LinkError.bodyFailed(reason: "Torn()")) { try await torn.value() }
        #expect(try await link.request(BLIPRequest(profile: "echo", body: .text("x"))).bodyBytes == [0x78])
    }

    // MARK: Links that are not made

    @Test("refuses a peer with another key than the pinned one, before it has said anything")
    func wrongPin() async throws {
        let server = try TestServer()
        var options = server.clientOptions
        let presented = try #require(options.expectedPeer)
        let expected = try TLSIdentity.generate().fingerprint
        options.expectedPeer = expected
        await #expect(throws: LinkError.wrongIdentity(expected: expected, presented: presented)) {
            try await PeerLink.connect(to: server.endpoint, options: options, handler: TestHandler())
        }
        #expect(server.handler.links.isEmpty)
    }

    @Test("says that the connection was refused")
    func refused() async throws {
        let server = try TestServer()
        let endpoint = server.endpoint
        server.listener.close()
        await #expect(throws: LinkError.transport(call: "connect", errno: ECONNREFUSED)) {
            try await PeerLink.connect(to: endpoint, options: TestServer.patient(LinkOptions()), handler: TestHandler())
        }
        await #expect(throws: LinkError.transport(call: "connect", errno: ENOENT)) {
            try await PeerLink.connect(
                to: .unix(path: "/tmp/blipnet-nothing-here"), options: TestServer.patient(LinkOptions()),
                handler: TestHandler())
        }
    }

    @Test("says that a name cannot be resolved")
    func unresolvable() async throws {
        do throws(LinkError) {
            _ = try await PeerLink.connect(
                to: .host("no-such-host.invalid", port: 1), options: TestServer.patient(LinkOptions()),
                handler: TestHandler())
            Issue.record("connected to a host that does not exist")
        } catch {
            guard case .unresolvable("no-such-host.invalid", let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test(
        "says that the peer is not ours",
        arguments: [
            (MuteServer.Answer.notFound, false, "HTTP status 404"),
            (.notFound, true, "the other side does not speak TLS"),
            (.garbage, true, "the other side does not speak TLS"),
        ])
    func notBLIP(answer: MuteServer.Answer, isTLS: Bool, reason: String) async throws {
        let mute = try MuteServer(answering: answer)
        let options = TestServer.patient(LinkOptions(identity: isTLS ? try TLSIdentity.generate() : nil))
        await #expect(throws: LinkError.notBLIP(reason: reason)) {
            try await PeerLink.connect(to: mute.endpoint, options: options, handler: TestHandler())
        }
    }

    @Test("says that the peer speaks no HTTP")
    func notHTTP() async throws {
        let mute = try MuteServer(answering: .garbage)
        do throws(LinkError) {
            _ = try await PeerLink.connect(
                to: mute.endpoint, options: TestServer.patient(LinkOptions()), handler: TestHandler())
            Issue.record("connected to garbage")
        } catch {
            guard case .notBLIP = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("says that the peer speaks for another application")
    func otherApplication() async throws {
        let server = try TestServer()
        var options = server.clientOptions
        options.application = "another_1"
        await #expect(throws: LinkError.notBLIP(reason: "HTTP status 400")) {
            try await PeerLink.connect(to: server.endpoint, options: options, handler: TestHandler())
        }
    }

    @Test("gives up on a peer that says nothing", arguments: [true, false])
    func silentPeer(isTLS: Bool) async throws {
        let mute = try MuteServer(answering: .nothing)
        let identity = isTLS ? try TLSIdentity.generate() : nil
        await #expect(throws: LinkError.timedOut("handshake")) {
            var options = TestServer.patient(LinkOptions(identity: identity))
            options.handshakeTimeout = .milliseconds(100)
            return try await PeerLink.connect(to: mute.endpoint, options: options, handler: TestHandler())
        }
    }

    @Test("gives up when the task is cancelled")
    func cancelled() async throws {
        let mute = try MuteServer(answering: .nothing)
        let endpoint = mute.endpoint
        let task = Task { () -> LinkError? in
            do throws(LinkError) {
                _ = try await PeerLink.connect(
                    to: endpoint, options: TestServer.patient(LinkOptions()), handler: TestHandler())
                return nil
            } catch { return error }
        }
        await eventually("the client is in its handshake") { mute.connectionCount == 1 }
        task.cancel()
        #expect(await task.value == .closedLocally)
        withExtendedLifetime(mute) {}
    }
}

/// Sockets of this machine that are connected to `port` and belong to somebody.
private func socketsConnected(toPort port: UInt16) -> Int {
    guard let file = fopen("/proc/net/tcp", "r") else { return -1 }
    defer { fclose(file) }
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    var line = [CChar](repeating: 0, count: 512)
    var count = 0
    while fgets(&line, 512, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = text.split(separator: " ")
        // Field 3 is the state: 01 established, 04 and 05 our half closed, 08 the peer's half closed.
        guard fields.count > 3, ["01", "04", "05", "08"].contains(fields[3]) else { continue }
        if fields[1].hasSuffix(suffix) || fields[2].hasSuffix(suffix) { count += 1 }
    }
    return count
}

extension PeerLink {
    /// Ends the connection without a word, as a killed process would.
    func breakOff() { giveBackSocket() }
}
