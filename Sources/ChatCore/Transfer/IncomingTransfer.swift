// Receives one accepted file over one link: opens or resumes the partial file, pulls ranges, verifies, renames.
// Downloads starts it and writes what it tells to the store.

import BLIPNet
import Glibc

/// One run of an incoming transfer. It ends with its link and is made anew for the next one; what must outlive it is
/// in the store (offset) and beside the target (partial file). Cancel the task of `run` to stop it.
actor IncomingTransfer {
    /// An event on the way.
    enum News: Sendable, Equatable {
        /// This many bytes are in the partial file. At most 4 times a second.
        case progress(UInt64)
        /// Verified; it gets this name now. Must be stored before `report` returns, so that a crash after the
        /// renaming finds the file.
        case finishing(path: String, sha256: String)
    }

    /// Ends the run with this outcome, from wherever it is thrown.
    struct Ended: Error { var outcome: Outcome }

    /// The partial file of an earlier run.
    private struct Left {
        let file: OpenFile
        /// From its record; `nil`: no record can be used, so we have to compare digests with the sender.
        let map: PartMap?
        /// How many of its bytes may be good.
        let done: UInt64
    }

    /// The open partial file, the ranges that have arrived, and the digest that follows them.
    struct Part {
        let file: OpenFile
        var map: PartMap
        var digest: PrefixDigest
    }

    /// We compare so many prefixes with the sender at most, and resume from the longest that was good.
    private static let mostComparisons = 4

    let transfer: FileTransfer
    let connection: any PeerConnection
    /// Further connections with the same contact, which may come and go.
    let lanes: OpenLanes
    let limits: ChatLimits
    let pacing: TransferPacing
    private let rooms: DiskRooms
    /// The room that `begin` has reserved and the partial file that it has found, for `run`.
    private var begun: (share: DiskShare, done: UInt64, left: Left?)?
    private let folder: DownloadFolder
    var folderPath: String { folder.path }
    private let report: @Sendable (News) async -> Bool
    private let executor = DispatchQueueExecutor(label: "blipchat.transfer", isBackground: true)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `folder`: where its partial file is. `report` returns `false` when the news could not be stored and the run must stop.
    init(
        transfer: FileTransfer, folder: DownloadFolder, connection: any PeerConnection, lanes: OpenLanes,
        limits: ChatLimits, pacing: TransferPacing, rooms: DiskRooms, report: @escaping @Sendable (News) async -> Bool
    ) {
        self.transfer = transfer
        self.folder = folder
        self.connection = connection
        self.lanes = lanes
        self.limits = limits
        self.pacing = pacing
        self.rooms = rooms
        self.report = report
    }

    private var partialName: String { FileNameSanitizer.partialName(transfer.name, transfer.id) }
    var mapName: String { FileNameSanitizer.mapName(transfer.name, transfer.id) }

    /// Reserves room on the disk before anything is read or written. Returns how the run ends when there is none.
    func begin() -> Outcome? {
        do throws(Ended) {
            let left = try left(in: folder)
            // A file that has been verified already needs no more space, even if it does not have its final name yet.
            let done = transfer.transferred >= transfer.size ? transfer.size : left?.done ?? 0
            begun = (try share(of: folder, done: done), done, left)
            return nil
        } catch {
            return error.outcome
        }
    }

    func run() async -> Outcome {
        // When the run is over, other files may use its room.
        defer { begun = nil }
        do throws(Ended) {
            if let sha256 = transfer.sha256, let path = try await finishedEarlier(in: folder, sha256: sha256) {
                return .complete(path: path, sha256: sha256)
            }
            let left = if let begun { begun.left } else { try left(in: folder) }
            var part = try await openPartial(left, in: folder)
            defer { part.map.close() }
            let reading = followEarlierRun(part)
            defer { reading?.cancel() }
            while true {
                let done = part.map.count
                // Fewer bytes are good than `begin` has found, so that the rest needs more room than it reserved.
                if let found = begun?.done, done < found { begun = nil }
                let room = if let begun { begun.share } else { try share(of: folder, done: done) }
                try await receiveRanges(into: part, in: folder, room)
                if let outcome = try await finish(&part, in: folder) { return outcome }
            }
        } catch {
            return Task.isCancelled ? .interrupted : error.outcome
        }
    }

    // MARK: Beginning

    /// Looks for the partial file of an earlier run and its record, without reading the file. `nil`: there is nothing to resume.
    private func left(in folder: DownloadFolder) throws(Ended) -> Left? {
        let (name, mapName) = (partialName, mapName)
        guard let file = try local({ () throws(FileError) in try folder.openPartial(name) }) else { return nil }
        let facts = try local { () throws(FileError) in try file.facts() }
        if let record = try local({ () throws(FileError) in try folder.openPartial(mapName) }),
            let map = try local({ () throws(FileError) in try PartMap.load(record, of: transfer, in: facts) })
        {
            return Left(file: file, map: map, done: map.count)
        }
        let done = min(transfer.transferred, facts.size, transfer.size)
        return done > 0 ? Left(file: file, map: nil, done: done) : nil
    }

    /// Finds a file that an earlier run verified and renamed before the program died. Returns its path.
    private func finishedEarlier(in folder: DownloadFolder, sha256: String) async throws(Ended) -> String? {
        guard let path = transfer.path, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let name = String(path[path.utf8.index(after: slash)...])
        guard name != partialName else { return nil }
        let file = try local { () throws(FileError) in try folder.openFinished(name) }
        guard let file else { return nil }
        let facts = try local { () throws(FileError) in try file.facts() }
        guard facts.isRegular, facts.size == transfer.size else { return nil }
        let found = await result { () async throws(FileError) in try await PrefixDigest(file: file).hex(of: facts.size)
        }
        guard try found.get() == sha256 else { return nil }
        // The program may have died before the name was on the disk or, where renaming takes two steps, between those.
        try local { () throws(FileError) in
            try file.synchronize()
            if try folder.holds(file, as: partialName) { try folder.remove(partialName) }
            try folder.remove(mapName)
            try folder.synchronize()
        }
        return path
    }

    /// Opens the partial file. Trusts the record of an earlier run; without one, compares digests with the sender to find how
    /// much is good; where nothing is, makes a new file.
    private func openPartial(_ left: Left?, in folder: DownloadFolder) async throws(Ended) -> Part {
        if let left, let map = left.map {
            return Part(file: left.file, map: map, digest: PrefixDigest(file: left.file, map: map))
        }
        if let left, let part = try await compared(left.file, upTo: left.done) { return part }
        return try local { () throws(FileError) in
            try folder.remove(mapName)
            let file = try folder.createPartial(partialName)
            let map = PartMap(of: transfer, in: try file.facts())
            return Part(file: file, map: map, digest: PrefixDigest(file: file, map: map))
        }
    }

    /// For a partial file without a record, or with one that has proved wrong: compares digests with the sender to find how much
    /// of it is good. `nil` when nothing is.
    private func compared(_ file: OpenFile, upTo done: UInt64) async throws(Ended) -> Part? {
        guard let (digest, good) = try await goodPrefix(of: file, upTo: done) else { return nil }
        let map = PartMap(of: transfer, in: try local { () throws(FileError) in try file.facts() }, done: good)
        await digest.follow(map)
        return Part(file: file, map: map, digest: digest)
    }

    /// Makes both sides read what an earlier run has received while the rest arrives, so that the digest at the end is quick. We
    /// do not wait for the sender's answer here.
    private func followEarlierRun(_ part: Part) -> Task<Void, Never>? {
        let done = part.map.contiguous
        guard part.map.isOfEarlierRun, done > 0 else { return nil }
        _ = askDigest(of: done)
        // `finish` meets a read error again and reports it.
        return Task { _ = try? await part.digest.hex(of: done) }
    }

    /// Finds the longest good prefix that few comparisons can show: all of it, or what halving finds. `nil` when nothing is good.
    private func goodPrefix(
        of file: OpenFile, upTo done: UInt64
    ) async throws(Ended) -> (digest: PrefixDigest, length: UInt64)? {
        var best: (digest: PrefixDigest, length: UInt64)?
        var (good, bad) = (UInt64(0), done)
        var wanted = done
        for _ in 0..<Self.mostComparisons where wanted > good {
            let digest = PrefixDigest(file: file)
            // We ask before we read, so that both sides read at the same time: a large file takes a while.
            let pending = askDigest(of: wanted)
            let length = wanted
            let own = try await result { () async throws(FileError) in try await digest.hex(of: length) }.get()
            if try await sendersDigest(pending) == own {
                best = (digest, wanted)
                if wanted == done { break }
                good = wanted
            } else {
                bad = wanted
            }
            wanted = good + (bad - good) / 2
        }
        return best
    }

    /// Reserves room for the rest of the file, beside the other files that are arriving on the same disk.
    private func share(of folder: DownloadFolder, done: UInt64) throws(Ended) -> DiskShare {
        let needed = transfer.size - done
        let answer = try local { () throws(FileError) in
            try rooms.room(on: try folder.device()).begin(needed, limits: limits, folder: folderPath) {
                () throws(FileError) in try folder.space()
            }
        }
        switch answer {
        case .yes(let share): return share
        case .no(let free):
            throw Ended(
                outcome: .paused(reason: TransferReason.noSpace(needed: needed, free: free, folder: folderPath)))
        case .later: throw Ended(outcome: .waiting(reason: TransferReason.waitingForRoom(folder: folderPath)))
        }
    }

    // MARK: The end

    /// Verifies the file and gives it its name. `nil`: we must fetch some ranges again first.
    private func finish(_ part: inout Part, in folder: DownloadFolder) async throws(Ended) -> Outcome? {
        let (size, file, digest) = (transfer.size, part.file, part.digest)
        // The digest may have found damage while the rest arrived: those pieces are missing again.
        guard part.map.isComplete else { return nil }
        let pending = askDigest(of: size)
        let own = try await result { () async throws(FileError) in try await digest.hex(of: size) }.get()
        guard part.map.isComplete else { return nil }
        guard let own, try await sendersDigest(pending) == own else {
            if part.map.isOfEarlierRun {
                // The file does not match its record. Comparing digests with the sender, once, shows which part of it is good.
                part.map.close()
                try local { () throws(FileError) in try folder.remove(mapName) }
                if let compared = try await compared(file, upTo: size) {
                    part = compared
                } else {
                    part = try await openPartial(nil, in: folder)
                }
                return nil
            }
            try removePartial(in: folder)
            throw Ended(outcome: .failed(reason: TransferReason.digestDiffers, tellsPeer: true))
        }
        do throws(FileError) {
            try file.synchronize()
        } catch {
            // Bytes that the system could not write may be lost although they still read well: only new bytes can be
            // trusted.
            try removePartial(in: folder)
            throw Self.paused(by: error)
        }
        let wanted = FileNameSanitizer.sanitized(transfer.name)
        var number = 1
        while true {
            if Task.isCancelled { return .interrupted }
            let name = FileNameSanitizer.numbered(wanted, number)
            let taken = try local { () throws(FileError) in try folder.contains(name) }
            if !taken {
                let path = folder.path(of: name)
                guard await report(.finishing(path: path, sha256: own)) else { return .interrupted }
                // We verified the open file: another one that has taken its name must not become the result.
                try requireOwn(file, as: partialName, in: folder)
                if try local({ () throws(FileError) in try folder.rename(partialName, to: name) }) {
                    try requireOwn(file, as: name, in: folder)
                    try local { () throws(FileError) in try folder.remove(mapName) }
                    try local { () throws(FileError) in try folder.synchronize() }
                    return .complete(path: path, sha256: own)
                }
            }
            number += 1
        }
    }

    private func removePartial(in folder: DownloadFolder) throws(Ended) {
        try local { () throws(FileError) in
            try folder.remove(partialName)
            try folder.remove(mapName)
        }
    }

    private func requireOwn(_ file: OpenFile, as name: String, in folder: DownloadFolder) throws(Ended) {
        guard try !local({ () throws(FileError) in try folder.holds(file, as: name) }) else { return }
        throw Ended(outcome: .waiting(reason: TransferReason.partialReplaced))
    }

    /// Asks the sender for the digest of the first `length` bytes.
    private func askDigest(of length: UInt64) -> PendingResponse {
        connection.submit(FileDigestRequest(id: transfer.id, length: length).encoded(), bodySink: nil)
    }

    private func sendersDigest(_ pending: PendingResponse) async throws(Ended) -> String {
        let response = try await answer(to: pending)
        do throws(WireError) {
            return try FileDigestReply(decoding: response).sha256
        } catch {
            throw Ended(outcome: .failed(reason: TransferReason.refused(code: 400), tellsPeer: true))
        }
    }

    // MARK: Answers and errors

    /// The response, unless it is an error or none came.
    func answer(to pending: PendingResponse) async throws(Ended) -> BLIPResponse {
        let response: BLIPResponse
        do throws(LinkError) {
            response = try await pending.value()
        } catch {
            throw Ended(outcome: .interrupted)
        }
        guard let error = response.error else { return response }
        throw Ended(outcome: Self.outcome(of: error))
    }

    static func outcome(of error: BLIPErrorCode) -> Outcome {
        guard error.domain == "BLIP" else {
            return .failed(reason: TransferReason.refused(code: error.code), tellsPeer: true)
        }
        switch error.code {
        case BLIPErrorCode.forbidden.code: return .withdrawn
        case BLIPErrorCode.notFound.code: return .failed(reason: TransferReason.sourceGone, tellsPeer: false)
        case BLIPErrorCode.conflict.code, BLIPErrorCode.badRange.code:
            return .failed(reason: TransferReason.sourceChanged, tellsPeer: false)
        case BLIPErrorCode.tooManyRequests.code: return .waiting(reason: TransferReason.pausedByPeer)
        case BLIPErrorCode.busy.code: return .waiting(reason: TransferReason.senderBusy)
        case BLIPErrorCode.handlerFailed.code: return .waiting(reason: TransferReason.senderCannotRead)
        default: return .waiting(reason: TransferReason.refused(code: error.code))
        }
    }

    /// Runs file operations of ours; an error pauses the transfer.
    func local<Value>(_ body: () throws(FileError) -> Value) throws(Ended) -> Value {
        do throws(FileError) { return try body() } catch { throw Self.paused(by: error) }
    }

    private func result<Value: Sendable>(
        _ body: () async throws(FileError) -> Value
    ) async -> Result<Value, Ended> {
        do throws(FileError) { return .success(try await body()) } catch { return .failure(Self.paused(by: error)) }
    }

    static func paused(by error: FileError) -> Ended { Ended(outcome: .paused(reason: TransferReason.local(error))) }

    func tell(_ news: News) async -> Bool { await report(news) }
}

extension ChatLimits {
    /// Throws ENOSPC when `needed` bytes in `folder` would leave less than must stay free.
    func checkSpace(for needed: UInt64, in folder: DownloadFolder) throws(FileError) {
        let space = try folder.space()
        guard !fits(needed, free: space.free, total: space.total) else { return }
        throw FileError(
            call: "statvfs", errno: ENOSPC, path: folder.path, space: .init(needed: needed, free: space.free))
    }

    /// Whether `needed` bytes may be written to a disk and leave what must stay free.
    func fits(_ needed: UInt64, free: UInt64, total: UInt64) -> Bool {
        let kept = kept(of: total)
        return free >= kept && needed <= free - kept
    }

    /// How many bytes must stay free on a disk of `total` bytes.
    func kept(of total: UInt64) -> UInt64 {
        min(freeBytesKept, UInt64(exactly: (Double(total) * freeShareKept).rounded()) ?? .max)
    }
}

extension BLIPErrorCode {
    /// Too many files are being given at once; ask again later.
    static let busy = BLIPErrorCode(code: 503)
}
