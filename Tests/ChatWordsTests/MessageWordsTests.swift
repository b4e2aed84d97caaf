// What all faces say of a message: who, how far it is, what was done to it, what it says.

import ChatCore
import Testing

@testable import ChatWords

@Suite("Words for messages") struct MessageWordsTests {
    private static let id = MessageID(at: Timestamp(milliseconds: 1000))

    private func message(
        _ content: ChatMessage.Content, _ direction: MessageDirection = .outgoing, _ state: DeliveryState = .delivered,
        _ change: (inout ChatMessage) -> Void = { _ in }
    ) -> ChatMessage {
        var message = ChatMessage(
            id: Self.id, position: HistoryPosition(1), contact: ContactID(1), direction: direction, sequence: 1,
            sent: Timestamp(milliseconds: 1000), stored: Timestamp(milliseconds: 1000), state: state, content: content)
        change(&message)
        return message
    }

    private func words(
        _ content: ChatMessage.Content, _ direction: MessageDirection = .outgoing, _ state: DeliveryState = .delivered,
        _ change: (inout ChatMessage) -> Void = { _ in }
    ) -> MessageWords {
        MessageWords(message(content, direction, state, change), contact: SafeText("Bob", as: .name))
    }

    private func transfer(
        _ name: String = "photo.jpg", caption: String = "", place: FolderPlace? = nil,
        state: FileTransfer.State = .offered, reason: TransferReason? = nil
    ) -> FileTransfer {
        FileTransfer(
            id: Self.id, number: TransferNumber(8), contact: ContactID(1), direction: .incoming, name: name, size: 1500,
            modified: Timestamp(milliseconds: 0), caption: caption, place: place, state: state, reason: reason,
            sha256: "1a2b3c4d5e", offered: Timestamp(milliseconds: 1000))
    }

    private static let folder = FolderPlace(set: id, path: "photos/2024", files: 31, bytes: 9000)

    @Test("who wrote and who reacted")
    func who() {
        let own = words(.text("hi")) {
            $0.reactions = [Reaction(direction: .incoming, emoji: "👍"), Reaction(direction: .outgoing, emoji: "🎉")]
        }
        #expect(own.author.text == "me" && words(.text("hi"), .incoming).author.text == "Bob")
        #expect(own.reactions.map(\.emoji) == ["👍", "🎉"] && own.reactions.map(\.who.text) == ["Bob", "me"])
    }

    @Test(
        "an own message has a mark for each state, and words where no mark is drawn",
        arguments: [
            (DeliveryState.pending, "~", "waiting"), (.sent, ">", "waiting"), (.delivered, "✓", "delivered"),
            (.read, "✓✓", "read"),
            (.failed(reason: .unreadable), "!", "FAILED (the peer cannot read it)"),
        ])
    func states(state: DeliveryState, mark: String, progress: String) {
        #expect(words(.text("hi"), .outgoing, state).mark == mark)
        #expect(words(.text("hi"), .outgoing, state).progress == progress)
    }

    @Test("a message of others has a mark only when its time is off, and its state says whether it was seen")
    func incoming() {
        #expect(words(.text("hi"), .incoming).mark.isEmpty)
        #expect(words(.text("hi"), .incoming) { $0.stored = Timestamp(milliseconds: 1_000_000) }.mark == "?")
        #expect(words(.text("hi"), .incoming).stateSentence(isSeen: true) == "seen")
        #expect(words(.text("hi"), .incoming).stateSentence(isSeen: false) == "on this disk, not seen yet")
    }

    @Test("of a deleted message the mark says whether they know that; one that was never sent has none")
    func deleted() {
        let known = words(.text(""), .outgoing, .read) {
            $0.isRetracted = true
            $0.operationState = .delivered
        }
        #expect(known.shownState == .read && known.removal?.text == "(deleted)" && known.change == nil)
        let waiting = words(.text(""), .outgoing, .delivered) {
            $0.isRetracted = true
            $0.operationState = .pending
            $0.edited = Timestamp(milliseconds: 2000)
        }
        #expect(waiting.mark == "~" && !waiting.isEdited && waiting.change == nil)
        let never = words(.text(""), .outgoing, .takenBack) { $0.isRetracted = true }
        #expect(never.mark.isEmpty && never.removal?.text == "(deleted before it was sent)")
        #expect(never.progress == nil && never.failure == nil)
        #expect(never.stateSentence(isSeen: false) == "deleted before it was sent")
    }

