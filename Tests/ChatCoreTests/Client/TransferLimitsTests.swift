// How many files run at once, how fast they may be, and how full the disk may become (RELIABILITY 3).

import Glibc
import Storage
import Synchronization
import Testing

@testable import BLIPNet
@testable import ChatCore

private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

@Suite("Spreading bytes over time") struct RatePacerTests {
    @Test("never more than the rate goes, whatever was asked for before", arguments: [1000, 250_000] as [UInt64])
    func rate(rate: UInt64) {
        var pacer = RatePacer(bytesPerSecond: rate, now: at(0))
        var time = 0.0
        var sent: UInt64 = 0
        for step in 0..<200 {
            let bytes = UInt64(step % 7 + 1) * 500
            let ticket = pacer.draw(bytes, now: at(time))
            let wait = pacer.wait(for: ticket, now: at(time)) / .seconds(1)
            time += wait + 1e-6
            #expect(pacer.wait(for: ticket, now: at(time)) == .zero)
            sent += bytes
            #expect(Double(sent) <= Double(rate) * (time + 0.25) + 1)
        }
        #expect(Double(sent) > Double(rate) * (time - 0.5), "and not much less")
    }

    @Test("a pause earns a quarter of a second, not more")
    func burst() {
        var pacer = RatePacer(bytesPerSecond: 1000, now: at(0))
        let first = pacer.draw(250, now: at(3600))
        #expect(pacer.wait(for: first, now: at(3600)) == .zero)
        let second = pacer.draw(1000, now: at(3600))
        #expect(pacer.wait(for: second, now: at(3600)) >= .milliseconds(990))
    }

    @Test("another rate counts at once, and what is given back is free for others")
    func change() {
        var pacer = RatePacer(bytesPerSecond: 10, now: at(0))
        let ticket = pacer.draw(1000, now: at(0))
        #expect(pacer.wait(for: ticket, now: at(0)) == .seconds(100))
        pacer.setRate(1000, now: at(0))
        #expect(pacer.wait(for: ticket, now: at(0)) == .seconds(1))
        pacer.giveBack(ticket)
        let next = pacer.draw(10, now: at(0))
        #expect(pacer.wait(for: next, now: at(0)) <= .milliseconds(11))
    }

    @Test("what had its turn and did not go is free for others, and saved up for nobody")
    func refunded() {
        var pacer = RatePacer(bytesPerSecond: 1000, now: at(0))
        let refused = pacer.draw(5000, now: at(0))
        let behind = pacer.draw(100, now: at(0))
        #expect(pacer.wait(for: refused, now: at(5)) == .zero)
        pacer.use(refused)
        #expect(pacer.wait(for: behind, now: at(5)) >= .milliseconds(99))
        pacer.refund(5000)
        #expect(pacer.wait(for: behind, now: at(5)) == .zero)
        pacer.use(behind)
        #expect(pacer.drawn == 100)
        let next = pacer.draw(1000, now: at(5))
        #expect(pacer.wait(for: next, now: at(5)) >= .milliseconds(749))
    }

    @Test("what was saved up under a higher rate does not go at once under a lower one")
    func savedUp() {
        var pacer = RatePacer(bytesPerSecond: 20_000_000, now: at(0))
        pacer.setRate(1_000_000, now: at(10))
        let first = pacer.draw(250_000, now: at(10))
        #expect(pacer.wait(for: first, now: at(10)) == .zero)
        pacer.use(first)
        let second = pacer.draw(1_000_000, now: at(10))
        #expect(pacer.wait(for: second, now: at(10)) >= .milliseconds(990))
    }

