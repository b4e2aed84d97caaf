// Writes of several callers share a commit; nobody notices but the disk.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite("Writes that come together") struct GroupCommitTests {
    private let disk = FaultyDisk.shared

    @Test("share commits: sends that are under way at once need few, one after the other one each")
    func sharing() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let before = try folder.commitsInLog()
        let results = try await together(40, in: database) { try await database.say("\($0)", to: bob) }
        let messages = try results.map { try $0.get() }
        // Somebody may have been late for the first one.
        #expect(try folder.commitsInLog() - before <= 5)
        #expect(Set(messages.map(\.sequence)) == Set(1...40))
        #expect(try await folder.textsAfterCrash(of: bob).sorted() == messages.map(\.text).sorted())
        #expect(try await database.page(of: bob, .newest, limit: 99) == messages.sorted { $0.position < $1.position })
        #expect(try await database.outbox(for: bob, limit: 99).count == 40)
        let single = try folder.commitsInLog()
        for number in 1...3 { try await database.say("alone \(number)", to: bob) }
        // The index may follow with a commit of its own.
        #expect(try folder.commitsInLog() >= single + 3)
        await database.close()
    }

    @Test(
        "messages that came together are stored in one commit, and one that cannot be stored takes none of them with it"
    )
    func receiving() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let known = incoming(.text("known"), from: bob)
        _ = try await database.appendIncoming(known)
        var messages = (2...40).map { number in
            var message = incoming(.text("\(number)"), from: bob)
            message.sequence = Int64(number)
            return message
        }
        let tooLarge = incoming(
            .file(name: "f", size: .max, modified: .init(milliseconds: 1), contentType: "x/y", caption: ""), from: bob)
        messages.insert(tooLarge, at: 10)
        messages.insert(known, at: 20)
        let before = try folder.commitsInLog()
        let outcomes = try await database.appendIncoming(messages)
        // The index may follow with a commit of its own.
        #expect(try folder.commitsInLog() - before <= 2)
        for (message, outcome) in zip(messages, outcomes) {
            switch (message.id, outcome) {
            case (known.id, .success(.duplicate)): break
            case (tooLarge.id, .failure(.failed)): break
            case (_, .success(let outcome)): #expect(outcome.inserted?.id == message.id)
            default: Issue.record("\(outcome)")
            }
        }
        #expect(try await folder.textsAfterCrash(of: bob) == ["known"] + (2...40).map(String.init))
        await database.close()
    }

    @Test("offers of one folder are stored together or not at all")
    func offering() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        func file(_ number: Int, size: UInt64 = 1) -> NewOutgoingFile {
            NewOutgoingFile(
                path: "/tmp/\(number)", name: "\(number)", size: size, modified: .init(milliseconds: 5),
                contentType: "x/y", caption: "")
        }
        let before = try folder.commitsInLog()
        let offers = try await database.enqueueFileOffers(
            to: bob, files: (1...30).map { file($0) }, at: .init(milliseconds: 1))
        #expect(try folder.commitsInLog() - before <= 2)
        #expect(offers.map(\.sequence) == Array(1...30))
        await #expect(throws: StoreError.self) {
            try await database.enqueueFileOffers(
                to: bob, files: [file(1), file(2, size: .max)], at: .init(milliseconds: 1))
        }
        #expect(try await database.outbox(for: bob, limit: 99).count == 30)
        let ids = offers.map(\.id)
        #expect(try await Set(database.transfers(ids + [MessageID(at: .init(milliseconds: 9))]).map(\.id)) == Set(ids))
        try await database.enqueueFileStatus(to: bob, transfers: ids, state: .cancelled)
        #expect(try await database.outbox(for: bob, limit: 99).count == 60)
        await database.close()
    }

    @Test("what one of them may not do takes nothing away from the others")
    func refusing() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let unknown = ContactID(99)
        let results = try await together(12, in: database) { number in
            try await database.say("\(number)", to: number % 3 == 0 ? unknown : bob)
        }
        for (number, result) in results.enumerated() {
            switch result {
            case .success(let message): #expect(message.text == "\(number)" && number % 3 != 0)
            case .failure(let error): #expect(error as? StoreError == .notFound && number % 3 == 0)
            }
        }
        #expect(try await database.page(of: bob, .newest, limit: 99).map(\.sequence) == Array(1...8))
        #expect(try await folder.textsAfterCrash(of: bob).count == 8)
        await database.close()
    }

    @Test("a sync or a write that fails once: each is there once, now and after a crash", arguments: [false, true])
    func failing(isLate: Bool) async throws {
        for (call, code) in [
            (FaultyDisk.Call.sync, FaultyDisk.ioErrorOnSync), (.write, FaultyDisk.ioErrorOnWrite),
        ] {
            let folder = try TestFolder()
            let database = try await folder.open()
            let bob = try await database.contact("bob")
            disk.fail(call, of: folder.path, with: code, failing: 1, isLate: isLate)
            let results = try await together(20, in: database) { try await database.say("\($0)", to: bob) }
            #expect(disk.failures(of: folder.path) == 1)
            disk.heal(folder.path)
            let messages = try results.map { try $0.get() }.sorted { $0.position < $1.position }
            #expect(messages.map(\.sequence) == Array(1...20))
            #expect(try await database.page(of: bob, .newest, limit: 99) == messages)
            #expect(try await folder.textsAfterCrash(of: bob) == messages.map(\.text))
            await database.close()
        }
    }

    @Test("a state among them whose commit failed is not told")
    func unknownState() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("x", to: bob)
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync, failing: 1)
        let results = try await together(8, in: database) { number in
            number == 4
                ? try await database.advanceState(of: message.id, in: bob, to: .delivered)
                : try await database.say("\(number)", to: bob)
        }
        disk.heal(folder.path)
        #expect(throws: StoreError.self) { try results[4].get() }
        #expect(try await database.message(message.id)?.state == .pending)
        #expect(results.filter { (try? $0.get()) != nil }.count == 7)
        #expect(try await folder.textsAfterCrash(of: bob).count == 8)
        await database.close()
    }

    @Test("a disk that is full for a moment refuses some and keeps the others")
    func full() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        disk.fail(.write, of: folder.path, with: FaultyDisk.full, passing: 60, failing: 3)
        let long = String(repeating: "x", count: 20_000)
        let results = try await together(20, in: database) { try await database.say("\($0) \(long)", to: bob) }
        disk.heal(folder.path)
        let kept = results.compactMap { try? $0.get() }.sorted { $0.position < $1.position }
        #expect(!kept.isEmpty && kept.count < 20)
        for case .failure(let error) in results { #expect(error as? StoreError == .diskFull) }
        #expect(kept.map(\.sequence) == Array(1...Int64(kept.count)))
        #expect(try await folder.textsAfterCrash(of: bob) == kept.map(\.text))
        try await database.say("room again", to: bob)
        await database.close()
    }
}

/// What `work` gives for each number, all of it asked for while the writer is busy with something else.
func together<Value: Sendable>(
    _ count: Int, in database: HistoryDatabase, _ work: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Result<Value, any Error>] {
    let (busy, begun) = AsyncStream.makeStream(of: Void.self)
    let holder = Task {
        try await database.writer.perform { _ throws(StoreError) in
            begun.yield()
            // A task that runs has not asked yet: its write has to wait in the queue. Work that never comes holds up nobody for good.
            for _ in 0..<2_000 where database.writer.waitingWrites < count { usleep(5_000) }
        }
    }
    for await _ in busy { break }
    let results = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
        for number in 0..<count {
            group.addTask {
                do { return (number, .success(try await work(number))) } catch { return (number, .failure(error)) }
            }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    try await holder.value
    return results.sorted { $0.key < $1.key }.map(\.value)
}
