// Two real peers with the fault proxy between them, and the session that is broken again and again: handshake, three
// messages and a file of 64 KiB.

import BLIPNet
import ChatCore
import Glibc
import Storage
import Synchronization
import TestSupport
import Testing
import Workbench

/// Alice calls Bob through the proxy. Only she can call: she does not listen.
final class FaultedSession: Sendable {
    static let fileSize = 65_536

    let alice: FaultPeer
    let bob: FaultPeer
    let proxy: FaultProxy
    private let aliceToBob: ContactID
    private let written = Mutex<[String]>([])
    private let round = Mutex(0)
    private let source: String
    private let digest: String
    /// Messages that were shown as delivered before they were on the other disk.
    private let liars = Noted()
    private let watcher: Task<Void, Never>

    init(options: LinkOptions = LinkOptions()) async throws {
        bob = try await FaultPeer("bob", listens: true, options: options)
        try await bob.start()
        let address = try #require(await bob.client.identity.address)
        proxy = try FaultProxy(
            listen: .host("127.0.0.1", port: address.port), target: .host("127.0.0.2", port: address.port))
        alice = try await FaultPeer("alice", listens: false, options: options)
        try await alice.start()
        source = alice.folder.file("source.bin")
        try TestFile.generate(source, size: Self.fileSize)
        digest = SHA256Digest.hash(TestFile.read(source)).hex
        aliceToBob = try await alice.client.ask(
            .addContact(
                PeerAddress(host: "127.0.0.1", port: address.port, peerID: address.peerID), name: "bob"
            )
        ).id
        let events = await alice.client.events()
        watcher = Task { [bob, liars] in
            for await case .messageChanged(let message) in events where message.state == .delivered {
                // The receiver commits before it answers, so it must be there at once.
                guard let found = try? await bob.store.message(message.id), found.content.isSame(as: message.content)
                else {
                    liars.note(message.id.text)
                    continue
                }
            }
        }
        let (alice, aliceToBob) = (alice, aliceToBob)
        try await eventually("alice is online") { await alice.isOnline(aliceToBob) }
    }

    func stop() async {
        proxy.stop()
        await alice.stop()
        await bob.stop()
        await watcher.value
    }

    /// One session whose connections get the scripts of `plan` (the first one has number 0; later ones nothing unless
    /// the plan says so). Returns when everything has arrived.
    func run(
        _ plan: @escaping @Sendable (Int) -> FaultScript, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [FaultReport] {
        // Nobody gets through while the session is prepared.
        proxy.setPlan { _ in FaultScript(Fault(.cut, .up, at: 0)) }
        proxy.breakAll()
        try await eventually("alice is offline") { await !self.alice.isOnline(self.aliceToBob) }
        let number = round.withLock { round in
            round += 1
            return round
        }
        var ids: [MessageID] = []
        for line in 1...3 {
            let text = "session \(number), line \(line)"
            written.withLock { $0.append(text) }
            ids.append(try await alice.client.ask(.send(text, to: aliceToBob, replyTo: nil)).id)
        }
        let offer = try await alice.client.ask(
            .sendFile(
                at: source, named: "file-\(number).bin", caption: "", to: aliceToBob))
        ids.append(offer.id)
        let first = proxy.reports.count + 1
        let begun = Mutex<Int?>(nil)
        proxy.setPlan { call in
            plan(
                begun.withLock { begun in
                    if begun == nil { begun = call }
                    return call - (begun ?? call)
                })
        }
        try await alice.client.ask(.reconnect(aliceToBob))
        try await eventually(
            "everything of session \(number) arrives",
            state: {
                let reports = self.proxy.reports.dropFirst(first - 1).filter { !$0.fired.isEmpty || $0.up > 0 }
                return "\(reports.suffix(5).map(\.sentence))\n\(self.alice.ends.withLock { $0.suffix(5) })"
            }
        ) {
            try await self.hasArrived(ids, offer.id)
        }
        let path = bob.downloads + "/file-\(number).bin"
        #expect(SHA256Digest.hash(TestFile.read(path)).hex == digest, sourceLocation: sourceLocation)
        unlink(path)
        #expect(TestFile.names(in: bob.downloads) == [], sourceLocation: sourceLocation)
        #expect(liars.all == [], sourceLocation: sourceLocation)
        let from = begun.withLock { $0 } ?? first
        return Array(proxy.reports.dropFirst(from - 1))
    }

    private func hasArrived(_ ids: [MessageID], _ file: MessageID) async throws -> Bool {
        for peer in [alice, bob] {
            guard try await peer.store.transfer(file)?.state == .complete else { return false }
        }
        for id in ids {
            guard let state = try await alice.store.message(id)?.state, state == .delivered || state == .read else {
                return false
            }
        }
        return true
    }

    /// Everything that was ever sent here stands on both sides, in order and once.
    func checkAll(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("both outboxes are empty") {
            try HistoryProbe(self.alice.historyPath).outboxCount == 0
                && HistoryProbe(self.bob.historyPath).outboxCount == 0
        }
        Invariants.checkDrained(
            sender: try HistoryProbe(alice.historyPath), receiver: try HistoryProbe(bob.historyPath),
            written: written.withLock { $0 }, sourceLocation: sourceLocation)
    }
}

extension ChatMessage.Content {
    /// The same text, or the same file as seen from the other side.
    fileprivate func isSame(as other: ChatMessage.Content) -> Bool {
        switch (self, other) {
        case (.text(let one), .text(let two)): one == two
        case (.file(let one), .file(let two)): one.name == two.name && one.size == two.size
        default: false
        }
    }
}

/// Collects texts from tasks.
private final class Noted: Sendable {
    private let texts = Mutex<[String]>([])
    func note(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
}

extension ListenerLimits {
    /// Calls as often as a test likes.
    static var generous: ListenerLimits {
        var limits = ListenerLimits()
        limits.handshakesPerSecond = 100_000
        limits.handshakesPerSecondPerNetwork = 100_000
        limits.firstByteTime = .seconds(120)
        limits.helloTime = .seconds(120)
        limits.maxHandshakes = 1000
        limits.maxHandshakesPerAddress = 1000
        limits.maxConnections = 1000
        return limits
    }
}
