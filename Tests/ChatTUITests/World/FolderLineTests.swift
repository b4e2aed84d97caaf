// Folders in the chat: one line for all files of a folder that was sent as a whole, which opens to show them.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Folders in the chat")
struct FolderLineTests {
    private typealias Fixture = ScreenFixture

    /// File `number` of a folder of `count` files of 1000 bytes, at a position of the same number.
    private static func file(
        _ number: Int64, of count: UInt64 = 4, _ state: FileTransfer.State = .complete,
        _ direction: MessageDirection = .incoming, contact: ContactID = Fixture.alice
    ) -> ChatMessage {
        var transfer = Fixture.transfer(
            number, direction, "f\(number).jpg", size: 1000, state, contact: contact,
            transferred: state == .complete ? 1000 : 0)
        transfer.place = FolderPlace(
            set: Fixture.messageID(1), path: "photos/2024", files: count, bytes: count * 1000)
        transfer.path = "/home/jo/Downloads/photos (2)/2024/f\(number).jpg"
        return Fixture.fileMessage(transfer, position: number, at: Fixture.time(21, 9, 6))
    }

    private func main(_ messages: [ChatMessage], rows: Int = 24) -> Fixture {
        var fixture = Fixture.main(columns: 100, rows: rows)
        for message in messages { fixture.send(.chat(.messageAdded(message))) }
        return fixture
    }

    private let folder = (100...103 as ClosedRange<Int64>).map { file($0) }

    @Test("a folder of small files has a rate, also between two of them, until nothing comes any more")
    func smallFiles() {
        var fixture = main((100...139 as ClosedRange<Int64>).map { Self.file($0, of: 40, .accepted) })
        #expect(fixture.text.contains("accepted") && !fixture.text.contains("B/s"))
        for number in 100...109 as ClosedRange<Int64> {
            fixture.advance(.milliseconds(500))
            fixture.send(.chat(.messageChanged(Self.file(number, of: 40, .running))))
            fixture.send(.chat(.messageChanged(Self.file(number, of: 40))))
        }
        // Ten of 1000 bytes, half a second apart; none runs now.
        #expect(fixture.text.contains("25% 2.0 kB/s 15 s · 10 of 40 done"), "\(fixture.text)")
        fixture.press("Alt-t")
        #expect(fixture.text.contains("2.0 kB/s  ETA 15 s"), "\(fixture.text)")
        // Keys and the clock alone change no rate.
        fixture.advance(.seconds(2))
        #expect(fixture.text.contains("2.0 kB/s  ETA 15 s"), "\(fixture.text)")
        fixture.advance(.seconds(4))
        #expect(!fixture.text.contains("B/s"), "\(fixture.text)")
        // It goes on after a rest: measured anew.
        for number in 110...113 as ClosedRange<Int64> {
            fixture.advance(.seconds(1))
            fixture.send(.chat(.messageChanged(Self.file(number, of: 40))))
        }
        #expect(fixture.text.contains("1.0 kB/s  ETA"), "\(fixture.text)")
    }

    @Test("what holds one file of a folder is told of the folder, though its first file is done")
    func whyItWaits() {
        func held(_ number: Int64, _ reason: TransferReason) -> AppAction {
            var message = Self.file(number, .accepted)
            guard case .file(var transfer) = message.content else { return .chat(.messageChanged(message)) }
            transfer.reason = reason
            message.content = .file(transfer)
            return .chat(.messageChanged(message))
        }
        let pausedByPeer = "paused by the sender"
        var fixture = main((100...103 as ClosedRange<Int64>).map { Self.file($0, $0 == 100 ? .complete : .accepted) })
        fixture.send(held(101, .pausedByPeer))
        fixture.send(held(102, .waitingForTurn))
        #expect(fixture.text.contains(pausedByPeer), "\(fixture.text)")
        // It is tried again now and then, and that alone is nothing that moves.
        fixture.send(.chat(.messageChanged(Self.file(101, .running))))
        #expect(fixture.text.contains(pausedByPeer), "\(fixture.text)")
        #expect(fixture.text.contains("↑0 ↓0") && !fixture.text.contains("↓ #100"), "\(fixture.text)")
        fixture.send(.chat(.messageChanged(Self.file(101))))
        #expect(!fixture.text.contains(pausedByPeer), "\(fixture.text)")
    }

