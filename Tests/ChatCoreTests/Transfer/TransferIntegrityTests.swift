// What arrives is what was sent, or it is not there: damage, changed sources, huge files, old remains (RELIABILITY D11).

import BLIPNet
import CLinux
import Glibc
import Testing

@testable import ChatCore

@Suite("Integrity of files") struct TransferIntegrityTests {
    @Test("one changed bit ends the transfer on both sides with the reason, and leaves no file")
    func damagedOnTheWay() async throws {
        let pair = try await TransferPair()
        pair.bob.tap.damageBody(of: "file-get")
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 500_000))
        for peer in [pair.alice, pair.bob] {
            try await peer.waitForState(.failed, of: id)
            #expect(try await peer.row(id).reason == TransferReason.digestDiffers, "\(peer.name)")
        }
        try await eventually("nothing of it is left") { names(in: pair.bob.downloads) == [] }
        // The same file again is another transfer, and arrives.
        let again = try await pair.offer(pair.alice.home + "/f")
        try await pair.bob.waitForState(.complete, of: again)
        await pair.stop()
    }

    @Test("a source that changes in the middle is refused with a sentence, and goes as a new transfer")
    func changedInTheMiddle() async throws {
        let pair = try await TransferPair(bob: { $0.downloadLimit = 20_000 })
        let path = try pair.alice.makeFile("f", size: 500_000)
        let id = try await pair.offer(path)
        try await eventually("it has begun") { pair.bob.tap.requests("file-get").count > 1 }
        try writeFile(path, pseudoRandom(500_000, seed: 9))
        utimes(path, [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)])
        for peer in [pair.alice, pair.bob] {
            try await peer.waitForState(.failed, of: id)
            #expect(try await peer.row(id).reason == TransferReason.sourceChanged)
        }
        try await eventually("nothing of it is left") { names(in: pair.bob.downloads) == [] }
        try await pair.bob.client.ask(.setRateLimit(nil, of: .all(.incoming)))
        let again = try await pair.offer(path)
        try await pair.bob.waitForState(.complete, of: again)
        #expect(try sha256(of: pair.bob.downloads + "/f") == sha256(of: path))
        await pair.stop()
    }

    @Test("a folder on the way to the source that becomes a link does not lead to another file")
    func linkToAnotherSource() async throws {
        let pair = try await TransferPair(accepting: nil)
        for folder in ["/mine", "/secret"] { mkdir(pair.alice.home + folder, 0o700) }
        let time = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)]
        for (file, seed) in [("/mine/f", 1), ("/secret/f", 2)] {
            // The same size and time: only the way there tells them apart.
            try writeFile(pair.alice.home + file, pseudoRandom(1000, seed: UInt64(seed)))
            utimes(pair.alice.home + file, time)
        }
        let id = try await pair.offer(pair.alice.home + "/mine/f")
        try await pair.bob.waitForState(.offered, of: id)
        #expect(rename(pair.alice.home + "/mine", pair.alice.home + "/was") == 0)
        symlink(pair.alice.home + "/secret", pair.alice.home + "/mine")
        try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(id).number, into: nil))
        try await pair.bob.waitForState(.failed, of: id)
        #expect(try await pair.bob.row(id).reason == TransferReason.sourceGone)
        try await eventually("nothing of it is left") { names(in: pair.bob.downloads) == [] }
        await pair.stop()
    }

    @Test("a file of more than 4 GiB goes on near its end after both prefixes have been compared")
    func huge() async throws {
        let pair = try await TransferPair(accepting: nil)
        let size: UInt64 = 4 << 30 + 3_000_001
        let done: UInt64 = size - 2_000_000
        let path = pair.alice.home + "/huge"
        try makeSparse(path, size: size, tail: pseudoRandom(2_500_000, seed: 4))
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.offered, of: id)
        try await pair.bob.restart(starting: false)
        // As if it had come that far: a partial file with the same bytes, and a row that says so.
        mkdir(pair.bob.downloads, 0o700)
        var row = try await pair.bob.row(id)
        let partial = pair.bob.downloads + "/" + FileNameSanitizer.partialName("huge", id)
        try makeSparse(partial, size: done, tail: Array(pseudoRandom(2_500_000, seed: 4).prefix(500_000)))
        row.state = .accepted
        row.path = partial
        row.transferred = done
        try await pair.bob.store.updateTransfer(row, reporting: true)
        try await pair.bob.start()
        // Eight gibibytes are read and hashed.
        try await eventually("it is here", within: .seconds(600)) {
            try await pair.bob.transfer(id)?.state == .complete
        }
        let offsets = pair.bob.tap.requests("file-get").compactMap { $0["Offset"].flatMap(UInt64.init) }
        #expect(offsets.min() == done)
        // More often where the machine is so busy that the link was lost meanwhile.
        let compared = Set(pair.bob.tap.requests("file-digest").compactMap { $0["Length"] })
        #expect(compared == ["\(done)", "\(size)"])
        let facts = try OpenFile.forReading(pair.bob.downloads + "/huge").facts()
        #expect(facts.size == size)
        #expect(try tail(of: pair.bob.downloads + "/huge", 2_500_000) == pseudoRandom(2_500_000, seed: 4))
        await pair.stop()
    }

    @Test(
        "the whole of a sparse file of 5 GiB",
        .enabled(if: getenv("BLIPCHAT_HUGE_FILES") != nil, "BLIPCHAT_HUGE_FILES=1"))
    func hugeWhole() async throws {
        let pair = try await TransferPair()
        let path = pair.alice.home + "/huge"
        try makeSparse(path, size: 5 << 30 + 1, tail: pseudoRandom(1_000_000, seed: 4))
        let id = try await pair.offer(path)
        try await eventually("it is here", within: .seconds(1800)) {
            try await pair.bob.transfer(id)?.state == .complete
        }
        #expect(try OpenFile.forReading(pair.bob.downloads + "/huge").facts().size == 5 << 30 + 1)
        await pair.stop()
    }

    /// Zeros that take no space, and `tail` at the end.
    private func makeSparse(_ path: String, size: UInt64, tail: [UInt8]) throws {
        try writeFile(path, [])
        let file = OpenFile(descriptor: open(path, O_RDWR | O_CLOEXEC), path: path)
        try file.truncate(to: size)
        try tail.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) throws -> Void in
            try file.write(buffer, at: size - UInt64(tail.count))
        }
    }

    private func tail(of path: String, _ count: Int) throws -> [UInt8] {
        let file = try OpenFile.forReading(path)
        let size = try file.facts().size
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) throws -> Int in
                try file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: size - UInt64(count - done))
            }
            try #require(read > 0)
            done += read
        }
        return bytes
    }

    @Test("ranges of the largest files are counted without a trap")
    func arithmetic() {
        let size = UInt64(Int64.max)
        var planner = RangePlanner(size: size, done: size - 5)
        #expect(planner.nextRange() == FileRange(offset: size - 5, length: 5))
        #expect(planner.nextRange() == nil)
        var small = RangePlanner(size: size, done: 0)
        #expect(small.nextRange(within: 0)?.length == RangePlanner.smallestPiece)
        #expect(small.nextRange(within: .max)?.length == RangePlanner.first)
    }

    @Test("the program that died between the two names of a finished file finds it again", arguments: [false, true])
    func diedWhileFinishing(bothNames: Bool) async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = try pair.alice.makeFile("f", size: 100_000)
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.offered, of: id)
        try await pair.bob.restart(starting: false)
        mkdir(pair.bob.downloads, 0o700)
        try writeFile(pair.bob.downloads + "/f", try readFile(path))
        let partial = pair.bob.downloads + "/" + FileNameSanitizer.partialName("f", id)
        if bothNames { #expect(link(pair.bob.downloads + "/f", partial) == 0) }
        var row = try await pair.bob.row(id)
        row.state = .running
        row.path = pair.bob.downloads + "/f"
        row.sha256 = try sha256(of: path)
        row.transferred = row.size
        try await pair.bob.store.updateTransfer(row, reporting: true)
        try await pair.bob.start()
        try await pair.bob.waitForState(.complete, of: id)
        try await pair.alice.waitForState(.complete, of: id)
        #expect(names(in: pair.bob.downloads) == ["f"])
        #expect(pair.bob.tap.requests("file-get").isEmpty)
        await pair.stop()
    }

    @Test("a file that has its name, but paused because the disk failed behind that, is not fetched again")
    func pausedWhileFinishing() async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = try pair.alice.makeFile("f", size: 100_000)
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.offered, of: id)
        try await pair.bob.restart(starting: false)
        mkdir(pair.bob.downloads, 0o700)
        try writeFile(pair.bob.downloads + "/f", try readFile(path))
        var row = try await pair.bob.row(id)
        row.state = .paused
        row.path = pair.bob.downloads + "/f"
        row.sha256 = try sha256(of: path)
        row.transferred = row.size
        try await pair.bob.store.updateTransfer(row, reporting: true)
        try await pair.bob.start()
        try await pair.bob.client.ask(.resumeTransfer(row.number))
        try await pair.bob.waitForState(.complete, of: id)
        try await pair.alice.waitForState(.complete, of: id)
        #expect(names(in: pair.bob.downloads) == ["f"])
        #expect(pair.bob.tap.requests("file-get").isEmpty)
        await pair.stop()
    }

    @Test("unfinished files that nothing has been added to for two weeks are removed, others are not")
    func oldPartials() async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = try pair.alice.makeFile("f", size: 2_000_000)
        var ids: [MessageID] = []
        for _ in 0..<2 {
            let id = try await pair.offer(path)
            try await pair.bob.waitForState(.offered, of: id)
            try await pair.alice.client.ask(.pauseTransfer(try await pair.alice.row(id).number))
            try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(id).number, into: nil))
            ids.append(id)
        }
        let stranger = FileNameSanitizer.partialName("stranger", MessageID(at: Timestamp(milliseconds: 7)))
        let young = FileNameSanitizer.partialName("young", MessageID(at: Timestamp(milliseconds: 8)))
        let folder = pair.bob.downloads + "/"
        for name in [stranger, young, ".old.blip-part", "old.txt", ".notes"] { try writeFile(folder + name, [1]) }
        let old = FileNameSanitizer.partialName("f", ids[0])
        for name in [old, stranger, ".old.blip-part", "old.txt", ".notes"] {
            let time = timeval(tv_sec: time(nil) - 14 * 86_400 - 60, tv_usec: 0)
            utimes(folder + name, [time, time])
        }
        let rest = [".notes", ".old.blip-part", "old.txt", young, FileNameSanitizer.partialName("f", ids[1])]
        try await pair.bob.restart { $0.partialKeepDays = nil }
        #expect(names(in: pair.bob.downloads).count == rest.count + 2, "nothing is removed when it is switched off")
        try await pair.bob.restart { $0.partialKeepDays = 15 }
        await pair.bob.client.run { await $0.cleaning.cleanPartials() }
        #expect(names(in: pair.bob.downloads).count == rest.count + 2, "fifteen days are not over")
        try await pair.bob.restart { $0.partialKeepDays = 14 }
        await pair.bob.client.run { await $0.cleaning.cleanPartials() }
        let left = Set(names(in: pair.bob.downloads)).subtracting([old])
        #expect(left == Set(rest))
        for id in ids {
            try await pair.alice.client.ask(.resumeTransfer(try await pair.alice.row(id).number))
            try await pair.bob.waitForState(.complete, of: id)
        }
        await pair.stop()
    }
}
