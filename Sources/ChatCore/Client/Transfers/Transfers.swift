// All files on their way, and the decisions about them: which may begin, which wait, what a peer may be given. Pure;
// TransferDecisions, Downloads and Uploads do the errands.

import BLIPNet

/// The unfinished transfers that this run has touched.
///
/// There is one copy of each row, so that progress never overwrites a decision: a change is made here first and then
/// written, in the order of the changes.
struct Transfers {
    private(set) var all: [MessageID: LiveTransfer] = [:]
    /// Those of them with which something is being done: of thousands of rows, a few.
    private var busy: Set<MessageID> = []
    /// The digests of offered files that contacts wait for.
    var digests: DigestLines
    /// Requests for files that wait for a disk.
    private var answers = FileAnswers()

    /// How many files of one contact run at once.
    private let mostRunning: Int
    /// How many ranges of one file are given at once.
    private let mostRanges: Int
    /// How large files may be that come together.
    private let bundledFile: UInt64
    var givenBundles: GivenBundles
    /// So many of one contact may rest: of a folder of thousands that has no room, or that its sender has paused, only
    /// some are tried each time.
    static let mostResting = 32

    init(limits: ChatLimits) {
        mostRunning = limits.runningTransfers
        mostRanges = limits.servedRanges
        bundledFile = limits.bundles.file
        digests = DigestLines(most: 2 * limits.runningTransfers)
        givenBundles = GivenBundles(most: 2 * limits.bundles.running)
    }

    private func work(_ id: MessageID) -> LiveTransfer.Work { all[id]?.work ?? .none }

    private mutating func setWork(_ id: MessageID, _ work: LiveTransfer.Work) { update(id) { $0.work = work } }

    /// The only place that changes what is known of a transfer.
    private mutating func update(_ id: MessageID, _ change: (inout LiveTransfer) -> Void) {
        var transfer = all[id] ?? LiveTransfer()
        change(&transfer)
        all[id] = transfer.isForgettable ? nil : transfer
        if transfer.isBusy { busy.insert(id) } else { busy.remove(id) }
    }

    private func countBusy(_ isCounted: (LiveTransfer) -> Bool) -> Int {
        busy.count { all[$0].map(isCounted) ?? false }
    }

    // MARK: Rows

    func row(_ id: MessageID) -> FileTransfer? { all[id]?.row }

    /// The store has this row. Returns what counts: changes that are on their way to the store are newer.
    mutating func read(_ stored: FileTransfer) -> FileTransfer {
        if let known = row(stored.id) { return known }
        if !stored.state.isFinal { update(stored.id) { $0.row = stored } }
        return stored
    }

    /// Changes the row of an unfinished transfer. `nil` when nothing changes any more, or the row is not known;
    /// `isNews`: it has to be stored.
    mutating func change(
        _ id: MessageID, _ change: (inout FileTransfer) -> Void
    ) -> (row: FileTransfer, isNews: Bool)? {
        guard let before = row(id), !before.state.isFinal else { return nil }
        var row = before
        change(&row)
        if row != before { update(id) { $0.row = row } }
        return (row, row != before)
    }

    /// The store has not taken a change, or has changed the row by itself: what it has counts.
    mutating func forgetRow(_ id: MessageID) { update(id) { $0.row = nil } }

    /// The store has the last change of a transfer that has ended. Tasks of it that still run end by themselves.
    mutating func stored(end id: MessageID) {
        update(id) {
            $0.row = nil
            $0.comesAlone = false
            if case .pausedByReceiver = $0.work { $0.work = .none }
        }
    }

    /// Several end by our user's word, all of them at once: from now on nobody begins, requests or gives anything of
    /// them. Returns their rows as they are now: `ended` was read from the store, which lags. One that was final stays
    /// so.
    mutating func end(_ ended: [FileTransfer], as state: FileTransfer.State, at time: Timestamp) -> [FileTransfer] {
        ended.map { transfer in
            var row = row(transfer.id) ?? transfer
            guard !row.state.isFinal else { return row }
            row.state = state
            row.reason = nil
            row.finished = time
            update(transfer.id) { $0.row = row }
            _ = endUpload(transfer.id)
            return row
        }
    }

