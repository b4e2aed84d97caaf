// Random keys and random news: nothing traps, and the network never touches the focus or the half-typed line.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Properties")
struct PropertyTests {
    private typealias Fixture = ScreenFixture

    private static let keys: [Key] =
        KeyBindings.all.flatMap(\.keys).compactMap { KeySequence(named: $0)?.keys }.flatMap { $0 }
        + "abjkpxgGqnry12/ :\"\\#~é漢".map { Key($0) } + [Key(.backTab), Key(.insert), Key("c", .alt)]
    private static let texts = [
        "", "hello", "/send ~/", "/goto 2026-11-20", "\u{1B}[2J\u{7}", "a\nb\nc", "👨‍👩‍👧‍👦\u{301}\u{200D}", "שלום\u{202E}",
        "漢字漢字漢字",
        String(repeating: "x", count: 500), "/", "//", "/accept", "from:bob x", "\u{200B}/quit",
    ]
    private static let sizes = [
        (120, 40), (80, 24), (61, 24), (40, 10), (20, 5), (20, 4), (10, 3), (1, 1), (2, 2), (0, 0), (300, 1), (1, 60),
    ]

    private func randomMessage(_ generator: inout SeededGenerator) -> ChatMessage {
        let number = Int64.random(in: 1...400, using: &generator)
        let contact = ContactID(Int64.random(in: 1...5, using: &generator))
        let time = Timestamp(
            milliseconds: [0, .max, .min, Fixture.time(21, 9, 0).milliseconds].randomElement(using: &generator) ?? 0)
        if Int.random(in: 0..<4, using: &generator) == 0 {
            let state: FileTransfer.State =
                [.offered, .accepted, .running, .paused, .complete, .failed, .cancelled]
                .randomElement(using: &generator) ?? .offered
            var transfer = Fixture.transfer(
                number % 20, Bool.random(using: &generator) ? .incoming : .outgoing,
                Self.texts.randomElement(using: &generator) ?? "", size: generator.next(), state, contact: contact,
                transferred: generator.next(),
                reason: Self.texts.randomElement(using: &generator).map(TransferReason.other))
            transfer.caption = Self.texts.randomElement(using: &generator) ?? ""
            return Fixture.fileMessage(transfer, position: number, at: time)
        }
        let states: [DeliveryState] = [.pending, .sent, .delivered, .read, .failed(reason: "\u{1B}")]
        return Fixture.message(
            number, Bool.random(using: &generator) ? .incoming : .outgoing,
            Self.texts.randomElement(using: &generator) ?? "", at: time,
            states.randomElement(using: &generator) ?? .sent,
            contact: contact, replyTo: Bool.random(using: &generator) ? number / 2 : nil)
    }

