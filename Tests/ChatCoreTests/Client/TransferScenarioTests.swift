// Files between two real clients: complete and verified, or not there (RELIABILITY D11).

import BLIPNet
import Glibc
import Testing

@testable import ChatCore

@Suite("Files between two people") struct TransferScenarioTests {
    /// Alice and Bob, online, Bob accepting files of any size unless told otherwise.
    private func pair(accepting limit: UInt64? = .max) async throws -> (alice: TestPeer, bob: TestPeer) {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob") { $0.acceptsFilesUpTo = limit }.start()
        try await ChatClient.befriend(alice, bob)
        return (alice, bob)
    }

    private func waitForState(
        _ state: FileTransfer.State, of id: MessageID, at peer: TestPeer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually("\(peer.name): \(state)", sourceLocation: sourceLocation) {
            try await peer.transfer(id)?.state == state
        }
    }

    @Test("a file arrives whole while people go on chatting")
    func whileChatting() async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("photo.raw", size: 6 << 20)
        let offer = try await alice.client.ask(
            .sendFile(
                at: path, named: nil, caption: "look", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        let number = try #require(try await bob.transfer(offer.id)).number
        try await bob.client.ask(.acceptTransfer(number, into: nil))
        for line in 1...20 {
            try await alice.say("a\(line)", to: "bob")
            try await bob.say("b\(line)", to: "alice")
        }
        try await waitForState(.complete, of: offer.id, at: bob)
        try await waitForState(.complete, of: offer.id, at: alice)
        let received = try #require(try await bob.transfer(offer.id))
        #expect(received.path == bob.downloads + "/photo.raw")
        #expect(try sha256(of: bob.downloads + "/photo.raw") == sha256(of: path))
        #expect(received.sha256 == (try sha256(of: path)))
        #expect(try await alice.transfer(offer.id)?.sha256 == received.sha256)
        #expect(names(in: bob.downloads) == ["photo.raw"])
        #expect(try await bob.texts(with: "alice", .incoming) == (1...20).map { "a\($0)" })
        #expect(bob.log.contains { if case .transferProgress = $0 { true } else { false } })
        await alice.stop()
        await bob.stop()
    }

    @Test("a transfer that is cut goes on from where it was, after checking what is there")
    func resumes() async throws {
        let (alice, bob) = try await pair()
        bob.tap.cut(after: 6, of: "file-get")
        let path = try alice.makeFile("long.bin", size: 6 << 20)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.complete, of: offer.id, at: bob)
        #expect(try sha256(of: bob.downloads + "/long.bin") == sha256(of: path))
        #expect(bob.tap.connections >= 2)
        let offsets = bob.tap.requests("file-get").compactMap { $0["Offset"] }
        #expect(offsets.filter { $0 == "0" }.count == 1, "the second run must not begin at the beginning")
        #expect(bob.tap.requests("file-digest").count >= 2)
        await alice.stop()
        await bob.stop()
    }

    @Test(
        "what has come is asked for once, and nobody waits for a digest before the file goes on",
        arguments: [true, false])
    func goesOnAtOnce(receiverRestarts: Bool) async throws {
        let (alice, bob) = try await pair()
        bob.tap.cut(after: 8, of: "file-get", staysDown: true)
        let path = try alice.makeFile("long.bin", size: 20 << 20)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await eventually("it was cut") { bob.tap.isDown }
        try await (receiverRestarts ? bob : alice).restart()
        alice.tap.holdReplies(to: "file-digest")
        // Their run is over, and has written down how far it came.
        try await waitForState(.accepted, of: offer.id, at: bob)
        let partial = try #require(try await bob.transfer(offer.id)?.path)
        let there = try record(of: partial).ranges.reduce(0) { $0 + $1.length }
        let before = bob.tap.requests("file-get").count
        bob.tap.restore()
        try await eventually("all of it is here") {
            try record(of: partial).ranges == [FileRange(offset: 0, length: 20 << 20)]
        }
        #expect(try await bob.transfer(offer.id)?.state == .running, "it is not complete before the digest is compared")
        #expect(names(in: bob.downloads).contains("long.bin") == false)
        alice.tap.releaseReplies()
        try await waitForState(.complete, of: offer.id, at: bob)
        try await waitForState(.complete, of: offer.id, at: alice)
        #expect(try sha256(of: bob.downloads + "/long.bin") == sha256(of: path))
        #expect(names(in: bob.downloads) == ["long.bin"])
        let later = bob.tap.requests("file-get").dropFirst(before)
        let asked = later.reduce(0) { $0 + ($1["Length"].flatMap(UInt64.init) ?? 0) }
        #expect(there > 0 && asked == 20 << 20 - there, "nothing of what the first run has brought comes again")
        await alice.stop()
        await bob.stop()
    }

