// What a room says: shown with a label, within limits, and never more than a room may do.

import Testing

@testable import ChatCore

@Suite("What a room says") struct RoomReceivingTests {
    @Test("a line has its sender as a label; repeated under its id it is shown once")
    func lines() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        let id = MessageID(at: Timestamp(milliseconds: 7))
        room.say("one", from: "bob", id: id)
        room.say("one", from: "bob", id: id)
        room.say("two", from: "")
        try await eventually("both are there") { try await alice.history.count == 2 }
        let history = try await alice.history
        #expect(history.map(\.plainText) == ["one", "two"] && history.map(\.sender) == ["bob", "somebody"])
        #expect(history.allSatisfy { $0.direction == .incoming && $0.missingBefore == 0 })
        #expect(try await alice.client.ask(.conversations).first?.unreadCount == 2)
        await alice.stop()
    }

    @Test("nobody can make another one's line disappear by taking its id, nor one of ours")
    func takenIDs() async throws {
        let room = SimulatedRoom(.init(echoes: false))
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        let ours = try await alice.say("ours")
        try await eventually("delivered") { try await alice.state(of: ours) == .delivered }
        let id = MessageID(at: Timestamp(milliseconds: 7))
        room.say("mallory was first", from: "mallory", id: id)
        room.say("bob's own words", from: "bob", id: id)
        room.say("not ours", from: "mallory", id: ours.id)
        try await eventually("all are there") { try await alice.history.count == 4 }
        #expect(try await alice.texts == ["ours", "mallory was first", "bob's own words", "not ours"])
        await alice.stop()
    }

    @Test("what is too long, empty or malformed is not stored, and the log says so")
    func limits() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        room.say(String(repeating: "x", count: 65_537), from: "bob")
        room.say("  ", from: "bob")
        room.say(RoomEvent("chatMessage", []))
        room.say(RoomEvent("customEvent", [.number(1)]))
        room.say("last", from: String(repeating: "n", count: 100) + "\u{7}")
        try await eventually("the last is there") { try await alice.history.count == 1 }
        #expect(try await alice.history.first?.sender == String(repeating: "n", count: 64))
        let log = try await alice.details.log.map(\.what)
        #expect(log.contains(.tooLong(bytes: 65_537, sender: "bob")) && log.contains(.malformed(event: "chatMessage")))
        #expect(log.contains(.event(name: "customEvent")))
        await alice.stop()
    }

    @Test("who is there is shown while the connection lives")
    func people() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        room.say(RoomEvent("users", [.array([.text("bob"), .text("eve")])]))
        try await eventually("both are there") { try await alice.details.people == ["bob", "eve"] }
        room.stop()
        try await eventually("nobody is") { try await alice.details.people.isEmpty }
        #expect(await alice.client.linkState(of: alice.contact) == .offline(reason: .disconnected))
        await alice.stop()
    }

    private func file(_ bytes: [UInt8], named name: String) -> RoomEvent {
        RoomEvent(
            "binaryEvent",
            [
                .object([
                    "binaryData": .bytes(bytes), "text": .text("look"), "name": .text(name), "sender": .text("bob"),
                ])
            ])
    }

    @Test("a file waits until it is accepted, whatever the settings say, and gets a safe name; a declined one is gone")
    func files() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room) { $0.acceptsFilesUpTo = 1 << 30 }
        try await alice.waitJoined()
        room.say(file([1, 2, 3], named: "../../.bashrc"))
        room.say(file([4], named: "no.bin"))
        try await eventually("both are offered") {
            try await alice.client.ask(.transfers(unfinishedOnly: true)).count == 2
        }
        let offers = try await alice.client.ask(.transfers(unfinishedOnly: true)).sorted { $0.number < $1.number }
        #expect(offers.allSatisfy { $0.state == .offered } && names(in: alice.home + "/downloads").isEmpty)
        #expect(names(in: alice.home + "/rooms").count == 2)
        // They are still there after kill -9.
        try await alice.crash()
        try await alice.client.ask(.acceptTransfer(offers[0].number, into: nil))
        try await alice.client.ask(.declineTransfer(offers[1].number))
        #expect(names(in: alice.home + "/downloads") == ["bashrc"])
        #expect(try readFile(alice.home + "/downloads/bashrc") == [1, 2, 3])
        #expect(names(in: alice.home + "/rooms").isEmpty)
        #expect(
            try await alice.client.ask(.transfers(unfinishedOnly: false)).sorted { $0.number < $1.number }.map(\.state)
                == [.complete, .declined])
        #expect(try await alice.waiting == 0, "nobody is told")
        await alice.stop()
    }

    @Test("files beyond what may wait are not kept")
    func fileLimits() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room) { $0.limits.rooms.fileBytes = 5 }
        try await alice.waitJoined()
        room.say(file([1, 2, 3], named: "a"))
        room.say(file([1, 2, 3], named: "b"))
        try await eventually("the log says so") {
            try await alice.details.log.contains { $0.what == .fileNotKept(size: 3, sender: "bob") }
        }
        #expect(try await alice.client.ask(.transfers(unfinishedOnly: false)).map(\.name) == ["a"])
        await alice.stop()
    }

    @Test("what people have and rooms have not is refused, and changes nothing")
    func notForRooms() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        let contact = alice.contact
        let message = try await alice.say("hello")
        let client = alice.client
        func refused(_ lack: RoomLack, _ call: () async throws -> Void) async {
            await #expect(throws: ChatError.isRoom(name: "garden", lack)) { try await call() }
        }
        await refused(.key) { try await client.ask(.setVerified(contact)) }
        await refused(.key) { _ = try await client.ask(.safetyNumber(for: contact)) }
        await refused(.blocking) { try await client.ask(.setBlocked(contact, true)) }
        await refused(.acceptance) { try await client.ask(.setAutomaticAcceptance(1, from: contact)) }
        await refused(.address) {
            try await client.ask(.removeAddress(PeerAddress(host: "chat.example"), of: contact))
        }
        await refused(.link) { _ = try await client.ask(.ping(contact)) }
        await refused(.changes) { _ = try await client.ask(.edit(message, to: "other")) }
        await refused(.changes) { _ = try await client.ask(.retract(message)) }
        await refused(.changes) { _ = try await client.ask(.react(to: message, with: "👍")) }
        await refused(.folders) { _ = try await client.ask(.sendFolder(at: alice.home, caption: "", to: contact)) }
        let peer = try await client.ask(.conversations).first?.peer
        #expect(peer?.trust == .unverified && peer?.isBlocked == false && peer?.acceptsFilesUpTo == nil)
        await alice.stop()
    }

    @Test("a room that is left dials nothing and keeps its history; joined again it has its new settings")
    func leaving() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        room.say("before", from: "bob")
        try await eventually("the line is there") { try await alice.history.count == 1 }
        try await alice.client.ask(.leaveRoom(alice.contact))
        try await eventually("nobody is connected") { room.connectionCount == 0 }
        #expect(await alice.client.linkState(of: alice.contact) == .offline(reason: .leftRoom))
        await #expect(throws: ChatError.leftRoom(name: "garden")) { try await alice.say("hello?") }
        try await alice.crash()
        #expect(room.connectionCount == 0)
        #expect(try await alice.texts == ["before"])
        let url = try RoomURL(parsing: RoomGuest.url + "?as=Al")
        let again = try await alice.client.ask(.joinRoom(url, name: nil))
        #expect(again.id == alice.contact && again.room == JoinedRoom(url: url) && again.name == "garden")
        try await alice.waitJoined()
        try await alice.say("back")
        try await eventually("it goes out") { room.taken.last?.field("sender") == "Al" }
        #expect(room.connectionCount == 1)
        try await alice.client.ask(.removeContact(alice.contact))
        try await eventually("nobody is connected") { room.connectionCount == 0 }
        #expect(try await alice.client.ask(.conversations).isEmpty)
        await alice.stop()
    }

    @Test("disconnected it stays so until our user connects; a person is no room")
    func disconnecting() async throws {
        let room = SimulatedRoom()
        let alice = try await RoomGuest(room)
        try await alice.waitJoined()
        try await alice.client.ask(.disconnect(alice.contact))
        #expect(await alice.client.linkState(of: alice.contact) == .offline(reason: .putOff))
        try await alice.say("waits")
        #expect(room.lines.isEmpty)
        try await alice.client.ask(.reconnect(alice.contact))
        try await eventually("it goes out") { room.lines == ["waits"] }
        let bob = try await alice.client.ask(.addContact(PeerAddress(host: "127.0.0.1", port: 1), name: "bob"))
        await #expect(throws: ChatError.notARoom(name: "bob")) { try await alice.client.ask(.leaveRoom(bob.id)) }
        #expect(try await alice.client.ask(.room(bob.id)) == nil)
        await alice.stop()
    }
}