    // MARK: Accepting

    /// Our user has accepted a file, or the configuration has: its partial file is prepared now. `false` when that is
    /// being done, or the file comes already.
    mutating func beginAccepting(_ id: MessageID) -> Bool {
        switch work(id) {
        case .accepting, .downloading, .bundled, .ending: return false
        case .none, .resting, .serving, .pausedByReceiver:
            setWork(id, .accepting)
            return true
        }
    }

    mutating func endAccepting(_ id: MessageID) { if isAccepting(id) { setWork(id, .none) } }

    func isAccepting(_ id: MessageID) -> Bool { if case .accepting = work(id) { true } else { false } }

    /// Whether its partial file is being written or prepared.
    func needsPartial(_ id: MessageID) -> Bool {
        switch work(id) {
        case .accepting, .downloading, .bundled: true
        case .none, .ending, .resting, .serving, .pausedByReceiver: false
        }
    }

    // MARK: Downloads

    /// The outcome for a file that might begin now.
    enum Start: Equatable {
        case begins(FileTransfer, folder: String)
        /// It comes together with others.
        case bundled
        case waitsForPeer
        case waitsForTurn
        /// It runs, or is not to run.
        case stays
    }

    func download(_ id: MessageID) -> Download? { all[id]?.download }

    /// Decides whether an accepted file begins. `inTurn`: not before its turn, with many that wait.
    mutating func start(
        _ id: MessageID, isOnline: (ContactID) -> Bool, takesBundles: (ContactID) -> Bool, inTurn: Bool
    ) -> Start {
        _ = endRest(id)
        guard let row = row(id), row.direction == .incoming, row.state == .accepted || row.state == .running,
            let path = row.path
        else { return .stays }
        switch work(id) {
        case .downloading, .bundled, .ending: return .stays
        case .none, .accepting, .resting, .serving, .pausedByReceiver: break
        }
        guard isOnline(row.contact) else { return .waitsForPeer }
        if takesBundles(row.contact), fitsBundle(row) { return .bundled }
        guard running(from: row.contact) < mostRunning, !inTurn || hasTurn(row.contact) else { return .waitsForTurn }
        return .begins(row, folder: PathParts.folder(of: path))
    }

    /// Whether one more file of a contact may begin.
    func hasTurn(_ contact: ContactID) -> Bool {
        running(from: contact) < mostRunning
            && countBusy { if case .resting(contact) = $0.work { true } else { false } } < Self.mostResting
    }

    /// Whether a file of a contact comes now, by itself.
    func hasDownload(from contact: ContactID) -> Bool { running(from: contact) > 0 }

    private func running(from contact: ContactID) -> Int { countBusy { $0.download?.contact == contact } }

    /// How many of those that wait for their turn we look at together.
    var mostWaiting: Int { 2 * mostRunning + Self.mostResting }

    /// Whether a file runs or rests: whoever looks for one to begin leaves it out.
    func isUnderWay(_ id: MessageID) -> Bool {
        switch work(id) {
        case .downloading, .bundled, .resting: true
        case .none, .accepting, .ending, .serving, .pausedByReceiver: false
        }
    }

    /// Whether bytes of it are on their way, in either direction.
    func isRunning(_ id: MessageID) -> Bool { download(id) != nil || upload(id) != nil }

    func isResting(_ id: MessageID) -> Bool { all[id]?.isResting == true }

    mutating func begin(_ download: Download, of id: MessageID) { setWork(id, .downloading(download)) }

    /// Bytes have come. Says what of that is worth showing and storing.
    mutating func note(
        _ transferred: UInt64, of id: MessageID, at now: MonotonicTime, limit: UInt64?
    ) -> (progress: TransferProgress?, isWorthStoring: Bool)? {
        guard var download = download(id) else { return nil }
        download.transferred = transferred
        let step = download.meter.note(transferred, at: now, limit: limit)
        setWork(id, .downloading(download))
        return step
    }

