// The transfers pane: folders as one entry, details, the limit prompt, hash and opening; and offers one after the other.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Transfers pane")
struct TransfersPaneTests {
    private typealias Fixture = ScreenFixture

    /// File number `number` of a folder of three files and 3000 bytes.
    private func file(
        _ number: Int64, _ state: FileTransfer.State, transferred: UInt64 = 0, reason: TransferReason? = nil
    ) -> FileTransfer {
        var transfer = Fixture.transfer(
            number, .incoming, "\(number).jpg", size: 1000, state, transferred: transferred, reason: reason)
        transfer.place = FolderPlace(set: Fixture.messageID(77), path: "holiday/day 1", files: 3, bytes: 3000)
        return transfer
    }

    private func opened(_ transfers: [FileTransfer]) -> Fixture {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.answer(.transfers(transfers)))
        fixture.press("Alt-t")
        fixture.effects = []
        return fixture
    }

    @Test("the files of a folder are one entry with one bar")
    func folderIsOneEntry() {
        let running = [
            file(22, .running, transferred: 500), file(21, .complete, transferred: 1000), file(23, .accepted),
        ]
        let fixture = opened(running)
        #expect(fixture.state.world.transfers.groups.map(\.number) == [TransferNumber(21)])
        #expect(fixture.text.contains("#21 ↓ Alice  holiday/ (3 files)"))
        #expect(fixture.text.contains("50%"))
        #expect(!fixture.text.contains("22.jpg"))
    }

    @Test("where not all of them fit the frame says which one the cursor is on")
    func place() {
        let many = (1...19).map { Fixture.transfer($0, .incoming, "f\($0)", size: 1, .offered) }
        var fixture = opened(many)
        fixture.press("g")
        #expect(fixture.text.contains("─ Transfers · 1 of 19 · 19 offered · "))
        fixture.press("j", "j")
        #expect(fixture.text.contains("─ Transfers · 3 of 19 · 19 offered · "))
        #expect(opened(Array(many.prefix(3))).text.contains("─ Transfers · 3 offered · 0 B of 3 B ─"))
        #expect(opened(Array(many.prefix(1))).text.contains("─ Transfers ─"))
    }

    @Test("when the row under the cursor leaves a filtered list the next one has the cursor, and no key of the other")
    func goneRow() {
        let states: [FileTransfer.State] = [.running, .running, .running, .running]
        let many = states.enumerated().map {
            Fixture.transfer(Int64($0.offset) + 1, .incoming, "f\($0.offset + 1)", size: 1, $0.element)
        }
        var fixture = opened(many)
        fixture.press("/")
        fixture.type("running")
        fixture.press("Enter", "j", "j")
        func cursor() -> String? { fixture.text.split(separator: "\n").first { $0.contains("> #") }.map(String.init) }
        #expect(cursor()?.contains("#2 ") == true)
        func end(_ number: Int64) {
            fixture.send(
                .answer(.transfers([Fixture.transfer(number, .incoming, "f\(number)", size: 1, .complete)])))
        }
        end(2)
        #expect(cursor()?.contains("#1 ") == true)
        fixture.effects = []
        fixture.press("p")
        #expect(fixture.errands == [], "the key was meant for the one that has gone")
        fixture.press("p")
        #expect(fixture.errands == [.call(.pauseTransfer(TransferNumber(1)))])
        end(1)
        #expect(cursor()?.contains("#3 ") == true, "behind the last one there is none")
    }

    @Test("p pauses all files of a folder that run or wait, and resumes all that are paused")
    func pausesFolder() {
        var fixture = opened([file(21, .complete), file(22, .running), file(23, .accepted)])
        fixture.press("p")
        #expect(
            fixture.errands == [.call(.pauseTransfer(TransferNumber(22))), .call(.pauseTransfer(TransferNumber(23)))])
        fixture.send(.answer(.transfers([file(22, .paused), file(23, .paused)])))
        fixture.effects = []
        fixture.press("p")
        #expect(
            fixture.errands == [.call(.resumeTransfer(TransferNumber(22))), .call(.resumeTransfer(TransferNumber(23)))])
    }

    @Test("x twice cancels what is unfinished of a folder; a folder with a failed file says how many and why")
    func cancelsFolder() {
        var fixture = opened([file(21, .complete), file(22, .running), file(23, .offered)])
        fixture.press("x", "x")
        #expect(fixture.errands == [.call(.cancelFolder(of: TransferNumber(21)))])
        let ended = opened([file(21, .complete), file(22, .failed, reason: "the disk is full"), file(23, .complete)])
        #expect(ended.text.contains("1 of 3 files stopped: the disk is full"))
    }

    @Test("a accepts the offer of a folder by its first undecided file, and Alt-y does the same")
    func acceptsFolder() {
        var fixture = opened([file(21, .offered), file(22, .offered), file(23, .offered)])
        #expect(fixture.text.contains("offered: a accepts, n declines"))
        fixture.press("a")
        #expect(fixture.errands == [.accept(TransferNumber(21), folder: nil)])
        fixture.press("Alt-t")
        #expect(fixture.text.contains("OFFER #21 from Alice: holiday/ (3 files) 3.0 kB  Alt-y/Alt-n"))
    }

    @Test("several offers wait behind the shown one, and each is armed anew")
    func offersInARow() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let other = Fixture.transfer(9, .incoming, "b", size: 5, .offered, contact: Fixture.bob)
        fixture.send(.answer(.transfers([Fixture.release, other])))
        #expect(fixture.text.contains("OFFER #8"))
        #expect(fixture.text.contains("(+1)"))
        #expect(fixture.questions.contains(.downloads))
        fixture.advance(.seconds(1))
        fixture.effects = []
        fixture.press("Alt-n", "Alt-y")
        #expect(fixture.errands == [.call(.declineTransfer(TransferNumber(8)))])
        fixture.advance(.seconds(1))
        fixture.press("Alt-y")
        #expect(fixture.errands.last == .accept(TransferNumber(9), folder: nil))
    }

    @Test("what one contact offers at once is one question; what comes once it can be answered is the next one")
    func oneQuestion() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        func offer(_ number: Int64) {
            let transfer = Fixture.transfer(number, .incoming, "f\(number)", size: 1_000_000, .offered)
            fixture.send(
                .chat(.messageAdded(Fixture.fileMessage(transfer, position: number, at: Fixture.time(21, 9, 7)))))
        }
        for number in 20...23 as ClosedRange<Int64> { offer(number) }
        #expect(fixture.text.contains("4 OFFERS from Alice: f20"), "\(fixture.text)")
        #expect(fixture.text.contains("4.0 MB  Alt-y/Alt-n") && fixture.text.contains("Alt-y accept all 4"))
        fixture.effects = []
        fixture.press("Alt-y")
        #expect(fixture.errands.isEmpty)
        fixture.advance(.seconds(1))
        offer(24)
        fixture.effects = []
        fixture.press("Alt-y")
        let numbers = [20, 21, 22, 23].map { Errand.accept(TransferNumber($0), folder: nil) }
        #expect(fixture.errands == [.several(numbers)])
        #expect(fixture.state.place.shownOffer?.number == TransferNumber(24))
        fixture.send(.done(.several(numbers), .failures([])))
        #expect(fixture.text.contains("4 offers are accepted"))
    }

    @Test("a flood of offers cannot keep a question from being answered")
    func floodOfOffers() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for number in 20...60 as ClosedRange<Int64> {
            let transfer = Fixture.transfer(number, .incoming, "f\(number)", size: 1, .offered)
            fixture.send(
                .chat(.messageAdded(Fixture.fileMessage(transfer, position: number, at: Fixture.time(21, 9, 7)))))
            fixture.advance(.milliseconds(100))
        }
        fixture.effects = []
        fixture.press("Alt-n")
        #expect(fixture.errands.count == 1)
    }

    @Test("several are named at once: all, from one number to another, and single ones")
    func severalAtOnce() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let offers = (20...23).map { Fixture.transfer($0, .incoming, "f\($0)", size: 1_000_000, .offered) }
        let running = Fixture.transfer(24, .outgoing, "up", size: 10, .running)
        fixture.send(.answer(.transfers(offers + [running])))
        func accepts(_ numbers: Int64...) -> Errand {
            .several(numbers.map { .accept(TransferNumber($0), folder: nil) })
        }
        fixture.enter("/accept all")
        #expect(fixture.errands == [accepts(20, 21, 22, 23)])
        fixture.enter("/accept 21-22")
        #expect(fixture.errands == [accepts(21, 22)])
        fixture.enter("/accept #20,#23 /tmp")
        #expect(
            fixture.errands == [
                .several([20, 23].map { .accept(TransferNumber($0), folder: "/tmp") })
            ])
        fixture.enter("/decline 20-22 not now")
        #expect(fixture.errands.last == .call(.send("not now", to: Fixture.alice)) && fixture.errands.count == 2)
        fixture.enter("/pause all")
        #expect(fixture.errands == [.call(.pauseTransfer(TransferNumber(24)))])
        fixture.enter("/cancel all")
        #expect(fixture.errands.isEmpty && fixture.text.contains("This cancels 5 transfers (4.0 MB) for good."))
        fixture.enter("/cancel all")
        #expect(fixture.errands.count == 1)
        fixture.enter("/accept 4-")
        #expect(fixture.errands.isEmpty && fixture.text.contains("4- is not a list of numbers (all, 4-23 or 4,6,9-12)"))
        fixture.enter("/resume all")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Nothing is paused"))
        let failure = ErrandFailure(errand: .accept(TransferNumber(20), folder: nil), error: .blocked)
        fixture.send(.done(accepts(20, 21), .failures([failure])))
        #expect(fixture.questions.contains(.transfers))
    }

    @Test("the pane has what moves on top, and says what all of it comes to")
    func totals() {
        let fixture = opened([
            Fixture.transfer(1, .incoming, "moving", size: 2_000_000, .running, transferred: 1_000_000),
            Fixture.transfer(2, .incoming, "waiting", size: 1_000_000, .accepted),
            Fixture.transfer(3, .incoming, "offered", size: 1_000_000, .offered),
            Fixture.transfer(4, .incoming, "done", size: 9, .complete, transferred: 9),
            Fixture.transfer(5, .outgoing, "paused", size: 1_000_000, .paused),
        ])
        #expect(fixture.state.world.transfers.groups.map(\.number.rawValue) == [1, 3, 5, 2, 4])
        #expect(
            fixture.text.contains("Transfers · 1 running, 1 offered, 2 waiting · 1.0 MB of 5.0 MB"), "\(fixture.text)")
    }

    @Test("an offer that does not fit on the disk says so")
    func noRoom() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        #expect(fixture.text.contains("212 GB free · id"))
        fixture.send(.answer(.downloads(folder: "/home/jo/Downloads", freeBytes: 1_000_000)))
        #expect(fixture.text.contains("1.0 MB free: NOT ENOUGH"))
    }

    @Test("L asks for the rate in the pane, and only a rate is taken; the half-typed line stays")
    func limit() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.addTransfers()
        fixture.press("Alt-t")
        while case .transfers(let pane) = fixture.state.place.overlay, pane.selected != TransferNumber(8) {
            fixture.press("j")
        }
        fixture.effects = []
        fixture.press("L")
        #expect(fixture.text.contains("Limit #8 to"))
        fixture.type("fast")
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty)
        fixture.press("Ctrl-u")
        fixture.type("500k")
        fixture.press("Enter")
        #expect(fixture.errands == [.call(.setRateLimit(500_000, of: .transfer(TransferNumber(8))))])
        #expect(fixture.text.contains("at most 500 kB/s"))
        fixture.press("L", "Esc")
        #expect(fixture.state.place.overlay != nil)
        fixture.press("L")
        fixture.type("off")
        fixture.press("Enter")
        #expect(fixture.errands.last == .call(.setRateLimit(nil, of: .transfer(TransferNumber(8)))))
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("Enter shows everything about a transfer; Esc goes back to the list, then to the chat")
    func details() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.press("Alt-t", "G", "k", "Enter")
        #expect(fixture.text.contains("Transfer #7"))
        #expect(fixture.text.contains("77aa0c1e" + String(repeating: "0", count: 20)))
        #expect(fixture.text.contains("4.1 MB (4100000 bytes)"))
        fixture.press("Esc")
        #expect(fixture.text.contains("┌─ Transfers"))
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
    }

    @Test("y copies the hash of a finished file; without one it says so")
    func copies() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.press("Alt-t", "y")
        #expect(!fixture.effects.contains { if case .terminal = $0 { true } else { false } })
        fixture.press("G", "k", "y")
        #expect(fixture.effects.contains(.terminal(.copy("77aa0c1e" + String(repeating: "0", count: 56)))))
    }

    @Test("o opens what is complete with the user's program; a program is never started")
    func opens() {
        var done = Fixture.transfer(7, .incoming, "a.pdf", size: 5, .complete, transferred: 5)
        done.path = "/home/jo/Downloads/a.pdf"
        var fixture = opened([done])
        fixture.press("o")
        #expect(fixture.effects.contains(.spawn(["xdg-open", "/home/jo/Downloads/a.pdf"])))
        var program = Fixture.transfer(8, .incoming, "setup.exe", size: 5, .complete, transferred: 5)
        program.path = "/home/jo/Downloads/setup.exe"
        fixture = opened([program])
        fixture.press("o")
        #expect(!fixture.effects.contains { if case .spawn = $0 { true } else { false } })
        #expect(fixture.text.contains("is a program"))
        fixture = opened([Fixture.transfer(9, .incoming, "b", size: 5, .running)])
        fixture.press("o")
        #expect(!fixture.effects.contains { if case .spawn = $0 { true } else { false } })
    }

    @Test("a finished folder of thousands of files is one of the finished, and old ones are forgotten whole")
    func forgets() {
        var list = TransferList()
        for number in 1...2000 as ClosedRange<Int64> {
            var transfer = Fixture.transfer(number, .outgoing, "f", size: 1, .complete, transferred: 1)
            transfer.place = FolderPlace(set: Fixture.messageID(5), path: "big", files: 2000, bytes: 2000)
            list.update(transfer, at: .zero)
        }
        #expect(list.groups.count == 1 && list.byID.count == 2000)
        for number in 3000..<3000 + Int64(TransferList.finishedLimit) {
            list.update(Fixture.transfer(number, .incoming, "g", size: 1, .complete), at: .zero)
        }
        #expect(list.groups.count == TransferList.finishedLimit)
        #expect(list.byID.count == TransferList.finishedLimit && list[TransferNumber(1)] == nil)
        // What the store tells at the start, all at once, leaves the same.
        var atOnce = TransferList()
        atOnce.update(Array(list.byID.values) + [Fixture.transfer(2, .incoming, "old", size: 1, .complete)])
        #expect(atOnce.groups == list.groups)
    }

    @Test("a stalled transfer says for how long instead of a rate, and rates of a folder add up")
    func rates() {
        var list = TransferList()
        for transfer in [file(21, .running), file(22, .running)] { list.update(transfer, at: .zero) }
        list.update(TransferProgress(id: file(21, .running).id, transferred: 10, rate: 100), at: .zero)
        list.update(TransferProgress(id: file(22, .running).id, transferred: 20, rate: 50), at: .zero)
        let group = list.group(of: TransferNumber(22))
        #expect(group?.transferred == 30)
        #expect(group.flatMap { list.progress(of: $0, at: .zero) }?.rate == 150)
        var fixture = opened([file(21, .running)])
        fixture.send(
            .chat(
                .transferProgress(
                    TransferProgress(id: file(21, .running).id, transferred: 10, rate: 0, stalled: .seconds(12)))))
        #expect(fixture.text.contains("stalled 12 s"))
    }
}