    @Test("why it was not sent, and what a change of it waits for")
    func failures() {
        let failed = words(.text("x"), .outgoing, .failed(reason: .unreadable)).failure
        #expect(failed?.words.text == "not sent: the peer cannot read it (/retry)" && failed?.isOver == false)
        let again = words(.text("x"), .outgoing, .sentAgain).failure
        #expect(again?.words.text == "not sent, and sent again" && again?.isOver == true)
        #expect(words(.text("x"), .outgoing, .delivered).failure == nil)
        let pending = words(.text("x")) { $0.operationState = .sent }.change
        #expect(pending?.words.text == "(change not delivered yet)" && pending?.isError == false)
        let refused = words(.text("x")) { $0.operationState = .failed(reason: .notAllowed) }.change
        #expect(refused?.words.text.hasPrefix("the change was refused: ") == true && refused?.isError == true)
    }

    @Test("what somebody does is written with a star, with the name, or alone; what was hidden is counted")
    func actions() {
        let action = words(.text("/me waves\n\u{202E}twice"), .incoming)
        #expect(action.isAction && action.text().text.hasPrefix("* waves\n"))
        #expect(action.text(.named(action.contact)).text.hasPrefix("Bob waves"))
        #expect(action.text(.bare).text.hasPrefix("waves") && action.text(.bare).lines().count == 2)
        #expect(words(.text("a\u{200B}b")).text().hiddenNote?.text == "‹hidden: 1›")
        #expect(!words(.text("meow")).isAction && words(.text("meow")).text().text == "meow")
    }

    @Test("a file has its number, its size, its state with the reason, and its folder")
    func files() {
        let file = FileWords(transfer("a\u{200B}b.jpg", caption: "look", state: .failed, reason: .sourceGone))
        #expect(file.number == "#8" && file.size == "1.5 kB" && file.arrow == "↓" && file.hash == "sha256 1a2b 3c4d")
        #expect(file.stateAndReason == "failed (\(TransferReason.sourceGone.words))")
        #expect(file.hasCaption && file.hiddenNote?.text == "‹hidden: 1›")
        let declined = FileWords(transfer(state: .declined, reason: .declinedByPeer))
        #expect(declined.stateAndReason == "declined by the other side")
        #expect(FileWords(transfer()).title(width: .max).text == "photo.jpg")
        #expect(FileWords(transfer(place: Self.folder)).title(width: .max).text == "photos/ (31 files)")
        #expect(words(.file(transfer()), .outgoing, .delivered).progress == nil)
    }

    @Test("in lists, quotes and notifications it is one line; a folder speaks for its files")
    func oneLine() {
        let text = message(.text("/me waves\nand goes"), .incoming)
        #expect(MessageWords.summary(of: text).text == "* waves␤and goes")
        #expect(
            MessageWords.quote(of: text).text == "* waves" && MessageWords.beginning(of: text).text == "waves␤and goes")
        let file = message(.file(transfer(caption: "look", place: Self.folder)), .incoming)
        #expect(MessageWords.summary(of: file).text == "↓ photo.jpg 1.5 kB sha256 1a2b 3c4d")
        #expect(MessageWords.quote(of: file).text == "photos/ (31 files)")
        #expect(MessageWords.copied(file) == "photo.jpg\nlook")
        let news = MessageWords(file, contact: .empty)
        #expect(news.announcement(showsText: true, isMention: false) == "offers photos/ (31 files)")
        #expect(news.announcement(showsText: false, isMention: false) == "offers a folder")
        #expect(words(.text("hi")).announcement(showsText: false, isMention: true) == "mentions you")
        let gone = message(.text("")) { $0.isRetracted = true }
        for words in [MessageWords.summary(of: gone), MessageWords.quote(of: gone), MessageWords.beginning(of: gone)] {
            #expect(words.text == "(deleted)")
        }
    }

    @Test("an answer says what it answers")
    func quotes() {
        let answer = words(.text("yes"), .incoming)
        let own = message(.text("the plan"))
        #expect(answer.sentence(for: .found(own)).text == "replying to me \"the plan\"")
        let gone = message(.text(""), .incoming) { $0.isRetracted = true }
        #expect(answer.sentence(for: .found(gone)).text == "replying to Bob a deleted message")
        #expect(answer.sentence(for: .missing).text == "replying to a message that is not here")
        #expect(answer.sentence(for: .asked).text == "replying to an earlier message")
        #expect(MessageWords.words(for: .found(own)).text == "the plan")
        #expect(MessageWords.words(for: .missing).text == "(not in this history)")
        #expect(MessageWords.words(for: .asked).text == "…")
    }
}
