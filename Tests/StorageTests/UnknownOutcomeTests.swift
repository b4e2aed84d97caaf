// After an I/O error nobody knows what a commit has done: real SQLite on a disk that fails (RELIABILITY D10).

import ChatCore
import TestSupport
import Testing

@testable import Storage

@Suite("D10: an I/O error is no answer; the history is asked what is in it")
struct UnknownOutcomeTests {
    private let disk = FaultyDisk.shared

    @Test("a sync that fails once: the message is there once, now and after a crash", arguments: [false, true])
    func failsOnce(isLate: Bool) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync, failing: 1, isLate: isLate)
        let message = try await database.say("once", to: bob)
        #expect(disk.failures(of: folder.path) == 1)
        disk.heal(folder.path)
        #expect(message.sequence == 1)
        #expect(try await database.page(of: bob, .newest, limit: 9) == [message])
        #expect(try await database.outbox(for: bob, limit: 9).map(\.operation) == [.message(message)])
        #expect(try await folder.textsAfterCrash(of: bob) == ["once"])
        #expect(try await database.say("next", to: bob).sequence == 2)
        await database.close()
    }

    @Test("every write and every sync of a send fails once in turn: never lost, never double", arguments: 0..<6)
    func failsAnywhere(place: Int) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        disk.fail(.write, of: folder.path, with: FaultyDisk.ioErrorOnWrite, passing: place, failing: 1, isLate: true)
        var said = ["before"]
        try await database.say("before", to: bob)
        for number in 1...4 {
            let text = "\(number)"
            // An error is allowed; then the text is still the user's, and the history does not have it.
            if (try? await database.say(text, to: bob)) != nil { said.append(text) }
        }
        disk.heal(folder.path)
        let messages = try await database.page(of: bob, .newest, limit: 9)
        #expect(messages.map(\.text) == said)
        #expect(messages.map(\.sequence) == Array(1...Int64(said.count)))
        #expect(try await folder.textsAfterCrash(of: bob) == said)
        await database.close()
    }

    @Test("a disk that stays broken is an error, and what it refused does not come back when it works again")
    func staysBroken() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync)
        await #expect(throws: StoreError.self) { try await database.say("refused", to: bob) }
        disk.heal(folder.path)
        #expect(try await database.page(of: bob, .newest, limit: 9).isEmpty)
        #expect(try await database.outbox(for: bob, limit: 9).isEmpty)
        try await database.say("again", to: bob)
        #expect(try await folder.textsAfterCrash(of: bob) == ["again"])
        await database.close()
    }

    @Test("an incoming message whose commit fails once is stored once, and is known when it comes again")
    func receiving() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync, failing: 1)
        let message = incoming(.text("hello"), from: bob)
        #expect(try await database.appendIncoming(message).inserted?.text == "hello")
        disk.heal(folder.path)
        #expect(try await database.appendIncoming(message) == .duplicate)
        #expect(try await folder.textsAfterCrash(of: bob) == ["hello"])
        await database.close()
    }

    @Test("a state whose commit failed is not told, and does not come back by itself after a crash")
    func states() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("x", to: bob)
        disk.fail(.sync, of: folder.path, with: FaultyDisk.ioErrorOnSync, failing: 1)
        await #expect(throws: StoreError.self) {
            try await database.advanceState(of: message.id, in: message.contact, to: .delivered)
        }
        disk.heal(folder.path)
        for suffix in ["", "-wal"] {
            try overwrite(folder.database + ".copy" + suffix, with: contents(of: folder.database + suffix))
        }
        let copy = try await HistoryDatabase.open(at: folder.database + ".copy")
        #expect(try await copy.message(message.id)?.state == .pending)
        #expect(try await copy.outbox(for: bob, limit: 9).count == 1)
        await copy.close()
        #expect(
            try await database.advanceState(of: message.id, in: message.contact, to: .delivered)?.state == .delivered)
        await database.close()
    }

    @Test("D9: a full disk is a clear error, changes nothing, and the next write after making room works")
    func fullDisk() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        for passing in 0..<4 {
            disk.fail(.write, of: folder.path, with: FaultyDisk.full, passing: passing)
            await #expect(throws: StoreError.diskFull) {
                for _ in 0..<3 { try await database.say(String(repeating: "x", count: 20_000), to: bob) }
            }
            disk.heal(folder.path)
            let texts = try await database.page(of: bob, .newest, limit: 100).map(\.text)
            #expect(try await folder.textsAfterCrash(of: bob) == texts)
            let sequences = try await database.page(of: bob, .newest, limit: 100).map(\.sequence)
            #expect(sequences == sequences.indices.map { Int64($0 + 1) })
        }
        let message = try await database.say("room again", to: bob)
        #expect(try await database.message(message.id) == message)
        await database.close()
    }
}
