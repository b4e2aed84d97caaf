// Two people write to each other through everything that can happen to a network, a disk and a program; then the
// invariants of RELIABILITY 5 must hold.

import BLIPNet
import Glibc
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("D1-D10 in simulation: any weather, then everything is there once and in order")
struct DeliverySimulationTests {
    /// A few seeds; `BLIPCHAT_SEEDS=first-last` tries others.
    private static let seeds: ClosedRange<UInt64> = {
        let words = getenv("BLIPCHAT_SEEDS").map { String(cString: $0).split(separator: "-").compactMap { UInt64($0) } }
        guard let words, let first = words.first, let last = words.last, first <= last else { return 1...8 }
        return first...last
    }()

    @Test("messages, edits, retractions and reactions through cuts, silence, crashes and full disks", arguments: seeds)
    func weather(seed: UInt64) async throws {
        let simulation = try await Simulation(seed: seed)
        var generator = SeededGenerator(seed: seed &* 31)
        let story = Story(simulation, seed: seed)
        simulation.network.setCuts(perMille: Int.random(in: 0...30, using: &generator))
        simulation.network.tellsStalls = !seed.isMultiple(of: 2)
        try await simulation.start()
        for _ in 0..<60 { try await story.step(using: &generator) }
        try await story.clear()
        try await story.check()
        await simulation.stop()
    }
}

/// What the two do, and what must come of it.
private final class Story {
    let simulation: Simulation
    let seed: UInt64
    private let disk = FaultyDisk.shared
    /// What each has said and was told to be stored.
    private var said: [String: [String]] = [:]
    private var count = 0

    init(_ simulation: Simulation, seed: UInt64) {
        self.simulation = simulation
        self.seed = seed
    }

    func step(using generator: inout SeededGenerator) async throws {
        let peer = Bool.random(using: &generator) ? simulation.alice : simulation.bob
        switch Int.random(in: 0..<24, using: &generator) {
        case 0..<9: for _ in 0...Int.random(in: 0..<8, using: &generator) { try await say(peer) }
        case 9..<12: try await change(peer, using: &generator)
        case 12..<16: await simulation.clock.advance(by: .milliseconds(Int.random(in: 1...8_000, using: &generator)))
        case 16: simulation.network.cutAll()
        case 17: simulation.network.silenceAll()
        case 18: simulation.network.setDown(true)
        case 19: simulation.network.setDown(false)
        case 20:
            try await peer.crash(starting: false)
            // A disk that is full now may be so at the start.
            do { try await peer.client.start() } catch ChatError.store {
                disk.heal(peer.folder.path)
                try await peer.crash()
            }
        case 21, 22:
            disk.fail(
                .write, of: peer.folder.path, with: FaultyDisk.full, passing: Int.random(in: 0..<6, using: &generator),
                failing: Bool.random(using: &generator) ? 1 : .max)
        default:
            disk.fail(
                .sync, of: peer.folder.path, with: FaultyDisk.ioErrorOnSync,
                passing: Int.random(in: 0..<6, using: &generator), failing: 1,
                isLate: Bool.random(using: &generator))
        }
        if Int.random(in: 0..<5, using: &generator) == 0 { disk.heal(peer.folder.path) }
        try await checkDelivered()
    }

    private func say(_ peer: SimulatedPeer) async throws {
        count += 1
        let text = "\(peer.name) \(count)"
        do throws(ChatError) {
            let message = try await peer.client.ask(.send(text, to: peer.contact, replyTo: nil))
            #expect(message.state == .pending, "seed \(seed)")
            said[peer.name, default: []].append(text)
        } catch {
            guard case .store = error else { throw error }
        }
    }

