// PRODUCT's rule 5: a transfer is drawn four times a second at most, however often it is told of. Virtual time.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Rate of progress")
struct ProgressRateTests {
    private typealias Fixture = ScreenFixture

    private func progress(_ transfer: FileTransfer, _ bytes: UInt64) -> AppAction {
        .chat(.transferProgress(TransferProgress(id: transfer.id, transferred: bytes, rate: 1_400_000)))
    }

    /// Lets time pass as the program does: the clock comes when it was asked for.
    private func wait(_ fixture: inout Fixture, _ time: Duration, _ each: (Fixture) -> Void) {
        let end = fixture.moment.uptime + time
        while fixture.state.deadline < end {
            fixture.advance(max(.zero, fixture.state.deadline - fixture.moment.uptime))
            each(fixture)
        }
        fixture.advance(end - fixture.moment.uptime)
        each(fixture)
    }

    @Test("3,000 pieces of news in five seconds change what is drawn at most 21 times", arguments: ["", "Alt-t"])
    func rate(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let transfers = (1...3).map {
            Fixture.transfer($0, .incoming, "file \($0)", size: 3_000_000, .running)
        }
        fixture.send(.answer(.transfers(transfers)))
        for (index, transfer) in transfers.enumerated() {
            let at = Fixture.time(21, 9, 7)
            fixture.send(.chat(.messageAdded(Fixture.fileMessage(transfer, position: 60 + Int64(index), at: at))))
        }
        if !key.isEmpty { fixture.press(key) }
        var pictures = [fixture.text]
        var shown = fixture.state.world.transfers
        func look(_ fixture: Fixture) {
            // What is drawn the same is no redraw.
            guard fixture.state.world.transfers != shown else { return }
            shown = fixture.state.world.transfers
            let text = fixture.text
            if text != pictures.last { pictures.append(text) }
        }
        for step in 1...1000 as ClosedRange<UInt64> {
            for transfer in transfers {
                fixture.send(progress(transfer, step * 3_000))
                look(fixture)
            }
            wait(&fixture, .milliseconds(5), look)
        }
        #expect(pictures.count <= 1 + 21)
        #expect(pictures.count > 10, "and it is drawn")
        wait(&fixture, .milliseconds(250), look)
        #expect(fixture.text.contains("100%"), "the last of it is shown without more news")
    }

    @Test("the end of a transfer is shown at once, and no late news of it make it run again")
    func end() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        var transfer = Fixture.transfer(1, .incoming, "file", size: 3_000_000, .running)
        fixture.send(.answer(.transfers([transfer])))
        fixture.send(progress(transfer, 1_000))
        fixture.send(progress(transfer, 2_000))
        transfer.state = .complete
        transfer.transferred = 3_000_000
        fixture.send(.chat(.messageChanged(Fixture.fileMessage(transfer, position: 60, at: Fixture.time(21, 9, 7)))))
        #expect(fixture.state.world.transfers[TransferNumber(1)]?.state == .complete)
        fixture.advance(.seconds(1))
        #expect(fixture.state.world.transfers[TransferNumber(1)]?.transferred == 3_000_000)
        #expect(fixture.state.world.progressNews.due == nil)
    }
}
