// News of a transfer that the disk does not take: the transfer goes on all the same, and the peer hears of it later.

import BLIPNet
import CSQLite
import ChatCore
import Storage
import TestSupport
import Testing

@Suite("News that cannot be stored", .serialized) struct TransferNewsTests {
    @Test(
        "a file comes although nothing of it can be told, and is told when that is possible again",
        arguments: ["accepted", "complete"])
    func news(of state: String) async throws {
        let bob = try await FaultPeer("bob", listens: true)
        try await bob.start()
        let address = try #require(await bob.client.identity.address)
        let alice = try await FaultPeer("alice", listens: false)
        try await alice.start()
        let contact = try await alice.client.ask(.addContact(address, name: "bob")).id
        try await eventually("alice is online") { await alice.isOnline(contact) }
        // From here on the history refuses this news, as a full disk would.
        try execute(
            """
            CREATE TRIGGER fault BEFORE INSERT ON outbox WHEN NEW.transfer_state = '\(state)'
            BEGIN SELECT RAISE(ABORT, 'a fault of the test'); END
            """, in: bob.historyPath)
        let source = alice.folder.file("source.bin")
        try TestFile.generate(source, size: 100_000)
        let offer = try await alice.client.ask(.sendFile(at: source, named: nil, caption: "", to: contact))
        try await eventually("the file is there") { TestFile.names(in: bob.downloads) == ["source.bin"] }
        if state == "complete" {
            #expect(try await alice.store.transfer(offer.id)?.state != .complete)
            try execute("DROP TRIGGER fault", in: bob.historyPath)
        }
        try await eventually("both know that it is complete") {
            let states = (
                try await alice.store.transfer(offer.id)?.state, try await bob.store.transfer(offer.id)?.state
            )
            return states == (.complete, .complete)
        }
        #expect(TestFile.read(bob.downloads + "/source.bin") == TestFile.read(source))
        #expect(TestFile.names(in: bob.downloads) == ["source.bin"])
        await alice.stop()
        await bob.stop()
    }

    private func execute(_ sql: String, in path: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw ConditionNotMet("\(path) opens")
        }
        sqlite3_busy_timeout(handle, 10_000)
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw ConditionNotMet(String(cString: sqlite3_errmsg(handle)))
        }
    }
}
