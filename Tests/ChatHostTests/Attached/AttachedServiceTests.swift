// Front ends that are attached to the chat of another process: the codec, and real chats behind real control sockets.

import BLIPNet
import CLinux
import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatHost
@testable import ChatSettings

@Suite struct AttachedServiceTests {
    @Test("codes numbers of every size, texts, absences and nesting")
    func values() throws {
        struct Everything: Codable, Equatable {
            var large = UInt64.max
            var small = Int64.min
            var number = 0.5
            var infinite = Double.infinity
            var text = "\u{202E}\"\\\n\u{1F600}"
            var nothing: Int?
            var something: Int? = 3
            var list: [Int?] = [1, nil]
            var empty: [String] = []
            var time = Duration.milliseconds(-1500)
        }
        let value = Everything()
        let line = try JSONValue(encoding: value).text
        #expect(!line.contains("\u{202E}"))
        #expect(try JSONReader.read(Array(line.utf8)).decode(Everything.self) == value)
        #expect(throws: JSONError.self) { try JSONValue.record(["large": -1]).decode(Everything.self) }
    }

    @Test("codes every call, event and error with everything in it")
    func lines() throws {
        for call in Samples.calls {
            guard case .call(7, let read) = try Samples.throughText(.call(number: 7, call)) else {
                Issue.record("no call: \(call)")
                continue
            }
            #expect(read == call)
        }
        for event in Samples.events {
            guard case .event(7, let read) = try Samples.throughText(.event(number: 7, event)) else {
                Issue.record("no event: \(event)")
                continue
            }
            #expect(read == event)
        }
        for error in Samples.errors {
            guard case .failure(7, let read) = try Samples.throughText(.failure(number: 7, error)) else {
                Issue.record("no failure: \(error)")
                continue
            }
            #expect(read == error)
        }
    }

    @Test("shows several front ends the same chat, and each what the others do")
    func sharing() async throws {
        try await withChat { instance, path in
            let first = try #require(try await AttachedService.attach(to: path))
            let second = try #require(try await AttachedService.attach(to: path))
            #expect(await first.identity == instance.client.identity)
            let events = await second.events()
            let address = try PeerAddress(parsing: "127.0.0.1:1")
            let peer = try await first.ask(.addContact(address, name: "bob"))
            let message = try await first.ask(.send("hello\u{1B}[31m", to: peer.id))
            let seen = await events.first { if case .messageAdded = $0 { true } else { false } }
            #expect(seen == .messageAdded(message))
            #expect(try await second.ask(.page(of: peer.id, .newest, limit: 10)) == [message])
            #expect(try await second.ask(.conversations).map(\.peer) == [peer])
            #expect(try await second.ask(.safetyNumber(for: peer.id)) == nil)
            await #expect(throws: ChatError.noSuchContact) { try await second.ask(.removeContact(ContactID(99))) }
            await #expect(throws: ChatError.emptyText) { try await second.ask(.send("", to: peer.id)) }
            await first.detach()
            #expect(try await second.ask(.draft(for: peer.id)).isEmpty)
            await second.detach()
            #expect(try await instance.client.ask(.page(of: peer.id, .newest, limit: 10)) == [message])
        }
    }

    @Test("carries pages that are larger than any buffer of the socket")
    func largePages() async throws {
        try await withChat { instance, path in
            let service = try #require(try await AttachedService.attach(to: path))
            let peer = try await service.ask(.addContact(try PeerAddress(parsing: "127.0.0.1:1"), name: "bob"))
            let text = String(repeating: "\u{202E}x", count: 16_000)
            for _ in 0..<40 { _ = try await instance.client.ask(.send(text, to: peer.id, replyTo: nil)) }
            let page = try await service.ask(.page(of: peer.id, .newest, limit: 40))
            #expect(page.count == 40)
            #expect(page.allSatisfy { $0.content == .text(text) })
            await service.detach()
        }
    }