    @Test("after a restart of either side the transfer goes on by itself", arguments: [true, false])
    func restart(ofReceiver: Bool) async throws {
        let (alice, bob) = try await pair()
        let path = try alice.makeFile("long.bin", size: 6 << 20)
        bob.tap.cut(after: 6, of: "file-get", staysDown: true)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await eventually("it was cut") { bob.tap.isDown }
        try await (ofReceiver ? bob : alice).restart()
        bob.tap.restore()
        try await waitForState(.complete, of: offer.id, at: bob)
        try await waitForState(.complete, of: offer.id, at: alice)
        #expect(try sha256(of: bob.downloads + "/long.bin") == sha256(of: path))
        #expect(names(in: bob.downloads) == ["long.bin"])
        await alice.stop()
        await bob.stop()
    }

    /// What is written down about the partial file at `path`.
    private func record(of path: String) throws -> PartRecord {
        let written = try readFile(path + "-map")
        let records = [written.prefix(PartRecord.place), written.dropFirst(PartRecord.place)]
            .compactMap { PartRecord(decoding: $0) }
        return try #require(records.max { $0.number < $1.number })
    }

    /// What an interrupted run has left beside a damaged partial file.
    enum Left: CaseIterable {
        case record
        /// The digest had reached nothing.
        case recordWithoutDigests
        case nothing
    }

    @Test("a damaged partial file is noticed, whatever is written down about it", arguments: Left.allCases)
    func damagedPartial(left: Left) async throws {
        let (alice, bob) = try await pair()
        let path = try alice.makeFile("long.bin", size: 6 << 20)
        bob.tap.cut(after: 6, of: "file-get", staysDown: true)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await eventually("it was cut") { bob.tap.isDown }
        try await bob.restart(starting: false)
        let row = try #require(try await bob.transfer(offer.id))
        try #require(row.transferred > 0 && row.state == .accepted)
        let partial = try #require(row.path)
        let descriptor = open(partial, O_WRONLY)
        #expect(descriptor >= 0)
        #expect(pwrite(descriptor, "damage", 6, 0) == 6)
        close(descriptor)
        switch left {
        case .record: break
        case .recordWithoutDigests:
            var record = try record(of: partial)
            record.number += 1
            record.checked = 0
            let bytes = record.encoded()
            let file = open(partial + "-map", O_WRONLY)
            #expect(pwrite(file, bytes, bytes.count, off_t(record.offset)) == bytes.count)
            close(file)
        case .nothing: #expect(unlink(partial + "-map") == 0)
        }
        bob.tap.restore()
        try await bob.start()
        try await waitForState(.complete, of: offer.id, at: bob)
        #expect(try sha256(of: bob.downloads + "/long.bin") == sha256(of: path))
        #expect(names(in: bob.downloads) == ["long.bin"])
        await alice.stop()
        await bob.stop()
    }

