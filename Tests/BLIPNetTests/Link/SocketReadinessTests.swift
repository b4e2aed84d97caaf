// Readiness of real sockets: level-triggered, on the owner's queue, silent after the end.

import CLinux
import Glibc
import Synchronization
import Testing

@testable import BLIPNet

private final class Counter: Sendable {
    private let count = Atomic(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
}

extension EventLoop {
    /// Runs `body` on the loop and waits for its end.
    func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            execute {
                body()
                continuation.resume()
            }
        }
    }
}

@Suite("Readiness of sockets", .timeLimit(.minutes(5))) struct SocketReadinessTests {
    private func pair() throws -> (Socket, Socket) {
        var numbers: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &numbers) == 0)
        return (Socket(adopting: numbers[0]), Socket(adopting: numbers[1]))
    }

    private func wait(_ condition: () -> Bool) async throws {
        for _ in 0..<6000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
        try #require(condition())
    }

    private func write(_ text: StaticString, to socket: Socket) {
        text.withUTF8Buffer { _ = socket.write(UnsafeRawBufferPointer($0)) }
    }

    @Test("what is not read is told again, and what is not wanted is not told")
    func levelTriggered() async throws {
        let (own, other) = try pair()
        let reads = Counter()
        let writes = Counter()
        let loop = EventLoop.next()
        let readiness = SocketReadiness(
            socket: own, loop: loop,
            readable: {
                loop.checkIsolated()
                reads.add()
            }, writable: { writes.add() })
        await loop.run { readiness.wantReads(true) }
        write("x", to: other)
        try await wait { reads.value >= 3 }
        #expect(writes.value == 0)
        await loop.run { readiness.wantReads(false) }
        let seen = reads.value
        await loop.run { readiness.wantWrites(true) }
        try await wait { writes.value >= 3 }
        #expect(reads.value == seen)
        await loop.run { readiness.cancel() }
        let last = writes.value
        write("y", to: other)
        await loop.run {}
        #expect(writes.value == last)
    }

    @Test("a hang-up is told to readers and to writers")
    func hangUp() async throws {
        let reads = Counter()
        let writes = Counter()
        let loop = EventLoop.next()
        var ends: (Socket, Socket)? = try pair()
        let own = try #require(ends?.0)
        let readiness = SocketReadiness(
            socket: own, loop: loop, readable: { reads.add() },
            writable: { writes.add() })
        ends = nil
        await loop.run {
            readiness.wantReads(true)
            readiness.wantWrites(true)
        }
        try await wait { reads.value > 0 && writes.value > 0 }
        await loop.run { readiness.cancel() }
    }

    @Test("sockets that hang up and come again under the same number disturb nobody")
    func churn() async throws {
        let loops = (0..<4).map { _ in EventLoop.next() }
        for round in 0..<200 {
            let (own, other) = try pair()
            let loop = loops[round % 4]
            let told = Counter()
            let readiness = SocketReadiness(socket: own, loop: loop, readable: { told.add() }, writable: {})
            await loop.run {
                readiness.wantWrites(true)
                readiness.wantReads(true)
                write("x", to: other)
                _ = shutdown(other.descriptor, Int32(SHUT_RDWR))
            }
            try await wait { told.value > 0 }
            // Half of them end while news are on their way, half when nobody refers to them any more.
            if round % 2 == 0 { loop.execute { readiness.cancel() } }
        }
    }
}
