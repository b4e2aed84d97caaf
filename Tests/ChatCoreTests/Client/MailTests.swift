// How messages of contacts are answered, and what answers to ours mean.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Messages on their way") struct MailTests {
    private let bob = ContactID(1)
    private let time = Timestamp(milliseconds: 1_795_000_000_000)

    private func message(_ content: IncomingMessage.Content) -> IncomingMessage {
        IncomingMessage(
            id: MessageID(at: time), contact: bob, sequence: 1, sent: time, received: time, content: content)
    }

    @Test("each outcome in the store has its answer, and the unusual ones are counted")
    func answers() {
        var mail = Mail()
        let outcomes: [AppendOutcome] = [.stored([]), .held, .duplicate, .conflict, .forbidden, .meaningless]
        let errors = outcomes.map { mail.answer(to: $0).error }
        #expect(errors == [nil, nil, nil, .conflict, .forbidden, .badRequest])
        mail.noteForeignReceipt()
        var expected = Irregularities()
        expected.heldBack = 1
        expected.duplicates = 1
        expected.refused = 2
        expected.foreignReceipts = 1
        #expect(mail.irregularities == expected)
        #expect(Mail.answer(to: .diskFull).error == .insufficientStorage)
        #expect(Mail.answer(to: .locked).error == .handlerFailed)
    }

    @Test("a contact who stores too much is refused, and our user hears of it once")
    func refused() {
        var limits = ChatLimits()
        limits.storedBytesPerDay = 2 * StorageQuota.overhead
        var mail = Mail()
        let (short, long) = (message(.operation(.retract, target: MessageID(at: time))), message(.text("hello")))
        #expect(mail.wantsLook(before: short, now: MonotonicTime(nanoseconds: 1)) == true)
        mail.saw(nil, now: MonotonicTime(nanoseconds: 1))
        #expect(mail.refusal(of: short, limits: limits, now: time) == nil)
        #expect(mail.refusal(of: long, limits: limits, now: time) == .tooMuchToday)
        #expect([mail.refused(long, now: time), mail.refused(long, now: time)] == [true, false])
        #expect(mail.irregularities.refused == 2)
    }

    @Test("there is one wait for each contact from whom something is held back")
    func gaps() {
        var mail = Mail()
        #expect([mail.hold(bob), mail.hold(bob)] == [true, false])
        mail.endHold(bob)
        #expect(mail.hold(bob) == true)
    }

    @Test("what a peer refuses for good has failed; what they may take later stays in the outbox")
    func verdicts() {
        let news = OutboxEntry(id: 1, operation: .fileStatus(transfer: MessageID(at: time), state: .accepted))
        let operation = OutboxEntry(
            id: 2,
            operation: .operation(
                ChatOperation(
                    id: MessageID(at: time), contact: bob, direction: .outgoing, sequence: 1, sent: time, stored: time,
                    state: .sent, target: MessageID(at: time), action: .retract)))
        #expect(news.state(after: nil) == .delivered)
        #expect(news.state(after: .insufficientStorage) == nil)
        #expect(news.state(after: .forbidden) == nil)
        for error in [BLIPErrorCode.badRequest, .notFound, .conflict, .forbidden] {
            guard case .failed = operation.state(after: error) else {
                Issue.record("\(error) is for good")
                return
            }
        }
    }
}
