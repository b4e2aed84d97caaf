// The middle of an incoming transfer: several ranges in flight, each streamed from the link straight to the file.

import BLIPNet

extension IncomingTransfer {
    private enum Step: Sendable {
        case tick
        case range(FileRange, RangeSink, asked: ContinuousClock.Instant, took: Duration, Result<BLIPResponse, Ended>)
        /// The lane has ended before the whole range arrived.
        case laneEnded(FileRange)
        /// Our limit was lowered while this request waited for its turn: the planner cuts the range into smaller ones.
        case tooLarge(FileRange, RangeSink)
    }

    /// We report progress this often, and only when there is some.
    private static let tick = Duration.milliseconds(250)
    /// We check the free space every so many ticks, however slowly the file arrives, because other programs write, too.
    private static let ticksBetweenLooks = 4

    /// Fetches the missing ranges of `part`, within its `share` of the disk. The digest follows on its own queue.
    func receiveRanges(into part: Part, in folder: DownloadFolder, _ share: DiskShare) async throws(Ended) {
        // So that the rate counts only bytes that arrive from now on.
        guard await tell(.progress(part.map.count)) else { throw Ended(outcome: .interrupted) }
        var planner = RangePlanner(size: transfer.size, missing: part.map.missing)
        let target = Target(part, share)
        var sinks: [FileRange: RangeSink] = [:]
        var load = LaneLoad()
        var failure: Ended?
        var ticks = 0

        await withTaskGroup(of: Step.self) { group in
            group.addTask { await Self.waitForTick() }
            request(&planner, &sinks, &load, target, &group)
            while !planner.isComplete, failure == nil, let step = await group.next() {
                switch step {
                case .tick:
                    // In a cancelled task each tick comes at once: end the loop instead of spinning.
                    if Task.isCancelled { failure = Ended(outcome: .interrupted) }
                    ticks += 1
                    if failure == nil, ticks % Self.ticksBetweenLooks == 0 { failure = checkDisk(of: folder) }
                    beginRecord(of: part, in: folder)
                    part.map.recordNews()
                    group.addTask { await Self.waitForTick() }
                    load.note(written: sinks.values.lazy.map(\.written).max() ?? 0)
                    // Lanes may have opened since the last request.
                    if failure == nil { request(&planner, &sinks, &load, target, &group) }
                case .laneEnded(let range):
                    load.fail(range)
                    let sink = sinks.removeValue(forKey: range)
                    failure = sink?.failure.map(Self.paused)
                    guard failure == nil else { break }
                    planner.takeBack(range, after: sink?.written ?? 0)
                    request(&planner, &sinks, &load, target, &group)
                    continue
                case .tooLarge(let range, let sink):
                    guard sinks[range] === sink else { continue }
                    load.end(range)
                    sinks[range] = nil
                    planner.takeBack(range)
                    request(&planner, &sinks, &load, target, &group)
                    continue
                case .range(let range, let sink, let asked, let took, let result):
                    // Lanes fetch the rest of it.
                    guard sinks[range] === sink else { continue }
                    failure = check(result, sink, range)
                    guard failure == nil else { break }
                    load.end(range)
                    sinks[range] = nil
                    let count = sink.written
                    load.note(written: count)
                    if count == range.length {
                        planner.finished(range, after: took, firstBytes: sink.firstBytes.map { $0 - asked })
                    } else {
                        planner.finished(range, upTo: count)
                    }
                    beginRecord(of: part, in: folder)
                    part.digest.advanceLater(to: planner.contiguous { _ in 0 }, after: target.begin)
                    request(&planner, &sinks, &load, target, &group)
                    continue
                }
                if failure == nil, await !tell(.progress(part.map.count)) {
                    failure = Ended(outcome: .interrupted)
                }
            }
            group.cancelAll()
        }
        // The sink writes the body of an error response, too: fetch the ranges that were in flight again.
        if let failure, failure.outcome != .interrupted { planner.inFlight.forEach(part.map.forget) }
        // If the program is killed while it compares digests, the next run then need not fetch these bytes again.
        part.map.recordNews()
        _ = await tell(.progress(part.map.count))
        if let failure { throw failure }
    }

    /// Where new ranges are written, and which ranges were there before this run.
    private struct Target {
        let part: Part
        let share: DiskShare
        /// Where the first gap began at that time.
        let begin: UInt64
        private let present: [FileRange]

