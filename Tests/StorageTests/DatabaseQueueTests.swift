// Which thread a write runs on, and that whoever comes in between still waits for their turn.

import ChatCore
import Dispatch
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite("Threads of the writer") struct DatabaseQueueTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func queue(briefly: Duration) async throws -> DatabaseQueue {
        let path = folder.file("test.sqlite")
        try FileSystem.createPrivately(path)
        let queue = try DatabaseQueue(label: "test", briefly: briefly) { () throws(StoreError) in
            try SQLiteConnection(path: path, mode: .readWrite)
        }
        try await queue.write { connection throws(StoreError) in
            try connection.executeScript("CREATE TABLE numbers(number INTEGER)")
        }
        return queue
    }

    /// Whether a write ran on the thread of its caller.
    private func isOnCallersThread(_ number: Int64, _ queue: DatabaseQueue) async throws -> Bool {
        let caller = pthread_self()
        return try await queue.write { connection throws(StoreError) in
            try connection.run("INSERT INTO numbers VALUES (?)", .integer(number))
            return pthread_self() == caller
        }
    }

    private func numbers(_ queue: DatabaseQueue) async throws -> [Int64] {
        try await queue.perform { connection throws(StoreError) in
            try connection.all("SELECT number FROM numbers ORDER BY rowid") { row in row.integer(0) }
        }
    }

    @Test("a write after a brief one runs where it is called, and so does the next")
    func brief() async throws {
        let queue = try await queue(briefly: .seconds(3600))
        for number in 1...3 { #expect(try await isOnCallersThread(Int64(number), queue)) }
        #expect(try await numbers(queue) == [1, 2, 3])
        await queue.close()
        await #expect(throws: StoreError.self) { try await isOnCallersThread(4, queue) }
    }

    @Test("a disk that is slow is waited for on the writer's own thread")
    func slow() async throws {
        let queue = try await queue(briefly: .zero)
        for number in 1...3 { #expect(try await !isOnCallersThread(Int64(number), queue)) }
        #expect(try await numbers(queue) == [1, 2, 3])
        await queue.close()
    }

    @Test("what fails on the caller's thread is undone, and its error is the caller's")
    func failing() async throws {
        let queue = try await queue(briefly: .seconds(3600))
        await #expect(throws: StoreError.notFound) {
            try await queue.write { connection throws(StoreError) in
                try connection.run("INSERT INTO numbers VALUES (1)")
                throw .notFound
            }
        }
        #expect(try await isOnCallersThread(2, queue))
        #expect(try await numbers(queue) == [2])
        await queue.close()
    }

    @Test("who comes while a caller commits waits for its end, and all of them are there in the end")
    func crowd() async throws {
        let queue = try await queue(briefly: .seconds(3600))
        let (begun, didBegin) = AsyncStream.makeStream(of: Void.self)
        let goOn = DispatchSemaphore(value: 0)
        let first = Task {
            try await queue.write { connection throws(StoreError) in
                didBegin.yield()
                goOn.wait()
                try connection.run("INSERT INTO numbers VALUES (0)")
            }
        }
        for await _ in begun { break }
        let others = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 {
                    group.addTask { _ = try await isOnCallersThread(Int64(number), queue) }
                }
                try await group.waitForAll()
            }
        }
        goOn.signal()
        try await first.value
        try await others.value
        let numbers = try await numbers(queue)
        #expect(numbers.first == 0)
        #expect(numbers.sorted() == Array(0...20))
        await queue.close()
    }
}
