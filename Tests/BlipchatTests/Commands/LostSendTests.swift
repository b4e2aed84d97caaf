// A process that was to store a message dies or falls silent: what the command does and says.

import ChatCore
import ChatHost
import ChatSettings
import Testing

@testable import blipchat

@Suite struct LostSendTests {
    @Test("what is stored is told as it is; nobody sends it again")
    func stored() {
        for holder in [nil, 7, 8] as [Int32?] {
            var lost = LostSend(asked: 7)
            #expect(lost.next(holder: holder, state: .some(.delivered)) == .stored(.delivered))
        }
        let gone = CommandError.instanceGone
        #expect(LostSend.result(.delivered, "bob", gone) == .success(.done))
        #expect(LostSend.result(.read, "bob", gone) == .success(.done))
        guard case .failure(let queued) = LostSend.result(.pending, "bob", gone),
            case .failure(let refused) = LostSend.result(.failed(reason: .unreadable), "bob", gone)
        else {
            Issue.record("neither is done")
            return
        }
        #expect(queued.exit == .queued && refused.exit == .refused)
    }

    @Test("what is not stored is sent again once, when nobody can store it any more")
    func sentAgain() {
        for holder in [nil, 8] as [Int32?] {
            var lost = LostSend(asked: 7)
            #expect(lost.next(holder: holder, state: .some(nil)) == .sendAgain)
            #expect(lost.next(holder: holder, state: .some(nil)) == .notStored)
        }
    }

    @Test("while the process may go on, or the home cannot be read, nothing is known, and the id is named")
    func unknown() {
        var lost = LostSend(asked: 7)
        #expect(lost.next(holder: 7, state: .some(nil)) == .unknown)
        #expect(lost.next(holder: nil, state: nil) == .unknown)
        let id = MessageID(at: Timestamp(milliseconds: 1))
        let error = LostSend.unknown(id, CommandError.instanceGone)
        #expect(error.exit == .network && error.sentence.contains("--id \(id.text)"))
    }
}
