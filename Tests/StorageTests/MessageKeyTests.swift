// Ids belong to the side that gave them: what a contact sends never takes the place of what our user has said.

import ChatCore
import Testing

@testable import Storage

@Suite("Message keys")
struct MessageKeyTests {
    /// Puts a message of theirs with the id of one of ours into the file, as an earlier version let it happen.
    private func makeTwin(of message: ChatMessage, in database: HistoryDatabase) async throws {
        try await database.writer.perform { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, text)
                    VALUES (\(message.contact.rawValue), 0, '\(message.id.text)', 1, 1, 1, 3, 'theirs');
                UPDATE conversations SET last_message = (SELECT max(position) FROM messages),
                    message_count = message_count + 1, unread = unread + 1, expected_sequence = 2;
                """)
        }
    }

    @Test(
        "an id of ours is refused from the other side: for a message, a file, and an operation; in another chat it is free"
    )
    func refusesOurIDs() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let (bob, carol) = (try await database.contact("bob"), try await database.contact("carol"))
        let mine = try await database.say("no, I do not agree", to: bob)
        let edited = try await database.enqueueOperation(
            .react(emoji: "👍"), on: mine.id, .outgoing, to: bob, at: Timestamp(milliseconds: 2_000))
        let operation = try #require(try await database.operations(of: bob).first)
        #expect(edited.id == mine.id)
        #expect(try await database.hear("yes, I agree", from: bob, id: mine.id) == .conflict)
        #expect(try await database.hear("yes, I agree", from: bob, id: operation.id) == .conflict)
        let file = IncomingMessage.Content.file(
            name: "f", size: 1, modified: Timestamp(milliseconds: 1), contentType: "", caption: "", place: nil)
        #expect(try await database.appendIncoming(incoming(file, from: bob, id: mine.id)) == .conflict)
        let retraction = IncomingMessage.Content.operation(.retract, target: mine.id)
        #expect(try await database.appendIncoming(incoming(retraction, from: bob, id: mine.id)) == .conflict)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == ["no, I do not agree"])
        #expect(try await database.hear("free here", from: carol, id: mine.id).inserted != nil)
        await database.close()
    }

    @Test("an import gives nobody's words to the other side")
    func importKeepsOurIDs() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let mine = try await database.say("mine", to: bob)
        let theirs = try #require(try await database.hear("theirs", from: bob).inserted)
        var importing = try await HistoryImport(into: database, count: 2)
        let time = Timestamp(milliseconds: 1)
        try await importing.add([
            ImportedMessage(
                contact: bob, direction: .incoming, id: mine.id, sequence: 1, sent: time, stored: time,
                state: .delivered, content: .text("false")),
            ImportedMessage(
                contact: bob, direction: .outgoing, id: theirs.id, sequence: 1, sent: time, stored: time,
                state: .delivered, content: .text("false")),
        ])
        try await importing.finish()
        #expect(importing.addedMessages == 0)
        #expect(try await database.page(of: bob, .newest, limit: 9).map(\.text) == ["mine", "theirs"])
        await database.close()
    }

    @Test("of two messages with one id, from before that was refused, each is deleted and reacted to by itself")
    func twins() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let mine = try await database.say("mine", to: bob)
        _ = try await database.advanceState(of: mine.id, in: bob, to: .delivered)
        try await makeTwin(of: mine, in: database)
        let time = Timestamp(milliseconds: 5)
        _ = try await database.enqueueOperation(.edit(text: "mine, edited"), on: mine.id, .outgoing, to: bob, at: time)
        // Theirs to ours, because the other side's message goes first.
        let reaction = IncomingMessage(
            id: MessageID(at: time), contact: bob, sequence: 2, sent: time, received: time,
            content: .operation(.react(emoji: "🎉"), target: mine.id))
        #expect(try await database.appendIncoming(reaction).changes.first?.message.key == mine.key)
        let theirs = try #require(try await database.message(mine.id, of: bob, .incoming))
        #expect(theirs.reactions.isEmpty)
        #expect(try await database.deleteMessages([theirs.key], of: bob) == 1)
        let left = try await database.page(of: bob, .newest, limit: 9)
        #expect(left.map(\.key) == [mine.key])
        #expect(left.first?.text == "mine, edited")
        #expect(left.first?.reactions == [Reaction(direction: .incoming, emoji: "🎉")])
        #expect(try await database.operations(of: bob).count == 2)
        #expect(try await database.deleteMessages([theirs.key], of: bob) == 0)
        await database.close()
    }
}