    @Test("a payload without labels has no name on the line: one value is itself, several are an array")
    func payloads() throws {
        func text(_ event: ChatEvent) throws -> String { try JSONValue(encoding: event).text }
        #expect(try text(.messagesDeleted(ContactID(3))) == #"{"messagesDeleted":3}"#)
        #expect(try text(.typing(ContactID(3), true)) == #"{"typing":[3,true]}"#)
        #expect(try text(.conversationsChanged) == #"{"conversationsChanged":{}}"#)
        #expect(try text(.notice(.instanceLost)) == #"{"notice":{"instanceLost":{}}}"#)
        #expect(try text(.requestsChanged([])) == #"{"requestsChanged":[]}"#)
        let offline = ChatEvent.linkChanged(ContactID(3), .offline(reason: nil))
        #expect(try text(offline) == #"{"linkChanged":[3,{"offline":{}}]}"#)
    }

    @Test("refuses another version in one sentence, and survives lines that are no calls")
    func versions() async throws {
        try await withChat { _, path in
            let connection = ControlConnection(descriptor: try #require(try ControlSocket.connect(to: path)))
            await connection.send(.record(["hello": .record(["protocol": 99, "version": "9.9"])]))
            let answer = try #require(try await connection.receive(timeout: .seconds(60)))
            #expect(answer["hello"]?["protocol"]?.integerValue == Int64(SessionGreeting.currentProtocol))
            #expect(try await connection.receive(timeout: .seconds(60)) == nil, "then it hangs up")

            let other = ControlConnection(descriptor: try #require(try ControlSocket.connect(to: path)))
            await other.send(SessionGreeting().json)
            _ = try await other.receive(timeout: .seconds(60))
            await other.send("hello")
            await other.send(.record(["call": 5, "what": .record(["unknown": .record([:])])]))
            let refusal = try #require(try await other.receive(timeout: .seconds(60)))
            #expect(refusal["reply"]?.integerValue == 5)
            #expect(refusal["error"] != nil)
        }
        let other = try #require(SessionGreeting(.record(["hello": .record(["protocol": 99, "version": "9.9"])])))
        let reason = try #require(other.refusal?.reason)
        #expect(reason.contains(Version.text) && reason.contains("9.9"))
    }

    @Test("a script that knows only JSON asks for the chat, hears its news and is told what went wrong")
    func script() async throws {
        try await withChat { instance, path in
            let peer = try await instance.client.ask(.addContact(try PeerAddress(parsing: "127.0.0.1:1"), name: "bob"))
            let connection = ControlConnection(descriptor: try #require(try ControlSocket.connect(to: path)))
            func say(_ line: String) async { _ = await connection.send(line: Array((line + "\n").utf8)) }
            func hear() async throws -> JSONValue { try #require(try await connection.receive(timeout: .seconds(60))) }
            // News may come before it.
            func reply(to call: Int64) async throws -> JSONValue {
                var line = try await hear()
                while line["reply"]?.integerValue != call { line = try await hear() }
                return line
            }

            await say(#"{"hello":{"protocol":10}}"#)
            let greeting = try await hear()
            #expect(greeting["hello"]?["chat"]?["identity"]?["name"] == "alice")
            #expect(greeting["hello"]?["chat"]?["until"] == "service")
            await say(#"{"events":1}"#)
            #expect(try await hear().text == #"{"reply":1,"value":{}}"#)
            await say(#"{"call":2,"what":{"conversations":{}}}"#)
            #expect(try await reply(to: 2)["value"]?.arrayValue?.first?["peer"]?["name"] == "bob")

            let id = "01a219c8-2896-733d-8366-0123456789ab"
            let number = peer.id.rawValue
            let send = #"{"sendOnce":{"contact":\#(number),"text":"hello","id":"\#(id)"}}"#
            await say(#"{"call":3,"what":\#(send)}"#)
            // The news of a message and the reply to its sender come in any order.
            var reply: JSONValue?
            var news: JSONValue?
            while reply == nil || news == nil {
                let line = try await hear()
                if line["reply"] == 3 { reply = line }
                if line["event"] == 1, let message = line["what"]?["messageAdded"] { news = message }
            }
            #expect(reply?["value"] == news)
            #expect(news?["id"]?.stringValue == id)
            #expect(news?["content"]?.text == #"{"text":"hello"}"#)

            await say(#"{"call":4,"what":{"renameContact":{"contact":\#(number),"name":""}}}"#)
            var refusal = try await hear()
            while refusal["reply"] != 4 { refusal = try await hear() }
            #expect(refusal.text == #"{"reply":4,"error":{"badName":""}}"#)
        }
    }

    @Test(
        "a reader that lags gets long replies whole; one that does not read loses the connection, and both sides see it"
    )
    func lagging() async throws {
        var ends: [Int32] = [-1, -1]
        func pair(patience: Duration) -> (near: ControlConnection, far: ControlConnection) {
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
            return (
                ControlConnection(descriptor: ends[0], patience: patience),
                ControlConnection(descriptor: ends[1], maximumLine: ControlConnection.longestReply)
            )
        }
        var (near, far) = pair(patience: .seconds(60))
        let long = JSONValue.string(String(repeating: "x", count: 12 << 20))
        let writer = near
        let writing = Task { await writer.send(long) }
        // News that come meanwhile wait, and do not end it.
        #expect(await Readiness.readable.wait(on: ends[1], timeout: .seconds(60)))
        let news = Task { await writer.send(inTurn: .string("news")) }
        let reply = try await far.receive(timeout: .seconds(60))
        #expect(reply == long)
        #expect(await writing.value)
        #expect(await news.value)
        #expect(try await far.receive(timeout: .seconds(60)) == .string("news"))
        // Now nobody reads.
        (near, far) = pair(patience: .milliseconds(300))
        #expect(await !near.send(long))
        #expect(await !near.send(inTurn: .string("news")))
        #expect(await !near.send(.string("more")))
        #expect(try await near.receive(timeout: .seconds(60)) == nil)
        // What had come is there still; then the end.
        #expect(try await far.receive(timeout: .seconds(60)) == nil)
    }

    @Test("outlives front ends that vanish in the middle of a reply")
    func vanishing() async throws {
        try await withChat { instance, path in
            let peer = try await instance.client.ask(.addContact(try PeerAddress(parsing: "127.0.0.1:1"), name: "bob"))
            for _ in 0..<20 {
                _ = try await instance.client.ask(
                    .send(String(repeating: "x", count: 60_000), to: peer.id, replyTo: nil))
            }
            for _ in 0..<10 {
                let descriptor = try #require(try ControlSocket.connect(to: path))
                let connection = ControlConnection(descriptor: descriptor)
                await connection.send(SessionGreeting().json)
                await connection.send(try SessionLine.events(number: 1).json())
                let page = AnyCall.page(contact: peer.id, anchor: .newest, limit: 20)
                await connection.send(try SessionLine.call(number: 2, page).json())
            }
            let service = try #require(try await AttachedService.attach(to: path))
            #expect(try await service.ask(.page(of: peer.id, .newest, limit: 20)).count == 20)
            await service.detach()
        }
    }

    @Test("tells the front end when the chat ends, and goes on with the next one")
    func restart() async throws {
        let home = try TestHome()
        let service: AttachedService
        let events: AsyncStream<ChatEvent>
        do {
            // The lock of the home goes with the last reference.
            let instance = try await home.start()
            service = try #require(try await AttachedService.attach(to: home.paths.socket))
            events = await service.events()
            await instance.stop()
        }
        #expect(await events.first { $0 == .notice(.instanceLost) } != nil)
        await #expect(throws: ChatError.self) { try await service.ask(.conversations) }
        let next = try await home.start()
        #expect(await events.first { $0 == .notice(.instanceFound) } != nil)
        let peer = try await service.ask(.addContact(try PeerAddress(parsing: "127.0.0.1:1"), name: "bob"))
        let message = try await service.ask(.send("again", to: peer.id))
        #expect(await events.first { $0 == .messageAdded(message) } != nil)
        await service.detach()
        await next.stop()
    }

    @Test("a chat that ends with its screen goes on in the one that was attached to it, and one of serve does not")
    func succession() async throws {
        let home = try TestHome()
        let service: AttachedService
        let second: AttachedService
        let events: AsyncStream<ChatEvent>
        let peer: Peer
        do {
            let instance = try await home.start(stays: false)
            func attach() async throws -> AttachedService {
                try #require(
                    try await AttachedService.attach(to: home.paths.socket, patience: .seconds(60)) { _ in
                        try? await home.start(stays: false)
                    })
            }
            service = try await attach()
            second = try await attach()
            events = await service.events()
            peer = try await service.ask(.addContact(try PeerAddress(parsing: "127.0.0.1:1"), name: "bob"))
            await instance.stop()
        }
        // Asked in the moment in which nobody runs it, both wait for whoever does.
        let message = try await service.ask(.send("again", to: peer.id))
        #expect(await events.first { $0 == .messageAdded(message) } != nil)
        #expect(try await second.ask(.page(of: peer.id, .newest, limit: 10)).map(\.id) == [message.id])
        var here = 0
        for one in [service, second] where await one.own != nil { here += 1 }
        #expect(here == 1, "one has the home, the other one is attached to it")
        // Whoever is left runs it again.
        let (heir, other) = await service.own != nil ? (service, second) : (second, service)
        await heir.detach()
        #expect(try await other.ask(.page(of: peer.id, .newest, limit: 10)).map(\.id) == [message.id])
        #expect(await other.own != nil)
        await other.detach()

        do {
            let serve = try await home.start()
            let attached = try #require(
                try await AttachedService.attach(to: home.paths.socket) { _ in try? await home.start(stays: false) })
            let news = await attached.events()
            await serve.stop()
            #expect(await news.first { $0 == .notice(.instanceLost) } != nil)
            #expect(await attached.own == nil)
            await attached.detach()
        }
        await (try await home.start()).stop()
    }

    @Test("a command goes on here when the chat says farewell, with what was not done and with its news")
    func commandGoesOn() async throws {
        let home = try TestHome()
        let service: AttachedService
        let events: AsyncStream<ChatEvent>
        let peer: Peer
        do {
            let instance = try await home.start()
            service = try #require(
                try await AttachedService.attach(to: home.paths.socket, as: .command(finder(home))))
            events = await service.events()
            peer = try await service.ask(.addContact(try PeerAddress(parsing: "127.0.0.1:1"), name: "bob"))
            await instance.stop()
        }
        let message = try await service.ask(.send("again", to: peer.id))
        #expect(await service.own != nil)
        // It is to look again, and hears of the message; which comes first is the chat's business.
        var missing: [ChatEvent] = [.historyReplaced(peer.id), .messageAdded(message)]
        for await event in events {
            missing.removeAll { $0 == event }
            if missing.isEmpty { break }
        }
        #expect(missing.isEmpty)
        #expect(await service.end == nil)
        await service.detach()
        await (try await home.start()).stop()
    }

    @Test("a command ends with a chat that dies, or that nobody continues where that is what it watches for")
    func commandEnds() async throws {
        let home = try TestHome()
        let instance = try await home.start()
        var watching = finder(home)
        watching.endsWithChat = true
        let watch = try #require(try await AttachedService.attach(to: home.paths.socket, as: .command(watching)))
        let news = await watch.events()
        await instance.stop()
        for await _ in news {}
        #expect(await watch.end == .inOrder)
        await watch.detach()

        // One that greets, and dies with a call in its hands.
        let path = home.directory.file("s")
        let descriptor = try ControlSocket.listen(at: path)
        let dying = Task {
            let connection = try await greet(whoeverCallsAt: descriptor)
            for _ in 0..<2 { _ = try await connection.receive(timeout: .seconds(600)) }
        }
        let orphan = try #require(try await AttachedService.attach(to: path, as: .command(finder(home))))
        await #expect(throws: ChatError.self) { try await orphan.ask(.setOwnName("x")) }
        #expect(await orphan.end == .failed(.instanceGone))
        var count = 0
        for await _ in await orphan.events() { count += 1 }
        #expect(count == 0, "nothing happens any more")
        try await dying.value
        close(descriptor)
        await orphan.detach()
    }

    @Test("a question that is worth little time is given up when its answer does not come", .timeLimit(.minutes(10)))
    func stuckAnswer() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("s")
        let descriptor = try ControlSocket.listen(at: path)
        let stuck = Task {
            let connection = try await greet(whoeverCallsAt: descriptor)
            // It reads every question and answers none.
            while (try? await connection.receive(timeout: .seconds(600))) != nil {}
        }
        let visitor = try #require(
            try await AttachedService.attach(
                to: path, as: .visitor(patience: .seconds(600), limit: .milliseconds(50))))
        await #expect(throws: ChatError.self) { try await visitor.ask(.conversations) }
        #expect(await visitor.end == .failed(.instanceGone))
        try await stuck.value
        close(descriptor)
        await visitor.detach()
    }

    /// A process that says it runs a chat, and leaves the rest to the caller.
    private func greet(whoeverCallsAt descriptor: Int32) async throws -> ControlConnection {
        let key = try #require(PeerID(String(repeating: "b", count: 51) + "a"))
        _ = await Readiness.readable.wait(on: descriptor, timeout: .seconds(600))
        let connection = ControlConnection(descriptor: clinux_accept(descriptor, 1))
        let chat = RunningChat(
            until: .service, process: 1, isConfined: false,
            identity: LocalIdentity(peerID: key, name: "x", address: nil, listening: nil))
        await connection.send(SessionGreeting(chat: chat).json)
        return connection
    }

    /// A command that starts the chat of `home` itself.
    private func finder(_ home: TestHome) -> ChatFinder {
        ChatFinder(paths: home.paths, limit: .seconds(600), attached: {}) { _ throws(CommandError) in
            try await home.start(stays: false)
        }
    }

    // MARK: Parts

    private func withChat(_ body: (ChatInstance, String) async throws -> Void) async throws {
        let home = try TestHome()
        let instance = try await home.start()
        do {
            try await body(instance, home.paths.socket)
        } catch {
            await instance.stop()
            throw error
        }
        await instance.stop()
    }
}

/// A home in a temporary folder.
private struct TestHome {
    let directory: TemporaryDirectory
    let paths: HomePaths

    init() throws {
        directory = try TemporaryDirectory()
        paths = try HomePaths(environment: ["BLIPCHAT_HOME": directory.file("home")], dataFolder: nil, profile: nil)
    }

    /// A chat that serves its control socket and calls nobody successfully.
    func start(stays: Bool = true) async throws(CommandError) -> ChatInstance {
        let configuration = ChatConfiguration(name: "alice", listen: nil, downloadsFolder: paths.downloads)
        return try await ChatInstance.start(paths, configuration, for: .everybody(until: stays ? .service : .screen))
    }
}

/// One of everything that crosses the socket.
private enum Samples {
    static func throughText(_ line: SessionLine) throws -> SessionLine {
        try SessionLine(try JSONReader.read(Array(try line.json().text.utf8)))
    }

    static let contact = ContactID(3)
    static let id = MessageID(at: Timestamp(milliseconds: 1_700_000_000_000))
    static let address = PeerAddress(host: "::1", port: 5, name: "b/ö?")

    static let message: ChatMessage = {
        var message = ChatMessage(
            id: id, position: HistoryPosition(.max), contact: contact, direction: .incoming, sequence: 4,
            sent: Timestamp(milliseconds: -1), stored: Timestamp(milliseconds: 5), state: .failed(reason: .other("no")),
            replyTo: id, content: .text("a\nb"))
        message.edited = Timestamp(milliseconds: 6)
        message.isRetracted = true
        message.reactions = [Reaction(direction: .outgoing, emoji: "👍")]
        message.operationState = .read
        message.missingBefore = 2
        return message
    }()

    static let transfer = FileTransfer(
        id: id, number: TransferNumber(8), contact: contact, direction: .outgoing, name: "a/..", size: .max,
        modified: Timestamp(milliseconds: 1), caption: "c",
        place: FolderPlace(set: id, path: "p/q", files: 2, bytes: 3), state: .paused,
        reason: .noSpace(needed: 1, free: 2, folder: "/a b"),
        transferred: 9,
        sha256: "00", path: "/x", offered: Timestamp(milliseconds: 2), started: Timestamp(milliseconds: 3),
        finished: Timestamp(milliseconds: 4))

    static let calls: [AnyCall] = [
        .identity, .addContact(address: address, name: nil), .safetyNumber(contact: contact), .reconnect(contact: nil),
        .send(contact: contact, text: "x", replyTo: id), .edit(message: message, text: "y"),
        .react(message: message, emoji: nil),
        .page(contact: contact, anchor: .around(HistoryPosition(5)), limit: 7),
        .search(
            query: SearchQuery(
                text: "a -b \"c d\"", contact: contact, from: .incoming, since: Timestamp(milliseconds: 1))),
        .message(contact: contact, reference: .last(2, .ownText)),
        .message(contact: contact, reference: .shortID("1a2b3c4d")),
        .messages(contact: contact, ids: [id]), .versions(message: message),
        .setPinned(message: message, pinned: true), .markUnread(contact: contact, position: HistoryPosition(-3)),
        .deleteConversation(contact: contact, storedBefore: nil), .setRetention(contact: contact, retention: .days(3)),
        .acceptTransfer(number: TransferNumber(1), folder: "/d"), .setRateLimit(scope: .all(.incoming), limit: .max),
        .rateLimit(scope: .transfer(TransferNumber(2))), .disconnect(contact: nil), .ping(contact: contact),
        .maySend(contact: contact), .transferProgress, .importHistory(path: "/e"),
        .traffic(contact: contact), .setMuted(contact: contact, until: .endless),
        .setAutomaticAcceptance(contact: contact, limit: .max), .setOwnName(name: "Zoë"), .setAway(reason: nil),
    ]

    static let events: [ChatEvent] = [
        .messageAdded(message),
        .messageChanged(
            ChatMessage(
                id: id, position: HistoryPosition(1), contact: contact, direction: .outgoing, sequence: 1,
                sent: Timestamp(milliseconds: 1), stored: Timestamp(milliseconds: 1), state: .pending,
                content: .file(transfer))),
        .transferProgress(TransferProgress(id: id, transferred: 1, rate: 1e6, stalled: .seconds(12))),
        .requestsChanged([]), .messagesDeleted(contact), .conversationsChanged,
        .linkChanged(contact, .offline(reason: nil)),
        .linkChanged(
            contact,
            .online(LinkDetails(remoteAddress: "[::1]:5", isEncrypted: true, roundTrip: .microseconds(18_250)))),
        .typing(contact, true), .notice(.listensElsewhere(wanted: "a", reason: .disconnected, listening: "c")),
        .notice(.storeFailed(.failed(code: 5, reason: "x"))), .notice(.contactStoresTooMuch(contact, perDay: nil)),
        .notice(.contactStoresTooMuch(contact, perDay: 5)), .notice(.instanceHere),
    ]

    static let errors: [ChatError] = [
        .store(.newerVersion(path: "p", found: 2, supported: 1)), .badAddress(.badPeerID("x")), .noSuchContact,
        .textTooLong(bytes: 1, limit: 2), .notEnoughSpace(needed: .max, free: 0, folder: "/"),
        .wrongTransferState(.complete), .ownTransfer, .cannotRead(path: "p", errno: 13), .instanceLost(reason: "r"),
        .instanceStopped, .privateFile(path: "p"),
        .cannotImport(ImportProblem(exit: 2, subject: "e:7", reason: "r", advice: nil)),
    ]
}
