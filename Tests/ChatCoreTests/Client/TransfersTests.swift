// What may begin, what waits, and what a peer may be given: the decisions about files on their way.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore

@Suite("Files on their way") struct TransfersTests {
    private let bob = ContactID(1)
    private let link = LinkNumber(rawValue: 1)
    private let now = MonotonicTime(nanoseconds: 1)
    private let limits: ChatLimits
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        var limits = ChatLimits()
        limits.runningTransfers = 2
        self.limits = limits
    }

    private func file(
        _ number: Int64, _ direction: MessageDirection = .incoming, _ state: FileTransfer.State = .accepted
    ) -> FileTransfer {
        FileTransfer(
            id: MessageID(at: Timestamp(milliseconds: number), random: (0, 0)), number: TransferNumber(number),
            contact: bob, direction: direction, name: "a", size: 10, modified: Timestamp(milliseconds: 0), state: state,
            path: "/in/a", offered: Timestamp(milliseconds: 0))
    }

    private func download(_ transfer: FileTransfer) -> Download {
        Download(task: Task {}, contact: bob, link: link, meter: ProgressMeter(id: transfer.id), transferred: 0)
    }

    private func upload(on link: LinkNumber? = nil, asked: MonotonicTime? = nil) throws -> Upload {
        let path = folder.file("f")
        try writeFile(path, [1, 2, 3])
        let facts = try OpenFile.forReading(path).facts()
        let file = try OutgoingFile(path: path, size: facts.size, modified: facts.modified, rangeLimit: 4)
        return Upload(file: file, contact: bob, link: link ?? self.link, lastAsked: asked ?? now)
    }

    private func start(_ transfers: inout Transfers, _ file: FileTransfer, inTurn: Bool = false) -> Transfers.Start {
        _ = transfers.read(file)
        return transfers.start(file.id, isOnline: { _ in true }, takesBundles: { _ in true }, inTurn: inTurn)
    }

    // MARK: Rows

    @Test("a change on its way to the store is newer than what the store says; what has ended changes no more")
    func rows() {
        var transfers = Transfers(limits: limits)
        let stored = file(1)
        #expect(transfers.change(stored.id) { $0.transferred = 5 } == nil)
        #expect(transfers.read(stored) == stored)
        #expect(transfers.change(stored.id) { $0.transferred = 5 }?.isNews == true)
        #expect(transfers.change(stored.id) { $0.transferred = 5 }?.isNews == false)
        #expect(transfers.read(stored).transferred == 5)
        transfers.forgetRow(stored.id)
        #expect(transfers.read(stored).transferred == 0)
        #expect(transfers.change(stored.id) { $0.state = .complete }?.isNews == true)
        #expect(transfers.change(stored.id) { $0.state = .accepted } == nil)
        transfers.stored(end: stored.id)
        #expect(transfers.row(stored.id) == nil)
    }

    @Test("several that end together give nothing any more")
    func endTogether() throws {
        var transfers = Transfers(limits: limits)
        let (first, second) = (transfers.read(file(1, .outgoing)), file(2, .outgoing, .offered))
        transfers.begin(try upload(), of: first.id)
        _ = transfers.end([first, second], as: .cancelled, at: Timestamp(milliseconds: 7))
        #expect([first, second].map { transfers.row($0.id)?.state } == [.cancelled, .cancelled])
        #expect(transfers.uploads.isEmpty)
    }

    @Test("what ends is given back as it is now, with the path that was chosen after it was read from the store")
    func endTogetherAsNow() {
        var transfers = Transfers(limits: limits)
        let (accepted, arrived) = (transfers.read(file(1, .incoming, .offered)), transfers.read(file(2)))
        _ = transfers.change(accepted.id) { ($0.state, $0.path) = (.accepted, "/in/a") }
        _ = transfers.change(arrived.id) { $0.state = .complete }
        let ended = transfers.end([accepted, arrived], as: .cancelled, at: Timestamp(milliseconds: 7))
        #expect(ended.map(\.state) == [.cancelled, .complete])
        #expect(ended[0].path == "/in/a")
    }

    // MARK: Downloads

    @Test("so many of one contact run at once, and the others wait for their turn or for the contact")
    func turns() {
        var transfers = Transfers(limits: limits)
        for number in 1...2 as ClosedRange<Int64> {
            #expect(start(&transfers, file(number)) == .begins(file(number), folder: "/in"))
            transfers.begin(download(file(number)), of: file(number).id)
            #expect(start(&transfers, file(number)) == .stays)
        }
        #expect(start(&transfers, file(3)) == .waitsForTurn)
        #expect(
            transfers.start(file(3).id, isOnline: { _ in false }, takesBundles: { _ in true }, inTurn: false)
                == .waitsForPeer)
        #expect(start(&transfers, file(4, .incoming, .offered)) == .stays)
        #expect(start(&transfers, file(5, .outgoing)) == .stays)
        #expect(transfers.endDownload(file(1).id, isFinal: false) != nil)
        #expect(start(&transfers, file(3)) == .begins(file(3), folder: "/in"))
    }

    @Test("a file that has come or failed does not begin again before its row says so")
    func ending() {
        var transfers = Transfers(limits: limits)
        let file = transfers.read(file(1))
        transfers.begin(download(file), of: file.id)
        #expect(transfers.endDownload(file.id, isFinal: true) != nil)
        #expect(start(&transfers, file) == .stays)
        #expect(transfers.beginAccepting(file.id) == false)
        transfers.endEnding(file.id)
        #expect(start(&transfers, file) == .begins(file, folder: "/in"))
    }

    @Test("what rests is left alone until its time, or until its contact is back; too many at rest hold up the others")
    func resting() {
        var transfers = Transfers(limits: limits)
        let files = (1...Int64(Transfers.mostResting)).map { file($0) }
        for file in files { transfers.rest(file.id, from: bob) }
        #expect(transfers.isUnderWay(files[0].id))
        #expect(!transfers.hasTurn(bob))
        #expect(start(&transfers, file(100), inTurn: true) == .waitsForTurn)
        #expect(transfers.endRest(files[0].id) == true)
        #expect(transfers.endRest(files[0].id) == false)
        #expect(transfers.hasTurn(bob))
        transfers.endRests(of: bob)
        #expect(!files.contains { transfers.isResting($0.id) })
    }

    @Test("a file is accepted once at a time, and its download may begin before that has ended")
    func accepting() {
        var transfers = Transfers(limits: limits)
        let file = transfers.read(file(1))
        #expect(transfers.beginAccepting(file.id) == true)
        #expect(transfers.beginAccepting(file.id) == false)
        #expect(transfers.needsPartial(file.id))
        transfers.begin(download(file), of: file.id)
        transfers.endAccepting(file.id)
        #expect(transfers.download(file.id) != nil)
        transfers.rest(file.id, from: bob)
        #expect(!transfers.isResting(file.id), "what runs does not rest")
    }

    // MARK: Uploads

    @Test("what a receiver asked for before they paused a file is not given; what they ask for after it ends the pause")
    func pause() throws {
        var transfers = Transfers(limits: limits)
        let file = transfers.read(file(1, .outgoing))
        transfers.begin(try upload(), of: file.id)
        #expect(transfers.pause(file.id, at: ReceiverPause(link: link, number: 5)) != nil)
        #expect(transfers.uploads.isEmpty)
        #expect(transfers.isPaused(file.id, for: 4, on: link) == true)
        #expect(transfers.isPaused(file.id, for: 6, on: link) == false)
        #expect(transfers.isPaused(file.id, for: 4, on: link) == false)
    }

    @Test("files at rest are closed for others, the longest at rest first, but for one whose digest is waited for")
    func room() throws {
        var transfers = Transfers(limits: limits)
        let files = (1...8 as ClosedRange<Int64>).map { file($0, .outgoing) }
        for (index, file) in files.enumerated() {
            #expect(transfers.closedForAnother(of: bob) == nil)
            transfers.begin(try upload(asked: now + .seconds(index)), of: file.id)
        }
        #expect(transfers.closedForAnother(of: bob) == files[0].id)
        let place = transfers.digests.enter(files[0].id, of: bob, on: link)
        let (ticket, _) = try #require(place)
        #expect(transfers.closedForAnother(of: bob) == files[1].id)
        #expect(!transfers.isAbandoned(files[0].id, after: .seconds(1), now: now + .seconds(9)))
        transfers.digests.leave(ticket, of: bob)
        #expect(transfers.isAbandoned(files[0].id, after: .seconds(1), now: now + .seconds(9)))
        transfers.asked(for: files[0].id, now: now + .seconds(9))
        #expect(!transfers.isAbandoned(files[0].id, after: .seconds(1), now: now + .seconds(9)))
    }

    @Test("requests for a file that is not open wait for each other; more of them than transfers need are refused")
    func lines() throws {
        var transfers = Transfers(limits: limits)
        let files = (1...3 as ClosedRange<Int64>).map { file($0, .outgoing) }
        for file in files.prefix(2) {
            guard case .after(nil) = transfers.line(for: file.id, of: bob, on: link) else {
                Issue.record("it has to be opened")
                return
            }
            transfers.lineUp(Task {}, for: file.id, of: bob)
        }
        guard case .after(.some) = transfers.line(for: files[0].id, of: bob, on: link),
            case .full = transfers.line(for: files[2].id, of: bob, on: link)
        else {
            Issue.record("one after the other, and not too many files")
            return
        }
        transfers.leaveLine(for: files[0].id, of: bob)
        transfers.begin(try upload(), of: files[0].id)
        guard case .open = transfers.line(for: files[0].id, of: bob, on: link) else {
            Issue.record("it is open")
            return
        }
        for number in 4...7 as ClosedRange<Int64> {
            #expect(transfers.digests.enter(file(number).id, of: bob, on: link) != nil)
        }
        #expect(transfers.digests.enter(files[0].id, of: bob, on: link) == nil)
    }

    @Test("the limit of all is shared by the files whose ranges it holds back")
    func held() {
        var transfers = Transfers(limits: limits)
        let (first, second) = (file(1).id, file(2).id)
        for id in [first, first, second] { transfers.holdRange(of: id) }
        #expect(transfers.sharersOfLimit(with: first) == 2)
        transfers.releaseRange(of: first)
        transfers.releaseRange(of: second)
        #expect(transfers.sharersOfLimit(with: first) == 1)
        #expect(transfers.sharersOfLimit(with: second) == nil)
    }

    @Test("with a link its downloads are cancelled, its pauses are over, and its uploads are to be remembered")
    func linkEnded() throws {
        var transfers = Transfers(limits: limits)
        let files = (1...4 as ClosedRange<Int64>).map { transfers.read(file($0)) }
        let download = download(files[0])
        transfers.begin(download, of: files[0].id)
        transfers.begin(try upload(), of: files[1].id)
        transfers.begin(try upload(on: LinkNumber(rawValue: 2)), of: files[2].id)
        _ = transfers.pause(files[3].id, at: ReceiverPause(link: link, number: 5))
        #expect(transfers.linkEnded(link) == [files[1].id])
        #expect(download.task.isCancelled)
        #expect(transfers.isPaused(files[3].id, for: 1, on: link) == false)
        #expect(transfers.upload(files[1].id, on: link) != nil, "until it has been remembered")
    }
}