    @Test("rates of folders and files add up, and a folder between two of its files counts as one that moves")
    func total() {
        var fixture = Fixture.main(columns: 100, rows: 24)
        fixture.send(.answer(.transfers([])))
        for number in 100...139 as ClosedRange<Int64> {
            fixture.send(.chat(.messageAdded(Self.file(number, of: 40, .accepted))))
        }
        // What lay there before anything moved is no part of the rate.
        fixture.advance(.seconds(60))
        for number in 100...104 as ClosedRange<Int64> {
            fixture.send(.chat(.messageChanged(Self.file(number, of: 40))))
            fixture.advance(.seconds(1))
        }
        #expect(fixture.text.contains("↓1  1.0kB/s"), "\(fixture.text)")
        var single = Fixture.transfer(90, .incoming, "single", size: 900_000, .running)
        single.transferred = 1
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(single, position: 300, at: Fixture.time(21, 9, 7)))))
        fixture.send(.chat(.transferProgress(TransferProgress(id: single.id, transferred: 500, rate: 3000))))
        #expect(fixture.text.contains("↓2  4.0kB/s"), "\(fixture.text)")
        fixture.press("Alt-t")
        #expect(fixture.text.contains("↓2") && fixture.text.contains("4.0 kB/s total"), "\(fixture.text)")
    }

    @Test("all files of a folder are one line with count, size, state and place")
    func oneLine() {
        let fixture = main(folder)
        #expect(
            fixture.text.contains("↓ photos/ (4 files) 4.0 kB · done · ~/Downloads/photos (2)  #100"), "\(fixture.text)"
        )
        #expect(!fixture.text.contains(".jpg"))
        #expect(fixture.state.openChat?.window.isAtBottom == true)
    }

    @Test("while it runs the line tells how far the whole is, and at the end one sentence is said")
    func progress() {
        var running = folder
        running[2] = Self.file(102, .running)
        running[3] = Self.file(103, .accepted)
        var fixture = main(running)
        fixture.send(
            .chat(
                .transferProgress(
                    TransferProgress(id: running[2].id, transferred: 500, rate: 250, stalled: .zero))))
        fixture.advance(.seconds(1))
        #expect(fixture.text.contains("photos/ (4 files) 4.0 kB"), "\(fixture.text)")
        #expect(fixture.text.contains("62% 250 B/s") && fixture.text.contains("2 of 4 done"), "\(fixture.text)")
        fixture.send(.chat(.messageChanged(folder[2])))
        #expect(fixture.state.place.status == nil, "one of its files is no news")
        fixture.send(.chat(.messageChanged(folder[3])))
        #expect(fixture.state.place.status?.text == "#100 photos/ (4 files) is here")
    }

    @Test("a folder of which some files were cancelled says what is here, and opens")
    func partlyDone() {
        var files = folder
        files[3] = Self.file(103, .running)
        var fixture = main(files)
        fixture.send(.chat(.messageChanged(Self.file(103, .cancelled))))
        let words = "3 of 4 files done, the rest cancelled"
        #expect(fixture.state.place.status?.text == "#100 photos/ (4 files): \(words)")
        #expect(fixture.text.contains("kB · \(words) ·") && fixture.text.contains(" ~/Downloads/photos (2)  #100"))
        fixture.press("Ctrl-f")
        #expect(fixture.text.contains(words))
        let none = main((100...103).map { Self.file($0, .cancelled) })
        #expect(none.text.contains("· cancelled") && !none.text.contains("0 of 4"))
    }

    @Test("Enter on the line and a click on it show the files and fold them again; each file is a message of its own")
    func opening() throws {
        var fixture = main(folder + [Fixture.message(120, .incoming, "after", at: Fixture.time(21, 9, 7))], rows: 40)
        fixture.press("Esc", "k")
        #expect(fixture.state.place.browse?.selected.id == folder[0].id, "one step up from what stands behind it")
        fixture.press("Enter")
        #expect((100...103).allSatisfy { fixture.text.contains("f\($0).jpg") }, "\(fixture.text)")
        fixture.press("j", "i")
        #expect(fixture.text.contains("#101 f101.jpg"))
        fixture.press("Esc", "k", "Enter")
        #expect(!fixture.text.contains(".jpg"))
        fixture.press("Esc")
        try fixture.click(on: "photos/")
        #expect(fixture.text.contains("f102.jpg"))
        try fixture.click(on: "photos/")
        #expect(!fixture.text.contains(".jpg"))
    }

    @Test("a jump to a file of a closed folder opens it")
    func jump() {
        var fixture = main(folder)
        fixture.effects = []
        fixture.enter("/goto #\(folder[2].id.short)")
        for case .message(let reference, let contact, let action, let line) in fixture.questions {
            fixture.send(.answer(.message(folder[2], reference, contact, action, line: line)))
        }
        #expect(fixture.text.contains("f102.jpg"), "\(fixture.text)")
    }

    @Test("what is done with the line of a closed folder is done with all of its files")
    func selection() {
        var fixture = main(folder)
        fixture.press("Esc")
        #expect(Browsing.selectedMessages(fixture.state).map(\.id) == folder.map(\.id))
        fixture.press("s")
        #expect(fixture.state.place.status?.text == "#100 is ~/Downloads/photos (2)")
        fixture.press("Enter")
        #expect(Browsing.selectedMessages(fixture.state).map(\.id) == [folder[0].id])
        fixture.press("s")
        #expect(fixture.state.place.status?.text == "#100 is ~/Downloads/photos (2)/2024/f100.jpg")
    }

    @Test("a deleted file does not stand for its folder, and has a row of its own only where the others have")
    func deleted() {
        var fixture = main(folder)
        for (index, file) in folder.enumerated() {
            var gone = file
            gone.isRetracted = true
            fixture.send(.chat(.messageChanged(gone)))
            #expect(fixture.text.contains("(deleted)") == (index == 3), "\(fixture.text)")
            #expect(fixture.text.contains("photos/ (4 files)") == (index < 3))
            #expect(!fixture.text.contains(".jpg"))
            if index == 1 {
                fixture.press("Esc", "Enter")
                #expect(fixture.text.contains("f102.jpg") && fixture.text.contains("f103.jpg"))
                #expect(fixture.text.ranges(of: "(deleted)").count == 2)
                fixture.press("Enter", "q")
            }
        }
    }

    @Test("the number of a folder in a command means all of its files")
    func commands() {
        var fixture = main((100...103).map { Self.file($0, $0 == 100 ? .complete : .running, .outgoing) })
        let rest = (101...103).map { TransferNumber($0) }
        let pauses = rest.map { Errand.call(.pauseTransfer($0)) }
        let cases: [(String, [Errand])] = [
            ("/pause 100", pauses), ("/pause", pauses),
            ("/cancel #100", [.call(.cancelFolder(of: TransferNumber(100)))]),
            ("/cancel 102", [.call(.cancelTransfer(rest[1]))]),
            ("/limit 100 50k", rest.map { .call(.setRateLimit(50_000, of: .transfer($0))) }),
        ]
        for (line, expected) in cases {
            fixture.effects = []
            fixture.enter(line)
            #expect(fixture.errands == expected, "\(line)")
        }
        fixture.send(.done(.call(.setRateLimit(50_000, of: .transfer(rest[2]))), .nothing))
        #expect(fixture.state.place.status?.text == "#100: at most 50 kB/s for each file")
        fixture.enter("/resume 100")
        #expect(fixture.text.contains("#100 is running: nothing to resume"), "\(fixture.text)")
        fixture.enter("/cancel 100")
        fixture.send(.done(.call(.cancelFolder(of: TransferNumber(100))), .nothing))
        #expect(fixture.state.place.status?.text == "#100 is cancelled")
        fixture.enter("/pause 100")
        fixture.send(.done(.call(.pauseTransfer(rest[2])), .nothing))
        #expect(fixture.state.place.status?.text == "#100 is paused (/resume 100)")
        fixture.enter("/pause 102")
        fixture.send(.done(.call(.pauseTransfer(rest[1])), .nothing))
        #expect(fixture.state.place.status?.text == "#102 is paused (/resume 102)", "the others go on")
        fixture.enter("/status")
        #expect(fixture.text.contains("#100 photos/: ") && !fixture.text.contains("#101"), "\(fixture.text)")
        #expect(fixture.text.contains("↑ #100 25%"))
    }

    @Test("/delete of a folder takes all of its files back, after a question that counts those that are there")
    func deletedByCommand() {
        let files = (100...103).map { Self.file($0, .running, .outgoing) }
        for line in ["/delete", "/delete #100"] {
            var fixture = main(files)
            var gone = files[1]
            gone.isRetracted = true
            fixture.send(.chat(.messageChanged(gone)))
            fixture.effects = []
            fixture.enter(line)
            #expect(fixture.errands.isEmpty)
            #expect(
                fixture.text.contains("Delete 3 messages here and for Alice? /delete again to delete"),
                "\(fixture.text)")
            fixture.advance(.seconds(1))
            fixture.enter(line)
            #expect(fixture.errands == [0, 2, 3].map { .retract(files[$0], of: 3) })
            // By its own number a file goes alone.
            fixture.effects = []
            fixture.enter("/delete #103")
            #expect(fixture.errands == [.retract(files[3], of: 1)])
        }
    }

    @Test("a folder of which more files are to come can be cancelled although all that are known are here")
    func moreToCome() {
        var fixture = main((100...103).map { Self.file($0, of: 10) })
        fixture.effects = []
        fixture.enter("/cancel 100")
        fixture.press("Alt-t", "x", "x")
        #expect(
            fixture.errands == [
                .call(.cancelFolder(of: TransferNumber(100))), .call(.cancelFolder(of: TransferNumber(100))),
            ])
        fixture = main((100...103).map { Self.file($0) })
        fixture.enter("/cancel 100")
        #expect(fixture.text.contains("#100 is complete: nothing to cancel"), "\(fixture.text)")
    }

    @Test("an offer of a folder is answered by a file that is on offer, whatever has become of the first")
    func laterOffers() {
        var fixture = main([Self.file(100, .declined), Self.file(101, .offered)])
        fixture.effects = []
        fixture.enter("/accept")
        #expect(fixture.errands == [.accept(TransferNumber(101), folder: nil)])
    }

    @Test("reactions and refused changes stand below the line of a folder")
    func changes() {
        var first = folder[0]
        first.reactions = [Reaction(direction: .outgoing, emoji: "🦊")]
        first.operationState = .failed(reason: "the peer says no")
        let fixture = main([first] + folder[1...])
        #expect(fixture.text.contains("🦊 me"), "\(fixture.text)")
        #expect(fixture.text.contains("the change was refused: the peer says no"))
    }

    @Test("pictures above a folder of many files are looked for; those in it when it is open")
    func pictures() {
        func asked(_ fixture: Fixture) -> [MessageID] {
            fixture.questions.compactMap { if case .picture(let id, _, _) = $0 { id } else { nil } }
        }
        var photo = Fixture.transfer(50, .incoming, "photo.png", size: 70, .complete, transferred: 70)
        photo.path = "/home/jo/Downloads/photo.png"
        var fixture = main((100...160).map { Self.file($0, of: 61) })
        fixture.state.surface.set(\.preview, to: .blocks)
        fixture.send(.clock)
        #expect(asked(fixture).isEmpty)
        var history = fixture.state.world.chats[0].window.items.compactMap(\.message)
        history.insert(Fixture.fileMessage(photo, position: 50, at: Fixture.time(21, 9, 5)), at: 8)
        fixture.state.world.chats[0].window.merge(
            history, for: PageRequest(contact: Fixture.alice, anchor: .newest, limit: 100, generation: 0))
        fixture.send(.clock)
        #expect(asked(fixture) == [photo.id])
        fixture.press("Esc", "Enter")
        let inside = asked(fixture).filter { $0 != photo.id }
        #expect(inside.count > 10 && inside.count < 30, "as many as can be in view")
    }

    @Test("what answers a file of a folder answers the folder")
    func quotedFolder() {
        let message = Self.file(100, .declined)
        #expect(MessageWords.quote(of: message).text == "photos/ (4 files)")
    }

    @Test("the question about an offer that was hidden names the folder")
    func hiddenOffer() {
        var fixture = main([])
        fixture.enter("/alias x y")
        for message in (100...103).map({ Self.file($0, .offered) }) { fixture.send(.chat(.messageAdded(message))) }
        fixture.press("Alt-y")
        #expect(fixture.text.contains("Offer #100 photos/ (4 files) from Alice: look, then press again"))
    }

    @Test("of a folder of thousands is said that what is written meanwhile arrives behind it")
    func manyOffers() {
        for (count, isSaid) in [(500, false), (3000, true)] as [(Int64, Bool)] {
            var fixture = main([])
            let files = (100..<100 + count).map { Self.file($0, of: UInt64(count), .offered, .outgoing) }
            fixture.send(
                .done(
                    .sendFiles(["/photos"], caption: "", to: Fixture.alice),
                    .files([], folders: [FolderOffer(messages: files, skipped: 0)])))
            #expect(fixture.text.contains("3,000 offers take about 2 minutes to go out; what you write") == isSaid)
        }
    }

    @Test("what is older than the news of a file does not take it back")
    func overtaken() {
        var fixture = main([100, 101].map { Self.file($0, of: 2, .offered, .outgoing) })
        for number in [100, 101] as [Int64] {
            fixture.send(.chat(.messageChanged(Self.file(number, of: 2, .complete, .outgoing))))
        }
        let stored = [100, 101].map { Self.file($0, of: 2, .offered, .outgoing) }
        fixture.send(
            .done(
                .sendFiles(["/photos"], caption: "", to: Fixture.alice),
                .files([], folders: [FolderOffer(messages: stored, skipped: 0)])))
        #expect(fixture.state.world.transfers.byID.values.map(\.state) == [.complete, .complete])
        #expect(fixture.text.contains("photos/ (2 files) 2.0 kB · done"), "\(fixture.text)")
    }

    @Test("the first unread line is looked for among what has rows: it opens no folder", arguments: [true, false])
    func firstUnread(isBrowsing: Bool) {
        let after = Fixture.message(120, .incoming, "after", at: Fixture.time(21, 9, 7))
        for messages in [folder, folder + [after]] {
            var fixture = main(messages)
            if isBrowsing { fixture.press("Esc", "k") }
            fixture.state.world.chats[0].window.showUnreadLine(after: folder[0].position, count: messages.count - 1)
            fixture.effects = []
            fixture.press(isBrowsing ? "u" : "Alt-N")
            fixture.answerPages(from: Fixture.history + messages)
            #expect(!fixture.text.contains(".jpg"), "\(fixture.text)")
            #expect(fixture.text.contains("photos/ (4 files)"))
            let last = messages.count > 4 ? after : folder[0]
            if isBrowsing { #expect(fixture.state.place.browse?.selected.id == last.id) }
        }
    }

    @Test("a page around a place inside a folder opens no folder")
    func around() {
        var fixture = main(folder)
        fixture.send(.chat(.historyReplaced(Fixture.alice)))
        var request = PageRequest(
            contact: Fixture.alice, anchor: .around(folder[2].position), limit: 100, generation: 0)
        request.replaces = true
        fixture.state.world.chats[0].window.paging.begin(request)
        fixture.send(.answer(.page(request, Fixture.history + folder)))
        #expect(fixture.text.contains("photos/ (4 files)"), "\(fixture.text)")
        #expect(!fixture.text.contains(".jpg"))
    }

    @Test("numbers counted from the end count lines: a closed folder is one")
    func numbers() {
        let talk = (1...300 as ClosedRange<Int64>).map {
            Fixture.message(1100 + $0, .incoming, "line \($0)", at: Fixture.time(21, 9, 7), contact: Fixture.alice)
        }
        var fixture = main(folder + [Fixture.message(120, .incoming, "after", at: Fixture.time(21, 9, 7))])
        for (number, id) in [(1, Fixture.messageID(120)), (2, folder[0].id), (3, Fixture.messageID(8))] {
            fixture.enter("/react \(number) :+1:")
            #expect(fixture.reacted == [id])
        }
        fixture.enter("/delete 99")
        #expect(fixture.text.contains("There are fewer than 99 messages of yours"))
        // The store counts all of them.
        fixture = Fixture(
            columns: 100, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 99_999)])
        fixture.press("Alt-1")
        fixture.state.world.chats[0].window.paging.limit(to: 100)
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        let history = talk + (2000...2003).map { Self.file($0) }
        fixture.answerPages(from: history)
        fixture.enter("/react 201 :+1:")
        for case .message(let reference, let contact, let action, let line) in fixture.questions {
            let found = Fixture.message(reference, in: history)
            fixture.send(.answer(.message(found, reference, contact, action, line: line)))
        }
        #expect(fixture.reacted == [talk[100].id])
        fixture.enter("/react 1000 :+1:")
        for case .message(let reference, let contact, let action, let line) in fixture.questions {
            fixture.send(.answer(.message(nil, reference, contact, action, line: line)))
        }
        #expect(fixture.text.contains("There are fewer than 1000 messages"), "\(fixture.text)")
    }

    @Test("scrolling away from a folder at the end and back ends at the newest message")
    func bottom() {
        var fixture = main(folder, rows: 10)
        fixture.press("PgUp")
        #expect(fixture.state.openChat?.window.isAtBottom == false)
        for _ in 0..<5 { fixture.press("PgDn") }
        #expect(fixture.state.openChat?.window.isAtBottom == true)
        fixture.send(.chat(.messageAdded(Fixture.message(130, .incoming, "and now", at: Fixture.time(21, 9, 8)))))
        #expect(fixture.text.contains("and now"))
    }

    @Test("behind a folder of a thousand files the older messages are still on the screen, and memory is bounded")
    func large() {
        let talk = (1...50 as ClosedRange<Int64>).map {
            Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(20, 9, 0))
        }
        for count in [1000, 12_000] as [Int64] {
            let files = (100..<100 + count).map { Self.file($0, of: UInt64(count)) }
            var fixture = Fixture(
                columns: 100, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 99_999)])
            fixture.press("Alt-1")
            fixture.state.surface.set(\.pageSize, to: 200)
            fixture.state.world.chats[0].window.paging.limit(to: 200)
            fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
            for _ in 0..<200 where fixture.effects.contains(where: { if case .ask(.page) = $0 { true } else { false } })
            {
                fixture.answerPages(from: talk + files)
            }
            let window = fixture.state.world.chats[0].window
            #expect(window.items.count <= ChatWindow.foldedLimit)
            #expect(window.isAtBottom)
            #expect(fixture.text.contains("photos/ (\(Units.grouped(Int(count))) files)"))
            if count == 1000 { #expect(fixture.text.contains("line 50") && fixture.text.contains("line 40")) }
            // However many they are, the older messages are a page further up, and the newest at the end again.
            for _ in 0..<3 {
                fixture.press("PgUp")
                for _ in 0..<200 where fixture.questions.contains(where: \.isPage) {
                    fixture.answerPages(from: talk + files)
                }
            }
            #expect(fixture.text.contains("line 10"), "\(count): \(fixture.text)")
            #expect(fixture.state.world.chats[0].window.items.count <= ChatWindow.foldedLimit)
            fixture.press("Alt-End")
            for _ in 0..<200 where fixture.questions.contains(where: \.isPage) {
                fixture.answerPages(from: talk + files)
            }
            #expect(fixture.state.world.chats[0].window.isAtBottom)
        }
    }

    @Test("line mode prints one line for a folder, whatever chat it is in", arguments: [Fixture.alice, Fixture.bob])
    func plain(contact: ContactID) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var lines: [String] = []
        for message in [100, 101, 102, 103].map({ Self.file($0, .offered, contact: contact) }) {
            let action = AppAction.chat(.messageAdded(message))
            let before = fixture.state
            fixture.send(action)
            lines += PlainTranscript(before: before, after: fixture.state, action: action).lines.map(\.text)
        }
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasSuffix("#100 photos/ (4 files), 4.0 kB, offered (/accept 100 or /decline 100)") == true,
            "\(lines)")
    }

    @Test("line mode prints what stands beside a folder that was gone to, not the files in it")
    func plainPlace() {
        let talk = (200...240 as ClosedRange<Int64>).map {
            Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(21, 9, 7))
        }
        var fixture = main((100...130).map { Self.file($0, of: 31) } + talk, rows: 10)
        let before = fixture.state
        Scrolling.show(message: talk[0].key, at: 0, &fixture.state)
        let lines = PlainTranscript(before: before, after: fixture.state, action: .clock).lines.map(\.text)
        #expect(lines.contains { $0.contains("photos/ (31 files)") } && lines.contains { $0.contains("line 200") })
        #expect(!lines.contains { $0.contains(".jpg") }, "\(lines)")
    }
}

extension ScreenFixture {
    /// The messages that the last line has reacted to.
    fileprivate var reacted: [MessageID] {
        errands.compactMap { if case .react(let message, _)? = $0.call { message.id } else { nil } }
    }
}

extension Question {
    fileprivate var isPage: Bool { if case .page = self { true } else { false } }
}
