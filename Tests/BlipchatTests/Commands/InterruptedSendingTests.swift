// What is named when a sending command is interrupted.

import BLIPNet
import ChatCore
import ChatHost
import Testing

@testable import blipchat

@Suite("Interrupted sending")
struct InterruptedSendingTests {
    private func id(_ number: Int) throws -> MessageID {
        let digits = String(number)
        return try #require(
            MessageID("01900000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits))
    }

    private func message(_ number: Int, _ state: DeliveryState) throws -> ChatMessage {
        ChatMessage(
            id: try id(number), position: HistoryPosition(1), contact: ContactID(2), direction: .outgoing, sequence: 1,
            sent: Timestamp(milliseconds: 0), stored: Timestamp(milliseconds: 0), state: state, content: .text("hi"))
    }

    private func file(
        _ number: Int, _ state: FileTransfer.State, _ direction: MessageDirection = .outgoing
    ) throws -> ChatMessage {
        var message = try message(number, .delivered)
        message.direction = direction
        message.content = .file(
            FileTransfer(
                id: message.id, number: TransferNumber(Int64(number)), contact: ContactID(2), direction: direction,
                name: "a.txt", size: 5, modified: Timestamp(milliseconds: 0), state: state,
                offered: Timestamp(milliseconds: 0)))
        return message
    }

    @Test("what is stored is named until it is delivered, refused or complete, through all operations of a command")
    func unsettled() throws {
        var messages = UnsettledMessages()
        #expect(messages.sentence == nil)
        for number in [1, 2, 3, 4, 7] { messages.noteStored(try id(number)) }
        for message in [
            try message(1, .delivered), try message(2, .pending), try message(3, .sent),
            try message(4, .failed(reason: .other("no"))), try file(5, .offered), try file(5, .running),
            try file(6, .accepted), try file(6, .complete), try message(7, .read),
        ] { messages.note(message) }
        let left = [try id(2), try id(3), try id(5)]
        #expect(messages.sentence == left.map(\.text).joined(separator: " "))
        messages.note(try file(8, .offered, .incoming))
        #expect(messages.ids == left)
    }

    @Test("of many messages the first are named and the others counted")
    func many() throws {
        var messages = UnsettledMessages()
        for number in 1...25 { messages.noteStored(try id(number)) }
        #expect(messages.sentence == (try (1...10).map { try id($0).text }.joined(separator: " ")) + " and 15 more")
    }
}
