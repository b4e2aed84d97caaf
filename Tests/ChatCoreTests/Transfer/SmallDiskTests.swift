// Files for a disk that is too small, that fills up meanwhile, or that cannot be written (RELIABILITY D11 and 3).

import BLIPNet
import Glibc
import Testing

import class TestSupport.SmallDisk

@testable import ChatCore

@Suite("A small disk", .enabled(if: SmallDisk.isPossible, "needs root, to mount a small file system"))
struct SmallDiskTests {
    @Test("a file that is too large is refused before anything is promised, a smaller one is taken")
    func tooLarge() async throws {
        let disk = try await SmallDisk()
        let pair = try await TransferPair(accepting: nil, bob: { $0.downloadsFolder = disk.path + "/in" })
        let large = try await pair.offer(try pair.alice.makeFile("large", size: 4_100_000))
        let small = try await pair.offer(try pair.alice.makeFile("small", size: 3_000_000))
        for id in [large, small] { try await pair.bob.waitForState(.offered, of: id) }
        do {
            try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(large).number, into: nil))
            Issue.record("a twentieth must stay free")
        } catch ChatError.notEnoughSpace(let needed, let free, _) {
            #expect(needed == 4_100_000)
            #expect(free < 4_300_000)
        }
        try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(small).number, into: nil))
        try await pair.bob.waitForState(.complete, of: small)
        await pair.stop()
        try await disk.unmount()
    }

    @Test(
        "a disk that fills up pauses the transfer with a sentence; with room again it goes on",
        arguments: [true, false])
    func fillsUp(completely: Bool) async throws {
        let disk = try await SmallDisk()
        let pair = try await TransferPair(bob: {
            $0.downloadsFolder = disk.path + "/in"
            $0.downloadLimit = completely ? 100_000 : 20_000
            if completely { $0.limits.freeBytesKept = 0 }
        })
        let path = try pair.alice.makeFile("f", size: 3_000_000)
        let id = try await pair.offer(path)
        try await eventually("it has begun") { pair.bob.tap.requests("file-get").count > 2 }
        let filler = disk.path + "/filler"
        let descriptor = open(filler, O_WRONLY | O_CREAT, 0o600)
        #expect(descriptor >= 0)
        let zeros = [UInt8](repeating: 0, count: 4096)
        // Up to the last byte, or until less is free than must stay so.
        let folder = try DownloadFolder(path: disk.path)
        while try completely || folder.space().free > 200_000, write(descriptor, zeros, zeros.count) > 0 {}
        close(descriptor)
        try await pair.bob.waitForState(.paused, of: id)
        let reason = try #require(try await pair.bob.row(id).reason)
        switch reason {
        case .diskNearlyFull: #expect(!completely)
        case .disk(_, let errno, _): #expect(completely && errno == ENOSPC)
        default: Issue.record("\(reason)")
        }
        try await eventually("alice is told") {
            try await pair.alice.row(id).reason == TransferReason.receiversDisk
        }
        unlink(filler)
        try await pair.bob.client.ask(.setRateLimit(nil, of: .all(.incoming)))
        try await pair.bob.client.ask(.resumeTransfer(try await pair.bob.row(id).number))
        try await pair.bob.waitForState(.complete, of: id)
        #expect(try sha256(of: disk.path + "/in/f") == sha256(of: path))
        #expect(pair.bob.tap.requests("file-get").filter { $0["Offset"] == "0" }.count == 1, "it went on, not anew")
        await pair.stop()
        try await disk.unmount()
    }

    @Test("of two files that have room alone but not together one completes; the other waits, and has written nothing")
    func together() async throws {
        let disk = try await SmallDisk()
        let pair = try await TransferPair(bob: {
            $0.downloadsFolder = disk.path + "/in"
            $0.downloadLimit = 500_000
            $0.limits.retryDelay = .milliseconds(300)
        })
        let paths = try ["a", "b"].map { try pair.alice.makeFile($0, size: 2_500_000) }
        var ids: [MessageID] = []
        for path in paths { ids.append(try await pair.offer(path)) }
        var waiting: MessageID?
        try await eventually("one waits") {
            for id in ids {
                if case .waitingForRoom? = try await pair.bob.transfer(id)?.reason { waiting = id }
            }
            return waiting != nil
        }
        let later = try #require(waiting)
        let first = try #require(ids.first { $0 != later })
        #expect(try await pair.bob.row(later).transferred == 0)
        try await pair.bob.client.ask(.setRateLimit(nil, of: .all(.incoming)))
        try await pair.bob.waitForState(.complete, of: first)
        // Now it has no room alone, either.
        try await pair.bob.waitForState(.paused, of: later)
        guard case .noSpace? = try await pair.bob.row(later).reason else {
            Issue.record("\(String(describing: try await pair.bob.row(later).reason))")
            return
        }
        #expect(try await pair.bob.row(later).transferred == 0)
        #expect(unlink(disk.path + "/in/" + (try await pair.bob.row(first).name)) == 0)
        let number = try await pair.bob.row(later).number
        // The room comes back when the last descriptor of the file is closed.
        try await eventually("it has room again") {
            do {
                try await pair.bob.client.ask(.resumeTransfer(number))
                return true
            } catch ChatError.notEnoughSpace {
                return false
            }
        }
        try await pair.bob.waitForState(.complete, of: later)
        await pair.stop()
        try await disk.unmount()
    }

    @Test("a folder that cannot be written is told when the file is accepted")
    func readOnly() async throws {
        let disk = try await SmallDisk()
        let pair = try await TransferPair(accepting: nil, bob: { $0.downloadsFolder = disk.path + "/in" })
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 10))
        try await pair.bob.waitForState(.offered, of: id)
        try await disk.remountReadOnly()
        await #expect(throws: ChatError.cannotWrite(path: disk.path + "/in", errno: EROFS)) {
            try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(id).number, into: nil))
        }
        #expect(try await pair.bob.row(id).state == .offered)
        await pair.stop()
        try await disk.unmount()
    }
}
