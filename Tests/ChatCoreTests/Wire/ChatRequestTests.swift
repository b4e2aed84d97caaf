// A request is read once, by its profile.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Requests as the client takes them") struct ChatRequestTests {
    private let head = StoredHead(
        id: MessageID(at: Timestamp(milliseconds: 1)), sequence: 1, sent: Timestamp(milliseconds: 2))

    private func read(_ request: BLIPRequest, as profile: ChatProfile) -> ChatRequest {
        var body: [UInt8] = []
        if case .bytes(let bytes) = request.body { body = bytes }
        let incoming = BLIPIncomingRequest(
            number: 1, properties: request.properties, body: body, isUrgent: true, isNoReply: false)
        return ChatRequest(profile, incoming)
    }

    @Test("what is stored comes as one kind, whatever its profile")
    func operations() {
        let message = read(MessageRequest(head, replyTo: head.id, text: "hi").encoded(), as: .message)
        #expect(message == .operation(head, .text("hi"), replyTo: head.id))
        let target = OperationHead(head, target: head.id)
        let edit = read(EditRequest(head: target, text: "ho").encoded(), as: .edit)
        #expect(edit == .operation(head, .operation(.edit(text: "ho"), target: head.id), replyTo: nil))
        let retract = read(RetractRequest(head: target).encoded(), as: .retract)
        #expect(retract == .operation(head, .operation(.retract, target: head.id), replyTo: nil))
        #expect(message.isStored && edit.isStored && retract.isStored)
    }

    @Test("what breaks the protocol is malformed, and not stored", arguments: ChatProfile.allCases)
    func malformed(profile: ChatProfile) {
        let request = read(BLIPRequest(profile: profile.rawValue), as: profile)
        guard profile != .accepted else {
            #expect(request == .accepted)
            return
        }
        guard case .malformed = request else {
            Issue.record("\(profile) without anything in it")
            return
        }
        #expect(!request.isStored)
    }
}
