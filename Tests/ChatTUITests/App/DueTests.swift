// What is due when: the timers of the screen, without a screen.

import ChatCore
import Testing

@testable import ChatTUI

@Suite struct DueTests {
    private static let (alice, bob) = (ScreenFixture.alice, ScreenFixture.bob)

    @Test("a draft is due a second after its first change, soon after it was sent, and once")
    func draft() {
        var due = Due()
        due.draftChanged(at: .seconds(5))
        due.draftChanged(at: .milliseconds(5_500))
        #expect(due.draft == .seconds(6) && due.next == .seconds(6))
        let taken = [due.takeDraft(), due.takeDraft()]
        #expect(taken == [true, false] && due.next == nil)
        due.draftWasSent(at: .seconds(7))
        #expect(due.next == .milliseconds(7_050))
    }

    @Test("a link is asked about two seconds after it was made, once")
    func link() {
        var due = Due()
        due.linkWasMade(at: .seconds(1))
        let taken = [2_999, 3_000, 9_000].map { due.takeLink(by: .milliseconds($0)) }
        #expect(taken == [false, true, false])
    }

    @Test("composing is told at once, again every four seconds, and taken back after six without a key")
    func typing() {
        var due = Due()
        let told = [1, 4, 5].map { due.typed(for: Self.alice, at: .seconds($0)) }
        #expect(told == [[.call(.setTyping(true, to: Self.alice))], [], [.call(.setTyping(true, to: Self.alice))]])
        #expect(due.next == .seconds(11))
        let early = due.stopTyping(by: .milliseconds(10_999))
        let late = due.stopTyping(by: .seconds(11))
        #expect(early == nil && late == .call(.setTyping(false, to: Self.alice)) && due.typing == nil)
    }

    @Test("whoever types in another chat has stopped in the first; a sent message says so itself")
    func otherChat() {
        var due = Due()
        _ = due.typed(for: Self.alice, at: .zero)
        let told = due.typed(for: Self.bob, at: .seconds(1))
        #expect(told == [.call(.setTyping(false, to: Self.alice)), .call(.setTyping(true, to: Self.bob))])
        due.draftWasSent(at: .seconds(2))
        #expect(due.typing == nil)
    }

    @Test("conversations are asked for when something changed, one question at a time, five times a second at most")
    func refresh() {
        var conversations = Refresh()
        #expect(conversations.due == nil)
        conversations.somethingChanged()
        #expect(conversations.due == .zero)
        let first = conversations.take(by: .seconds(1))
        conversations.somethingChanged()
        #expect(first && conversations.due == nil)
        conversations.wasAnswered()
        #expect(conversations.due == .milliseconds(1_200))
        let taken = [1_199, 1_200].map { conversations.take(by: .milliseconds($0)) }
        #expect(taken == [false, true])
        conversations.wasAnswered()
        conversations.hasFailed(at: .seconds(2), pause: .seconds(2))
        #expect(conversations.due == .milliseconds(4_200))
    }
}
