// Full disks on either side between two people (RELIABILITY D9), in simulated time with a real disk that refuses.

import BLIPNet
import TestSupport
import Testing

@testable import ChatCore
@testable import Storage

@Suite("D9: full disks")
struct FullDiskTests {
    private let disk = FaultyDisk.shared

    @Test("on the receiving side: 507, the sender keeps what waits, says so once, and it goes out when there is room")
    func receiving() async throws {
        let simulation = try await Simulation(seed: 24)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        try await alice.say("0")
        try await simulation.eventually("it arrives") { try await bob.texts() == ["0"] }
        disk.fail(.write, of: bob.folder.path, with: FaultyDisk.full)
        for number in 1...5 { try await alice.say("\(number)") }
        await simulation.clock.advance(by: .seconds(60))
        #expect(try await alice.waiting() == 5)
        #expect(try await alice.history.dropFirst().allSatisfy { $0.state == .pending || $0.state == .sent })
        #expect(alice.log.events.count { $0 == .notice(.peerCannotStore(alice.contact)) } == 1)
        #expect(await alice.isRefused)
        // Tried again, but not like mad.
        #expect((8...100).contains(simulation.network.requests("message", from: alice.id)))
        #expect(bob.log.contains { $0 == .notice(.storeFailed(.diskFull)) })
        // Neither a new start of the sender nor of the receiver loses anything.
        try await alice.crash()
        await simulation.clock.advance(by: .seconds(20))
        #expect(try await alice.waiting() == 5)

        disk.heal(bob.folder.path)
        try await simulation.eventually("all arrive", within: .seconds(60)) {
            try await bob.texts() == ["0", "1", "2", "3", "4", "5"]
        }
        try await simulation.eventually("nothing waits") { try await alice.waiting() == 0 }
        #expect(await !alice.isRefused)
        #expect(try await bob.history.allSatisfy { $0.missingBefore == 0 })
        await simulation.stop()
    }

    @Test(
        "a contact who has sent more than one may in a day gets 507; others do not, and what waits comes the next day")
    func tooMuchToday() async throws {
        let simulation = try await Simulation(seed: 27) {
            $0.limits.storedBytesPerDay = 5_000
            // A whole day passes here: what looks every few seconds looks now and then.
            $0.limits.replyPatience = .seconds(36_000)
            $0.limits.retryDelay = .seconds(60)
        }
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        for number in 1...12 { try await alice.say("\(number)") }
        try await simulation.eventually("as much as fits arrives") { try await bob.texts().count == 9 }
        await simulation.clock.advance(by: .seconds(30))
        #expect(try await alice.waiting() == 3)
        #expect(try await bob.texts() == (1...9).map { "\($0)" })
        #expect(
            bob.log.events.count { $0 == .notice(.contactStoresTooMuch(bob.contact, perDay: 5_000)) } == 1)
        #expect(await alice.isRefused)
        // The other way nothing has come yet.
        try await bob.say("for alice")
        try await simulation.eventually("it arrives") { try await alice.texts().contains("for alice") }
        try await simulation.eventually("the rest arrives the next day", within: .seconds(100_000), step: .seconds(60))
        {
            try await bob.texts(.incoming).count == 12
        }
        #expect(try await bob.history.allSatisfy { $0.missingBefore == 0 })
        await simulation.stop()
    }

    @Test("on the sending side: an error at once, nothing is shown or numbered, and receiving goes on afterwards")
    func sending() async throws {
        let simulation = try await Simulation(seed: 25)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        let first = try await alice.say("1")
        try await simulation.eventually("it is delivered") { try await alice.waiting() == 0 }
        disk.fail(.write, of: alice.folder.path, with: FaultyDisk.full)
        let events = alice.log.events.count
        await #expect(throws: ChatError.store(.diskFull)) { try await alice.say("2") }
        await #expect(throws: ChatError.store(.diskFull)) { try await alice.client.ask(.edit(first, to: "x")) }
        await #expect(throws: ChatError.store(.diskFull)) { try await alice.client.ask(.react(to: first, with: "👍")) }
        #expect(alice.log.events.count == events)
        #expect(try await alice.texts() == ["1"])
        try await bob.say("for alice")
        await simulation.clock.advance(by: .seconds(10))
        disk.heal(alice.folder.path)
        try await alice.say("3")
        try await simulation.eventually("both arrive") {
            let isHere = try await alice.texts().contains("for alice")
            return try await bob.texts() == ["1", "for alice", "3"] && isHere
        }
        #expect(try await bob.history.map(\.missingBefore) == [0, 0, 0])
        await simulation.stop()
    }

    @Test("a reply that cannot be noted here is no loss: what was delivered is asked again and known there")
    func notingTheReply() async throws {
        let simulation = try await Simulation(seed: 26)
        let (alice, bob) = (simulation.alice, simulation.bob)
        try await simulation.start()
        try await simulation.waitOnline()
        let message = try await alice.say("once")
        disk.fail(.write, of: alice.folder.path, with: FaultyDisk.full)
        try await simulation.eventually("it arrives") { try await bob.texts() == ["once"] }
        await simulation.clock.advance(by: .seconds(10))
        #expect(try await alice.waiting() == 1)
        disk.heal(alice.folder.path)
        try await simulation.eventually("it is delivered") { try await alice.waiting() == 0 }
        #expect(try await alice.database.message(message.id)?.state == .delivered)
        #expect(try await bob.texts() == ["once"])
        #expect(await bob.irregularities.duplicates > 0)
        await simulation.stop()
    }
}

extension SimulatedPeer {
    fileprivate var isRefused: Bool {
        get async {
            guard case .online(let details) = await client.linkState(of: contact) else { return false }
            return details.isRefusing
        }
    }
}