    /// A download is over. `isFinal`: the file has come or will never come, and nothing begins it again before its row says so.
    mutating func endDownload(_ id: MessageID, isFinal: Bool) -> Download? {
        guard let download = download(id) else { return nil }
        setWork(id, isFinal ? .ending : .none)
        return download
    }

    /// The row of a file that has come or failed says so now.
    mutating func endEnding(_ id: MessageID) { if case .ending = work(id) { setWork(id, .none) } }

    /// Leaves a file alone until `endRest`, unless something has begun with it.
    mutating func rest(_ id: MessageID, from contact: ContactID) {
        switch work(id) {
        case .none, .ending, .resting: setWork(id, .resting(of: contact))
        case .accepting, .downloading, .bundled, .serving, .pausedByReceiver: break
        }
    }

    /// `false` when it does not rest any more.
    mutating func endRest(_ id: MessageID) -> Bool {
        guard isResting(id) else { return false }
        setWork(id, .none)
        return true
    }

    /// Their sender is back: all of them are tried anew.
    mutating func endRests(of contact: ContactID) {
        for id in busy { if case .resting(contact) = work(id) { setWork(id, .none) } }
    }

    // MARK: Bundles

    /// Whether an accepted file comes together with others: a small one of a folder, of which nothing is here yet.
    func fitsBundle(_ row: FileTransfer) -> Bool {
        row.direction == .incoming && row.state == .accepted && row.place != nil && row.size <= bundledFile
            && row.transferred == 0
            && row.sha256 == nil && row.path != nil && all[row.id]?.comesAlone != true
    }

    /// Of accepted files, in the order of the line, those that come in one bundle of at most `bytes`: the first that fits and
    /// what follows it into the same folder. Returns them with the number of the last one that we saw.
    mutating func beginBundle(
        of waiting: [FileTransfer], bytes: UInt64
    ) -> (rows: [FileTransfer], last: TransferNumber?) {
        var rows: [FileTransfer] = []
        var last: TransferNumber?
        var total: UInt64 = 0
        for stored in waiting {
            let row = read(stored)
            let isFree = if case .none = work(row.id) { true } else { false }
            if isFree, fitsBundle(row) {
                if let first = rows.first {
                    guard row.size <= bytes - min(total, bytes), row.top == first.top else { break }
                }
                total += row.size
                rows.append(row)
                setWork(row.id, .bundled(of: row.contact))
            }
            last = row.number
        }
        return (rows, last)
    }

    /// Files do not come together any more: they are here, or are tried again. `alone`: each of them by itself.
    mutating func endBundle(_ ids: some Sequence<MessageID>, alone: Bool = false) {
        for id in ids {
            guard case .bundled = work(id) else { continue }
            update(id) {
                $0.work = .none
                $0.comesAlone = alone
            }
        }
    }

    // MARK: Uploads

    func upload(_ id: MessageID) -> Upload? { all[id]?.upload }

    /// The open file, if it is given over this link.
    func upload(_ id: MessageID, on link: LinkNumber) -> Upload? { upload(id).flatMap { $0.link == link ? $0 : nil } }

    var uploads: [MessageID] { busy.filter { upload($0) != nil } }

    /// Bytes of open files that a contact has not been given yet.
    func remainingUploads(to contact: ContactID) -> UInt64 {
        busy.lazy.compactMap(upload).filter { $0.contact == contact }
            .reduce(0) { $0 + ($1.file.size - min($1.file.transferred, $1.file.size)) }
    }

    mutating func begin(_ upload: Upload, of id: MessageID) { setWork(id, .serving(upload)) }

    /// The receiver has asked for something of it.
    mutating func asked(for id: MessageID, now: MonotonicTime) {
        guard var upload = upload(id) else { return }
        upload.lastAsked = now
        setWork(id, .serving(upload))
    }

    /// We give nothing of it any more until the receiver asks anew. Returns what was open.
    mutating func endUpload(_ id: MessageID) -> Upload? {
        guard let upload = upload(id) else { return nil }
        setWork(id, .none)
        return upload
    }

    /// The receiver has paused it. Returns what was open.
    mutating func pause(_ id: MessageID, at place: ReceiverPause) -> Upload? {
        defer { setWork(id, .pausedByReceiver(place)) }
        return upload(id)
    }