    @Test("of a partial file that is damaged at its end the good part is kept", arguments: [true, false])
    func damagedEnd(isWrittenDown: Bool) async throws {
        let (alice, bob) = try await pair()
        let path = try alice.makeFile("long.bin", size: 6 << 20)
        bob.tap.cut(after: 8, of: "file-get", staysDown: true)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await eventually("it was cut") { bob.tap.isDown }
        try await bob.restart(starting: false)
        let row = try #require(try await bob.transfer(offer.id))
        let partial = try #require(row.path)
        try #require(row.transferred > 1000 && row.state == .accepted)
        let descriptor = open(partial, O_WRONLY)
        let record = try record(of: partial)
        let end = try #require(record.ranges.first).length
        #expect(pwrite(descriptor, "damage", 6, off_t(end) - 6) == 6)
        close(descriptor)
        if !isWrittenDown { #expect(unlink(partial + "-map") == 0) }
        let before = bob.tap.requests("file-get").count
        bob.tap.restore()
        try await bob.start()
        try await waitForState(.complete, of: offer.id, at: bob)
        #expect(try sha256(of: bob.downloads + "/long.bin") == sha256(of: path))
        let offsets = bob.tap.requests("file-get").dropFirst(before).compactMap { $0["Offset"].flatMap(UInt64.init) }
        let begun = try #require(offsets.min())
        #expect(begun > 0 && begun < end)
        await alice.stop()
        await bob.stop()
    }

    @Test("a source that changed or vanished since the offer is refused with a reason", arguments: [true, false])
    func changedSource(vanishes: Bool) async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("draft.txt", size: 1000)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        if vanishes { unlink(path) } else { try writeFile(path, pseudoRandom(1001, seed: 2)) }
        try await bob.client.ask(.acceptTransfer(try #require(try await bob.transfer(offer.id)).number, into: nil))
        try await waitForState(.failed, of: offer.id, at: bob)
        try await waitForState(.failed, of: offer.id, at: alice)
        let reason = vanishes ? TransferReason.sourceGone : TransferReason.sourceChanged
        #expect(try await bob.transfer(offer.id)?.reason == reason)
        #expect(try await alice.transfer(offer.id)?.reason == reason)
        // Behind the answer to their news.
        try await eventually("nothing of it is left") { names(in: bob.downloads) == [] }
        // As the reason says, it has to be sent again: as a message that failed, once.
        if !vanishes {
            let bobsContact = try await alice.contactID("bob")
            func lastFailed() async throws -> MessageID? {
                try await alice.client.ask(.message(.last(1, .failed), of: bobsContact))?.id
            }
            #expect(try await lastFailed() == offer.id)
            let again = try await alice.client.ask(.retry(offer.id))
            try await waitForState(.offered, of: again.id, at: bob)
            #expect(try await bob.transfer(again.id)?.size == 1001)
            #expect(try await lastFailed() == nil)
            await #expect(throws: ChatError.noSuchMessage) { try await alice.client.ask(.retry(offer.id)) }
            #expect(try await alice.transfer(offer.id)?.reason == TransferReason.sentAgain)
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("a source of another size is refused, although it has the time of the one that was offered")
    func otherSize() async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("draft.txt", size: 1000)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        var status = stat()
        #expect(stat(path, &status) == 0)
        try writeFile(path, pseudoRandom(1001, seed: 2))
        #expect(utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0)
        try await bob.client.ask(.acceptTransfer(try #require(try await bob.transfer(offer.id)).number, into: nil))
        try await waitForState(.failed, of: offer.id, at: bob)
        try await waitForState(.failed, of: offer.id, at: alice)
        #expect(try await alice.transfer(offer.id)?.reason == TransferReason.sourceChanged)
        try await eventually("nothing of it is left") { names(in: bob.downloads) == [] }
        for peer in [alice, bob] { await peer.stop() }
    }

    @Test("an offer can be declined, and the sender sees it")
    func decline() async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("a.txt", size: 10)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        let own = try #require(try await alice.transfer(offer.id)).number
        await #expect(throws: ChatError.ownTransfer) { try await alice.client.ask(.acceptTransfer(own, into: nil)) }
        await #expect(throws: ChatError.ownTransfer) { try await alice.client.ask(.declineTransfer(own)) }
        let number = try #require(try await bob.transfer(offer.id)).number
        try await bob.client.ask(.declineTransfer(number))
        try await waitForState(.declined, of: offer.id, at: alice)
        await #expect(throws: ChatError.wrongTransferState(.declined)) {
            try await bob.client.ask(.acceptTransfer(number, into: nil))
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("either side can cancel, and no partial file stays", arguments: [true, false])
    func cancel(bySender: Bool) async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("a.bin", size: 6 << 20)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        // Paused at the sender: it stays in the middle however fast the machine is.
        try await alice.client.ask(.pauseTransfer(try #require(try await alice.transfer(offer.id)).number))
        try await bob.client.ask(.acceptTransfer(try #require(try await bob.transfer(offer.id)).number, into: nil))
        #expect(names(in: bob.downloads).count == 1)
        let canceller = bySender ? alice : bob
        try await canceller.client.ask(.cancelTransfer(try #require(try await canceller.transfer(offer.id)).number))
        try await waitForState(.cancelled, of: offer.id, at: alice)
        try await waitForState(.cancelled, of: offer.id, at: bob)
        try await eventually("the partial file is gone") { names(in: bob.downloads).isEmpty }
        await alice.stop()
        await bob.stop()
    }

    @Test("of somebody who is blocked nothing is accepted")
    func blocked() async throws {
        let pair = try await TransferPair(accepting: nil)
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 10))
        try await pair.bob.waitForState(.offered, of: id)
        try await pair.bob.client.ask(.setBlocked(try await pair.bob.contactID("alice"), true))
        let number = try await pair.bob.row(id).number
        await #expect(throws: ChatError.blocked) { try await pair.bob.client.ask(.acceptTransfer(number, into: nil)) }
        #expect(try await pair.bob.row(id).state == .offered)
        await pair.stop()
    }

    @Test("a folder that is named for a file is made, but no whole way that is not there: that is a slip")
    func missingFolder() async throws {
        let pair = try await TransferPair(accepting: nil)
        let id = try await pair.offer(try pair.alice.makeFile("f", size: 10))
        try await pair.bob.waitForState(.offered, of: id)
        let number = try await pair.bob.row(id).number
        let wrong = pair.bob.home + "/no/such"
        await #expect(throws: ChatError.cannotWrite(path: wrong, errno: ENOENT)) {
            try await pair.bob.client.ask(.acceptTransfer(number, into: wrong))
        }
        #expect(access(pair.bob.home + "/no", F_OK) != 0)
        try await pair.bob.client.ask(.acceptTransfer(number, into: pair.bob.home + "/new"))
        try await pair.bob.waitForState(.complete, of: id)
        #expect(access(pair.bob.home + "/new/f", F_OK) == 0)
        await pair.stop()
    }

    @Test("with a contact what has come of their files goes, wherever it was put")
    func removingContact() async throws {
        let pair = try await TransferPair(accepting: nil, bob: { $0.downloadLimit = 1000 })
        let id = try await pair.offer(pair.alice.makeFile("large", size: 1_000_000))
        try await pair.bob.waitForState(.offered, of: id)
        let chosen = pair.bob.home + "/chosen"
        mkdir(chosen, 0o700)
        try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(id).number, into: chosen))
        try await pair.bob.waitForState(.running, of: id)
        #expect(!names(in: chosen).isEmpty)
        try await pair.bob.client.ask(.removeContact(pair.bob.contactID("alice")))
        #expect(names(in: chosen).isEmpty)
        #expect(try await pair.bob.transfer(id) == nil)
        await pair.stop()
    }

    @Test("the receiver and the sender can pause and resume")
    func pauseAndResume() async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("a.bin", size: 6 << 20)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        let own = try #require(try await alice.transfer(offer.id)).number
        let theirs = try #require(try await bob.transfer(offer.id)).number
        try await alice.client.ask(.pauseTransfer(own))
        try await bob.client.ask(.acceptTransfer(theirs, into: nil))
        try await eventually("bob knows that it is paused") {
            try await bob.transfer(offer.id)?.reason == TransferReason.pausedByPeer
        }
        try await bob.client.ask(.pauseTransfer(theirs))
        #expect(try await bob.transfer(offer.id)?.state == .paused)
        try await alice.client.ask(.resumeTransfer(own))
        #expect(try await bob.transfer(offer.id)?.state == .paused)
        try await bob.client.ask(.resumeTransfer(theirs))
        try await waitForState(.complete, of: offer.id, at: bob)
        #expect(try sha256(of: bob.downloads + "/a.bin") == sha256(of: path))
        await alice.stop()
        await bob.stop()
    }

    @Test("a sender who has paused is not asked again and again, and going on is noticed at once")
    func patience() async throws {
        let alice = try await TestPeer("alice").start()
        let bob = try await TestPeer("bob") {
            $0.acceptsFilesUpTo = .max
            $0.limits.retryDelay = .seconds(3600)
        }.start()
        try await ChatClient.befriend(alice, bob)
        // Bob may have got one before the pause: then the next one is paused.
        var paused: (offer: ChatMessage, number: TransferNumber)?
        for index in 0..<20 where paused == nil {
            let path = try alice.makeFile("\(index).bin", size: 1 << 20)
            let offer = try await alice.client.ask(
                .sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
            let number = try #require(try await alice.transfer(offer.id)).number
            if (try? await alice.client.ask(.pauseTransfer(number))) != nil { paused = (offer, number) }
        }
        let (offer, number) = try #require(paused)
        try await eventually("bob waits, or has it") {
            let row = try await bob.transfer(offer.id)
            return row?.reason == TransferReason.pausedByPeer || row?.state == .complete
        }
        for line in 1...10 {
            let message = try await alice.say("\(line)", to: "bob")
            try await eventually("delivered") { try await alice.state(of: message.id) == .delivered }
        }
        #expect(bob.tap.requests("file-get").count + bob.tap.requests("file-digest").count < 10)
        if try await bob.transfer(offer.id)?.state != .complete { try await alice.client.ask(.resumeTransfer(number)) }
        try await waitForState(.complete, of: offer.id, at: bob)
        await alice.stop()
        await bob.stop()
    }

    @Test("the same name twice does not overwrite, and hostile names stay in the folder")
    func hostileNames() async throws {
        let (alice, bob) = try await pair()
        var ids: [MessageID] = []
        for seed in 1...2 {
            let path = try alice.makeFile("x.txt", size: 100 * seed, seed: UInt64(seed))
            let offer = try await alice.client.ask(
                .sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
            try await waitForState(.complete, of: offer.id, at: bob)
            ids.append(offer.id)
        }
        #expect(names(in: bob.downloads) == ["x (2).txt", "x.txt"])
        let evil = try alice.makeFile("evil", size: 50)
        let offer = try await alice.client.ask(
            .sendFile(
                at: evil, named: "..\u{202E}\u{1B}[31mgpj.\\..\\exe ", caption: "", to: alice.contactID("bob")))
        try await waitForState(.complete, of: offer.id, at: bob)
        let path = try #require(try await bob.transfer(offer.id)?.path)
        #expect(path.utf8.starts(with: (bob.downloads + "/").utf8))
        #expect(names(in: bob.downloads).count == 3)
        await alice.stop()
        await bob.stop()
    }

    @Test("a downloads folder that our user has as a link is theirs; one that becomes a link later is not followed")
    func linkedFolder() async throws {
        let cage = try Cage()
        symlink(cage.downloads, cage.root + "/home/bob/link")
        let pair = try await TransferPair(accepting: nil, bob: { $0.downloadsFolder = cage.root + "/home/bob/link" })
        let path = try pair.alice.makeFile("f", size: 100)
        var numbers: [TransferNumber] = []
        for _ in 0..<3 {
            let id = try await pair.offer(path)
            try await pair.bob.waitForState(.offered, of: id)
            numbers.append(try await pair.bob.row(id).number)
        }
        try await pair.bob.client.ask(.acceptTransfer(numbers[0], into: nil))
        try await eventually("it is here") { names(in: cage.downloads) == ["f"] }
        #expect(rename(cage.downloads, cage.root + "/home/bob/was") == 0)
        symlink(cage.root + "/outside", cage.downloads)
        let before = try TreeSnapshot(cage.root + "/outside")
        await #expect(throws: ChatError.cannotWrite(path: cage.downloads, errno: ELOOP)) {
            try await pair.bob.client.ask(.acceptTransfer(numbers[1], into: nil))
        }
        #expect(try TreeSnapshot(cage.root + "/outside").differences(from: before) == [])
        // Where our user says so now, a link is theirs again.
        try await pair.bob.client.ask(.acceptTransfer(numbers[2], into: cage.root + "/home/bob/link"))
        try await eventually("it is there") { names(in: cage.root + "/outside").contains("f") }
        await pair.stop()
    }

    @Test("an empty file is a file too")
    func emptyFile() async throws {
        let (alice, bob) = try await pair()
        let path = try alice.makeFile("empty", size: 0)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.complete, of: offer.id, at: bob)
        try await waitForState(.complete, of: offer.id, at: alice)
        #expect(try readFile(bob.downloads + "/empty").isEmpty)
        await alice.stop()
        await bob.stop()
    }

    @Test("a folder that cannot be used or a full disk is told before anything is promised")
    func badFolder() async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("a.txt", size: 10)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        let number = try #require(try await bob.transfer(offer.id)).number
        let blocked = try bob.makeFile("not-a-folder", size: 1)
        await #expect(throws: ChatError.cannotWrite(path: blocked, errno: ENOTDIR)) {
            try await bob.client.ask(.acceptTransfer(number, into: blocked))
        }
        #expect(try await bob.transfer(offer.id)?.state == .offered)
        try await bob.restart {
            $0.limits.freeBytesKept = .max
            $0.limits.freeShareKept = 1
        }
        do {
            try await bob.client.ask(.acceptTransfer(number, into: nil))
            Issue.record("a full disk must be told")
        } catch ChatError.notEnoughSpace(let needed, _, let folder) {
            #expect(needed == 10)
            #expect(folder == bob.downloads)
        }
        #expect(try await bob.transfer(offer.id)?.state == .offered)
        await alice.stop()
        await bob.stop()
    }

    @Test("only a readable regular file can be offered")
    func badSource() async throws {
        let (alice, bob) = try await pair()
        let contact = try await alice.contactID("bob")
        let missing = alice.home + "/missing"
        await #expect(throws: ChatError.cannotRead(path: missing, errno: ENOENT)) {
            try await alice.client.ask(.sendFile(at: missing, named: nil, caption: "", to: contact))
        }
        await #expect(throws: ChatError.notARegularFile(path: alice.home)) {
            try await alice.client.ask(.sendFile(at: alice.home, named: nil, caption: "", to: contact))
        }
        await alice.stop()
        await bob.stop()
    }

