// A file that its receiver has paused: the sender knows that, and why (Docs/protocol.md 10.5, `Pause`).

import BLIPNet
import Glibc
import Testing

@testable import ChatCore

@Suite("Pauses of the receiver") struct TransferPauseTests {
    /// A file of alice's that bob has accepted and that stands still, because alice's limit lets little go.
    private func slowFile() async throws -> (pair: TransferPair, id: MessageID, path: String) {
        let pair = try await TransferPair(alice: { $0.uploadLimit = 100_000 })
        let path = try pair.alice.makeFile("long.bin", size: 6 << 20)
        let id = try await pair.offer(path)
        try await pair.bob.waitForState(.running, of: id)
        try await pair.alice.waitForState(.running, of: id)
        // Of which something is there: with nothing, a partial file is made anew, and what hinders that is told the user.
        try await eventually("some of it is there") { try await pair.bob.row(id).transferred > 0 }
        return (pair, id, path)
    }

    private func expectReason(_ reason: TransferReason, of id: MessageID, at peer: TestPeer) async throws {
        try await eventually("\(peer.name) reads: \(reason)") { try await peer.transfer(id)?.reason == reason }
        #expect(try await peer.row(id).state == .accepted)
    }

    @Test("the sender is told that the receiver has paused, and the next range takes that back")
    func user() async throws {
        let (pair, id, path) = try await slowFile()
        try await pair.bob.client.ask(.pauseTransfer(try await pair.bob.row(id).number))
        try await expectReason(TransferReason.pausedByReceiver, of: id, at: pair.alice)
        // What a limit of ours has held back until then does not begin it anew.
        try await eventually("nothing is held back any more") {
            await pair.alice.client.transfers.sharersOfLimit(with: id) == nil
        }
        try await pair.bob.say("later", to: "alice")
        try await eventually("later") { try await pair.alice.texts(with: "bob", .incoming).contains("later") }
        #expect(try await pair.alice.row(id).reason == TransferReason.pausedByReceiver)
        #expect(try await pair.alice.row(id).state == .accepted)
        try await pair.alice.client.ask(.setRateLimit(nil, of: .all(.outgoing)))
        try await pair.bob.client.ask(.resumeTransfer(try await pair.bob.row(id).number))
        try await pair.bob.waitForState(.complete, of: id)
        try await pair.alice.waitForState(.complete, of: id)
        #expect(try await pair.alice.row(id).reason == nil)
        #expect(try sha256(of: pair.bob.downloads + "/long.bin") == sha256(of: path))
        await pair.stop()
    }

    @Test("a file that waits for its turn goes on waiting for it when its pause is over")
    func waitingForTurn() async throws {
        let pair = try await TransferPair(
            bob: {
                $0.limits.runningTransfers = 1
                $0.downloadLimit = 100_000
            })
        let first = try await pair.offer(try pair.alice.makeFile("first.bin", size: 6 << 20))
        try await pair.bob.waitForState(.running, of: first)
        let second = try await pair.offer(try pair.alice.makeFile("second.bin", size: 1000))
        try await eventually("the second waits") {
            try await pair.bob.transfer(second)?.reason == TransferReason.waitingForTurn
        }
        try await pair.bob.client.ask(.pauseTransfer(try await pair.bob.row(second).number))
        try await expectReason(TransferReason.pausedByReceiver, of: second, at: pair.alice)
        try await pair.bob.client.ask(.resumeTransfer(try await pair.bob.row(second).number))
        try await expectReason(TransferReason.waitingForReceiver, of: second, at: pair.alice)
        await pair.stop()
    }

    @Test("a disk that does not take the file is told, in words of the sender's own")
    func disk() async throws {
        let (pair, id, _) = try await slowFile()
        let pausing = pair.bob
        try await pausing.client.ask(.pauseTransfer(try await pausing.row(id).number))
        // Behind its back the partial file has become a folder.
        let partial = try #require(try await pausing.row(id).path)
        #expect(unlink(partial) == 0 && mkdir(partial, 0o700) == 0)
        try? await pausing.client.ask(.resumeTransfer(try await pausing.row(id).number))
        try await pausing.waitForState(.paused, of: id)
        try await expectReason(TransferReason.receiversDisk, of: id, at: pair.alice)
        await pair.stop()
    }

    @Test("what was paused while nobody was connected is told with the next connection, also after a restart")
    func apart() async throws {
        let (pair, id, _) = try await slowFile()
        try await pair.alice.restart(starting: false)
        try await pair.bob.client.ask(.pauseTransfer(try await pair.bob.row(id).number))
        try await pair.alice.start()
        try await expectReason(TransferReason.pausedByReceiver, of: id, at: pair.alice)
        await pair.stop()
    }

    @Test("when both have paused, the sender who goes on is told that the receiver has not")
    func both() async throws {
        let (pair, id, _) = try await slowFile()
        try await pair.alice.client.ask(.pauseTransfer(try await pair.alice.row(id).number))
        try await pair.bob.client.ask(.pauseTransfer(try await pair.bob.row(id).number))
        // What alice's user has decided stays.
        try await pair.bob.say("after it", to: "alice")
        try await eventually("what came behind it") {
            try await pair.alice.texts(with: "bob", .incoming).contains("after it")
        }
        #expect(try await pair.alice.row(id).state == .paused)
        #expect(try await pair.alice.row(id).reason == nil)
        try await pair.alice.client.ask(.resumeTransfer(try await pair.alice.row(id).number))
        try await expectReason(TransferReason.pausedByReceiver, of: id, at: pair.alice)
        await pair.stop()
    }

    @Test("nobody but the receiver pauses a file, and no file that is over")
    func strangers() async throws {
        let pair = try await TransferPair()
        let path = try pair.alice.makeFile("short.bin", size: 1000)
        let id = try await pair.offer(path)
        try await pair.alice.waitForState(.complete, of: id)
        try await pair.bob.waitForState(.complete, of: id)
        let before = (try await pair.alice.row(id), try await pair.bob.row(id))
        for (sender, receiver) in [(pair.alice, pair.bob), (pair.bob, pair.alice)] {
            let link = try await sender.openLink()
            let pause = FileStatusRequest(id: id, state: .accepted, pause: .user).encoded()
            #expect(try await link.connection.submit(pause, bodySink: nil).value().error == nil)
            #expect(try await receiver.row(id).state == .complete)
        }
        #expect(try await pair.alice.row(id) == before.0)
        #expect(try await pair.bob.row(id) == before.1)
        await pair.stop()
    }
}
