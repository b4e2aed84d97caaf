// tor as a child: how it is started, what is said when it ends, and that it ends with us.

import BLIPNet
import ChatCore
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import ChatHost

@Suite("tor as a child", .timeLimit(.minutes(5))) struct TorProgramTests {
    private let folder: TemporaryDirectory
    private var home: String { folder.file("tor") }

    init() throws { folder = try TemporaryDirectory(in: "/tmp") }

    /// A program in place of tor; `$F` is its folder.
    private func program(_ script: String) throws -> TorProgram {
        let path = folder.file("program")
        try TestFile.writeProgram("#!/bin/sh\nF=\(home)\necho \"$@\" > $F/arguments\n\(script)\n", to: path)
        return TorProgram(folder: home, program: { path })
    }

    @Test(
        "it is started in a folder of its own, with sockets that nobody else reaches, and without what is left of another one"
    )
    func started() async throws {
        let tor = try program("[ -e $F/cookie ] && exit 1\n: > $F/control\nexec sleep 600")
        #expect(mkdir(home, 0o755) == 0)
        for name in ["control", "cookie"] {
            #expect(FileManager.default.createFile(atPath: "\(home)/\(name)", contents: nil))
        }
        let running = try await tor.start(at: nil)
        try await running.waitUntilReady()
        var status = stat()
        #expect(stat(home, &status) == 0 && status.st_mode & 0o777 == 0o700)
        let words = try await eventuallyGet("its arguments") {
            let text = try? String(contentsOfFile: "\(home)/arguments", encoding: .utf8)
            return text?.isEmpty == false ? text : nil
        }
        for part in [
            "--ClientOnly 1", "--CookieAuthentication 1", "--SocksPort unix:\"\(home)/socks\" ExtendedErrors",
            "--ControlPort unix:\"\(home)/control\"", "--__OwningControllerProcess \(getpid())",
            "--DataDirectory \(home)",
        ] { #expect(words.contains(part)) }
        #expect(running.isOurs && running.control == .unix(path: "\(home)/control"))
        #expect(await running.end() == nil)
        await running.stop()
        #expect(await running.end() != nil)
    }

    @Test("its last words are told when it ends")
    func ended() async throws {
        let tor = try program(
            "echo 'Nov 28 15:59:43.000 [notice] hello'\necho 'Nov 28 15:59:43.000 [err] no luck today' >&2\nexit 1")
        let running = try await tor.start(at: nil)
        await #expect(throws: OnionProblem.ended(reason: "no luck today")) { try await running.waitUntilReady() }
        await running.stop()
    }

    @Test("one that does not want to end is ended")
    func stubborn() async throws {
        let tor = try program("trap '' TERM\n: > $F/control\nwhile :; do sleep 0.1; done")
        let running = try await tor.start(at: nil)
        try await running.waitUntilReady()
        await running.stop()
        #expect(await running.end() != nil)
    }

    @Test("a program that is not there, or may not be run")
    func missing() async throws {
        await #expect(throws: OnionProblem.notInstalled) {
            _ = try await TorProgram(folder: home, program: { nil }).start(at: nil)
        }
        let path = folder.file("program")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        await #expect(throws: OnionProblem.programKept) {
            _ = try await TorProgram(folder: home, program: { path }).start(at: nil)
        }
    }

    @Test("a tor of our user's is not started, and not ended; its callers come to a port of this machine")
    func owners() async throws {
        let control = Endpoint.unix(path: "/run/tor/control")
        let running = try await TorProgram(folder: home, program: { nil }).start(at: control)
        #expect(running.control == control && running.socks == nil && !running.isOurs)
        #expect(running.door == .host("127.0.0.1", port: 0) && running.door(ofWords: 1) == running.door)
        await running.stop()
        #expect(!FileManager.default.fileExists(atPath: home))
    }

    private static let hasTor = TorProgram.path != nil

    @Test(
        "the real program: it knows its cookie, says how far it has come, has our service, and ends with the connection",
        .enabled(if: hasTor, "tor is not installed (apt install tor)"))
    func real() async throws {
        let (tor, running) = try await realTor()
        let service = try #require(OnionService(seed: [UInt8](repeating: 1, count: 32)))
        let session = TorSession(
            control: running.control,
            wish: TorControl.Wish(service: service, target: "unix:\(home)/callers", isOurs: running.isOurs),
            cookie: { await tor.read($0) })
        let (news, teller) = AsyncStream.makeStream(of: TorControl.Event.self)
        let talk = Task { await session.run { teller.yield($0) } }
        var events: [TorControl.Event] = []
        for await event in news {
            events.append(event)
            if event == .added { break }
        }
        #expect(events.first == .started(percent: 0))
        talk.cancel()
        _ = await talk.value
        // It was not told to end: its control connection has ended.
        try await eventually("it has ended") { await running.end() != nil }
        await running.stop()
    }
    /// The real program, without a network of its own: it calls nobody.
    private func realTor() async throws -> (tor: TorProgram, running: any RunningTor) {
        let tor = TorProgram(folder: home)
        #expect(mkdir(home, 0o700) == 0)
        try "DisableNetwork 1\n".write(toFile: "\(home)/torrc", atomically: true, encoding: .utf8)
        let running = try await tor.start(at: nil)
        try await running.waitUntilReady()
        return (tor, running)
    }

    /// A further connection, with the service of words. Returns why it is over; `hasAdded` hears that the service is
    /// there.
    private static func wait(
        _ tor: TorProgram, _ running: any RunningTor, seed: UInt8, hasAdded: @escaping @Sendable () -> Void
    ) async throws -> OnionProblem {
        let service = try #require(OnionService(seed: [UInt8](repeating: seed, count: 32)))
        let door = running.door(ofWords: Int(seed))
        return await TorSession(
            control: running.control, wish: TorControl.Wish(service: service, target: "\(door)", isOurs: false),
            cookie: { await tor.read($0) }
        ).run { if $0 == .added { hasAdded() } }
    }

    @Test(
        "the real program: a service of words has a connection of its own, is gone with it, and leaves tor running",
        .enabled(if: hasTor, "tor is not installed (apt install tor)"))
    func realWords() async throws {
        let (tor, running) = try await realTor()
        #expect(running.door(ofWords: 7) == .unix(path: "\(home)/words7"))
        for _ in 0..<2 {
            let (news, teller) = AsyncStream.makeStream(of: Void.self)
            let first = Task { try await Self.wait(tor, running, seed: 7) { teller.yield() } }
            var iterator = news.makeAsyncIterator()
            _ = await iterator.next()
            // As long as it is there nobody else can have it.
            guard case .refused? = try? await Self.wait(tor, running, seed: 7, hasAdded: {}) else {
                Issue.record("the service is there twice")
                break
            }
            first.cancel()
            #expect(try await first.value == .silent)
        }
        #expect(await running.end() == nil)
        await running.stop()
    }
}
