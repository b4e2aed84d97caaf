// Calls from one port of ours to somebody who calls at the same moment, as far as one machine can show it: its routers are in
// Tests/Rigs/reach.py.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("REACH 4: calling at the same moment", .timeLimit(.minutes(5)))
struct HolePunchTests {
    private let alice: TLSIdentity
    private let bob: TLSIdentity

    init() throws {
        alice = try TLSIdentity.generate()
        bob = try TLSIdentity.generate()
    }

    private func options(_ identity: TLSIdentity, expecting peer: TLSIdentity?) -> LinkOptions {
        var options = TestServer.patient(LinkOptions(identity: identity))
        options.expectedPeer = peer?.fingerprint
        return options
    }

    private func address(_ endpoint: Endpoint) throws -> SocketAddress {
        guard case .host(let host, let port) = endpoint else { throw NetError.closedLocally }
        return try #require(SocketAddress(host: host, port: port))
    }

    /// Nobody listens there.
    private func silent() throws -> SocketAddress {
        let port = try #require(HolePunch.freePort())
        return try #require(SocketAddress(host: "127.0.0.1", port: port))
    }

    @Test("the client calls from the port that was agreed on, and what refuses at first is called again")
    func client() async throws {
        let port = try #require(HolePunch.freePort())
        let place = try silent()
        async let calling = HolePunch(
            from: port, to: [try silent(), place], options: options(alice, expecting: bob)
        ).connect(handler: TestHandler())
        try await Task.sleep(for: .milliseconds(300))
        let listener = try LinkListener.listen(on: place.endpoint, options: options(bob, expecting: nil)) { _ in
            TestHandler()
        }
        let link = try await calling
        #expect(link.info.localAddress == "127.0.0.1:\(port)")
        #expect(link.info.remoteFingerprint == bob.fingerprint && link.info.isOutgoing && link.info.relay == nil)
        let answer = try await link.request(BLIPRequest(profile: "echo", body: .text("through")))
        #expect(answer.bodyBytes == Array("through".utf8))
        link.close()
        listener.close()
    }

    @Test("another key ends it, and where nobody answers it is over after a while")
    func clientFails() async throws {
        let listener = try LinkListener.listen(
            on: .host("127.0.0.1", port: 0), options: options(bob, expecting: nil)
        ) { _ in TestHandler() }
        let port = try #require(HolePunch.freePort())
        let wrong = HolePunch(
            from: port, to: [try address(listener.localEndpoint)], options: options(alice, expecting: alice))
        let expected = LinkError.wrongIdentity(expected: alice.fingerprint, presented: bob.fingerprint)
        await #expect(throws: expected) { try await wrong.connect(handler: TestHandler()) }
        listener.close()
        let nobody = HolePunch(from: port, to: [try silent()], options: options(alice, expecting: bob))
        await #expect(throws: LinkError.timedOut("connect")) { try await nobody.connect(handler: TestHandler()) }
        let nowhere = HolePunch(from: port, to: [], options: options(alice, expecting: bob))
        await #expect(throws: LinkError.timedOut("connect")) { try await nowhere.connect(handler: TestHandler()) }
    }

    @Test("a cancelled call ends at once")
    func cancelled() async throws {
        let port = try #require(HolePunch.freePort())
        let hole = HolePunch(from: port, to: [try silent()], options: options(alice, expecting: bob))
        let task = Task {
            do throws(LinkError) {
                _ = try await hole.connect(handler: TestHandler())
                return LinkError?.none
            } catch {
                return error
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(await task.value == .closedLocally)
    }

    @Test("the other side calls as well, and is the server of TLS and WebSocket")
    func server() async throws {
        let door = try ListeningSockets.open(.host("127.0.0.1", port: 0))
        let socket = door.sockets[0]
        let port = try #require(HolePunch.freePort())
        let handler = TestHandler()
        let hole = HolePunch(from: port, to: [try address(door.endpoint)], options: options(bob, expecting: nil))
        let serving = Task { await hole.serve { _ in handler } }
        var taken: Socket?
        try await eventually("it has called") {
            if case .connection(let connection) = socket.accept() { taken = connection }
            return taken != nil
        }
        let connection = try #require(taken)
        #expect(connection.remoteAddress?.port == port)
        let own = options(alice, expecting: bob)
        let link = PeerLink(
            loop: EventLoop.next(), socket: connection,
            stack: try ProtocolStack.client(host: "localhost", options: own, now: .now()), options: own,
            isOutgoing: true)
        #expect(await link.handshake(handler: TestHandler()) == nil)
        #expect(try await link.request(BLIPRequest(profile: "echo", body: .text("hi"))).bodyBytes == Array("hi".utf8))
        #expect(handler.links.first?.info.isOutgoing == false)
        #expect(handler.links.first?.info.remoteFingerprint == alice.fingerprint)
        link.close()
        await serving.value
    }
}