    @Test("who stands behind what is given back moves up, and no more than the burst goes at once")
    func movingUp() {
        var pacer = RatePacer(bytesPerSecond: 1000, now: at(0))
        let first = (0..<6).map { _ in pacer.draw(500, now: at(0)) }
        let second = (0..<2).map { _ in pacer.draw(250, now: at(0)) }
        #expect(pacer.wait(for: second[1], now: at(0)) == .seconds(3.5))
        for ticket in first { pacer.giveBack(ticket) }
        #expect(pacer.wait(for: second[0], now: at(0)) <= .milliseconds(250))
        #expect(pacer.wait(for: second[1], now: at(0.51)) == .zero)
        // Its turn had come long ago, but it did not go: what was saved for it is not saved for the next ones.
        let late = pacer.draw(100_000, now: at(1))
        #expect(pacer.wait(for: late, now: at(200)) == .zero)
        pacer.giveBack(late)
        let next = pacer.draw(10_000, now: at(200))
        #expect(pacer.wait(for: next, now: at(200)) >= .seconds(9))
        // What has gone is not given back.
        pacer.use(second[0])
        pacer.giveBack(second[0])
        #expect(pacer.wait(for: next, now: at(200)) >= .seconds(9))
    }
}

@Suite("Limits of transfers") struct TransferLimitsTests {
    @Test("what nobody wants any more, because its link has ended, is not paid for", .timeLimit(.minutes(1)))
    func notWanted() async {
        let pacing = TransferPacing(upload: 1000, download: nil)
        let id = MessageID(at: Timestamp(milliseconds: 0))
        var asked = 0
        // An hour's worth of bytes; the link ends while it waits.
        await pacing.wait(for: 3_600_000, of: id, .outgoing) {
            asked += 1
            return asked < 3
        }
        #expect(asked == 3)
        await pacing.wait(for: 500, of: id, .outgoing)
    }

    @Test("a limit that is set meanwhile holds for what waits already", .timeLimit(.minutes(1)))
    func laterLimit() async {
        let pacing = TransferPacing(upload: 1000, download: nil)
        let id = MessageID(at: Timestamp(milliseconds: 0))
        var asked = 0
        await pacing.wait(for: 3_600_000, of: id, .outgoing) {
            asked += 1
            if asked == 1 {
                pacing.setLimit(1, of: .transfer(id))
                pacing.setLimit(nil, of: .all(.outgoing))
            }
            return asked < 3
        }
        #expect(asked == 3, "it would have gone with the limit that it began to wait for")
    }

    @Test("what goes through relays has one limit, both ways together; what does not is not held up")
    func throughRelays() async {
        let pacing = TransferPacing(upload: nil, download: 4000, relayed: 1000)
        let (relayed, direct) = (MessageID(at: Timestamp(milliseconds: 0)), MessageID(at: Timestamp(milliseconds: 1)))
        #expect(pacing.limit(of: relayed, .outgoing) == nil && pacing.limit(of: relayed, .incoming) == 4000)
        pacing.goes(relayed, throughRelay: true)
        #expect(pacing.limit(of: relayed, .outgoing) == 1000 && pacing.limit(of: relayed, .incoming) == 1000)
        #expect(pacing.limit(of: relayed, .outgoing, sharedBy: 4) == 250)
        #expect(pacing.limit(of: direct, .outgoing) == nil && pacing.limit(of: direct, .incoming) == 4000)
        await pacing.wait(for: 30, of: relayed, .outgoing)
        await pacing.wait(for: 40, of: relayed, .incoming)
        await pacing.wait(for: 50, of: direct, .incoming)
        #expect(pacing.drawn(under: .relayed) == 70)
        pacing.setLimit(10, of: .transfer(relayed))
        #expect(pacing.limit(of: relayed, .outgoing, sharedBy: 4) == 10, "its own limit is shared with nobody")
        pacing.forget(relayed)
        #expect(pacing.limit(of: relayed, .outgoing) == nil)
    }

    @Test("what goes at once is a piece of the limit of now, and all of it without one", .timeLimit(.minutes(1)))
    func pieces() async {
        let pacing = TransferPacing(upload: nil, download: nil)
        let id = MessageID(at: Timestamp(milliseconds: 0))
        #expect(await pacing.grant(upTo: 8 << 20, of: id, .outgoing) == 8 << 20)
        pacing.setLimit(8_000_000, of: .all(.outgoing))
        #expect(await pacing.grant(upTo: 8 << 20, of: id, .outgoing) == 1_000_000)
        #expect(await pacing.grant(upTo: 6, of: id, .outgoing) == 6)
        pacing.setLimit(1000, of: .transfer(id))
        #expect(await pacing.grant(upTo: 8 << 20, of: id, .incoming) == RangePlanner.piece(within: 1000))
        #expect(await pacing.grant(upTo: 1, of: id, .outgoing) { false } == nil)
    }