        init(_ part: Part, _ share: DiskShare) {
            self.part = part
            self.share = share
            begin = part.map.contiguous
            present = part.map.present.filter { $0.offset > 0 }
        }

        /// How many bytes directly before `offset` were there: the sender's progress would stop at our first gap otherwise.
        func present(before offset: UInt64) -> UInt64 { present.first { $0.end == offset }?.length ?? 0 }

        func sink(for range: FileRange) -> RangeSink {
            RangeSink(file: part.file, range: range, share: share, map: part.map)
        }
    }

    /// Begins the record. Where the disk takes none, the next run compares digests with the sender instead.
    private func beginRecord(of part: Part, in folder: DownloadFolder) {
        // The code that has cancelled this run may be removing its files already.
        guard !Task.isCancelled, part.map.needsRecord, part.map.count > 0 else { return }
        do throws(FileError) {
            part.map.keep(in: try folder.createPartial(mapName))
        } catch {
            part.map.close()
        }
    }

    /// Takes the range of which most is missing from the link, where lanes have nothing to do: one connection would take long for
    /// it, after everything else has come. Bytes of it that still come over the link are dropped. `false`: there is none.
    private func takeFromLink(
        _ planner: inout RangePlanner, _ sinks: inout [FileRange: RangeSink], _ load: LaneLoad, for usable: [Int]
    ) -> Bool {
        guard planner.isHandedOut, load.hasIdle(of: usable) else { return false }
        let slow = planner.inFlight.filter(load.isOnLink)
            .map { (range: $0, missing: $0.length - (sinks[$0]?.written ?? 0)) }
            .max { $0.missing < $1.missing }
        guard let slow, slow.missing >= RangePlanner.smallest, let sink = sinks.removeValue(forKey: slow.range) else {
            return false
        }
        planner.takeBack(slow.range, after: sink.stop())
        return true
    }

    /// Requests as many ranges as the planner allows.
    private func request(
        _ planner: inout RangePlanner, _ sinks: inout [FileRange: RangeSink], _ load: inout LaneLoad,
        _ target: Target, _ group: inout TaskGroup<Step>
    ) {
        let open = lanes.connections
        let usable = load.usable(open.keys)
        let limit = pacing.limit(of: transfer.id, .incoming)
        repeat {
            let onLink = planner.inFlight.count(where: load.isOnLink)
            while let range = planner.nextRange(within: limit, over: usable.count, onLink: onLink) {
                let sink = target.sink(for: range)
                sinks[range] = sink
                let lane = load.next(of: usable)
                if let lane { load.begin(range, on: lane) }
                let own = lane.flatMap { open[$0] }
                group.addTask { await self.fetch(range, into: sink, over: own, target) }
            }
        } while takeFromLink(&planner, &sinks, load, for: usable)
    }

    /// Requests one range, over a lane or over the link, and waits until it is here.
    private func fetch(
        _ range: FileRange, into sink: RangeSink, over lane: (any PeerConnection)?, _ target: Target
    ) async -> Step {
        let mayGo = await pacing.wait(for: range.length, of: transfer.id, .incoming) {
            self.pacing.mayWait(range.length, of: self.transfer.id, .incoming)
        }
        let asked = ContinuousClock.now
        guard !Task.isCancelled else {
            return .range(range, sink, asked: asked, took: .zero, .failure(Ended(outcome: .interrupted)))
        }
        guard mayGo else { return .tooLarge(range, sink) }
        let get = FileGetRequest(
            id: transfer.id, offset: range.offset, length: range.length, takesLess: true,
            present: target.present(before: range.offset))
        let result: Result<BLIPResponse, Ended>
        do throws(Ended) {
            result = .success(try await answer(to: (lane ?? connection).submit(get.encoded(), bodySink: sink)))
        } catch {
            if lane != nil, error.outcome == .interrupted, !Task.isCancelled { return .laneEnded(range) }
            // Requests that the sender refuses must not count against the limit: a paused folder of thousands of files
            // would use up the rate of all other files.
            if case .waiting = error.outcome { pacing.refund(range.length, of: transfer.id, .incoming) }
            result = .failure(error)
        }
        return .range(range, sink, asked: asked, took: ContinuousClock.now - asked, result)
    }

    /// The fault of a finished range, if it has one.
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

    /// Part of the disk must stay free during the whole transfer, not only when it begins.
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
        // A cancelled sleep only makes this tick come early: the loop checks for cancellation itself.
        try? await Task.sleep(for: tick)
        return .tick
    }
}
