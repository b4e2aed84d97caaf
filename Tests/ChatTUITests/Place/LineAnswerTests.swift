// A line of only "y": it answers the question that was asked, and is not sent to somebody as a message.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Yes and no as a line") struct LineAnswerTests {
    private typealias Fixture = ScreenFixture

    private func isRemoval(_ errand: Errand) -> Bool { if case .remove = errand { true } else { false } }
    private func isSending(_ errand: Errand) -> Bool { if case .send? = errand.call { true } else { false } }

    @Test("y answers what a command has asked; the command again does so, too", arguments: ["y", "Yes", "/remove Bob"])
    func yes(answer: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/remove Bob")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Enter y"))
        fixture.enter(answer)
        #expect(fixture.errands.contains(where: isRemoval))
        #expect(!fixture.errands.contains(where: isSending))
    }

    @Test("n withdraws it; nothing is sent, and y answers nothing any more")
    func no() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/remove Bob")
        fixture.enter("n")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Nothing was done"))
        fixture.enter("y")
        #expect(fixture.errands.contains(where: isSending) && !fixture.errands.contains(where: isRemoval))
    }

    @Test("an answer that comes late, or behind a message of theirs, deletes nothing and is not sent unasked")
    func late() {
        for isLate in [true, false] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.enter("/remove Bob")
            if isLate {
                fixture.advance(.seconds(60))
            } else {
                fixture.send(
                    .chat(.messageAdded(Fixture.message(901, .incoming, "lunch?", at: Fixture.time(21, 9, 30)))))
            }
            fixture.enter("y")
            #expect(fixture.errands.isEmpty && fixture.text.contains("again sends it"), "\(fixture.text)")
            // What was typed is still there.
            fixture.press("Enter")
            #expect(fixture.errands.contains(where: isSending) && !fixture.errands.contains(where: isRemoval))
        }
    }

    @Test("without a question y is a message")
    func message() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("y")
        #expect(fixture.errands.contains(where: isSending))
    }

    @Test(
        "where something else is to be answered, or went away by itself, a lone y is held; as a value, without a screen"
    )
    func held() {
        for hasOffer in [true, false] {
            var question = LineQuestion()
            if !hasOffer { question.noteClosed(at: .seconds(100)) }
            func decide(_ now: Int) -> LineQuestion.Decision {
                question.decide(.yes, "y", isOpen: false, hasOther: hasOffer, newest: nil, at: .seconds(now))
            }
            #expect(decide(105) == .hold)
            #expect(decide(106) == .send)
        }
        var question = LineQuestion()
        question.noteClosed(at: .seconds(100))
        #expect(
            question.decide(.no, "n", isOpen: false, hasOther: false, newest: nil, at: .seconds(111)) == .send,
            "nobody answers that late")
    }
}