    @Test("a piece that waits becomes smaller when the limit does", .timeLimit(.minutes(1)))
    func smallerPiece() async {
        let pacing = TransferPacing(upload: 800_000_000, download: nil)
        let id = MessageID(at: Timestamp(milliseconds: 0))
        // Somebody whose turn is more than a minute away stands before it.
        let (drawn, draws) = AsyncStream<Void>.makeStream()
        let before = Task {
            await pacing.wait(for: 80_000_000_000, of: id, .outgoing) {
                draws.yield()
                return true
            }
        }
        for await _ in drawn { break }
        var asked = 0
        let granted = await pacing.grant(upTo: 100_000_000, of: id, .outgoing) {
            asked += 1
            if asked == 3 { pacing.setLimit(1, of: .all(.outgoing)) }
            if asked == 6 {
                pacing.setLimit(1_000_000, of: .all(.outgoing))
                before.cancel()
            }
            return true
        }
        #expect(granted == RangePlanner.piece(within: 1))
        #expect(await before.value == false)
    }

    enum Slow: CaseIterable { case sender, receiver }

    @Test(
        "a limit that is lowered during a fast file holds up no other file, and the fast one goes on evenly",
        .timeLimit(.minutes(5)), arguments: Slow.allCases)
    func loweredLimit(side: Slow) async throws {
        let pair = try await TransferPair()
        let size = 200_000_000
        let large = try pair.alice.makeFile("large", size: size, seed: 3)
        let slow = side == .sender ? pair.alice.client : pair.bob.client
        let direction: RateScope = side == .sender ? .all(.outgoing) : .all(.incoming)
        // Fast enough for large ranges, slow enough that much is left.
        try await slow.ask(.setRateLimit(40_000_000, of: direction))
        let id = try await pair.offer(large)
        try await eventually("it runs") { try await pair.bob.transfer(id)?.transferred ?? 0 > 4 << 20 }
        try await slow.ask(.setRateLimit(100_000, of: direction))
        // Before, eight MiB of the large file stood before it, six times: some minutes at this rate.
        let small = try await pair.offer(try pair.alice.makeFile("small", size: 6))
        try await pair.bob.waitForState(.complete, of: small)
        #expect(try await pair.bob.transfer(id)?.state == .running)
        let before = try await pair.bob.row(id).transferred
        // What was on its way when the limit fell is paid for at the new rate: most of a minute.
        let patience = Duration.seconds(200)
        try await eventually("and the large one goes on", within: patience) {
            try await pair.bob.row(id).transferred > before
        }
        try await eventually("both sides know how far it is", within: patience) {
            let sent = await pair.alice.client.transfers.upload(id)?.file.transferred ?? 0
            let received = try await pair.bob.row(id).transferred
            return sent > before && max(sent, received) - min(sent, received) < 200_000
        }
        try await slow.ask(.setRateLimit(nil, of: direction))
        for peer in [pair.alice, pair.bob] { try await peer.waitForState(.complete, of: id) }
        #expect(try sha256(of: pair.bob.downloads + "/large") == sha256(of: large))
        await pair.stop()
    }

    @Test("what a limit lets a file have is its share of it, or its own limit")
    func shares() {
        let pacing = TransferPacing(upload: 900, download: nil)
        let id = MessageID(at: Timestamp(milliseconds: 0))
        #expect(pacing.limit(of: id, .outgoing, sharedBy: 3) == 300)
        #expect(pacing.limit(of: id, .incoming, sharedBy: 3) == nil)
        pacing.setLimit(100, of: .transfer(id))
        #expect(pacing.limit(of: id, .outgoing, sharedBy: 3) == 100)
        #expect(pacing.limit(of: id, .outgoing, sharedBy: 0) == 100)
    }

