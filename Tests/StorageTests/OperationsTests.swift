// Edits, retractions and reactions: stored as history, shown as what follows from them (PROTOCOL 4, RELIABILITY D1-D6).

import ChatCore
import TestSupport
import Testing

@testable import Storage

@Suite("Operations on messages") struct OperationsTests {
    @Test("what counts of very many is one step in an index: a contact may send 20 a second for ever")
    func latestIsLookedUp() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let plan = try await database.reader.perform { connection throws(StoreError) in
            try connection.all(
                "EXPLAIN QUERY PLAN \(LatestOperation.query)", [.integer(1), .text(""), .text(""), .integer(0)]
            ) { row in row.text(3) }
        }
        // No "USE TEMP B-TREE FOR ORDER BY" behind it.
        #expect(
            plan == [
                "SEARCH operations USING INDEX operations_by_target (contact=? AND target=? AND outgoing=? AND kind=?)"
            ])
        await database.close()
    }

    private let now = Timestamp(milliseconds: 7_000)

    private func operation(
        _ action: ChatOperation.Action, on target: MessageID, _ sequence: Int64, from contact: ContactID,
        id: MessageID? = nil
    ) -> IncomingMessage {
        IncomingMessage(
            id: id ?? MessageID(at: Timestamp(milliseconds: 100 + sequence)), contact: contact, sequence: sequence,
            sent: Timestamp(milliseconds: 100 + sequence), received: now, content: .operation(action, target: target))
    }

    private func text(_ text: String, _ sequence: Int64, from contact: ContactID, id: MessageID? = nil)
        -> IncomingMessage
    {
        IncomingMessage(
            id: id ?? MessageID(at: Timestamp(milliseconds: sequence)), contact: contact, sequence: sequence,
            sent: Timestamp(milliseconds: sequence), received: now, content: .text(text))
    }

    @Test("own ones take the next number, wait in the outbox behind the message, and change what is shown at once")
    func own() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("frist", to: bob)
        let edited = try await database.enqueueOperation(
            .edit(text: "first"), on: message.id, .outgoing, to: bob, at: now)
        #expect(edited.text == "first" && edited.edited == now && edited.operationState == .pending)
        let entries = try await database.outbox(for: bob, limit: 9)
        // The message goes out as it was entered, so that it is the same each time.
        guard case .message(let first)? = entries.first?.operation,
            case .operation(let second)? = entries.last?.operation
        else {
            Issue.record("the outbox holds \(entries)")
            return
        }
        #expect(first.text == "frist" && first.sequence == 1)
        #expect(second.sequence == 2 && second.target == message.id && second.action == .edit(text: "first"))
        #expect(try await database.conversations().first?.queuedCount == 2)
        #expect(try await database.say("next", to: bob).sequence == 3)
        // The text of the first time stays.
        let kept = try await database.writer.perform { connection throws(StoreError) in
            try connection.firstText(of: edited)
        }
        #expect(kept == "frist")
        await database.close()
    }

    @Test("D6: states of operations only move forward, leave the outbox at the end, and show on the message")
    func states() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("x", to: bob)
        _ = try await database.enqueueOperation(.react(emoji: "👍"), on: message.id, .outgoing, to: bob, at: now)
        let entries = try await database.outbox(for: bob, limit: 9)
        guard case .operation(let operation)? = entries.last?.operation else {
            Issue.record("no operation waits")
            return
        }
        func advance(_ state: DeliveryState) async throws -> DeliveryState? {
            try await database.advanceOperation(operation.id, in: operation.contact, to: state)?.operationState
        }
        #expect(try await advance(.sent) == .sent)
        #expect(try await advance(.pending) == .sent)
        #expect(try await database.outbox(for: bob, limit: 9).count == 2)
        #expect(try await advance(.delivered) == .delivered)
        #expect(try await database.outbox(for: bob, limit: 9).count == 1)
        #expect(try await advance(.failed(reason: .unreadable)) == .delivered)
        #expect(try await database.advanceOperation(message.id, in: message.contact, to: .delivered) == nil)
        await database.close()
    }

    @Test("theirs act on their own messages; any message may be reacted to; others are refused and leave nothing")
    func theirs() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let mine = try await database.say("mine", to: bob)
        let theirs = try #require(try await database.appendIncoming(text("theirs", 1, from: bob)).inserted)
        for action in [ChatOperation.Action.edit(text: "forged"), .retract] {
            #expect(try await database.appendIncoming(operation(action, on: mine.id, 2, from: bob)) == .forbidden)
        }
        #expect(try await database.message(mine.id) == mine)
        #expect(try await database.operations(of: bob).isEmpty)
        _ = try await database.appendIncoming(operation(.react(emoji: "🎉"), on: mine.id, 2, from: bob))
        _ = try await database.appendIncoming(operation(.edit(text: "better"), on: theirs.id, 3, from: bob))
        #expect(try await database.message(mine.id)?.reactions == [Reaction(direction: .incoming, emoji: "🎉")])
        #expect(try await database.message(theirs.id)?.text == "better")
        _ = try await database.appendIncoming(operation(.react(emoji: nil), on: mine.id, 4, from: bob))
        #expect(try await database.message(mine.id)?.reactions == [])
        await database.close()
    }

    @Test("D3: the same id twice is stored once; with other content, another kind or another target it is a conflict")
    func duplicates() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = text("a", 1, from: bob)
        _ = try await database.appendIncoming(message)
        let edit = operation(.edit(text: "b"), on: message.id, 2, from: bob)
        _ = try await database.appendIncoming(edit)
        #expect(try await database.appendIncoming(edit) == .duplicate)
        let others: [IncomingMessage] = [
            operation(.edit(text: "c"), on: message.id, 2, from: bob, id: edit.id),
            operation(.retract, on: message.id, 2, from: bob, id: edit.id),
            operation(.edit(text: "b"), on: edit.id, 2, from: bob, id: edit.id), text("b", 2, from: bob, id: edit.id),
            operation(.edit(text: "b"), on: message.id, 2, from: bob, id: message.id),
        ]
        for other in others { #expect(try await database.appendIncoming(other) == .conflict) }
        // The first text counts for the id, not the present one.
        #expect(try await database.appendIncoming(message) == .duplicate)
        #expect(try await database.appendIncoming(text("b", 1, from: bob, id: message.id)) == .conflict)
        #expect(try await database.message(message.id)?.text == "b")
        await database.close()
    }

    @Test("what a message says follows from its sender's order, whatever the order of arrival")
    func anyOrder() async throws {
        let target = MessageID(at: Timestamp(milliseconds: 1))
        for seed in 0..<10 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let folder = try TestFolder()
            let database = try await folder.open()
            let bob = try await database.contact("bob")
            var all = [
                text("one", 1, from: bob, id: target), operation(.edit(text: "two"), on: target, 2, from: bob),
                operation(.react(emoji: "👍"), on: target, 3, from: bob),
                operation(.edit(text: "three"), on: target, 4, from: bob),
                operation(.react(emoji: "🔥"), on: target, 5, from: bob),
            ]
            all.shuffle(using: &generator)
            for message in all {
                _ = try await database.appendIncoming(message)
                if Bool.random(using: &generator) { _ = try await database.releaseHeld(for: bob) }
            }
            _ = try await database.releaseHeld(for: bob)
            let message = try #require(try await database.message(target))
            #expect(message.text == "three", "seed \(seed)")
            #expect(message.reactions == [Reaction(direction: .incoming, emoji: "🔥")], "seed \(seed)")
            #expect(try await database.texts("three") == ["three"], "seed \(seed)")
            #expect(try await database.texts("one") == [], "seed \(seed)")
            await database.close()
        }
    }

    @Test("a retraction is for good: no text, no reactions, no search hit, also against edits that come later")
    func retraction() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = text("secret word", 1, from: bob)
        _ = try await database.appendIncoming(message)
        _ = try await database.appendIncoming(operation(.react(emoji: "👍"), on: message.id, 2, from: bob))
        _ = try await database.appendIncoming(operation(.retract, on: message.id, 3, from: bob))
        _ = try await database.appendIncoming(operation(.edit(text: "secret again"), on: message.id, 4, from: bob))
        let retracted = try #require(try await database.message(message.id))
        #expect(retracted.isRetracted && retracted.text.isEmpty && retracted.reactions.isEmpty)
        #expect(try await database.texts("secret").isEmpty)
        // The index is in order: nothing is taken out of it twice.
        try await database.removeContact(bob)
        try await database.writer.perform { connection throws(StoreError) in
            for index in ["words", "trigrams"] {
                try connection.executeScript("INSERT INTO \(index)(\(index)) VALUES ('integrity-check')")
            }
        }
        await database.close()
    }

    @Test("search finds what a message says now, not what it said before")
    func search() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let message = try await database.say("meet at seven", to: bob)
        _ = try await database.enqueueOperation(
            .edit(text: "meet at eight"), on: message.id, .outgoing, to: bob, at: now)
        #expect(try await database.texts("eight") == ["meet at eight"])
        #expect(try await database.texts("seven").isEmpty)
        #expect(try await database.texts("meet") == ["meet at eight"])
        await database.close()
    }

    @Test("a message that is taken back before it went out never goes out; its number goes to the retraction")
    func unsent() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("a", to: bob)
        let message = try await database.say("oops", to: bob)
        try await database.say("c", to: bob)
        let retracted = try await database.enqueueOperation(.retract, on: message.id, .outgoing, to: bob, at: now)
        #expect(retracted.isRetracted)
        let entries = try await database.outbox(for: bob, limit: 9)
        let sequences = entries.map { entry in
            switch entry.operation {
            case .message(let message): message.sequence
            case .operation(let operation): operation.action == .retract ? -operation.sequence : operation.sequence
            case .fileStatus: Int64(0)
            }
        }
        #expect(sequences == [1, -2, 3])
        #expect(try await database.conversations().first?.queuedCount == 3)
        // One that was handed to a connection may be there: it is taken back with a number of its own.
        let sent = try await database.say("d", to: bob)
        _ = try await database.advanceState(of: sent.id, in: sent.contact, to: .sent)
        _ = try await database.enqueueOperation(.retract, on: sent.id, .outgoing, to: bob, at: now)
        #expect(try await database.outbox(for: bob, limit: 9).count == 5)
        await database.close()
    }

    @Test("a file can be taken back and reacted to, but has no text to edit")
    func files() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let content = IncomingMessage.Content.file(
            name: "plan.pdf", size: 1, modified: now, contentType: "x/y", caption: "")
        let offer = IncomingMessage(
            id: MessageID(at: now), contact: bob, sequence: 1, sent: now, received: now, content: content)
        _ = try await database.appendIncoming(offer)
        #expect(
            try await database.appendIncoming(operation(.edit(text: "x"), on: offer.id, 2, from: bob)) == .meaningless)
        _ = try await database.appendIncoming(operation(.react(emoji: "👀"), on: offer.id, 2, from: bob))
        _ = try await database.appendIncoming(operation(.retract, on: offer.id, 3, from: bob))
        let message = try #require(try await database.message(offer.id))
        #expect(message.isRetracted)
        #expect(try await database.appendIncoming(offer) == .duplicate)
        #expect(try await database.texts("plan").isEmpty)
        await database.close()
    }

    @Test("D1, D3: the same id of two peers is no conflict; one of ours from the peer it went to is")
    func keys() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let carol = try await database.contact("carol")
        let mine = try await database.say("mine", to: bob)
        // Also with the very text of ours, and also as an operation.
        for words in ["theirs", "mine"] {
            #expect(try await database.appendIncoming(text(words, 1, from: bob, id: mine.id)) == .conflict)
        }
        let posing = operation(.react(emoji: "👀"), on: mine.id, 1, from: bob, id: mine.id)
        #expect(try await database.appendIncoming(posing) == .conflict)
        #expect(try await database.message(mine.id, of: bob, .incoming) == nil)
        #expect(try await database.appendIncoming(text("hers", 1, from: carol, id: mine.id)).inserted != nil)
        let his = try #require(try await database.appendIncoming(text("his", 1, from: bob)).inserted)
        #expect(try await database.appendIncoming(text("hers, too", 2, from: carol, id: his.id)).inserted != nil)
        _ = try await database.appendIncoming(operation(.edit(text: "changed"), on: his.id, 2, from: bob))
        let edit = operation(.edit(text: "changed"), on: mine.id, 3, from: bob)
        #expect(try await database.appendIncoming(edit) == .forbidden)
        #expect(try await database.message(mine.id, of: bob, .outgoing)?.text == "mine")
        #expect(try await database.message(mine.id, of: carol, .incoming)?.text == "hers")
        #expect(try await database.message(his.id, of: bob, .incoming)?.text == "changed")
        #expect(try await database.message(his.id, of: carol, .incoming)?.text == "hers, too")
        await database.close()
    }

    @Test("an older history gets the columns, and goes on counting where its senders are")
    func migration() async throws {
        let folder = try TestFolder()
        let old = try await HistoryDatabase.open(
            at: folder.database, readOnly: false, steps: Array(Schema.migrations.prefix(1)))
        try await old.writer.perform { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO contacts(id, name, folded_name, addresses, trust, added) VALUES
                    (1, 'bob', 'bob', '', 'unverified', 1), (2, 'carol', 'carol', '', 'unverified', 1);
                INSERT INTO conversations(contact) VALUES (1), (2);
                INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, text)
                    VALUES (1, 0, '019aa0c0-0000-7000-8000-000000000001', 9223372036854775807, 1, 1, 3, 'old'),
                    (2, 0, '019aa0c0-0000-7000-8000-000000000002', 41, 1, 1, 3, 'older');
                """)
        }
        await old.close()
        let database = try await folder.open()
        let carol = ContactID(2)
        #expect(try await database.appendIncoming(text("next", 42, from: carol)).inserted != nil)
        #expect(try await database.appendIncoming(text("early", 44, from: carol)) == .held)
        #expect(try await database.appendIncoming(text("bob", 1, from: ContactID(1))).inserted != nil)
        await database.close()
    }
}
