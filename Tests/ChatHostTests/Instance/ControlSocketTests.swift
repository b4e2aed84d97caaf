// The lock of a home and its control socket, over real sockets.

import BLIPNet
import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatHost
@testable import ChatSettings

@Suite struct ControlSocketTests {
    @Test("lets one process hold a home, names it, and forgets it with the lock")
    func lock() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("blipchat.lock")
        #expect(InstanceLock.holder(path: path) == nil)
        do {
            let first = try InstanceLock(path: path)
            do {
                _ = try InstanceLock(path: path)
                Issue.record("locked twice")
            } catch {
                #expect(error.exit == .store)
                #expect(error.reason.contains("process \(getpid())"))
            }
            #expect(InstanceLock.holder(path: path) == getpid())
            _ = first
        }
        #expect(InstanceLock.holder(path: path) == nil)
        _ = try InstanceLock(path: path)
        #expect(TestFile.permissions(path) == 0o600)
    }

    @Test("can be had while others look who has it")
    func lookers() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("blipchat.lock")
        let looking = Task.detached {
            while !Task.isCancelled { _ = InstanceLock.holder(path: path) }
        }
        for _ in 0..<1000 {
            let lock = try InstanceLock(path: path)
            _ = consume lock
        }
        looking.cancel()
        await looking.value
    }

    /// A chat that knows only what a test asks.
    private struct FakeChat: LocalChat {
        let identity: LocalIdentity
        let answer: @Sendable (AnyCall) async throws(ChatError) -> any CallReply

        init(
            _ answer: @escaping @Sendable (AnyCall) async throws(ChatError) -> any CallReply = {
                _ throws(ChatError) in throw .noSuchContact
            }
        ) throws {
            let key = try #require(PeerID(String(repeating: "b", count: 51) + "a"))
            identity = LocalIdentity(peerID: key, name: "alice", address: nil, listening: nil)
            self.answer = answer
        }

        func events() async -> AsyncStream<ChatEvent> { AsyncStream { _ in } }
        func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply { try await answer(call) }
    }

    @Test("carries calls to the other side and back, in any folder", arguments: [5, 200])
    func requests(nameLength: Int) async throws {
        let directory = try TemporaryDirectory()
        let folder = try directory.makeFolder(String(repeating: "x", count: nameLength))
        let path = folder + "/blipchat.sock"
        let chat = try FakeChat { call throws(ChatError) in
            guard case .draft(let contact) = call else { throw .noSuchMessage }
            guard contact == ContactID(3) else { throw .noSuchContact }
            return "hi\u{202E}\n"
        }
        let server = try ControlServer(path: path, service: chat, until: .service)
        let running = Task { await server.run() }
        #expect(TestFile.permissions(path) == 0o600)

        let client = try #require(try await AttachedService.attach(to: path, as: Self.visitor))
        #expect(await client.chat.process == getpid())
        #expect(try await client.ask(.draft(for: ContactID(3))) == "hi\u{202E}\n")
        await #expect(throws: ChatError.noSuchContact) { try await client.ask(.draft(for: ContactID(4))) }
        await #expect(throws: ChatError.noSuchMessage) { try await client.ask(.conversations) }
        await client.detach()

        running.cancel()
        await running.value
        #expect(try await AttachedService.attach(to: path, as: Self.visitor) == nil)
        #expect(TestFile.size(path) == nil)
    }

    private static let visitor = Attacher.visitor(patience: .seconds(600))

    @Test(
        "answers its own user and nobody else, whatever the rights of the file are",
        .enabled(if: geteuid() == 0, "only root can be somebody else"))
    func otherUser() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let server = try ControlServer(path: path, service: try FakeChat(), until: .service)
        let running = Task { await server.run() }
        #expect(chmod(directory.path, 0o755) == 0 && chmod(path, 0o666) == 0)
        for (user, answer) in [(0, "answered"), (65_534, "refused")] {
            // Perl is a part of every Debian, and can become somebody else before it calls.
            let script = """
                $> = \(user); $SIG{PIPE} = "IGNORE";
                my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "cannot connect: $!";
                print $socket "{}\\n"; $socket->flush;
                print defined(readline $socket) ? "answered" : "refused";
                """
            let process = try ChildProcess(
                ["perl", "-MIO::Socket::UNIX", "-e", script, path], environment: ["PATH": "/usr/bin:/bin"],
                folder: directory)
            #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
            #expect(process.output == answer)
        }
        running.cancel()
        await running.value
    }

    @Test(
        "says nothing to another user who listens in the place of the chat",
        .enabled(if: geteuid() == 0, "only root can be somebody else"))
    func otherListener() async throws {
        let directory = try TemporaryDirectory()
        #expect(chmod(directory.path, 0o777) == 0)
        let path = directory.file("s")
        let script = """
            $> = 65534; $SIG{PIPE} = "IGNORE";
            my $server = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die "cannot listen: $!";
            chmod 0777, $ARGV[0];
            my $socket = $server->accept; print defined(readline $socket) ? "heard" : "nothing";
            """
        let process = try ChildProcess(
            ["perl", "-MIO::Socket::UNIX", "-e", script, path], environment: ["PATH": "/usr/bin:/bin"],
            folder: directory)
        // Perl listens before it changes the rights.
        try await eventually("it listens", state: { process.errorOutput }) { TestFile.permissions(path) == 0o777 }
        do throws(CommandError) {
            _ = try await AttachedService.attach(to: path, as: Self.visitor)
            Issue.record("it was asked")
        } catch {
            #expect(error.exit == .localIO && error.reason.contains("another user (65534)"), "\(error)")
        }
        #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
        #expect(process.output == "nothing")
    }

    @Test("answers nonsense with what is spoken here, and goes on with others")
    func nonsense() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let server = try ControlServer(path: path, service: try FakeChat(), until: .service)
        let running = Task { await server.run() }
        for line in ["not json\n", "{}\n", "{\"v\":1,\"op\":\"status\"}\n", "{\"hello\":{\"protocol\":\"x\"}}\n"] {
            let descriptor = try #require(try ControlSocket.connect(to: path))
            #expect(write(descriptor, line, line.utf8.count) == line.utf8.count)
            let connection = ControlConnection(descriptor: descriptor)
            let answer = try #require(try await connection.receive(timeout: .seconds(600)))
            #expect(answer["hello"]?["protocol"]?.integerValue == Int64(SessionGreeting.currentProtocol))
            #expect(try await connection.receive(timeout: .seconds(600)) == nil, "then it hangs up")
        }
        #expect(try await AttachedService.find(at: path, as: Self.visitor) != nil)
        running.cancel()
        await running.value
    }

    @Test("replaces a socket that a killed process has left")
    func leftOver() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        close(try ControlSocket.listen(at: path))
        #expect(TestFile.size(path) != nil)
        #expect(try ControlSocket.connect(to: path) == nil)
        close(try ControlSocket.listen(at: path))
    }

    @Test("a chat that ends answers what it is at, says farewell to all, and nothing else is done")
    func endsWithCommand() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let (begun, begin) = AsyncStream<AnyCall>.makeStream()
        let (needed, need) = AsyncStream<Void>.makeStream()
        let chat = try FakeChat { call throws(ChatError) in
            begin.yield(call)
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
            return NoReply()
        }
        let server = try ControlServer(path: path, service: chat, until: .moment) { need.yield() }
        let running = Task { await server.run() }
        func connect(_ greeting: SessionGreeting) async throws -> ControlConnection {
            let connection = ControlConnection(descriptor: try #require(try ControlSocket.connect(to: path)))
            await connection.send(greeting.json)
            let answer = try #require(try await connection.receive(timeout: .seconds(600)))
            #expect(SessionGreeting(answer)?.chat?.until == .moment)
            return connection
        }
        func hear(_ connection: ControlConnection) async throws -> String? {
            try await connection.receive(timeout: .seconds(600))?.text
        }
        #expect(try await AttachedService.attach(to: path) == nil, "nothing for front ends")
        let late = ControlConnection(descriptor: try #require(try ControlSocket.connect(to: path)))
        let quiet = try await connect(SessionGreeting(isQuiet: true))
        let busy = try await connect(SessionGreeting())
        for await _ in needed { break }
        await busy.send(try SessionLine.call(number: 1, .setOwnName(name: "x")).json())
        for await call in begun {
            #expect(call == .setOwnName(name: "x"))
            break
        }
        running.cancel()
        #expect(try await hear(busy) == #"{"reply":1,"value":{}}"#)
        let bye = #"{"bye":{"continues":true}}"#
        for connection in [busy, quiet, late] {
            #expect(try await hear(connection) == bye)
            #expect(try await hear(connection) == nil)
        }
        await running.value
        #expect(try ControlSocket.connect(to: path) == nil)
    }

    @Test("stops waiting at the time-out and at cancellation")
    func readiness() async throws {
        var made: [Int32] = [0, 0]
        #expect(pipe(&made) == 0)
        let ends = made
        defer { for end in ends { close(end) } }
        let reading = ends[0]
        #expect(await Readiness.readable.wait(on: reading, timeout: .milliseconds(5)) == false)
        let waiting = Task { await Readiness.readable.wait(on: reading, timeout: nil) }
        waiting.cancel()
        #expect(await waiting.value == false)
        #expect(write(ends[1], "x", 1) == 1)
        #expect(await Readiness.readable.wait(on: reading, timeout: .seconds(600)))
        // Many at once, on the same descriptors, of which some end and some do not.
        let both = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { await Readiness.readable.wait(on: reading, timeout: nil) }
                group.addTask { await Readiness.writable.wait(on: ends[1], timeout: .seconds(600)) }
                group.addTask { await !Readiness.readable.wait(on: ends[1], timeout: .milliseconds(5)) }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(both.count == 150 && both.allSatisfy { $0 })
        #expect(await Task { await Readiness.readable.wait(on: -7, timeout: .milliseconds(5)) }.value == false)
    }
}
