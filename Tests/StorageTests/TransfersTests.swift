// Transfers and their lines in the history.

import ChatCore
import Storage
import Testing

@Suite("Transfers")
struct TransfersTests {
    @Test("an id that somebody else's file is held under cannot be taken")
    func heldElsewhere() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let (alice, bob) = (try await database.contact("alice", key: 1), try await database.contact("bob", key: 2))
        let file = IncomingMessage.Content.file(
            name: "f", size: 1, modified: .init(milliseconds: 1), contentType: "x/y", caption: "")
        var held = incoming(file, from: alice)
        held.sequence = 2
        #expect(try await database.appendIncoming(held) == .held)
        #expect(try await database.appendIncoming(incoming(file, from: bob, id: held.id)) == .conflict)
        #expect(try await database.hear("before it", from: alice).inserted != nil)
        #expect(try await database.page(of: alice, .newest, limit: 9).map(\.text) == ["before it", "f"])
        await database.close()
    }

    private func offer(_ name: String, size: UInt64 = 10) -> NewOutgoingFile {
        NewOutgoingFile(
            path: "/tmp/\(name)", name: name, size: size, modified: .init(milliseconds: 5), contentType: "text/plain",
            caption: "look")
    }

    @Test("have numbers that go up and stand in the history as files")
    func enqueues() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let first = try await database.enqueueFileOffer(to: bob, file: offer("a.txt"), at: .init(milliseconds: 1))
        let outcome = try await database.appendIncoming(
            incoming(
                .file(name: "b", size: 3, modified: .init(milliseconds: 2), contentType: "x/y", caption: ""), from: bob)
        )
        let second = try #require(outcome.inserted)
        let transfers = try await database.transfers(unfinishedOnly: true, limit: 9)
        #expect(transfers.map(\.name) == ["b", "a.txt"])
        #expect(transfers.map(\.number.rawValue) == [2, 1])
        #expect(transfers.map(\.direction) == [.incoming, .outgoing])
        #expect(transfers.map { .file($0) } == [second.content, first.content])
        #expect(try await database.transfer(number: .init(1))?.path == "/tmp/a.txt")
        #expect(try await database.outbox(for: bob, limit: 9).map(\.operation) == [.message(first)])
    }

    @Test("change with their history line, and never leave a final state")
    func updates() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.enqueueFileOffer(to: bob, file: offer("a"), at: .init(milliseconds: 1))
        var transfer = try #require(try await database.transfer(message.id))
        transfer.state = .running
        transfer.transferred = 7
        try await database.updateTransfer(transfer, reporting: true)
        #expect(try await database.page(of: bob, .newest, limit: 1).first?.content == .file(transfer))
        transfer.state = .complete
        transfer.sha256 = "ab"
        transfer.finished = .init(milliseconds: 8)
        try await database.updateTransfer(transfer, reporting: true)
        var late = transfer
        late.state = .running
        try await database.updateTransfer(late, reporting: true)
        #expect(try await database.transfer(message.id) == transfer)
        #expect(try await database.transfers(unfinishedOnly: true, limit: 9).isEmpty)
        #expect(try await database.transfers(unfinishedOnly: false, limit: 9) == [transfer])
    }

    @Test("cannot take the id of another one")
    func refusesTakenID() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let mallory = try await database.contact("mallory")
        let mine = try await database.enqueueFileOffer(to: bob, file: offer("a"), at: .init(milliseconds: 1))
        let file = IncomingMessage.Content.file(
            name: "b", size: 3, modified: .init(milliseconds: 2), contentType: "x/y", caption: "")
        #expect(try await database.appendIncoming(incoming(file, from: mallory, id: mine.id)) == .conflict)
        let theirs = try #require(try await database.appendIncoming(incoming(file, from: bob)).inserted)
        #expect(try await database.appendIncoming(incoming(file, from: bob, id: theirs.id)) == .duplicate)
        #expect(try await database.appendIncoming(incoming(file, from: mallory, id: theirs.id)) == .conflict)
    }

    @Test("refuse a size that no file has")
    func refusesHugeSizes() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let file = IncomingMessage.Content.file(
            name: "b", size: .max, modified: .init(milliseconds: .min), contentType: "", caption: "")
        await #expect(throws: StoreError.self) { try await database.appendIncoming(incoming(file, from: bob)) }
        #expect(try await database.page(of: bob, .newest, limit: 9).isEmpty)
    }

    @Test("queue their latest news for the peer, once")
    func queuesStatus() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let id = MessageID(at: .init(milliseconds: 3))
        try await database.enqueueFileStatus(to: bob, transfer: id, state: .accepted)
        try await database.say("between", to: bob)
        try await database.enqueueFileStatus(to: bob, transfer: id, state: .complete)
        let entries = try await database.outbox(for: bob, limit: 9)
        #expect(entries.count == 2)
        #expect(entries.last?.operation == .fileStatus(transfer: id, state: .complete))
        try await database.removeOutboxEntry(try #require(entries.last?.id))
        #expect(try await database.outbox(for: bob, limit: 9).count == 1)
    }
}
