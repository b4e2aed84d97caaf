// The middle of an incoming transfer: several ranges in flight, each streamed from the link straight to the file.

import BLIPNet

extension IncomingTransfer {
    private enum Step: Sendable {
        case tick
        case range(FileRange, asked: ContinuousClock.Instant, took: Duration, Result<BLIPResponse, Ended>)
        /// The lane that it was to come over has ended.
        case laneEnded(FileRange)
        /// We held a range back: the limit has become much lower meanwhile, and what is missing before it goes first.
        case tooLarge(FileRange)
    }

    /// We report progress this often, and only when there is some.
    private static let tick = Duration.milliseconds(250)
    /// We look at the disk every so many ticks, however slowly the file comes: others write to it, too.
    private static let ticksBetweenLooks = 4

    /// Pulls everything from `done` on into `file`, within the `share` of its disk. The digest follows on its own queue.
    func receiveRanges(
        into file: OpenFile, in folder: DownloadFolder, _ share: DiskShare, digest: PrefixDigest, from done: UInt64
    ) async throws(Ended) {
        // What was there before is where the rate begins.
        guard await tell(.progress(done)) else { throw Ended(outcome: .interrupted) }
        var planner = RangePlanner(size: transfer.size, done: done)
        var sinks: [FileRange: RangeSink] = [:]
        var load = LaneLoad()
        var failure: Ended?
        var ticks = 0

        await withTaskGroup(of: Step.self) { group in
            group.addTask { await Self.waitForTick() }
            request(&planner, &sinks, &load, file, share, &group)
            while !planner.isComplete, failure == nil, let step = await group.next() {
                switch step {
                case .tick:
                    // Cancelled tasks tick at once: do not spin, end.
                    if Task.isCancelled { failure = Ended(outcome: .interrupted) }
                    ticks += 1
                    if failure == nil, ticks % Self.ticksBetweenLooks == 0 { failure = checkDisk(of: folder) }
                    group.addTask { await Self.waitForTick() }
                    // Lanes may have opened.
                    if failure == nil { request(&planner, &sinks, &load, file, share, &group) }
                case .laneEnded(let range):
                    load.fail(range)
                    let sink = sinks.removeValue(forKey: range)
                    failure = sink?.failure.map(Self.paused)
                    guard failure == nil else { break }
                    planner.takeBack(range, after: sink?.written ?? 0)
                    request(&planner, &sinks, &load, file, share, &group)
                    continue
                case .tooLarge(let range):
                    load.end(range)
                    sinks[range] = nil
                    planner.takeBack(range)
                    request(&planner, &sinks, &load, file, share, &group)
                    continue
                case .range(let range, let asked, let took, let result):
                    failure = check(result, sinks[range], range)
                    guard failure == nil else { break }
                    load.end(range)
                    load.isBegun = true
                    let sink = sinks.removeValue(forKey: range)
                    let count = sink?.written ?? 0
                    if count == range.length {
                        planner.finished(range, after: took, firstBytes: sink?.firstBytes.map { $0 - asked })
                    } else {
                        planner.finished(range, upTo: count)
                    }
                    digest.advanceLater(to: planner.contiguous { _ in 0 })
                    request(&planner, &sinks, &load, file, share, &group)
                    continue
                }
                if failure == nil, await !tell(.progress(planner.contiguous { sinks[$0]?.written ?? 0 })) {
                    failure = Ended(outcome: .interrupted)
                }
            }
            group.cancelAll()
        }
        // A range that was answered with an error may have its text in the file: do not count it.
        let isClean = failure == nil || failure?.outcome == .interrupted
        _ = await tell(.progress(planner.contiguous { isClean ? sinks[$0]?.written ?? 0 : 0 }))
        if let failure { throw failure }
    }

    /// Asks for as many ranges as the plan allows.
    private func request(
        _ planner: inout RangePlanner, _ sinks: inout [FileRange: RangeSink], _ load: inout LaneLoad,
        _ file: OpenFile, _ share: DiskShare, _ group: inout TaskGroup<Step>
    ) {
        let open = lanes.connections
        let usable = load.usable(open.keys)
        while let range = planner.nextRange(
            within: pacing.limit(of: transfer.id, .incoming), over: usable.count)
        {
            let sink = RangeSink(file: file, range: range, share: share)
            sinks[range] = sink
            let lane = load.next(of: usable)
            if let lane { load.begin(range, on: lane) }
            let own = lane.flatMap { open[$0] }
            group.addTask {
                let mayGo = await self.pacing.wait(for: range.length, of: self.transfer.id, .incoming) {
                    self.pacing.mayWait(range.length, of: self.transfer.id, .incoming)
                }
                let begun = ContinuousClock.now
                guard !Task.isCancelled else {
                    return .range(range, asked: begun, took: .zero, .failure(Ended(outcome: .interrupted)))
                }
                guard mayGo else { return .tooLarge(range) }
                let get = FileGetRequest(
                    id: self.transfer.id, offset: range.offset, length: range.length, takesLess: true)
                let result: Result<BLIPResponse, Ended>
                do throws(Ended) {
                    let connection = own ?? self.connection
                    result = .success(try await self.answer(to: connection.submit(get.encoded(), bodySink: sink)))
                } catch {
                    if own != nil, error.outcome == .interrupted, !Task.isCancelled { return .laneEnded(range) }
                    // A folder of thousands that its sender has paused would use up what all other files may have.
                    if case .waiting = error.outcome {
                        self.pacing.refund(range.length, of: self.transfer.id, .incoming)
                    }
                    result = .failure(error)
                }
                return .range(range, asked: begun, took: ContinuousClock.now - begun, result)
            }
        }
    }

    /// What is wrong with a finished range, if anything.
    private func check(_ result: Result<BLIPResponse, Ended>, _ sink: RangeSink?, _ range: FileRange) -> Ended? {
        if let error = sink?.failure { return Self.paused(by: error) }
        do throws(Ended) {
            let response = try result.get()
            let reply: FileGetReply
            do throws(WireError) {
                reply = try FileGetReply(decoding: response)
            } catch {
                throw Ended(outcome: .failed(reason: TransferReason.refused(code: 400), tellsPeer: true))
            }
            guard reply.size == transfer.size, reply.modified == transfer.modified,
                sink?.written == min(reply.length ?? range.length, range.length)
            else { throw Ended(outcome: .failed(reason: TransferReason.sourceChanged, tellsPeer: true)) }
            return nil
        } catch {
            return error
        }
    }

    /// What must stay free is not only for the beginning.
    private func checkDisk(of folder: DownloadFolder) -> Ended? {
        do throws(Ended) {
            let space = try local { () throws(FileError) in try folder.space() }
            guard !limits.fits(0, free: space.free, total: space.total) else { return nil }
            return Ended(
                outcome: .paused(reason: TransferReason.diskNearlyFull(free: space.free, folder: folderPath)))
        } catch {
            return error
        }
    }

    private static func waitForTick() async -> Step {
        // An early end only makes one tick come sooner; the loop looks at the cancellation itself.
        try? await Task.sleep(for: tick)
        return .tick
    }
}
