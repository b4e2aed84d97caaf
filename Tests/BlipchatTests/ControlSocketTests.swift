// The lock of a home and its control socket, over real sockets.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import blipchat

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

    @Test("carries operations to the other side and back, in any folder", arguments: [5, 200])
    func requests(nameLength: Int) async throws {
        let directory = try TemporaryDirectory()
        let folder = try directory.makeFolder(String(repeating: "x", count: nameLength))
        let path = folder + "/blipchat.sock"
        let server = try ControlServer(path: path) { operation, records in
            guard case .send(let who, let text, _, _) = operation else {
                return .failed(CommandError(.usage, "op", "no"))
            }
            for number in Int64(0)..<3 { await records(.record(["type": "part", "number": .integer(number)])) }
            return who == "bob" ? .done(.queued) : .failed(CommandError(.notFound, who, text, advice: "add"))
        }
        let running = Task { await server.run() }
        #expect(TestFile.permissions(path) == 0o600)

        let client = try #require(try ControlClient(path: path))
        let records = RecordList()
        let result = await client.perform(
            .send(to: "bob", text: "hi\u{202E}\n", timeout: nil), patience: .seconds(600)
        ) {
            await records.append($0)
        }
        #expect(result == .done(.queued))
        #expect(await records.all.compactMap { $0["number"]?.integerValue } == [0, 1, 2])
        let failed = await client.perform(.send(to: "eve", text: "é", timeout: nil), patience: .seconds(600)) { _ in }
        #expect(failed == .failed(CommandError(.notFound, "eve", "é", advice: "add")))

        running.cancel()
        await running.value
        #expect(try ControlClient(path: path) == nil)
        #expect(TestFile.size(path) == nil)
    }

    @Test(
        "answers its own user and nobody else, whatever the rights of the file are",
        .enabled(if: geteuid() == 0, "only root can be somebody else"))
    func otherUser() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let server = try ControlServer(path: path) { _, _ in .done(.done) }
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
            _ = try ControlClient(path: path)
            Issue.record("it was asked")
        } catch {
            #expect(error.exit == .localIO && error.reason.contains("another user (65534)"), "\(error)")
        }
        #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
        #expect(process.output == "nothing")
    }

    @Test("answers nonsense with an error and goes on with others")
    func nonsense() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let server = try ControlServer(path: path) { _, _ in .done(.done) }
        let running = Task { await server.run() }
        for line in ["not json\n", "{}\n", "{\"v\":1,\"op\":\"fly\"}\n", "{\"v\":1,\"op\":\"send\",\"to\":7}\n"] {
            let descriptor = try #require(try ControlSocket.connect(to: path))
            #expect(write(descriptor, line, line.utf8.count) == line.utf8.count)
            let connection = ControlConnection(descriptor: descriptor)
            let received = try await connection.receive(timeout: .seconds(600))
            let answer = try #require(received)
            guard case .failed(let error) = try #require(ControlResult(answer)) else {
                Issue.record("accepted \(line)")
                continue
            }
            #expect(error.exit == .usage)
        }
        let client = try #require(try ControlClient(path: path))
        #expect(await client.perform(.status, patience: .seconds(600)) { _ in } == .done(.done))
        running.cancel()
        await running.value
    }

    @Test("ends an operation whose asker has gone")
    func hangUp() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let (cancelled, told) = AsyncStream<Void>.makeStream()
        let server = try ControlServer(path: path) { _, _ in
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
            told.yield()
            return .done(.done)
        }
        let running = Task { await server.run() }
        let descriptor = try #require(try ControlSocket.connect(to: path))
        let line = ControlOperation.events.json.text + "\n"
        #expect(write(descriptor, line, line.utf8.count) == line.utf8.count)
        close(descriptor)
        for await _ in cancelled { break }
        running.cancel()
        await running.value
    }

    @Test("replaces a socket that a killed process has left")
    func leftOver() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        close(try ControlSocket.listen(at: path))
        #expect(TestFile.size(path) != nil)
        #expect(try ControlClient(path: path) == nil)
        close(try ControlSocket.listen(at: path))
    }

    @Test("writes every operation so that it reads it back")
    func operations() throws {
        let all: [ControlOperation] = [
            .send(to: "a", text: "b\n", timeout: .milliseconds(1500)),
            .sendFiles(to: "a", paths: ["/p", "/q"], name: nil, caption: "c", timeout: .seconds(1)),
            .sendFiles(to: "a", paths: ["/p"], name: "n", caption: "", timeout: nil),
            .send(to: "a", text: "", timeout: .zero),
            .wait(for: Self.ids, to: "a", timeout: .seconds(3), whole: .seconds(4)),
            .receive(ReceiveOrder(from: "b", once: true, limit: 5, folder: "/d", timeout: .seconds(2))),
            .receive(ReceiveOrder(from: nil, once: false, limit: nil, folder: nil, timeout: nil)),
            .limitRate("up", bytesPerSecond: 1000), .limitRate("7", bytesPerSecond: nil),
            .addContact(address: "h:1", name: nil),
            .addContact(address: "h:1", name: "x"), .renameContact("a", to: "b"), .removeContact("a"),
            .setBlocked("a", true), .approveRequest(3, name: nil), .rejectRequest(4),
            .changeTransfer(8, .accept, folder: "/d"), .changeTransfer(8, .cancel, folder: nil),
            .listTransfers(unfinishedOnly: true), .status, .events,
        ]
        for operation in all {
            let line = operation.json.text
            #expect(try ControlOperation(JSONReader.read(Array(line.utf8))) == operation)
        }
    }

    private static let ids = ["01900000-0000-7000-8000-000000000001"].compactMap { MessageID($0) }

    @Test("a command that ends tells those who wait to ask again, and finishes what it is at")
    func endsWithCommand() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let server = try ControlServer(path: path) { operation, records in
            begin.yield()
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
            await records(Records.stored(Self.ids[0]))
            return operation.isSending ? .failed(CommandError(.queued, "bob", "later")) : .done(.done)
        }
        let running = Task { await server.run() }
        func ask(_ operation: ControlOperation) throws -> Task<ControlResult, Never> {
            let client = try #require(try ControlClient(path: path))
            return Task { await client.perform(operation, patience: .seconds(600)) { _ in } }
        }
        let late = try #require(try ControlClient(path: path))
        let sending = try ask(.send(to: "bob", text: "x", timeout: .seconds(600)))
        let waiting = try ask(.wait(for: Self.ids, to: "bob", timeout: .seconds(600), whole: .seconds(600)))
        let queuing = try ask(.send(to: "bob", text: "x", timeout: nil))
        let watching = try ask(.events)
        let renaming = try ask(.renameContact("bob", to: "rob"))
        var count = 0
        for await _ in begun {
            count += 1
            if count == 5 { break }
        }
        let receiving = try ask(.receive(ReceiveOrder(once: true)))
        #expect(await receiving.value == .again, "files are for who stays")
        #expect(try await AttachedService.attach(to: path) == nil, "and so are front ends")
        running.cancel()
        #expect(await sending.value == .again)
        #expect(await waiting.value == .again)
        #expect(await queuing.value == .failed(CommandError(.queued, "bob", "later")), "it is not to be stored twice")
        #expect(await watching.value == .again)
        #expect(await renaming.value == .done(.done))
        #expect(await late.perform(.status, patience: .seconds(600)) { _ in } == .again)
        await running.value
        #expect(try ControlClient(path: path) == nil)
    }

    @Test("what is stored is only waited for when another process goes on, for as long as is left")
    func rest() {
        let sending = ControlOperation.send(to: "bob", text: "x", timeout: .seconds(10))
        #expect(sending.rest(after: .seconds(4), stored: []) == sending)
        let rest = sending.rest(after: .seconds(4), stored: Self.ids)
        #expect(rest == .wait(for: Self.ids, to: "bob", timeout: .seconds(6), whole: .seconds(10)))
        #expect(rest.rest(after: .seconds(1)) == rest)
        let later = ControlOperation.wait(for: Self.ids, to: "bob", timeout: .zero, whole: .seconds(10))
        #expect(sending.rest(after: .seconds(11), stored: Self.ids) == later)
        #expect(rest.rest(after: .seconds(7), stored: Self.ids) == later)
        let receiving = ControlOperation.receive(ReceiveOrder(once: true, timeout: .seconds(5)))
        #expect(receiving.rest(after: .seconds(4)) == .receive(ReceiveOrder(once: true, timeout: .seconds(1))))
        let files = ControlOperation.sendFiles(
            to: "bob", paths: ["/p"], name: nil, caption: "", timeout: .seconds(10))
        #expect(files.rest(after: .seconds(4), stored: Self.ids) == rest)
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
