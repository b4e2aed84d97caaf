// Socket.IO rooms in the history: contacts without a key, and lines with a label in place of a number.

import ChatCore
import Testing

@testable import Storage

@Suite("Rooms in the history") struct RoomsTests {
    private func room(_ text: String = "sio+tls://chat.example/garden") throws -> JoinedRoom {
        JoinedRoom(url: try RoomURL(parsing: text))
    }

    private func newRoom(_ name: String) throws -> NewContact {
        var contact = NewContact(peerID: nil, name: name, addresses: [], added: .init(milliseconds: 1))
        contact.room = try room()
        return contact
    }

    @Test("a history of before gets rooms, and everybody in it stays a person; a copy is kept")
    func migration() async throws {
        let folder = try TestFolder()
        let old = try await HistoryDatabase.open(
            at: folder.database, readOnly: false, steps: Array(Schema.migrations.prefix(13)))
        try await old.writer.write { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO contacts(id, peer_id, name, folded_name, addresses, trust, added)
                    VALUES (1, '\(peerID(3)?.text ?? "")', 'bob', 'bob', 'blip://127.0.0.1:4985', 'verified', 1),
                        (2, NULL, 'carol', 'carol', '', 'unverified', 1);
                INSERT INTO conversations(contact, last_message, message_count, next_sequence) VALUES (1, 2, 2, 2), (2, NULL, 0, 1);
                INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, text) VALUES
                    (1, 1, 1, '00000000-0000-7000-8000-000000000001', 1, 1, 1, 3, 'ours'),
                    (2, 1, 0, '00000000-0000-7000-8000-000000000002', 1, 2, 2, 3, 'theirs');
                """)
        }
        await old.reader.close()
        await old.writer.close()
        let database = try await folder.open()
        #expect(folder.names().contains("history.sqlite.v13.bak"))
        let people = try await database.contacts()
        #expect(people.map(\.room) == [nil, nil] && people.map(\.name) == ["bob", "carol"])
        #expect(people[0].trust == .verified && people[0].peerID == peerID(3))
        let lines = try await database.page(of: ContactID(1), .newest, limit: 9)
        #expect(lines.map(\.text) == ["ours", "theirs"] && lines.allSatisfy { $0.sender == nil })
        let added = try await database.addContact(try newRoom("garden"))
        #expect(added.id == ContactID(3))
        await database.close()
        // Lines that were put in by hand are in no index, and nobody has counted them.
        let faults = await HistoryInspection.run(at: folder.database, isInUse: false)
            .filter { $0.verdict == .error && ![.search, .figures].contains($0.kind) }
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("a room is kept with its settings and whether it was left, beside people")
    func contacts() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        _ = try await database.contact("bob", key: 3)
        var garden = try await database.addContact(try newRoom("garden"))
        #expect(garden.room == (try room()) && garden.peerID == nil && garden.trust == .unverified)
        garden.room = JoinedRoom(url: try RoomURL(parsing: "sio://h:3000/?event=msg&as=Jo"), isLeft: true)
        let changed = garden
        try await database.updateContact(changed)
        await database.close()
        let again = try await folder.open()
        #expect(try await again.contacts().map(\.room) == [nil, changed.room])
        #expect(try await again.conversations().last?.peer == changed)
        await again.close()
    }

    @Test("what a room says has a label and no number: it is never held back, and never missing")
    func lines() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let garden = try await database.addContact(try newRoom("garden")).id
        func line(_ text: String, from sender: String, id: MessageID? = nil) -> IncomingMessage {
            var message = incoming(.text(text), from: garden, id: id)
            message.sequence = IncomingMessage.unnumbered
            message.sender = sender
            return message
        }
        let id = MessageID(at: .init(milliseconds: 5))
        #expect(try await database.appendIncoming(line("one", from: "alice", id: id)).inserted?.sender == "alice")
        #expect(try await database.appendIncoming(line("one", from: "alice", id: id)) == .duplicate)
        #expect(try await database.appendIncoming(line("other", from: "eve", id: id)) == .conflict)
        #expect(try await database.appendIncoming(line("two", from: "eve")).inserted?.sequence == 2)
        try await database.say("ours", to: garden)
        let lines = try await database.page(of: garden, .newest, limit: 9)
        #expect(lines.map(\.sender) == ["alice", "eve", nil] && lines.allSatisfy { $0.missingBefore == 0 })
        #expect(try await database.texts("two") == ["two"])
        #expect(try await database.contactsWithHeld().isEmpty)
        #expect(try await database.conversations().first?.unreadCount == 2)
        await database.close()
        #expect(await HistoryInspection.run(at: folder.database, isInUse: false).allSatisfy { $0.verdict != .error })
    }

    @Test("a line that was emitted and will never be confirmed is no damage in a room, but is with a person")
    func unconfirmed() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let garden = try await database.addContact(try newRoom("garden")).id
        let bob = try await database.contact("bob", key: 3)
        for contact in [garden, bob] {
            let message = try await database.say("hello", to: contact)
            _ = try await database.advanceState(of: message.id, in: contact, to: .sent)
            for entry in try await database.outbox(for: contact, limit: 9) {
                try await database.removeOutboxEntry(entry.id)
            }
        }
        try await database.writer.write { connection throws(StoreError) in
            try HistoryRepair.failUnqueued(in: connection)
        }
        #expect(try await database.page(of: garden, .newest, limit: 1).first?.state == .sent)
        #expect(try await database.page(of: bob, .newest, limit: 1).first?.state == .failed(reason: .placeLost))
        await database.close()
    }

    @Test("a room whose address cannot be read is found, and mended into a contact without one", arguments: [1, 2, 7])
    func damaged(kind: Int64) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let garden = try await database.addContact(try newRoom("garden")).id
        let rows = try await database.writer.write { connection throws(StoreError) in
            try connection.run("UPDATE contacts SET kind = ?, room = 'no room'", .integer(kind))
            let rows = try HistoryValues.unreadable(in: connection)
            try HistoryValues.mend(rows, in: connection)
            return rows
        }
        #expect(rows == [HistoryValues.Row(table: .contacts, number: garden.rawValue)])
        let mended = try await database.contacts()
        #expect(mended.map(\.name) == ["garden"] && mended.first?.room == nil)
        await database.close()
    }
}