@Suite("Folders that are sent as a whole") struct FolderSetsTests {
    private let set = MessageID(at: Timestamp(milliseconds: 0), random: (0, 0))
    private let key = "key"

    private func file(_ number: Int64, size: UInt64) -> FileTransfer {
        FileTransfer(
            id: MessageID(at: Timestamp(milliseconds: number), random: (0, 0)), number: TransferNumber(number),
            contact: ContactID(1), direction: .incoming, name: "a", size: size, modified: Timestamp(milliseconds: 0),
            offered: Timestamp(milliseconds: 0))
    }

    @Test("what our user has agreed to is taken once for each file, and no more than was offered")
    func agreement() {
        var folders = FolderSets()
        let place = FolderPlace(set: set, path: "photos", files: 3, bytes: 30)
        #expect(folders.agree(to: place, beginning: file(1, size: 10), key) == nil, "it has no place yet")
        #expect(folders.made("/in/photos", key) != nil)
        #expect(folders.made("/in/photos (2)", key) == nil)
        #expect(folders.agree(to: place, beginning: file(1, size: 10), key)?.filesLeft == 2)
        guard case .agreed(let left) = folders.take(file(2, size: 15), key) else {
            Issue.record("it was agreed to")
            return
        }
        #expect(left.bytesLeft == 5)
        #expect(folders.take(file(2, size: 15), key) == .counted)
        #expect(folders.take(file(3, size: 6), key) == .none)
        #expect(folders.refuse(key).isRefused)
        #expect(folders.take(file(4, size: 1), key) == .none)
    }

    @Test("what was decided meanwhile is newer than what the store says")
    func stored() {
        var folders = FolderSets()
        _ = folders.refuse(key)
        #expect(folders.read(FolderSet(path: "/old"), key).isRefused)
    }

    @Test("a folder of ours that is cancelled is not offered any further")
    func offering() {
        var folders = FolderSets()
        folders.beginOffering(set)
        #expect(folders.isBeingOffered(set))
        folders.endOffering(set)
        #expect(!folders.isBeingOffered(set))
    }
}
