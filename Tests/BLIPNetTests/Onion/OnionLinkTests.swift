// Links through Tor on real sockets, and something that answers in place of a tor.

import TestSupport
import Testing

@testable import BLIPNet

/// Answers each connection with one text after the other, each after what it has heard; then it ends the connection, or stays
/// silent.
private final class Impostor: Sendable {
    let listener: TCPListener
    private let folder: TemporaryDirectory
    var endpoint: Endpoint { listener.localEndpoint }

    init(_ answers: [[UInt8]], staysSilent: Bool = false) throws {
        folder = try TemporaryDirectory()
        listener = try TCPListener.listen(on: .unix(path: folder.file("socket")))
        let listener = listener
        Task {
            for await connection in listener {
                Task {
                    for answer in answers {
                        _ = try await connection.readSome()
                        try await connection.write(answer)
                    }
                    if staysSilent { _ = await connection.waitUntilClosed() } else { connection.close() }
                }
            }
        }
    }

    deinit { listener.close() }
}

private final class NoRequests: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { nil }
}

@Suite("Links through Tor", .timeLimit(.minutes(5))) struct OnionLinkTests {
    private let host = "rkeohxlubhyzl7ks3mwtzos5olfgocn7dwkbeg7toseadnapn5optfad.onion"

    private func session(_ impostor: Impostor, cookie: [UInt8]? = [UInt8](repeating: 1, count: 32)) async
        -> OnionProblem
    {
        defer { withExtendedLifetime(impostor) {} }
        return await TorSession(
            control: impostor.endpoint, wish: TorControl.Wish(service: nil, target: "unix:/x", isOurs: true),
            cookie: { _ in cookie }
        ).run { _ in }
    }

    private static let information = Array(
        "250-AUTH METHODS=SAFECOOKIE COOKIEFILE=\"/x\"\r\n250 OK\r\n".utf8)

    @Test("something else at the control port: it is never believed, and hears no proof")
    func impostors() async throws {
        let zeros = String(repeating: "0", count: 64)
        let challenge = Array("250 AUTHCHALLENGE SERVERHASH=\(zeros) SERVERNONCE=\(zeros)\r\n".utf8)
        #expect(await session(try Impostor([Self.information, challenge])) == .otherTor)
        #expect(await session(try Impostor([Self.information]), cookie: nil) == .noCookie)
        #expect(await session(try Impostor([Self.information])) == .silent)
        #expect(await session(try Impostor([[]])) == .silent)
        #expect(
            await session(try Impostor([Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)]))
                == .violated(reason: "a line without a status"))
        #expect(
            await session(try Impostor([[UInt8](repeating: 0x61, count: 100_000)]))
                == .violated(reason: "a line without an end"))
        let nowhere = TorSession(
            control: .unix(path: "/nonexistent/control"),
            wish: TorControl.Wish(service: nil, target: "unix:/x", isOurs: true), cookie: { _ in nil })
        #expect(await nowhere.run { _ in } == .silent)
    }

    /// The impostor stays until the call is over.
    private func call(_ impostor: Impostor, _ options: LinkOptions) async -> LinkError? {
        defer { withExtendedLifetime(impostor) {} }
        return await call(impostor.endpoint, options)
    }

    private func call(_ socks: Endpoint, _ options: LinkOptions) async -> LinkError? {
        do throws(LinkError) {
            _ = try await PeerLink.connect(
                toOnion: host, port: 4985, through: socks, as: .random(), options: options, handler: NoRequests())
            return nil
        } catch {
            return error
        }
    }

    @Test("what is wrong with a call is told apart: with tor, with the service, and with who answers there")
    func calls() async throws {
        let options = LinkOptions(identity: try TLSIdentity.generate())
        let address: [UInt8] = [UInt8](repeating: 0, count: 18)
        for (code, problem) in [
            (UInt8(0xF0), OnionProblem.notThere), (5, .refusedThere), (0xF6, .badName), (1, .unreachable),
        ] {
            let socks = try Impostor([[5, 2], [1, 0], [5, code, 0, 4] + address])
            #expect(await call(socks, options) == .onionFailed(problem))
        }
        let picky = try Impostor([[5, 0xFF]])
        #expect(
            await call(picky, options) == .onionFailed(.violated(reason: "it wants another kind of name")))
        let short = try Impostor([[5]])
        #expect(await call(short, options) == .onionFailed(.silent))
        #expect(await call(.unix(path: "/nonexistent/socks"), options) == .onionFailed(.silent))
        // Somebody is there who does not speak TLS.
        let stranger = try Impostor([[5, 2], [1, 0], [5, 0, 0, 4] + address, Array("SSH-2.0-x\r\n".utf8)])
        guard case .notBLIP? = await call(stranger, options) else {
            Issue.record("it is taken for one of ours")
            return
        }
    }

    @Test("all callers of an onion service count as one address; those of other UNIX sockets count as none")
    func oneAddress() async throws {
        let folder = try TemporaryDirectory()
        var admission = ListenerLimits()
        admission.maxHandshakesPerAddress = 1
        admission.firstByteTime = .seconds(600)
        admission.helloTime = .seconds(600)
        var options = LinkOptions(identity: try TLSIdentity.generate())
        // Only the limit closes a connection here.
        options.handshakeTimeout = .seconds(600)
        for isOnion in [true, false] {
            let listener = try LinkListener.listen(
                on: .unix(path: folder.file("door\(isOnion)")), isOnion: isOnion, options: options,
                admission: admission,
                accept: { _ in nil })
            let first = TCPConnection.connect(to: listener.localEndpoint)
            try await first.waitUntilConnected()
            while await listener.connectionCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
            let second = TCPConnection.connect(to: listener.localEndpoint)
            try await second.waitUntilConnected()
            if isOnion {
                #expect(await first.waitUntilClosed() == .closedByPeer)
                #expect(await listener.connectionCount == 1)
            } else {
                while await listener.connectionCount < 2 { try await Task.sleep(for: .milliseconds(5)) }
            }
            first.close()
            second.close()
            listener.close()
        }
    }

    @Test("a link that tor brings says so, and where its other end is nobody is told")
    func brought() async throws {
        let folder = try TemporaryDirectory()
        let (infos, teller) = AsyncStream.makeStream(of: LinkInfo.self)
        let listener = try LinkListener.listen(
            on: .unix(path: folder.file("door")), isOnion: true,
            options: LinkOptions(identity: try TLSIdentity.generate()), admission: ListenerLimits(),
            accept: { link in
                teller.yield(link.info)
                return NoRequests()
            })
        let caller = try await PeerLink.connect(
            to: listener.localEndpoint, options: LinkOptions(identity: try TLSIdentity.generate()),
            handler: NoRequests())
        var iterator = infos.makeAsyncIterator()
        let info = try #require(await iterator.next())
        #expect(
            info.isOnion && info.remoteNetwork == "onion" && info.remoteAddress == "onion" && info.remoteHost == "onion"
        )
        caller.close()
        listener.close()
    }
}
