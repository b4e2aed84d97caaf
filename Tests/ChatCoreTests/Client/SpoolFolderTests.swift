// Files that are made only to be sent (pasted texts, standard input): gone when their transfer has ended, whatever its
// end, and when they were left over; nothing else is touched.

import Glibc
import Testing

@testable import ChatCore

@Suite("Spooled files") struct SpoolFolderTests {
    /// A pair whose first peer has a spool in `folder` of its home.
    private func pair(accepting limit: UInt64? = .max) async throws -> (pair: TransferPair, spool: String) {
        let pair = try await TransferPair(accepting: limit)
        let spool = pair.alice.home + "/pasted"
        mkdir(spool, 0o700)
        try await pair.alice.restart {
            $0.spoolFolders = [SpoolFolder(path: spool, prefix: "paste-", grace: .seconds(60))]
        }
        return (pair, spool)
    }

    private func text(_ path: String) throws -> String {
        try writeFile(path, Array("one\ntwo\n".utf8))
        return path
    }

    @Test("a spooled file is removed when it has arrived; a file of the user in the same folder stays")
    func complete() async throws {
        let (pair, spool) = try await pair()
        for name in ["paste-1.txt", "mine.txt"] {
            let id = try await pair.offer(try text("\(spool)/\(name)"))
            try await pair.bob.waitForState(.complete, of: id)
            try await pair.alice.waitForState(.complete, of: id)
        }
        try await eventually("the spooled one is gone") { names(in: spool) == ["mine.txt"] }
        await pair.stop()
    }

    @Test("it is removed when the offer is declined, and when it is cancelled by either side; not before")
    func refused() async throws {
        let (pair, spool) = try await pair(accepting: nil)
        for end in 0..<3 {
            let id = try await pair.offer(try text("\(spool)/paste-\(end).txt"))
            try await pair.bob.waitForState(.offered, of: id)
            #expect(names(in: spool) == ["paste-\(end).txt"])
            switch end {
            case 0: try await pair.bob.client.ask(.declineTransfer(try await pair.bob.row(id).number))
            case 1: try await pair.alice.client.ask(.cancelTransfer(try await pair.alice.row(id).number))
            default:
                try await pair.alice.client.ask(.pauseTransfer(try await pair.alice.row(id).number))
                try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(id).number, into: nil))
                try await pair.bob.client.ask(.cancelTransfer(try await pair.bob.row(id).number))
            }
            try await eventually("end \(end)") { names(in: spool) == [] }
        }
        await pair.stop()
    }

    @Test("a file that two transfers need stays until the second has ended")
    func shared() async throws {
        let (pair, spool) = try await pair(accepting: nil)
        let path = try text("\(spool)/paste-1.txt")
        let ids = [try await pair.offer(path), try await pair.offer(path)]
        for id in ids { try await pair.bob.waitForState(.offered, of: id) }
        try await pair.bob.client.ask(.declineTransfer(try await pair.bob.row(ids[0]).number))
        try await pair.alice.waitForState(.declined, of: ids[0])
        #expect(names(in: spool) == ["paste-1.txt"])
        try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(ids[1]).number, into: nil))
        try await pair.bob.waitForState(.complete, of: ids[1])
        try await eventually("nobody needs it") { names(in: spool) == [] }
        await pair.stop()
    }

    @Test("leftovers go at the start: old ones without a transfer, never a link, a folder, another name, a needed file")
    func leftovers() async throws {
        let (pair, spool) = try await pair(accepting: nil)
        let needed = try await pair.offer(try text("\(spool)/paste-needed.txt"))
        try await pair.bob.waitForState(.offered, of: needed)
        for name in ["paste-old.txt", "paste-young.txt", "mine.txt"] { _ = try text("\(spool)/\(name)") }
        let outside = try text(pair.alice.home + "/outside.txt")
        symlink(outside, spool + "/paste-link.txt")
        mkdir(spool + "/paste-folder", 0o700)
        for name in ["paste-old.txt", "paste-needed.txt", "mine.txt", "paste-folder"] {
            let time = timeval(tv_sec: time(nil) - 120, tv_usec: 0)
            utimes("\(spool)/\(name)", [time, time])
        }
        try await pair.alice.restart { _ in }
        await pair.alice.client.run { await $0.cleaning.cleanSpools() }
        #expect(
            Set(names(in: spool)) == [
                "paste-young.txt", "paste-needed.txt", "paste-link.txt", "paste-folder", "mine.txt",
            ])
        #expect(names(in: pair.alice.home).contains("outside.txt"))
        await pair.stop()
    }
}
