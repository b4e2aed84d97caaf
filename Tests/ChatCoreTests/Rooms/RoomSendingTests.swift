// What our user writes to a room: each line once, in order, whatever becomes of the connection or of the process.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Writing to a room") struct RoomSendingTests {
    @Test("a line is pending, emitted, and delivered by its ACK; its echo is not shown")
    func acknowledged() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        let message = try await alice.say("hello")
        #expect(message.state == .pending)
        try await eventually("delivered") { try await alice.state(of: message) == .delivered }
        #expect(room.lines == ["hello"] && room.taken.first?.field("sender") == "alice")
        #expect(room.taken.first?.field("id") == message.id.text)
        let states = alice.log.states(of: message.id)
        #expect(states.first == .pending && states.last == .delivered)
        #expect(try await alice.texts == ["hello"])
        #expect(try await alice.waiting == 0)
        await alice.stop()
    }

    @Test(
        "where the server acknowledges nothing, the echo delivers; with ids of its own, too", arguments: [true, false])
    func echoed(passesIDs: Bool) async throws {
        let room = SimulatedRoom(.init(acknowledges: false, passesIDs: passesIDs))
        let alice = try await RoomGuest(room) { $0.limits.rooms.patience = .seconds(60) }
        try await alice.waitJoined()
        let first = try await alice.say("same words")
        let second = try await alice.say("same words")
        try await eventually("both are delivered") {
            let one = try await alice.state(of: first)
            let other = try await alice.state(of: second)
            return one == .delivered && other == .delivered
        }
        #expect(try await alice.texts == ["same words", "same words"])
        #expect(try await alice.waiting == 0)
        await alice.stop()
    }

    @Test("one line is on its way until the server is known not to acknowledge, and again as soon as it does")
    func window() async throws {
        let connection = SimulatedRoom().connect(to: try RoomURL(parsing: "sio://192.0.2.1/"), through: .direct)
        var live = LiveRoom(connection: connection, former: nil)
        #expect(live.window == 1)
        let asked = [live.asksForAcknowledgement(), live.asksForAcknowledgement()]
        #expect(asked == [true, false] && live.window == 1)
        let waited = [live.waitedForAcknowledgement(), live.waitedForAcknowledgement()]
        #expect(waited == [true, false])
        #expect(live.window == 16 && LiveRoom(connection: connection, former: live).window == 16)
        live.hasAcknowledged()
        #expect(live.window == 1 && LiveRoom(connection: connection, former: live).window == 1)
        var quick = LiveRoom(connection: connection, former: nil)
        _ = quick.asksForAcknowledgement()
        quick.hasAcknowledged()
        let hasWaited = quick.waitedForAcknowledgement()
        #expect(!hasWaited && quick.window == 1)
        // While the connection is lost, nobody can acknowledge anything.
        var cut = LiveRoom(connection: connection, former: nil)
        _ = cut.asksForAcknowledgement()
        cut.left(.disconnected, retry: nil, at: Timestamp(milliseconds: 0))
        let cutWaited = cut.waitedForAcknowledgement()
        #expect(!cutWaited && cut.window == 1)
        let asksAgain = cut.asksForAcknowledgement()
        #expect(asksAgain)
        await connection.close()
    }

    @Test("a server that says nothing leaves lines at >, holds nothing up, and gets nothing twice")
    func silent() async throws {
        let room = SimulatedRoom(.init(acknowledges: false, echoes: false))
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        let message = try await alice.say("anybody?")
        try await alice.say("hello?")
        try await eventually("nothing waits") { try await alice.waiting == 0 }
        #expect(try await alice.state(of: message) == .sent)
        #expect(try await alice.details.log.contains { $0.what == .unconfirmed })
        room.stop()
        room.start()
        try await alice.crash()
        try await alice.waitJoined()
        try await alice.say("third")
        try await eventually("the third goes out") { room.lines.contains("third") }
        #expect(room.lines == ["anybody?", "hello?", "third"])
        await alice.stop()
    }

    @Test("what is written while the server is away goes out in its order when it is back, also after kill -9")
    func offline() async throws {
        let room = SimulatedRoom(isUp: false)
        let alice = try await RoomGuest(room)
        for number in 1...5 { try await alice.say("line \(number)") }
        #expect(try await alice.history.allSatisfy { $0.state == .pending })
        try await alice.crash()
        try await alice.say("line 6")
        room.start()
        try await eventually("all are delivered") {
            try await alice.history.allSatisfy { $0.state == .delivered }
        }
        #expect(room.lines == (1...6).map { "line \($0)" })
        await alice.stop()
    }

    @Test(
        "a connection that is lost at any point loses no line, repeats at most the one in doubt, and keeps the order",
        arguments: [1, 2, 3, 5])
    func lostAtEachPoint(after count: Int) async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        // The server is known to acknowledge: from here on one line at a time is on its way.
        let first = try await alice.say("first")
        try await eventually("delivered") { try await alice.state(of: first) == .delivered }
        room.manners.dropsAfter = count
        for number in 1...6 { try await alice.say("line \(number)") }
        try await eventually("the server has dropped us") { room.manners.dropsAfter == nil }
        #expect(try await alice.waiting > 0)
        room.start()
        try await eventually("all are delivered") {
            try await alice.history.allSatisfy { $0.state == .delivered }
        }
        let ids = room.taken.compactMap { $0.field("id") }
        #expect(ids.count == 8, "one line was in doubt")
        let once = ids.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(try await alice.history.map(\.id.text) == once)
        #expect(try await alice.texts.count == 7)
        await alice.stop()
    }

    @Test("kill -9 with a line in doubt: it goes out again under its id, and is shown once")
    func killedInDoubt() async throws {
        let room = SimulatedRoom(.init(dropsAfter: 1))
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        let message = try await alice.say("am I there?")
        try await eventually("the server has it") { room.taken.count == 1 }
        try await alice.crash()
        #expect(try await alice.texts == ["am I there?"])
        room.start()
        try await eventually("delivered") { try await alice.state(of: message) == .delivered }
        #expect(room.taken.compactMap { $0.field("id") } == [message.id.text, message.id.text])
        #expect(try await alice.texts == ["am I there?"])
        await alice.stop()
    }

    @Test(
        "two chats in a room with a server that comes and goes: each line once everywhere, in the order of the server")
    func twoChats() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        let bob = try await RoomGuest(room) { $0.name = "bob" }
        try await alice.waitJoined()
        try await bob.waitJoined()
        for number in 1...40 {
            try await alice.say("\(number)")
            if number.isMultiple(of: 8) {
                room.stop()
                room.start()
            }
        }
        try await eventually("all are delivered") { try await alice.history.allSatisfy { $0.state == .delivered } }
        try await eventually("bob has them all") { try await bob.history.count == 40 }
        #expect(try await bob.texts == (1...40).map { "\($0)" })
        #expect(try await bob.history.allSatisfy { $0.sender == "alice" && $0.direction == .incoming })
        #expect(try await alice.texts.count == 40)
        await alice.stop()
        await bob.stop()
    }

    @Test("a file goes out whole; one that the server does not take is refused at once, and a gone one says so")
    func files() async throws {
        let room = SimulatedRoom(.init(maxPayload: 1000))
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        let path = alice.home + "/note.txt"
        try writeFile(path, [1, 2, 3])
        let message = try await alice.client.ask(.sendFile(at: path, caption: "look", to: alice.contact))
        try await eventually("delivered") { try await alice.state(of: message) == .delivered }
        guard case .object(let fields)? = room.taken.first?.values.first else {
            Issue.record("no event")
            return
        }
        #expect(fields["binaryData"] == .bytes([1, 2, 3]) && fields["text"] == .text("look"))
        try await eventually("it is complete") {
            try await alice.client.ask(.transfers(unfinishedOnly: false)).map(\.state) == [.complete]
        }
        #expect(try await alice.history.count == 1)
        try writeFile(alice.home + "/big", [UInt8](repeating: 0, count: 1001))
        await #expect(throws: ChatError.tooLargeForRoom(bytes: 1001, limit: 1000)) {
            try await alice.client.ask(.sendFile(at: alice.home + "/big", caption: "", to: alice.contact))
        }
        room.stop()
        let gone = try await alice.client.ask(.sendFile(at: path, caption: "", to: alice.contact))
        try writeFile(path, [1, 2, 3, 4])
        let behind = try await alice.say("behind it")
        room.start()
        try await eventually("the line behind it goes out") { try await alice.state(of: behind) == .delivered }
        #expect(try await alice.state(of: gone) == .failed(reason: .fileNotSent))
        await alice.stop()
    }
}