    private func randomNews(_ generator: inout SeededGenerator) -> AppAction {
        let contact = ContactID(Int64.random(in: 1...6, using: &generator))
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1: return .chat(.messageAdded(randomMessage(&generator)))
        case 2: return .chat(.messageChanged(randomMessage(&generator)))
        case 3:
            let id = Fixture.messageID(1000 + Int64.random(in: 0...20, using: &generator))
            let rate = [0, -1, .nan, .infinity, 1e300, 5].randomElement(using: &generator) ?? 0
            return .chat(
                .transferProgress(
                    TransferProgress(
                        id: id, transferred: generator.next(), rate: rate,
                        stalled: .seconds(Int64.random(in: 0...99, using: &generator)))))
        case 4: return .chat(.typing(contact, Bool.random(using: &generator)))
        case 5:
            let details = LinkDetails(remoteAddress: "\u{1B}x", isEncrypted: Bool.random(using: &generator))
            return .chat(
                .linkChanged(contact, Bool.random(using: &generator) ? .online(details) : .offline(reason: "\u{9B}")))
        case 6:
            let request = ContactRequest(
                id: Int64.random(in: 1...3, using: &generator), peerID: Fixture.peerID("h"),
                name: Self.texts.randomElement(using: &generator) ?? "", address: nil, origin: "x",
                received: Fixture.time(21, 9, 0))
            return .chat(.requestsChanged(Bool.random(using: &generator) ? [request] : []))
        case 7: return .chat(.notice(.keyChanged(contact)))
        default: return .chat(.conversationsChanged)
        }
    }

    @Test(
        "news from the network never change the half-typed line, the open chat or the overlay",
        arguments: 1...8 as ClosedRange<UInt64>)
    func networkLeavesTheUserAlone(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half-typed")
        fixture.press(["Left", "Alt-t", "Alt-s", "F1", "Alt-k"].randomElement(using: &generator) ?? "Left")
        for _ in 0..<300 {
            let before = fixture.state
            fixture.send(randomNews(&generator))
            #expect(fixture.state.composer.input == before.composer.input)
            #expect(fixture.state.place.openID == before.place.openID)
            #expect(fixture.state.place.overlay == before.place.overlay)
            fixture.advance(.milliseconds(Int64.random(in: 0...900, using: &generator)))
            #expect(fixture.state.composer.input == before.composer.input)
        }
        _ = fixture.canvas
    }

    @Test("random keys, pastes, sizes, news and answers never trap", arguments: 1...12 as ClosedRange<UInt64>)
    func nothingTraps(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var fixture = Fixture.main(columns: 80, rows: 24)
        let history = (1...400 as ClosedRange<Int64>).map { number in
            Fixture.message(number, .incoming, Self.texts[Int(number) % Self.texts.count], at: Fixture.time(20, 10, 0))
        }
        for step in 0..<400 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5: fixture.send(.input(.key(Self.keys.randomElement(using: &generator) ?? Key("x"))))
            case 5: fixture.send(.input(.paste(Self.texts.randomElement(using: &generator) ?? "")))
            case 6:
                let size = Self.sizes.randomElement(using: &generator) ?? (80, 24)
                fixture.send(.input(.resize(Size(columns: size.0, rows: size.1))))
            case 7: fixture.advance(.milliseconds(Int64.random(in: 0...2000, using: &generator)))
            case 8: fixture.send(randomNews(&generator))
            default:
                answer(&fixture, history)
            }
            fixture.state.ending = Ending()
            // What is due is done by the clock: nothing stays due, or the program would never rest.
            fixture.advance(.zero)
            #expect(fixture.state.deadline > fixture.state.surface.moment.uptime)
            if step % 3 == 0 {
                let canvas = fixture.canvas
                let text = ScreenFixture.text(canvas)
                #expect(
                    text.unicodeScalars.allSatisfy {
                        $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}")
                    })
            }
        }
    }

    /// Answers some of what was asked, as a service would.
    private func answer(_ fixture: inout ScreenFixture, _ history: [ChatMessage]) {
        let questions = fixture.questions
        fixture.answerPages(from: history)
        for question in questions {
            switch question {
            case .search(let query, let generation):
                let result = SearchResult(hits: Array(history.prefix(7)), searched: 400, isTruncated: true)
                fixture.send(.answer(.search(query, generation: generation, result, took: .milliseconds(1))))
            case .context(_, _, let generation):
                fixture.send(.answer(.context(generation: generation, Array(history.prefix(3)))))
            case .conversations:
                fixture.send(.answer(.conversations(fixture.state.world.chats.map(\.conversation))))
            case .files(_, _, _, let generation):
                let listing = FileListing(
                    folder: "/", entries: [.init(name: "a b", isFolder: true), .init(name: "a", isFolder: false)])
                fixture.send(.answer(.files(listing, generation: generation)))
            default: fixture.send(.answer(.failed(question, .store(.locked))))
            }
        }
    }

    @Test(
        "the screen is never blank",
        arguments: [(120, 40), (80, 24), (40, 10), (20, 5), (19, 5), (10, 3), (8, 2), (3, 1), (1, 1)])
    func neverBlank(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.type("x")
        #expect(fixture.text.contains { !$0.isWhitespace })
        #expect(fixture.canvas.cursor != nil)
    }

    @Test("the chat has at least 40 columns wherever panes are shown", arguments: 60...130)
    func chatWidth(columns: Int) {
        let fixture = Fixture.main(columns: columns, rows: 24)
        #expect(ScreenLayout(fixture.state).chat.size.columns >= 40)
    }
}
