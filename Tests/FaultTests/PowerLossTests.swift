// The power goes: whatever was acknowledged must be on the disk. The test sees it: with synchronous=NORMAL it fails.

import ChatCore
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("Power loss", .serialized) struct PowerLossTests {
    private static let cuts = FaultSettings.number("BLIPCHAT_POWER_CUTS") ?? 2

    @Test(
        "what a history has confirmed survives a power cut of an ext4 disk",
        .enabled("no ext4 disk in a file can be had here: it needs root, e2fsprogs and loop devices") {
            await PowerDisk.isPossible(.ext4)
        })
    func ext4() async throws { try await survivesPowerCuts(of: .ext4) }

    @Test(
        "what a history has confirmed survives a power cut of an XFS disk",
        .enabled("no XFS disk in a file can be had here: it needs root, xfsprogs and loop devices") {
            await PowerDisk.isPossible(.xfs)
        })
    func xfs() async throws { try await survivesPowerCuts(of: .xfs) }

    private func survivesPowerCuts(of kind: PowerDisk.Kind) async throws {
        let disk = try await PowerDisk(kind)
        for cut in 0..<Self.cuts {
            let (acknowledged, found) = try await writeAndCut(disk, cut)
            let lost = acknowledged.subtracting(found)
            #expect(lost.isEmpty, "\(lost.count) of \(acknowledged.count) lost, seed \(FaultSettings.seed)")
            #expect(acknowledged.count > 20)
        }
    }

    @Test(
        "the same with synchronous=NORMAL loses messages, so that this test is known to see it",
        .enabled("no ext4 disk in a file can be had here: it needs root, e2fsprogs and loop devices") {
            await PowerDisk.isPossible(.ext4)
        })
    func normal() async throws {
        let disk = try await PowerDisk(.ext4)
        // Right behind a checkpoint, or when somebody else has the whole machine synchronised, nothing is lost.
        var isLost = false
        for cut in 0..<20 where !isLost {
            let (acknowledged, found) = try await writeAndCut(disk, cut, durably: false)
            isLost = !acknowledged.subtracting(found).isEmpty
        }
        #expect(isLost, "nothing was lost in 20 cuts")
    }

    /// Stores messages in both directions until the power goes in the middle of it; returns the ids that were confirmed
    /// before, and those that the next start finds.
    private func writeAndCut(
        _ disk: PowerDisk, _ number: Int, durably: Bool = true
    ) async throws -> (acknowledged: Set<String>, found: Set<String>) {
        var generator = SeededGenerator(seed: FaultSettings.seed &+ UInt64(number))
        let path = disk.path + "/history.sqlite"
        let database = try await HistoryDatabase.open(at: path)
        let contact = try await database.contactForCut()
        if !durably {
            try await database.writer.perform { connection throws(StoreError) in
                try connection.executeScript("PRAGMA synchronous = NORMAL")
            }
        }
        let acknowledged = Acknowledged()
        let writing = Task {
            var sequence = try await database.nextIncoming(of: contact)
            while true {
                // The ids that stand here were confirmed: what our user wrote, and what we have answered for.
                let own = try await database.enqueueMessage(
                    to: contact, text: "mine", replyTo: nil, at: Timestamp(milliseconds: 1))
                acknowledged.add(own.id)
                let id = MessageID(at: Timestamp(milliseconds: 1))
                let outcome = try await database.appendIncoming(
                    IncomingMessage(
                        id: id, contact: contact, sequence: sequence, sent: Timestamp(milliseconds: 1),
                        received: Timestamp(milliseconds: 1), content: .text("theirs")))
                if case .stored = outcome { acknowledged.add(id) }
                sequence += 1
            }
        }
        let enough = Int.random(in: 30...90, using: &generator)
        try await eventually("enough is written") { acknowledged.all.count >= enough }
        // A machine without power confirms nothing. The shutdown is not one moment: fdatasync may still return 0 in the
        // middle of it, when the journal has ended its transaction without writing it. So what counts is until here.
        var confirmed: Set<String> = []
        try await disk.cutPower { confirmed = acknowledged.all }
        // The disk is gone: writing ends with an error, and nothing is confirmed from here on.
        await #expect(throws: (any Error).self) { try await writing.value }
        await database.close()
        try await disk.restart()
        let probe = try HistoryProbe(path)
        #expect(probe.integrity == "ok")
        let reopened = try await HistoryDatabase.open(at: path)
        await reopened.close()
        return (confirmed, Set(probe.messages.map(\.id)))
    }

    @Test(
        "messages and files that the peer calls delivered survive a power cut on either side",
        .enabled("no ext4 disk in a file can be had here: it needs root, e2fsprogs and loop devices") {
            await PowerDisk.isPossible(.ext4)
        })
    func processes() async throws {
        for receiverLoses in [true, false] {
            for _ in 0..<max(1, Self.cuts / 2) {
                let disk = try await PowerDisk(.ext4)
                let scene = try await KillScene(
                    alicesFolder: receiverLoses ? nil : disk.path, bobsFolder: receiverLoses ? disk.path : nil)
                let server = try scene.serveBob()
                try await server.waitUntilListening()
                let sender = try scene.serveAlice()
                try await sender.waitUntilListening()
                try await scene.write(5, files: 1)
                try await scene.drain()
                // More is under way when the power goes.
                try await scene.write(3, files: 1)
                // Nobody may confirm anything while the disk goes.
                try await disk.cutPower { for process in [server, sender] { process.signal(SIGSTOP) } }
                try await server.killNow()
                try await sender.killNow()
                try await disk.restart()
                try scene.check("after the cut of \(receiverLoses ? "the receiver" : "the sender")")
                try await scene.finish()
            }
        }
    }
}

/// Ids that were confirmed.
private final class Acknowledged: Sendable {
    private let ids = Mutex<Set<String>>([])
    func add(_ id: MessageID) { _ = ids.withLock { $0.insert(id.text) } }
    var all: Set<String> { ids.withLock { $0 } }
}

extension HistoryDatabase {
    /// The only contact; made at the first time.
    fileprivate func contactForCut() async throws -> ContactID {
        if let peer = try await conversations().first?.peer { return peer.id }
        let address = PeerAddress(host: "127.0.0.1", port: 1)
        return try await addContact(
            NewContact(peerID: nil, name: "peer", addresses: [address], added: Timestamp(milliseconds: 1))
        ).id
    }

    fileprivate func nextIncoming(of contact: ContactID) async throws -> Int64 {
        try await writer.perform { connection throws(StoreError) in
            try connection.first(
                "SELECT ifnull(max(sequence), 0) + 1 FROM messages WHERE outgoing = 0 AND contact = ?",
                [.integer(contact.rawValue)]
            ) { row in row.integer(0) } ?? 1
        }
    }
}
