// Rooms on the screen: what the title and the details say of them, whose lines they are, and what cannot be done there.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

extension ScreenFixture {
    /// A room, beside a contact whom somebody there is called like.
    static func room(columns: Int, rows: Int, _ address: String = "sio+tls://chat.example/garden") throws
        -> ScreenFixture
    {
        var garden = conversation(alice, "garden", readUpTo: 1000, trust: .unverified)
        garden.peer.peerID = nil
        garden.peer.addresses = []
        garden.peer.room = JoinedRoom(url: try RoomURL(parsing: address))
        var fixture = ScreenFixture(
            columns: columns, rows: rows, conversations: [garden, conversation(bob, "Bob", readUpTo: 1000)])
        fixture.press("Alt-1")
        var lines = [
            message(1, .incoming, "hello from the web", at: time(21, 9, 1)),
            message(2, .incoming, "and another", at: time(21, 9, 2)),
            message(3, .incoming, "I am Bob, honestly", at: time(21, 9, 3)),
            message(4, .outgoing, "hi all", at: time(21, 9, 4), .sent),
        ]
        for (index, sender) in ["webby", "webby", "B\u{43E}b"].enumerated() { lines[index].sender = sender }
        fixture.state.world.chats[0].window = ChatWindow()
        let request = PageRequest(contact: alice, anchor: .newest, limit: 100, generation: 0)
        fixture.state.world.chats[0].window.paging.begin(request)
        fixture.send(.answer(.page(request, lines)))
        let details = LinkDetails(
            remoteAddress: "chat.example:443", isEncrypted: garden.peer.room?.url.usesTLS ?? false)
        fixture.send(.chat(.linkChanged(alice, .online(details))))
        return fixture
    }
}

@Suite("Rooms on the screen") struct RoomScreenTests {
    private typealias Fixture = ScreenFixture

    private func title(_ fixture: Fixture) -> String {
        fixture.text.split(separator: "\n").first.map(String.init) ?? ""
    }

    @Test("the title says how a room is protected, and never that it is verified")
    func titles() throws {
        let safe = try Fixture.room(columns: 120, rows: 40)
        #expect(title(safe).hasPrefix(" garden · Socket.IO · TLS · online"))
        #expect(!safe.text.contains("verified") && safe.text.contains("the server reads everything"))
        let plain = try Fixture.room(columns: 120, rows: 40, "sio://chat.example/garden")
        #expect(title(plain).hasPrefix(" garden · Socket.IO · PLAINTEXT · online"))
        #expect(plain.text.contains("everybody on the way reads"))
        #expect(title(try Fixture.room(columns: 40, rows: 10)).contains("Socket.IO · TLS"))
    }

    @Test("each line has its sender, and a mark where the name is like a contact's")
    func senders() throws {
        let text = try Fixture.room(columns: 120, rows: 40).text
        #expect(text.split(separator: "webby").count == 3)
        #expect(text.contains("B\u{43E}b (?)") && text.contains("hi all"))
        let narrow = try Fixture.room(columns: 40, rows: 20).text
        #expect(narrow.contains("webby: hello"))
    }

    @Test("whoever is called as we are has the mark, as soon as we are called so")
    func ownName() throws {
        var fixture = try Fixture.room(columns: 120, rows: 40)
        #expect(!fixture.text.contains("webby (?)"))
        var identity = fixture.state.world.identity
        identity.name = "Webby"
        fixture.send(.chat(.identityChanged(identity)))
        #expect(fixture.text.contains("webby (?)"))
    }

    @Test("/join names what is wrong with an address and where, and joins a right one under a name")
    func join() throws {
        var fixture = Fixture.main(columns: 100, rows: 30)
        fixture.enter("/join sio+tls://h/r?evnt=a")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("there is no setting \"evnt\"") && fixture.text.contains("character 15"))
        fixture.enter("/join sio+tls://h/r My garden")
        #expect(fixture.errands == [.call(.joinRoom(try RoomURL(parsing: "sio+tls://h/r"), name: "My garden"))])
        fixture.enter("/join http://h:1")
        #expect(fixture.errands.isEmpty && fixture.text.contains("sio+tls://"))
        // An invitation, or any address of a person.
        fixture.enter("/join blip://h:1 Jo")
        #expect(fixture.errands == [.call(.addContact(PeerAddress(host: "h", port: 1), name: "Jo"))])
    }

    @Test("/leave leaves; /verify and /fingerprint say why they cannot")
    func leave() throws {
        var fixture = try Fixture.room(columns: 100, rows: 30)
        fixture.enter("/verify")
        #expect(fixture.text.contains("garden is a Socket.IO room: it has no key to compare"))
        #expect(fixture.state.place.overlay == nil && fixture.errands.isEmpty)
        fixture.enter("/leave")
        #expect(fixture.errands == [.call(.leaveRoom(Fixture.alice))])
        fixture.send(.done(.call(.leaveRoom(Fixture.alice)), .nothing))
        #expect(fixture.text.contains("You have left garden"))
    }

    @Test("/whois shows where a room is, who is there, and its log")
    func whois() throws {
        var fixture = try Fixture.room(columns: 100, rows: 40)
        fixture.enter("/whois")
        #expect(fixture.questions == [.call(.room(Fixture.alice))])
        let url = try RoomURL(parsing: "sio+tls://chat.example/garden")
        let details = RoomDetails(
            room: JoinedRoom(url: url), people: ["webby", "eve"], transport: "polling", maxPayload: 1_000_000,
            log: [
                .init(time: Fixture.time(21, 9, 0), what: .left(.disconnected, retryMilliseconds: 1500)),
                .init(time: Fixture.time(21, 9, 1), what: .connecting(attempt: 2)),
                .init(time: Fixture.time(21, 9, 5), what: .pings(12)),
            ])
        fixture.send(.answer(.reply(.room(contact: Fixture.alice), details)))
        for words in [
            "sio+tls://chat.example/garden", "there: webby, eve", "over polling", "tries again in 1.5 s", "attempt 2",
            "12 pings", "are what people say",
        ] {
            #expect(fixture.text.contains(words), "\(words)")
        }
    }

    @Test("a notification names the room and who has written; more than 30 a minute never come")
    func notifications() throws {
        var fixture = try Fixture.room(columns: 80, rows: 24)
        fixture.state.surface.set(\.desktop, to: .command)
        fixture.state.surface.set(\.notifyCommand, to: "notify")
        fixture.press("Alt-2")
        fixture.effects = []
        for number in 10...609 as ClosedRange<Int64> {
            var line = Fixture.message(number, .incoming, "line", at: Fixture.time(21, 9, 8))
            line.sender = "webby"
            fixture.send(.chat(.messageAdded(line)))
            fixture.advance(.milliseconds(100))
        }
        let told = fixture.effects.compactMap { if case .spawn(let words) = $0 { words } else { nil } }
        let rings = fixture.effects.count { $0 == .bell }
        #expect(told.first?.last?.hasPrefix("garden, webby: ") == true)
        #expect((1...30).contains(told.count) && (1...30).contains(rings), "\(told.count) told, \(rings) rung")
    }
}
