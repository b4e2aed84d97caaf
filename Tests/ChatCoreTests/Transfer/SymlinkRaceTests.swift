// Somebody exchanges the downloads folder and the partial files for links, as fast as they can, while files arrive.

import BLIPNet
import CLinux
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import ChatCore

@Suite("Races with links") struct SymlinkRaceTests {
    /// BLIPCHAT_RACE_SECONDS=30 is the long form.
    private static let length: Duration = {
        guard let text = getenv("BLIPCHAT_RACE_SECONDS"), let seconds = Double(String(cString: text)) else {
            return .milliseconds(1500)
        }
        return .seconds(seconds)
    }()

    @Test("nothing outside is touched, and every file arrives whole in the end", arguments: [true, false])
    func race(withTheFolder: Bool) async throws {
        let cage = try Cage()
        let pair = try await TransferPair(bob: {
            $0.downloadsFolder = cage.downloads
            $0.limits.operationsPerSecond = 1e6
            $0.limits.operationBurst = 1e6
            $0.limits.retryDelay = .milliseconds(20)
        })
        let outside = cage.root + "/outside"
        let before = try TreeSnapshot(outside)
        let attacker = Attacker(cage, exchangesFolder: withTheFolder)
        // A link that is there when the chat starts is our user's; from then on, none is followed.
        await pair.bob.client.run { _ = try? await $0.places.downloads(within: nil) }
        attacker.start()
        var offers: [(id: MessageID, sha256: String)] = []
        let end = ContinuousClock.now + Self.length
        while ContinuousClock.now < end {
            let number = offers.count
            let path = try pair.alice.makeFile("f\(number)", size: 700_000 + number, seed: UInt64(number))
            offers.append((try await pair.offer(path, named: "f"), try sha256(of: path)))
            try await eventually("it has been dealt with") {
                try await pair.bob.transfer(offers[number].id).map { $0.state != .offered || $0.reason != nil } ?? false
            }
        }
        attacker.stop()
        #expect(attacker.rounds > 10)
        for offer in offers {
            try await eventually("it goes on when it is told to") {
                let row = try await pair.bob.row(offer.id)
                if row.state == .offered || row.state == .paused {
                    try? await pair.bob.client.ask(.acceptTransfer(row.number, into: nil))
                }
                return row.state == .complete
            }
            let path = try #require(try await pair.bob.row(offer.id).path)
            #expect(path.utf8.starts(with: (cage.downloads + "/").utf8))
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode == S_IFREG | 0o600, "\(path)")
            #expect(try sha256(of: path) == offer.sha256)
        }
        #expect(try TreeSnapshot(outside).differences(from: before) == [])
        await pair.stop()
    }
}

/// Exchanges names for links in a thread of its own.
private final class Attacker: Sendable {
    private let cage: (root: String, downloads: String)
    private let exchangesFolder: Bool
    private let isOver = Atomic(false)
    private let count = Atomic(0)
    private let finished = DispatchSemaphore(value: 0)

    init(_ cage: Cage, exchangesFolder: Bool) {
        self.cage = (cage.root, cage.downloads)
        self.exchangesFolder = exchangesFolder
    }

    var rounds: Int { count.load(ordering: .relaxed) }

    func start() {
        DispatchQueue(label: "attacker").async { [self] in
            while !isOver.load(ordering: .relaxed) {
                if exchangesFolder { exchangeFolder() } else { exchangeFiles() }
                count.add(1, ordering: .relaxed)
                usleep(200)
            }
            finished.signal()
        }
    }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        finished.wait()
    }

    /// The folder becomes a link to the outside for a moment, in one step each way.
    private func exchangeFolder() {
        let link = cage.root + "/home/bob/link"
        symlink(cage.root + "/outside", link)
        guard exchange(link, cage.downloads) else { return }
        usleep(300)
        _ = exchange(link, cage.downloads)
    }

    /// Partial files become links to precious files, to files that are not there, or second names of precious ones;
    /// final names are taken by links.
    private func exchangeFiles() {
        let number = rounds
        let canary = cage.root + "/outside/canary"
        for name in names(in: cage.downloads) where name.utf8.first == UInt8(ascii: ".") {
            let path = cage.downloads + "/" + name
            unlink(path)
            switch number % 3 {
            case 0: symlink(canary, path)
            case 1: symlink(cage.root + "/outside/new", path)
            default: symlink("../../../outside", path)
            }
        }
        symlink(cage.root + "/outside/new", cage.downloads + "/f (\(number + 2))")
    }

    /// renameat2 with RENAME_EXCHANGE.
    private func exchange(_ first: String, _ second: String) -> Bool {
        typealias Rename = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
        guard let symbol = dlsym(nil, "renameat2") else { return false }
        return unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, first, AT_FDCWD, second, 2) == 0
    }
}