    /// Whether the request with this number was sent before its receiver paused the file: it may have waited for a limit of
    /// ours. A later one ends the pause.
    mutating func isPaused(_ id: MessageID, for asked: UInt64, on link: LinkNumber) -> Bool {
        guard case .pausedByReceiver(let pause) = work(id), pause.link == link else { return false }
        guard asked > pause.number else { return true }
        setWork(id, .none)
        return false
    }

    /// The open file that is closed before one more of `contact` is opened: the one that nobody has asked for longest, once
    /// there are four times as many as may run, so that nobody makes us hold any number of them open. How many may run
    /// ``line(for:of:on:)`` decides.
    func closedForAnother(of contact: ContactID) -> MessageID? {
        let theirs = busy.compactMap { id in upload(id).map { (id: id, upload: $0) } }
            .filter { $0.upload.contact == contact }
        guard theirs.count >= 4 * mostRunning else { return nil }
        return theirs.filter { !$0.upload.file.isActive && !digests.holds($0.id, of: contact) }
            .min { $0.upload.lastAsked < $1.upload.lastAsked }?.id
    }

    /// Whether a receiver has stopped asking for a file: nothing of it is on its way, and nobody waits for its digest.
    func isAbandoned(_ id: MessageID, after patience: Duration, now: MonotonicTime) -> Bool {
        guard let upload = upload(id), !upload.file.isActive, !digests.holds(id, of: upload.contact) else {
            return false
        }
        return now - upload.lastAsked > patience
    }

    // MARK: Waiting requests

    mutating func holdRange(of id: MessageID) { update(id) { $0.heldRanges += 1 } }

    mutating func releaseRange(of id: MessageID) { update(id) { $0.heldRanges = max($0.heldRanges - 1, 0) } }

    /// How many files share the limit that holds ranges of this one back; `nil` when it holds none. A receiver that
    /// asks for nothing is idle.
    func sharersOfLimit(with id: MessageID) -> Int? {
        all[id]?.heldRanges ?? 0 > 0 ? countBusy { $0.heldRanges > 0 } : nil
    }

    /// The place in line of a request for a range of `id`.
    enum Line {
        /// Nothing: it is open, and nobody waits for it any more who came before.
        case open
        /// It has to be opened first, after the requests that came before.
        case after(Task<Void, Never>?)
        /// Too many wait already.
        case full
    }

    func line(for id: MessageID, of contact: ContactID, on link: LinkNumber) -> Line {
        let before = answers.last(for: id, of: contact)
        if upload(id, on: link) != nil, before == nil { return .open }
        let running = busy.filter { id in upload(id).map { $0.contact == contact && $0.file.isActive } ?? false }
        // How many ranges may be open the file itself says.
        let mayWait = answers.mayWait(
            for: id, of: contact, running: running, files: mostRunning, ranges: 2 * mostRanges)
        return mayWait ? .after(before) : .full
    }

    mutating func lineUp(_ task: Task<Void, Never>, for id: MessageID, of contact: ContactID) {
        answers.begin(task, for: id, of: contact)
    }

    mutating func leaveLine(for id: MessageID, of contact: ContactID) { answers.end(for: id, of: contact) }

    // MARK: Links

    /// A link is over. Downloads and digests over it are cancelled; returns the uploads that were served over it, whose
    /// progress is to be stored.
    mutating func linkEnded(_ link: LinkNumber) -> [MessageID] {
        digests.cancel(on: link)
        var ended: [MessageID] = []
        for (id, transfer) in all {
            switch transfer.work {
            case .downloading(let download) where download.link == link: download.task.cancel()
            case .serving(let upload) where upload.link == link: ended.append(id)
            case .pausedByReceiver(let pause) where pause.link == link: setWork(id, .none)
            default: break
            }
        }
        return ended
    }
}

extension FileTransfer {
    /// The folder that it goes into, with those beneath it where it belongs to a folder that is sent as a whole.
    fileprivate var top: String? { pathOfFolder ?? path.map { PathParts.folder(of: $0) } }
}