    private func change(_ peer: SimulatedPeer, using generator: inout SeededGenerator) async throws {
        guard let message = try await peer.history.filter({ !$0.isRetracted }).randomElement(using: &generator) else {
            return
        }
        count += 1
        do throws(ChatError) {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0 where message.direction == .outgoing:
                _ = try await peer.client.ask(.retract(message))
            case 1...2 where message.direction == .outgoing:
                _ = try await peer.client.ask(.edit(message, to: "\(message.plainText) edited \(count)"))
            case 3: _ = try await peer.client.ask(.react(to: message, with: nil))
            default: _ = try await peer.client.ask(.react(to: message, with: "\(count)"))
            }
        } catch {
            guard case .store = error else { throw error }
        }
    }

    /// The weather clears up.
    func clear() async throws {
        for peer in [simulation.alice, simulation.bob] { disk.heal(peer.folder.path) }
        simulation.network.setDown(false)
        simulation.network.setCuts(perMille: 0)
        try await simulation.eventually("everything is delivered, seed \(seed)", within: .seconds(900)) {
            let first = try await simulation.alice.waiting()
            let second = try await simulation.bob.waiting()
            return first + second == 0
        }
        await simulation.clock.advance(by: .seconds(6))
    }

    // MARK: Invariants

    /// At any moment: what its sender shows as delivered is stored on the other side, once.
    private func checkDelivered() async throws {
        for (sender, receiver) in pairs {
            let delivered = try await sender.history.filter { $0.direction == .outgoing && $0.state == .delivered }
            for message in delivered {
                let copies = try await receiver.copies(of: message.id)
                #expect(copies == 1, "seed \(seed): \(message.id) is delivered and stored \(copies) times")
            }
        }
    }

    private var pairs: [(SimulatedPeer, SimulatedPeer)] {
        [(simulation.alice, simulation.bob), (simulation.bob, simulation.alice)]
    }

    /// At the end: both sides tell the same story.
    func check() async throws {
        for (sender, receiver) in pairs {
            let sent = try await sender.history.filter { $0.direction == .outgoing }
            let received = try await receiver.history.filter { $0.direction == .incoming }
            #expect(sent.count == said[sender.name, default: []].count, "seed \(seed)")
            #expect(sent.map(\.sequence) == sent.map(\.sequence).sorted(), "seed \(seed)")
            // One that was taken back before it went out never went out.
            let known = sent.filter { message in !message.isRetracted || received.contains { $0.id == message.id } }
            #expect(received.map(\.id) == known.map(\.id), "seed \(seed)")
            #expect(received.map(\.plainText) == known.map(\.plainText), "seed \(seed)")
            #expect(received.map(\.isRetracted) == known.map(\.isRetracted), "seed \(seed)")
            for (mine, theirs) in zip(known, received) {
                let seen = theirs.reactions.map { Reaction(direction: $0.direction.opposite, emoji: $0.emoji) }
                #expect(Set(mine.reactions.map(\.text)) == Set(seen.map(\.text)), "seed \(seed): \(mine.id)")
                #expect(theirs.missingBefore == 0, "seed \(seed): nothing is missing before \(mine.id)")
            }
            #expect(sent.allSatisfy { $0.isRetracted || $0.state == .delivered }, "seed \(seed)")
            #expect(try await sender.integrity() == "ok", "seed \(seed)")
            for message in sent {
                let ranks = sender.log.states(of: message.id).map(\.rank)
                #expect(ranks == ranks.sorted(), "seed \(seed): the states of \(message.id) went back: \(ranks)")
            }
        }
    }
}

extension SimulatedPeer {
    /// How often an incoming message is stored, shown or held back.
    fileprivate func copies(of id: MessageID) async throws -> Int {
        try await database.writer.perform { connection throws(StoreError) in
            try connection.first(
                """
                SELECT (SELECT count(*) FROM messages WHERE outgoing = 0 AND id = ?1)
                    + (SELECT count(*) FROM held WHERE id = ?1)
                """,
                [.text(id.text)]
            ) { row in Int(row.integer(0)) } ?? 0
        }
    }

    fileprivate func integrity() async throws -> String {
        try await database.writer.perform { connection throws(StoreError) in
            try connection.first("PRAGMA integrity_check(1)") { row in row.text(0) } ?? ""
        }
    }
}

extension MessageDirection {
    fileprivate var opposite: Self { self == .outgoing ? .incoming : .outgoing }
}

extension Reaction {
    fileprivate var text: String { "\(direction) \(emoji)" }
}
