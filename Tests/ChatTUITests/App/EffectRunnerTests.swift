// What becomes of calls that the chat does not carry out: the screen never says that they are done.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI

@Suite("Carrying out effects")
struct EffectRunnerTests {
    /// A chat whose process has gone.
    private struct GoneChat: LocalChat {
        var identity: LocalIdentity {
            LocalIdentity(peerID: ScreenFixture.peerID("b"), name: "Jo", address: nil, listening: nil)
        }
        func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
            throw .instanceLost(reason: "it has ended")
        }
        func events() -> AsyncStream<ChatEvent> { AsyncStream { $0.finish() } }
        func giveUp() {}
    }

    private let runner = EffectRunner(service: GoneChat(), settings: NoSettings())

    @Test(
        "a call that fails is reported as failed, whatever it is",
        arguments: [
            .call(.disconnect(nil)), .call(.reconnect(ScreenFixture.bob)), .call(.setBlocked(ScreenFixture.bob, true)),
            .call(.send("hi", to: ScreenFixture.bob)), .removeRoute(ScreenFixture.bob, 1),
        ] as [Errand])
    func failed(errand: Errand) async throws {
        guard case .failed(let told, .instanceLost) = await runner.run(errand) else {
            Issue.record("\(errand) did not fail")
            return
        }
        #expect(told == errand)
    }

    @Test("a typing notice that fails is no news: the user has not asked for it")
    func typing() async {
        let errand = Errand.call(.setTyping(true, to: ScreenFixture.bob))
        guard case .done(errand, _) = await runner.run(errand) else {
            Issue.record("it failed")
            return
        }
    }

    @Test("a question that fails says which")
    func question() async throws {
        let question = Question.call(.traffic(with: ScreenFixture.bob))
        guard case .failed(question, .instanceLost)? = await runner.answer(question) else {
            Issue.record("it was answered")
            return
        }
    }
}
