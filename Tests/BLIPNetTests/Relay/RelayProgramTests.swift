// Links through a real strelaysrv.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

/// Somebody who is reached at a relay.
private final class Reached: Sendable {
    private final class News: Sendable {
        let joins = Atomic(0)
        let end = Mutex<LinkError?>(nil)
    }

    let handler = TestHandler()
    private let news = News()
    private let task: Task<Void, Never>

    var isJoined: Bool { news.joins.load(ordering: .acquiring) > 0 }
    var end: LinkError? { news.end.withLock { $0 } }

    init(at server: RelayServer, as mailbox: TLSIdentity, _ options: LinkOptions) {
        let reception = RelayReception(at: server, token: "", options: options) { [handler] _ in handler }
        task = Task { [news] in
            let end = await reception.serve(as: mailbox) { _ in news.joins.add(1, ordering: .releasing) }
            news.end.withLock { $0 = end }
        }
    }

    func leave() { task.cancel() }
}

@Suite(
    "Links through a real relay", .enabled(if: RelayProgram.isInstalled, "\(RelayProgram.missing)"),
    .timeLimit(.minutes(5)))
struct RelayProgramTests {
    private let callee: LinkOptions
    private let caller: LinkOptions
    private let stranger: TLSIdentity
    private let mailbox: TLSIdentity

    init() throws {
        callee = TestServer.patient(LinkOptions(identity: try TLSIdentity.generate()))
        caller = TestServer.patient(LinkOptions(identity: try TLSIdentity.generate()))
        stranger = try TLSIdentity.generate()
        mailbox = try TLSIdentity(mailboxSeed: [UInt8](repeating: 2, count: 32))
    }

    /// The relay with the id that answers there.
    private func server(_ program: RelayProgram) async throws -> RelayServer {
        var server = RelayServer(host: "127.0.0.1", port: program.port, id: nil)
        server.id = try await RelayReception.lookUp(server, options: caller)
        return server
    }

    private func call(_ server: RelayServer, _ options: LinkOptions? = nil) async throws -> PeerLink {
        try await PeerLink.connect(
            to: try #require(mailbox.relayID), at: server, as: stranger, options: options ?? caller,
            handler: TestHandler())
    }

    private func problem(_ body: () async throws -> PeerLink) async -> RelayProblem? {
        do {
            _ = try await body()
            return nil
        } catch LinkError.relayFailed(let failure) {
            return failure.problem
        } catch {
            return nil
        }
    }

    @Test("who has joined is called through it, end to end with the pinned key, and both know that it is a relay")
    func calls() async throws {
        let program = try await RelayProgram()
        let server = try await server(program)
        let reached = Reached(at: server, as: mailbox, callee)
        try await eventually("the mailbox is joined") { reached.isJoined }
        var pinned = caller
        pinned.expectedPeer = callee.identity?.fingerprint
        let link = try await call(server, pinned)
        let answer = try await link.request(BLIPRequest(profile: "echo", body: .text("through the relay")))
        #expect(answer.bodyBytes == Array("through the relay".utf8))
        #expect(link.info.relay == server.endpoint && link.info.isOutgoing)
        #expect(link.info.remoteFingerprint == callee.identity?.fingerprint)
        let theirs = try #require(reached.handler.links.first)
        #expect(theirs.info.relay == server.endpoint && !theirs.info.isOutgoing)
        #expect(theirs.info.remoteNetwork == "relay \(server.endpoint)")
        #expect(theirs.info.exporter == link.info.exporter && link.info.exporter?.count == 32)
        link.close()
        #expect(await link.waitUntilClosed() == .closedLocally)
        reached.leave()
        try await eventually("it is left") { reached.end == .closedLocally }
    }

    @Test("another key at the other end ends the attempt with that key")
    func wrongKey() async throws {
        let program = try await RelayProgram()
        let server = try await server(program)
        let reached = Reached(at: server, as: mailbox, callee)
        try await eventually("the mailbox is joined") { reached.isJoined }
        var pinned = caller
        pinned.expectedPeer = stranger.fingerprint
        await #expect(
            throws: LinkError.wrongIdentity(
                expected: stranger.fingerprint, presented: try #require(callee.identity?.fingerprint))
        ) { try await call(server, pinned) }
        reached.leave()
    }

    @Test("each refusal has its reason: nobody there, an id that is in use, another relay, none at all")
    func refusals() async throws {
        let program = try await RelayProgram()
        let server = try await server(program)
        #expect(await problem { try await call(server) } == .notThere)
        let first = Reached(at: server, as: mailbox, callee)
        try await eventually("the mailbox is joined") { first.isJoined }
        let second = Reached(at: server, as: mailbox, callee)
        try await eventually("the second one is refused") {
            second.end == .relayFailed(RelayFailure(relay: server.endpoint, problem: .idTaken))
        }
        var other = server
        other.id = RelayID(ofCertificate: [1])
        #expect(await problem { try await call(other) } == .otherKey)
        try await program.stop()
        try await eventually("it hears that the relay is gone") {
            first.end == .relayFailed(RelayFailure(relay: server.endpoint, problem: .gone))
        }
        #expect(await problem { try await call(server) } == .silent)
    }

    @Test("many links at once, each with its own bytes")
    func many() async throws {
        let program = try await RelayProgram()
        let server = try await server(program)
        let reached = Reached(at: server, as: mailbox, callee)
        try await eventually("the mailbox is joined") { reached.isJoined }
        for number in 0..<6 {
            let link = try await call(server)
            let text = String(repeating: "\(number)", count: 100_000)
            let answer = try await link.request(BLIPRequest(profile: "echo", body: .text(text)))
            #expect(answer.bodyBytes == Array(text.utf8))
            link.close()
        }
        reached.leave()
    }
}
