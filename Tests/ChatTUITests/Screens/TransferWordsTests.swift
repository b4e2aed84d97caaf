// What is said of files on their way: an offer that has not left, one that waits, one that has a bar.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Words about transfers")
struct TransferWordsTests {
    private typealias Fixture = ScreenFixture

    /// An offer of ours to somebody, as a message with that mark.
    private func offering(_ mark: DeliveryState, to contact: ContactID) -> ScreenFixture {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.press("F2", "F3")
        fixture.press(contact == Fixture.alice ? "Alt-1" : "Alt-2")
        fixture.answerPages(from: [])
        let offer = Fixture.transfer(9, .outgoing, "photo.png", size: 1_100_000, .offered, contact: contact)
        var message = Fixture.fileMessage(offer, position: 20, at: Fixture.time(21, 9, 7))
        message.state = mark
        fixture.send(.chat(.messageAdded(message)))
        return fixture
    }

    @Test(
        "a file of ours that waits says that nobody is there to fetch it",
        arguments: [
            (Fixture.bob, "Bob is offline, it resumes when they connect"),
            (Fixture.alice, "waiting for the contact to fetch it"),
        ])
    func absent(contact: ContactID, reason: String) throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let transfer = Fixture.transfer(
            9, .outgoing, "big.iso", size: 2_000_000, .accepted, contact: contact, transferred: 1_000_000,
            reason: .waitingForReceiver)
        fixture.send(.answer(.transfers([transfer])))
        let group = try #require(fixture.state.world.transfers.group(of: transfer.number))
        #expect(TransferWords(state: fixture.state, group: group).words == "queued: \(reason)")
    }

    @Test("what the receiver has paused is said everywhere, and is not promised to go on when they connect")
    func pausedThere() {
        for contact in [Fixture.alice, Fixture.bob] {
            var fixture = Fixture.main(columns: 120, rows: 40)
            fixture.press(contact == Fixture.alice ? "Alt-1" : "Alt-2")
            let transfer = Fixture.transfer(
                9, .outgoing, "big.iso", size: 2_000_000, .accepted, contact: contact, transferred: 1_000_000,
                reason: .pausedByReceiver)
            fixture.send(.answer(.transfers([transfer])))
            #expect(fixture.text.contains("    paused by the receiver"), "the details: \(fixture.text)")
            fixture.press("Alt-t")
            #expect(fixture.text.contains("paused by the receiver") && !fixture.text.contains("queued: paused"))
            #expect(!fixture.text.contains("it resumes when"))
        }
    }

    @Test("an offer to somebody who has not approved us waits for that")
    func unapproved() {
        var fixture = offering(.pending, to: Fixture.bob)
        fixture.send(.chat(.linkChanged(Fixture.bob, .awaitingApproval)))
        #expect(fixture.text.contains("queued: offered when Bob accepts you"))
    }

    @Test(
        "who has not got the offer has not to decide about it",
        arguments: [
            (DeliveryState.pending, Fixture.bob, "queued: Bob is offline, offered when they connect"),
            (.sent, Fixture.bob, "queued: Bob is offline, offered when they connect"),
            (.pending, Fixture.alice, "queued: on its way to Alice"),
            (.delivered, Fixture.alice, "offered, Alice has not decided yet"),
            (.delivered, Fixture.bob, "offered, Bob has not decided yet"),
        ])
    func offers(mark: DeliveryState, contact: ContactID, words: String) {
        var fixture = offering(mark, to: contact)
        #expect(fixture.text.contains(words))
        fixture.press("Alt-t")
        #expect(fixture.text.contains(words))
        // The sum counts it as its row says.
        #expect(fixture.text.contains(" offered 1") == !words.hasPrefix("queued"), "\(fixture.text)")
    }

    @Test("of an offer whose message is not read only what is known is said")
    func unknown() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let offer = Fixture.transfer(9, .outgoing, "photo.png", size: 1_100_000, .offered, contact: Fixture.bob)
        fixture.send(.answer(.transfers([offer])))
        fixture.press("Alt-t")
        #expect(fixture.text.contains("offered, no answer from Bob yet"))
    }

    @Test("what waits keeps its bar, and resuming it does not say that it goes on")
    func waiting() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.press("F2", "F3")
        var file = Fixture.transfer(
            3, .incoming, "big.bin", size: 1000, .accepted, transferred: 430, reason: .pausedByPeer)
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(file, position: 20, at: Fixture.time(21, 9, 7)))))
        #expect(fixture.text.contains("████······ 43% · paused by the sender  #3"))
        fixture.send(.done(.call(.resumeTransfer(TransferNumber(3))), .nothing))
        #expect(fixture.text.contains("#3 is no longer paused here") && !fixture.text.contains("resumes"))
        fixture.press("Alt-t")
        #expect(fixture.text.contains("43%  430 B  queued: paused by the sender"))
        file.reason = .waitingForPeer
        fixture.send(.chat(.messageChanged(Fixture.fileMessage(file, position: 20, at: Fixture.time(21, 9, 7)))))
        fixture.send(.input(.resize(Size(columns: 80, rows: 24))))
        #expect(fixture.text.contains("430 B  queued: waiting for the contact to be online"))
        file.reason = .pausedByPeer
        fixture.send(.input(.resize(Size(columns: 120, rows: 40))))
        fixture.press("Esc")
        file.transferred = 0
        fixture.send(.chat(.messageChanged(Fixture.fileMessage(file, position: 20, at: Fixture.time(21, 9, 7)))))
        #expect(fixture.text.contains("· accepted, paused by the sender  #3"))
        // What our user has to do comes before what the other side has to.
        fixture.state.world.chats[0].set(\.peer.trust, to: .keyChanged)
        #expect(fixture.text.contains("accepted, KEY CHANGED, waits until you decide (/verify)"))
        fixture.press("Alt-t")
        #expect(fixture.text.contains("queued: KEY CHANGED, waits until you decide (/verify)"))
    }

    @Test("of a path that does not fit the end is shown")
    func longPath() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var done = Fixture.transfer(7, .incoming, "big.bin", size: 4_100_000, .complete, transferred: 4_100_000)
        done.sha256 = String(repeating: "7", count: 64)
        done.path = "/srv/" + String(repeating: "deep/", count: 20) + "big.bin"
        done.finished = Fixture.time(21, 9, 6)
        fixture.send(.answer(.transfers([done])))
        fixture.press("Alt-t")
        #expect(fixture.text.contains("done 09:06 · sha256 ok 7777 7777 · …/big.bin"))
        done.path = "/home/jo/Downloads/big.bin"
        fixture.send(.answer(.transfers([done])))
        #expect(fixture.text.contains("done 09:06 · sha256 ok 7777 7777 · ~/Downloads/big.bin"))
    }

    @Test("what waits as a message is no transfer beside it when the program ends")
    func farewell() {
        var list = TransferList()
        list.update([
            Fixture.transfer(1, .outgoing, "a", size: 5, .offered),
            Fixture.transfer(2, .incoming, "b", size: 5, .offered),
            Fixture.transfer(3, .incoming, "c", size: 5, .paused),
            Fixture.transfer(4, .outgoing, "d", size: 5, .complete),
            Fixture.transfer(5, .outgoing, "e", size: 5, .running),
        ])
        #expect(list.begun == 2)
    }

    @Test("a folder that is done says how long it took, and its line tells of all of it")
    func folder() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.press("F2", "F3")
        let set = Fixture.messageID(999)
        for number in Int64(1)...3 {
            var file = Fixture.transfer(number, .incoming, "f\(number).jpg", size: 1000, .complete, transferred: 1000)
            file.place = FolderPlace(set: set, path: "photos", files: 3, bytes: 3000)
            file.path = "/home/jo/Downloads/photos/f\(number).jpg"
            file.started = Fixture.time(21, 9, 5, number)
            file.finished = Fixture.time(21, 9, 5, 10 * number)
            fixture.send(.chat(.messageAdded(Fixture.fileMessage(file, position: 20 + number, at: file.offered))))
        }
        #expect(fixture.text.contains("· done · ~/Downloads/photos · 29 s  #1"))
        fixture.enter("/info #1")
        #expect(fixture.text.contains("#1 photos/ (3 files)") && fixture.text.contains("3.0 kB, done 09:05"))
        #expect(fixture.text.contains("#1 f1.jpg"))
        fixture.press("Esc", "Alt-t", "Enter")
        #expect(fixture.text.contains("(29 s, 103 B/s)"))
    }
}