    @Test("nobody gets a file that was offered to somebody else")
    func notOffered() async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let carol = try await TestPeer("carol").start()
        try await ChatClient.befriend(alice, carol)
        let path = try alice.makeFile("private.txt", size: 100)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        let link = try await carol.openLink()
        let get = FileGetRequest(id: offer.id, offset: 0, length: 100).encoded()
        #expect(try await link.connection.submit(get, bodySink: nil).value().error == .forbidden)
        let digest = FileDigestRequest(id: offer.id, length: 100).encoded()
        #expect(try await link.connection.submit(digest, bodySink: nil).value().error == .forbidden)
        // Nor does anybody tell us what has become of a file that is none of theirs.
        for state in [FileStatusRequest.State.cancelled, .declined, .accepted, .complete] {
            let news = FileStatusRequest(id: offer.id, state: state, reason: nil).encoded()
            #expect(try await link.connection.submit(news, bodySink: nil).value().error == .notFound)
        }
        #expect(try await alice.transfer(offer.id)?.state == .offered)
        for peer in [alice, bob, carol] { await peer.stop() }
    }

    @Test("nobody gets bytes from outside of the file that was offered")
    func outside() async throws {
        let (alice, bob) = try await pair(accepting: nil)
        let path = try alice.makeFile("short.txt", size: 100)
        let offer = try await alice.client.ask(.sendFile(at: path, named: nil, caption: "", to: alice.contactID("bob")))
        try await waitForState(.offered, of: offer.id, at: bob)
        let link = try await bob.openLink()
        for (offset, length) in [(0, 101), (100, 1), (101, 1), (99, 2), (UInt64(Int64.max), 1)] as [(UInt64, UInt64)] {
            let get = FileGetRequest(id: offer.id, offset: offset, length: length).encoded()
            #expect(
                try await link.connection.submit(get, bodySink: nil).value().error == .badRange, "\(offset) \(length)")
        }
        let digest = FileDigestRequest(id: offer.id, length: 101).encoded()
        #expect(try await link.connection.submit(digest, bodySink: nil).value().error == .badRange)
        for peer in [alice, bob] { await peer.stop() }
    }
}
