// Stored before it is shown, all of it or nothing (RELIABILITY D1, D2), in simulated time.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("D1 and D2: stored before it is shown")
struct WriteAheadTests {
    @Test("D1: ids are UUIDv7 of the sender's time with 74 fresh random bits, never used twice, none of BLIP's numbers")
    func ids() {
        let time = Timestamp(milliseconds: 1_795_000_000_123)
        let ids = (0..<5_000).map { _ in MessageID(at: time) }
        #expect(Set(ids).count == ids.count)
        for id in ids.prefix(100) {
            #expect(id.text.hasPrefix("01a1ee56-5e7b-7"))
            #expect("89ab".contains(id.text.dropFirst(19).first ?? "x"))
        }
        // Every random bit is used: over many ids each hex digit behind the version takes each of its values.
        for place in Array(15..<18) + Array(20..<23) + Array(24..<36) {
            #expect(Set(ids.map { $0.text.dropFirst(place).first }).count == 16, "place \(place)")
        }
    }

    @Test("D2: history row, outbox row and number are one: whatever write fails, all or nothing is there")
    func allOrNothing() async throws {
        let simulation = try await Simulation(seed: 1)
        try await simulation.alice.client.start()
        let alice = simulation.alice
        let disk = FaultyDisk.shared
        var said = 0
        for passing in stride(from: 0, to: 60, by: 5) {
            disk.fail(.write, of: alice.folder.path, with: FaultyDisk.full, passing: passing)
            let events = alice.log.events.count
            do throws(ChatError) {
                _ = try await alice.client.ask(.send("\(passing)", to: alice.contact, replyTo: nil))
                said += 1
            } catch {
                #expect(error == .store(.diskFull))
                // Nothing was shown of it.
                #expect(alice.log.events.dropFirst(events).allSatisfy { !$0.isMessage })
            }
            disk.heal(alice.folder.path)
            let history = try await alice.history
            #expect(history.count == said)
            #expect(history.map(\.sequence) == (0..<said).map { Int64($0 + 1) })
            #expect(try await alice.waiting() == said)
            #expect(try await alice.client.ask(.conversations).first?.queuedCount == said)
        }
        #expect(said > 0 && said < 12)
        await simulation.stop()
    }

    @Test("D2: what was said is there after a crash at once, pending, and goes out then")
    func survivesCrash() async throws {
        let simulation = try await Simulation(seed: 2)
        try await simulation.alice.client.start()
        let message = try await simulation.alice.say("do not lose me")
        #expect(message.state == .pending)
        try await simulation.alice.crash()
        #expect(try await simulation.alice.texts() == ["do not lose me"])
        try await simulation.bob.client.start()
        try await simulation.eventually("it arrives") { try await simulation.bob.texts() == ["do not lose me"] }
        try await simulation.eventually("it is delivered") {
            try await simulation.alice.history.first?.state == .delivered
        }
        await simulation.stop()
    }
}

extension ChatEvent {
    fileprivate var isMessage: Bool {
        switch self {
        case .messageAdded, .messageChanged: true
        default: false
        }
    }
}