    @Test("a limit beyond every number is one that can be told")
    func largestLimit() {
        let pacing = TransferPacing(upload: .max, download: nil)
        pacing.setLimit(.max, of: .all(.incoming))
        for direction in [MessageDirection.outgoing, .incoming] {
            #expect(pacing.limit(of: .all(direction)) ?? 0 >= UInt64(Int64.max))
        }
    }

    @Test("four files run at once, the others wait for their turn, and all arrive", .timeLimit(.minutes(2)))
    func running() async throws {
        let pair = try await TransferPair(bob: { $0.downloadLimit = 20_000 })
        var ids: [MessageID] = []
        for number in 0..<6 {
            ids.append(try await pair.offer(try pair.alice.makeFile("f\(number)", size: 300_000, seed: UInt64(number))))
        }
        func count(_ fits: (FileTransfer) -> Bool) async throws -> Int {
            try await pair.bob.client.ask(.transfers(unfinishedOnly: true)).count(where: fits)
        }
        try await eventually("four run, two wait") {
            let running = try await count { $0.state == .running }
            let waiting = try await count { $0.state == .accepted && $0.reason == TransferReason.waitingForTurn }
            let downloads = await pair.bob.client.transfers.downloadCount
            return running == 4 && waiting == 2 && downloads == 4
        }
        try await pair.bob.client.ask(.setRateLimit(nil, of: .all(.incoming)))
        for id in ids { try await pair.bob.waitForState(.complete, of: id) }
        await pair.stop()
    }

