// What is named when a sending command is interrupted.

import ChatCore
import Testing

@testable import blipchat

@Suite("Interrupted sending")
struct InterruptedSendingTests {
    private static func record(_ type: String, _ id: Int, _ state: String? = nil) -> JSONValue {
        .record([
            "v": 1, "type": .string(type), "id": .string("\(id)"), "direction": type == "file" ? "outgoing" : nil,
            "state": state.map(JSONValue.string),
        ])
    }

    @Test("what is stored is named until it is delivered, refused or complete, through all operations of a command")
    func unsettled() {
        var messages = UnsettledMessages()
        #expect(messages.sentence == nil)
        for record in [
            Self.record("stored", 1), Self.record("message", 1, "delivered"),
            Self.record("stored", 2), Self.record("message", 2, "pending"),
            Self.record("stored", 3), Self.record("message", 3, "sent"),
            Self.record("stored", 4), Self.record("message", 4, "failed"),
            Self.record("file", 5, "offered"), Self.record("file", 5, "running"), Self.record("progress", 5),
            Self.record("file", 6, "accepted"), Self.record("file", 6, "complete"),
            Self.record("stored", 7), Self.record("message", 7, "read"),
        ] { messages.note(record) }
        #expect(messages.sentence == "2 3 5")
        messages.note(
            .record(["type": "file", "id": "8", "direction": "incoming", "state": "offered"]))
        #expect(messages.ids == ["2", "3", "5"])
    }

    @Test("of many messages the first are named and the others counted")
    func many() {
        var messages = UnsettledMessages()
        for id in 1...25 { messages.note(Self.record("stored", id)) }
        #expect(messages.sentence == "1 2 3 4 5 6 7 8 9 10 and 15 more")
    }
}
