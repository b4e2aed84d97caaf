// Which files of a folder have rows: kept up to date file by file, as if all had been looked at.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI

@Suite("Folding")
struct FoldingTests {
    private typealias Fixture = ScreenFixture

    /// Messages, some of them files of three folders, and a window that is told of them.
    private struct Chat {
        var window = ChatWindow()
        var history: [ChatMessage] = []
        var generator: SeededGenerator
        private var count: Int64 = 0

        init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

        private mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

        /// A new message behind all others, or `before` one of them.
        private mutating func make(folder: Int, before other: HistoryPosition? = nil) -> ChatMessage {
            count += 1
            let position = other.map { $0.rawValue - 1 } ?? count * 1000
            guard folder > 0 else {
                return Fixture.message(100_000 + count, .incoming, "text", at: Fixture.time(20, 9, 0)).at(position)
            }
            var transfer = Fixture.transfer(count, .incoming, "f\(count)", size: 1, .complete)
            transfer.place = FolderPlace(set: Fixture.messageID(Int64(folder)), path: "x", files: 9, bytes: 9)
            var message = Fixture.fileMessage(transfer, position: position, at: Fixture.time(20, 9, 0))
            message.isRetracted = random(0...9) == 0
            return message
        }

        private mutating func append(_ count: Int, folder: Int) {
            for _ in 0..<count {
                let message = make(folder: folder)
                history.append(message)
                window.append(message)
            }
        }

        private mutating func retract() {
            // Those at the beginning stand for their folders most often.
            let item = window.items.prefix(random(0...9)).last ?? window.items.randomElement(using: &generator)
            guard var message = item?.message, let index = history.firstIndex(where: { $0.id == message.id }) else {
                return
            }
            message.isRetracted = true
            history[index] = message
            window.replace(message)
        }

        private mutating func fillIn() {
            guard let other = history.randomElement(using: &generator), other.position.rawValue % 1000 == 0 else {
                return
            }
            let message = make(folder: random(0...3), before: other.position)
            history.append(message)
            history.sort { $0.position < $1.position }
            window.fillIn(message)
        }

        private mutating func load() {
            let end = HistoryPosition(.max)
            let position = random(0...3) == 0 ? end : history.randomElement(using: &generator)?.position ?? end
            let anchors: [(PageAnchor, Bool)] = [
                (.newest, false), (.newest, true), (.around(position), true), (.after(position), true),
                (window.firstPosition.map(PageAnchor.before) ?? .newest, false),
                (window.lastMessagePosition.map(PageAnchor.after) ?? .newest, false),
            ]
            let (anchor, replaces) = anchors[random(0...anchors.count - 1)]
            var request = PageRequest(
                contact: Fixture.alice, anchor: anchor, limit: [3, 100, 2000][random(0...2)], generation: 0)
            request.replaces = replaces
            window.merge(Fixture.page(of: history, request), for: request)
        }

        mutating func step() {
            switch random(0...11) {
            case 0, 1: append(1, folder: random(0...3))
            case 2: append(random(0...20) == 0 ? 3000 : 120, folder: random(0...3))
            case 3, 4: retract()
            case 5: fillIn()
            case 6, 7: load()
            case 8: window.add(LocalNotice(id: Int(count), time: Fixture.time(20, 9, 0), lines: [], isError: false))
            case 9:
                window.scroll(
                    to: window.items.randomElement(using: &generator).map { .at($0.key, hiddenRows: 0) } ?? .bottom)
            case 10 where random(0...3) == 0: window.shrink()
            default:
                guard let message = window.items.randomElement(using: &generator)?.message else { return }
                if random(0...1) == 0 { window.toggleFolder(of: message) } else { window.unfold(message.key) }
            }
        }
    }

    @Test(
        "folding file by file is the same as folding everything, whatever happens to the window",
        arguments: 1...6 as ClosedRange<UInt64>)
    func incremental(seed: UInt64) {
        var chat = Chat(seed: seed)
        for step in 0..<250 {
            chat.step()
            var whole = chat.window
            whole.fold()
            guard whole.folders == chat.window.folders else {
                Issue.record("step \(step) with seed \(seed)")
                return
            }
            #expect(chat.window.items.count <= ChatWindow.foldedLimit)
            let files = Dictionary(grouping: chat.window.items.compactMap(\.message)) { ChatWindow.folder(of: $0) }
            for (key, files) in files where key != nil {
                #expect(
                    files.filter(chat.window.isHead).map(\.id) == [(files.first { !$0.isRetracted } ?? files[0]).id])
            }
        }
    }
}

extension ChatMessage {
    fileprivate func at(_ position: Int64) -> ChatMessage {
        var message = self
        message.position = HistoryPosition(position)
        return message
    }
}