    /// Many files that Alice has paused and Bob has accepted while there was no link.
    private func manyPaused(
        _ count: Int, retryDelay: Duration, limit: UInt64? = nil
    ) async throws -> (TransferPair, [MessageID]) {
        let pair = try await TransferPair(
            accepting: nil,
            bob: {
                $0.limits.retryDelay = retryDelay
                $0.downloadLimit = limit
            })
        var ids: [MessageID] = []
        for number in 0..<count {
            ids.append(try await pair.offer(try pair.alice.makeFile("f\(number)", size: 10)))
            try await pair.alice.client.ask(.pauseTransfer(try await pair.alice.row(ids[number]).number))
        }
        for id in ids { try await pair.bob.waitForState(.offered, of: id) }
        let alice = try await pair.bob.contactID("alice")
        try await pair.bob.client.ask(.disconnect(alice))
        try await eventually("there is no link") { await pair.bob.client.links[alice]?.link == nil }
        for id in ids { try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(id).number, into: nil)) }
        try await pair.bob.client.ask(.reconnect(alice))
        return (pair, ids)
    }

    @Test("of many files that their sender does not give only some are tried and rest")
    func resting() async throws {
        let (pair, _) = try await manyPaused(80, retryDelay: .seconds(3600), limit: 1_000_000)
        // What rests does so to the end of the test: the others would have come to it by then.
        let bob = pair.bob.client
        try await eventually("as many rest as may") {
            let (resting, running) = (await bob.transfers.restingCount, await bob.transfers.downloadCount)
            return resting >= 32 && running == 0
        }
        #expect(await bob.transfers.restingCount <= 32 + ChatLimits().runningTransfers)
        // Ranges that the sender refuses use up nothing of what other files may have; one may just be asked for.
        try await eventually("nothing is used up") { await bob.pacing.drawn(under: .all(.incoming)) == 0 }
        await pair.stop()
    }

    @Test("whoever stands at the end of many that wait gets a turn, without being asked for")
    func turns() async throws {
        let (pair, ids) = try await manyPaused(80, retryDelay: .milliseconds(20))
        // Nobody is told: Bob finds out when its turn has come again.
        for id in [ids[79], ids[0], ids[40]] {
            _ = await pair.alice.client.run { client in
                await client.book.changeQuietly(id) {
                    $0.state = .accepted
                    $0.reason = nil
                }
            }
            try await pair.bob.waitForState(.complete, of: id)
        }
        await pair.stop()
    }

    @Test("offers that nobody has decided are not held in memory, however many there are", .timeLimit(.minutes(2)))
    func manyOffers() async throws {
        let pair = try await TransferPair(accepting: nil)
        let contact = try await pair.bob.contactID("alice")
        await pair.bob.stop()
        let store = try await HistoryDatabase.open(at: pair.bob.home + "/history.sqlite")
        for number in 0..<250 as Range<Int64> {
            let content = IncomingMessage.Content.file(
                name: "f\(number)", size: number == 249 ? 1 : 1_000, modified: Timestamp(milliseconds: 1),
                contentType: "text/plain", caption: "")
            _ = try await store.appendIncoming(
                IncomingMessage(
                    id: MessageID(at: Timestamp(milliseconds: number)), contact: contact, sequence: number + 1,
                    sent: Timestamp(milliseconds: number), received: Timestamp(milliseconds: number), content: content))
        }
        await store.close()
        // Only the last one is taken by itself, so all the others have been looked at then.
        try await pair.bob.restart { $0.acceptsFilesUpTo = 10 }
        try await eventually("the last one is taken") {
            try await pair.bob.client.ask(.transfers(unfinishedOnly: false)).contains {
                $0.size == 1 && $0.state != .offered
            }
        }
        #expect(await pair.bob.client.transfers.rowCount <= 1)
        await pair.stop()
    }

    @Test("nobody gets more files or ranges at once than may run", .timeLimit(.minutes(2)))
    func serving() async throws {
        let pair = try await TransferPair(accepting: nil, alice: { $0.uploadLimit = 1 })
        var ids: [MessageID] = []
        for number in 0..<5 {
            ids.append(try await pair.offer(try pair.alice.makeFile("f\(number)", size: 100_000)))
        }
        for id in ids { try await pair.bob.waitForState(.offered, of: id) }
        let link = try await pair.bob.openLink()
        func ask(_ id: MessageID) -> PendingResponse {
            link.connection.submit(FileGetRequest(id: id, offset: 0, length: 1000).encoded(), bodySink: nil)
        }
        // At one byte a second the first four wait in line, and are running.
        let waiting = ids.prefix(4).map(ask)
        #expect(try await ask(ids[4]).value().error == .busy)
        let limit = ChatLimits().servedRanges
        let more = (1..<limit).map { _ in ask(ids[0]) }
        #expect(try await ask(ids[0]).value().error == .tooManyRequests)
        #expect(more.count + 1 == limit)
        for pending in waiting + more { pending.cancel() }
        await pair.stop()
    }

    @Test("nobody makes us compute more digests at once than transfers need")
    func digests() async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = try pair.alice.makeFile("f", size: 0)
        let size: UInt64 = 1 << 29
        #expect(truncate(path, off_t(size)) == 0)
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.offered, of: id)
        let link = try await pair.bob.openLink()
        let limit = 2 * ChatLimits().runningTransfers
        let pending = (0...limit).map { _ in
            link.connection.submit(FileDigestRequest(id: id, length: size).encoded(), bodySink: nil)
        }
        var errors: [BLIPErrorCode?] = []
        for response in pending { errors.append(try await response.value().error) }
        #expect(errors == Array(repeating: nil, count: limit) + [.tooManyRequests])
        await pair.stop()
    }

    /// A file of zeros of alice's, which bob has been offered.
    private func offerZeros(_ size: Int, _ pair: TransferPair) async throws -> MessageID {
        let path = try pair.alice.makeFile("zeros \(size)", size: 0)
        #expect(truncate(path, off_t(size)) == 0)
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.offered, of: id)
        return id
    }

    @Test("digests of one contact are computed one at a time, in order, and paid for")
    func digestLine() async throws {
        let pair = try await TransferPair(accepting: nil, alice: { $0.uploadLimit = 4_000_000 })
        let large = try await offerZeros(64 << 20, pair)
        let small = try await offerZeros(10, pair)
        let link = try await pair.bob.openLink()
        let first = link.connection.submit(FileDigestRequest(id: large, length: 64 << 20).encoded(), bodySink: nil)
        let second = link.connection.submit(FileDigestRequest(id: small, length: 10).encoded(), bodySink: nil)
        #expect(try await second.value().error == nil)
        #expect(first.isComplete, "the second one has overtaken the first")
        #expect(try await first.value().error == nil)
        let pacing = await pair.alice.client.pacing
        let drawn = try #require(pacing.drawn(under: .all(.outgoing)))
        #expect(drawn == Double(64 << 20) / 16 + 1)
        // What was read is not paid for again.
        let again = link.connection.submit(FileDigestRequest(id: large, length: 64 << 20).encoded(), bodySink: nil)
        #expect(try await again.value().error == nil)
        #expect(pacing.drawn(under: .all(.outgoing)) == drawn)
        await pair.stop()
    }

    @Test(
        "a digest ends with the link over which it was asked for, and the next link begins anew",
        .timeLimit(.minutes(2)))
    func digestOfLostLink() async throws {
        // An hour's worth of reading.
        let pair = try await TransferPair(accepting: nil, alice: { $0.uploadLimit = 20_000 })
        let large = try await offerZeros(1 << 30, pair)
        let bob = try await pair.bob.contactID("alice")
        let alice = try await pair.alice.contactID("bob")
        for _ in 1...2 {
            // After the first round both may call, and a link that is given up for another takes its requests along.
            var pending: [PendingResponse] = []
            try await eventually("they wait") {
                if await pair.alice.client.transfers.digests.count(of: alice) == 3 { return true }
                guard pending.allSatisfy(\.isComplete), let link = await pair.bob.client.links[bob]?.link else {
                    return false
                }
                pending = (1...3).map { _ in
                    link.connection.submit(FileDigestRequest(id: large, length: 1 << 30).encoded(), bodySink: nil)
                }
                return false
            }
            try await pair.bob.client.ask(.disconnect(bob))
            try await eventually("nobody waits any more") { await pair.alice.client.transfers.digests.isEmpty }
            for response in pending { await #expect(throws: LinkError.self) { _ = try await response.value() } }
            try await pair.bob.client.ask(.reconnect(bob))
            try await ChatClient.waitOnline(pair.alice, pair.bob)
        }
        await pair.stop()
    }

    @Test("a digest ends when the file is not given any more")
    func digestOfCancelledFile() async throws {
        let pair = try await TransferPair(accepting: nil, alice: { $0.uploadLimit = 20_000 })
        let large = try await offerZeros(1 << 30, pair)
        let link = try await pair.bob.openLink()
        let digest = link.connection.submit(FileDigestRequest(id: large, length: 1 << 30).encoded(), bodySink: nil)
        try await eventually("it is being computed") { await pair.alice.client.transfers.upload(large) != nil }
        try await pair.alice.client.ask(.cancelTransfer(try await pair.alice.row(large).number))
        #expect(try await digest.value().error == .tooManyRequests)
        await pair.stop()
    }

    @Test("a file whose receiver asks for nothing more is closed, and shown as waiting")
    func patience() async throws {
        let pair = try await TransferPair(accepting: nil, alice: { $0.limits.uploadPatience = .milliseconds(50) })
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 100_000))
        try await pair.bob.waitForState(.offered, of: id)
        let link = try await pair.bob.openLink()
        let get = FileGetRequest(id: id, offset: 0, length: 1000).encoded()
        #expect(try await link.connection.submit(get, bodySink: nil).value().error == nil)
        try await eventually("it is closed") {
            let isOpen = await pair.alice.client.transfers.upload(id) != nil
            let reason = try await pair.alice.transfer(id)?.reason
            return !isOpen && reason == TransferReason.receiverStopped
        }
        await pair.stop()
    }

    enum Side: CaseIterable { case upload, download, transfer }

    @Test("a limit of the rate holds on either side and for one transfer", arguments: Side.allCases)
    func rate(side: Side) async throws {
        let rate: UInt64 = 400_000
        let pair = try await TransferPair(
            accepting: nil, alice: { $0.uploadLimit = side == .upload ? rate : nil },
            bob: { $0.downloadLimit = side == .download ? rate : nil })
        let size = 600_000
        let path = try pair.alice.makeFile("f", size: size)
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.offered, of: id)
        let number = try await pair.bob.row(id).number
        if side == .transfer { try await pair.bob.client.ask(.setRateLimit(rate, of: .transfer(number))) }
        let begun = ContinuousClock.now
        try await pair.bob.client.ask(.acceptTransfer(number, into: nil))
        try await pair.bob.waitForState(.complete, of: id)
        // 0.25 s are given at once.
        #expect(ContinuousClock.now - begun > .seconds(Double(size) / Double(rate) - 0.26))
        #expect(try sha256(of: pair.bob.downloads + "/f") == sha256(of: path))
        #expect(pair.bob.tap.requests("file-get").count >= 3, "in small ranges, so that the bytes come evenly")
        await pair.stop()
    }

    @Test("after a cut only what moves then counts for the rate, on both sides")
    func rateAfterResume() async throws {
        let limit: UInt64 = 400_000
        let pair = try await TransferPair(bob: { $0.downloadLimit = limit })
        pair.bob.tap.cut(after: 20, of: "file-get", staysDown: true)
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 2_000_000))
        try await eventually("it was cut") { pair.bob.tap.isDown }
        try await eventually("it waits") { try await pair.bob.transfer(id)?.state == .accepted }
        #expect(try await pair.bob.row(id).transferred > 3 * limit / 2, "much more than comes in a second")
        let logs = [await EventLog(of: pair.alice.client), await EventLog(of: pair.bob.client)]
        pair.bob.tap.restore()
        for peer in [pair.alice, pair.bob] { try await peer.waitForState(.complete, of: id) }
        for log in logs {
            let rates = log.events.compactMap { event -> Double? in
                guard case .transferProgress(let progress) = event, progress.id == id else { return nil }
                return progress.rate
            }
            #expect(!rates.isEmpty && rates.allSatisfy { $0 < 3 * Double(limit) }, "\(rates)")
        }
        await pair.stop()
    }

    @Test("the sender sees that a receiver asks for nothing more, also under a limit")
    func silentReceiver() async throws {
        let pair = try await TransferPair(
            accepting: nil,
            alice: {
                $0.uploadLimit = 1_000_000
                $0.limits.uploadPatience = .seconds(3600)
            })
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 20_000_000))
        try await pair.bob.waitForState(.offered, of: id)
        let log = await EventLog(of: pair.alice.client)
        let link = try await pair.bob.openLink()
        let get = FileGetRequest(id: id, offset: 0, length: 100_000).encoded()
        #expect(try await link.connection.submit(get, bodySink: nil).value().error == nil)
        // The longest range would take eight seconds with this limit: what is not asked for is not held back by it.
        try await eventually("it stands still") {
            log.contains { event in
                guard case .transferProgress(let progress) = event, progress.id == id else { return false }
                return progress.stalled > .zero && progress.rate == 0 && progress.stalled < .seconds(8)
            }
        }
        await pair.stop()
    }

    @Test("a limit is taken away while files wait for it, and none can be set on what has ended")
    func lifting() async throws {
        let pair = try await TransferPair(bob: { $0.downloadLimit = 1 })
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 500_000))
        try await pair.bob.waitForState(.running, of: id)
        #expect(try await pair.bob.client.ask(.rateLimit(of: .all(.incoming))) == 1)
        try await pair.bob.client.ask(.setRateLimit(nil, of: .all(.incoming)))
        try await pair.bob.waitForState(.complete, of: id)
        let number = try await pair.bob.row(id).number
        await #expect(throws: ChatError.wrongTransferState(.complete)) {
            try await pair.bob.client.ask(.setRateLimit(5, of: .transfer(number)))
        }
        await #expect(throws: ChatError.noSuchTransfer) {
            try await pair.bob.client.ask(.setRateLimit(5, of: .transfer(TransferNumber(999))))
        }
        await pair.stop()
    }

    @Test("what must stay free is one gibibyte or a twentieth of the disk, the smaller one")
    func keptFree() {
        let limits = ChatLimits()
        let huge: UInt64 = 1 << 50
        #expect(limits.fits(huge - (1 << 30), free: huge, total: huge * 2))
        #expect(!limits.fits(huge - (1 << 30) + 1, free: huge, total: huge * 2))
        #expect(limits.fits(950, free: 1000, total: 1000))
        #expect(!limits.fits(951, free: 1000, total: 1000))
        #expect(limits.fits(0, free: 50, total: 1000))
        #expect(!limits.fits(0, free: 49, total: 1000))
        #expect(!limits.fits(.max, free: huge, total: .max))
    }
}

