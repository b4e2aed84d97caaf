// One installation in a simulation: a real client and a real SQLite history on a network and a clock that tests rule.

import BLIPNet
import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

/// Two people who know each other, and their world.
final class Simulation {
    let clock = VirtualClock()
    let network: SimulatedNetwork
    let alice: SimulatedPeer
    let bob: SimulatedPeer

    init(seed: UInt64, configure: (inout ChatConfiguration) -> Void = { _ in }) async throws {
        // Before any database is opened, so that its disk can be disturbed.
        _ = FaultyDisk.shared
        network = SimulatedNetwork(clock: clock, seed: seed)
        // The smaller id decides which of two links stays: let it be either's.
        let ids = try seed.isMultiple(of: 2) ? (peerID(1), peerID(2)) : (peerID(2), peerID(1))
        alice = try await SimulatedPeer("alice", ids.0, clock, network, configure)
        bob = try await SimulatedPeer("bob", ids.1, clock, network, configure)
        try await alice.know(bob)
        try await bob.know(alice)
        clock.settling = { [alice, bob] in
            await alice.settle()
            await bob.settle()
        }
    }

    func start() async throws {
        try await alice.client.start()
        try await bob.client.start()
    }

    func stop() async {
        await alice.stop()
        await bob.stop()
    }

    /// Lets time pass, `step` by `step`, until `condition` holds.
    func eventually(
        _ what: String, within limit: Duration = .seconds(600), step: Duration = .milliseconds(50),
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
    ) async throws {
        let end = clock.now + limit
        while try await !condition() {
            guard clock.now < end else {
                Issue.record("did not happen within \(limit): \(what)", sourceLocation: sourceLocation)
                throw NeverHappened(what: what)
            }
            await clock.advance(by: step)
        }
    }

    func waitOnline() async throws {
        try await eventually("both are online") {
            let isFirst = try await alice.isOnline
            let isSecond = try await bob.isOnline
            return isFirst && isSecond
        }
    }
}

private func peerID(_ byte: UInt8) throws -> PeerID {
    PeerID(try #require(SPKIFingerprint([UInt8](repeating: byte, count: 32))))
}

final class SimulatedPeer: @unchecked Sendable {
    // Unchecked: used by the one task of its test.
    let name: String
    let id: PeerID
    let folder: TemporaryDirectory
    private(set) var client: ChatClient
    private(set) var database: HistoryDatabase
    private(set) var log: EventLog
    /// The only contact: the other one.
    private(set) var contact = ContactID(0)
    private let clock: VirtualClock
    private let network: SimulatedNetwork
    private let configuration: ChatConfiguration
    private var runs = 1
    /// Of all runs before the present one.
    private var earlier = Irregularities()
    /// How far this machine's wall clock is wrong.
    var clockError = Duration.zero

    init(
        _ name: String, _ id: PeerID, _ clock: VirtualClock, _ network: SimulatedNetwork,
        _ configure: (inout ChatConfiguration) -> Void
    ) async throws {
        self.name = name
        self.id = id
        self.clock = clock
        self.network = network
        folder = try TemporaryDirectory()
        var configuration = ChatConfiguration(
            name: name, listen: .host(name, port: 1), downloadsFolder: folder.path + "/downloads")
        configure(&configuration)
        self.configuration = configuration
        database = try await HistoryDatabase.open(at: folder.path + "/1.sqlite")
        client = Self.makeClient(database, id, clock, network, configuration, .zero)
        log = await EventLog(of: client)
    }

    private static func makeClient(
        _ store: HistoryDatabase, _ id: PeerID, _ clock: VirtualClock, _ network: SimulatedNetwork,
        _ configuration: ChatConfiguration, _ clockError: Duration
    ) -> ChatClient {
        ChatClient(
            store: store, connecting: network.connecting(as: id), identity: id, configuration: configuration,
            now: {
                // 21 November 2026.
                Timestamp(milliseconds: 1_795_000_000_000 + clock.milliseconds + clockError.inNanoseconds / 1_000_000)
            }, clock: clock.chatClock)
    }

    func know(_ other: SimulatedPeer) async throws {
        let address = PeerAddress(host: other.name, port: 1, peerID: other.id)
        contact = try await client.ask(.addContact(address, name: other.name)).id
    }

    func stop() async {
        await client.stop()
        await database.close()
    }

    /// The next run begins with the files as they are at the moment at which the last one is killed.
    func crash(clockError: Duration? = nil, starting: Bool = true) async throws {
        network.sever(id)
        let source = "\(folder.path)/\(runs).sqlite"
        runs += 1
        let copy = "\(folder.path)/\(runs).sqlite"
        _ = try await database.writer.perform { _ throws(StoreError) -> Bool in
            for suffix in ["", "-wal"] {
                guard let bytes = try? readFile(source + suffix) else { continue }
                do { try writeFile(copy + suffix, bytes) } catch { throw .cannotOpen(path: copy, reason: "\(error)") }
            }
            return true
        }
        earlier = await irregularities
        await stop()
        database = try await HistoryDatabase.open(at: copy)
        client = Self.makeClient(database, id, clock, network, configuration, clockError ?? self.clockError)
        self.clockError = clockError ?? self.clockError
        log = await EventLog(of: client)
        if starting { try await client.start() }
    }

    /// Lets everything happen that is under way on this side.
    func settle() async {
        for _ in 0..<3 {
            for _ in 0..<4 { await Task.yield() }
            _ = await client.irregularities()
            // Behind what writes, and behind what reads.
            _ = try? await database.outbox(for: contact, limit: 0)
            _ = try? await database.setting("")
        }
    }

    // MARK: Shorthand

    /// Of all runs.
    var irregularities: Irregularities {
        get async {
            var sum = await client.irregularities()
            sum.duplicates += earlier.duplicates
            sum.heldBack += earlier.heldBack
            sum.refused += earlier.refused
            sum.foreignReceipts += earlier.foreignReceipts
            return sum
        }
    }

    var isOnline: Bool { get async throws { await client.linkState(of: contact).isOnline } }

    @discardableResult func say(_ text: String) async throws -> ChatMessage {
        try await client.ask(.send(text, to: contact, replyTo: nil))
    }

    var history: [ChatMessage] {
        get async throws { try await client.ask(.page(of: contact, .newest, limit: 10_000)) }
    }

    func texts(_ direction: MessageDirection? = nil) async throws -> [String] {
        try await history.filter { direction == nil || $0.direction == direction }.map(\.plainText)
    }

    func waiting() async throws -> Int { try await database.outbox(for: contact, limit: 10_000).count }
}

extension ChatMessage {
    /// The text, or the name of a file.
    var plainText: String {
        switch content {
        case .text(let text): text
        case .file(let transfer): transfer.name
        }
    }
}