@Suite("Room on a disk for several files") struct DiskRoomTests {
    /// A disk of 1000 MiB of which 950 may be written, and that others may write to.
    private final class FakeDisk: Sendable {
        let free = Mutex<UInt64>(1000 << 20)
        let looks = Mutex(0)
        let limits = ChatLimits()
        let room = DiskRoom()

        func begin(_ needed: UInt64) throws -> DiskRoom.Answer {
            try room.begin(needed, limits: limits, folder: "/in") {
                self.looks.withLock { $0 += 1 }
                return (self.free.withLock { $0 }, 1000 << 20)
            }
        }

        func share(_ needed: UInt64) throws -> DiskShare? {
            guard case .yes(let share) = try begin(needed) else { return nil }
            return share
        }

        /// A file that is written with this share.
        func write(_ bytes: UInt64, _ share: DiskShare) throws {
            try share.take(bytes)
            free.withLock { $0 -= bytes }
        }
    }

    @Test("what running files still have to write is not there for others, until it is written or given up")
    func begins() throws {
        let disk = FakeDisk()
        var first = try disk.share(600 << 20)
        #expect(first != nil)
        guard case .later = try disk.begin(400 << 20) else { return #expect(Bool(false), "both have no room") }
        guard case .no = try disk.begin(951 << 20) else { return #expect(Bool(false), "it has no room alone") }
        #expect(try disk.share(350 << 20) != nil)
        #expect(try disk.share(0) != nil)
        for _ in 0..<300 { try disk.write(1 << 20, try #require(first)) }
        let second = try disk.share(350 << 20)
        #expect(second != nil, "what is written counts once")
        #expect(try disk.share(1) == nil)
        first = nil
        #expect(try disk.share(300 << 20) != nil)
        // What is here already needs no room.
        disk.free.withLock { $0 = 0 }
        #expect(try disk.share(0) != nil)
        #expect(try disk.share(1) == nil)
    }

    @Test("what must stay free stays free to the byte, however many files come and whoever else writes")
    func running() throws {
        let disk = FakeDisk()
        let shares = try (0..<3).map { _ in try #require(try disk.share(300 << 20)) }
        disk.free.withLock { $0 = 60 << 20 }
        var refused = 0
        for _ in 0..<1000 {
            for share in shares {
                do { try disk.write(65_536, share) } catch let error as FileError {
                    refused += 1
                    #expect(error.space != nil && error.errno == ENOSPC)
                    guard case .diskNearlyFull = TransferReason.local(error) else {
                        Issue.record("\(error)")
                        return
                    }
                }
            }
        }
        #expect(refused > 0)
        #expect(disk.free.withLock { $0 } >= 50 << 20)
        #expect(disk.free.withLock { $0 } < 51 << 20, "and no more than that")
    }

    @Test("the disk is looked at before each step of some MiB, not for each part")
    func looks() throws {
        let disk = FakeDisk()
        let share = try #require(try disk.share(40 << 20))
        for _ in 0..<640 { try disk.write(65_536, share) }
        #expect(disk.looks.withLock { $0 } == 11)
    }
}

extension Transfers {
    fileprivate var downloadCount: Int { all.values.count { $0.download != nil } }
    fileprivate var restingCount: Int { all.values.count { $0.isResting } }
    fileprivate var rowCount: Int { all.values.count { $0.row != nil } }
}
