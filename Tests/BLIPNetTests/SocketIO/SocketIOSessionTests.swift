// Namespaces, events and acknowledgements over the connections of a client, in simulated time (SOCKETIO B6, B7, B9, B12).

import Testing

@testable import BLIPNet

/// A session on a WebSocket, and what its server would see.
struct SocketIOPeer {
    var session: SocketIOSession
    var now = MonotonicTime.seconds(0)

    init(_ revision: EngineIORevision = .eio4, limits: SocketIOLimits = SocketIOLimits(), join names: [String] = ["/"])
        throws
    {
        var options = SocketIOSession.Options()
        options.transports = .webSocketOnly
        options.revision = revision
        options.limits = limits
        session = SocketIOSession(options: options)
        for name in names { try session.join(name, now: now) }
        open()
    }

    /// A connection whose transport stands.
    mutating func open() {
        session.open(now: now)
        _ = sent()
        session.receive(.webSocketOpened, now: now)
        session.receive(.webSocketMessage(.text, Array(EngineIOFixture.open(interval: 3_600_000).utf8)), now: now)
    }

    /// The messages that are sent now: texts, and attachments in hexadecimal.
    mutating func sent() -> [String] {
        var sent: [String] = []
        while let action = session.nextAction(now: now) {
            switch action {
            case .sendWebSocket(.text, let bytes): sent.append(String(decoding: bytes, as: UTF8.self))
            case .sendWebSocket(.binary, let bytes): sent.append(bytes.hex)
            default: break
            }
        }
        return sent
    }

    mutating func events() -> [SocketIOSessionEvent] {
        var all: [SocketIOSessionEvent] = []
        while let event = session.nextEvent() {
            if case .opened = event { continue }
            all.append(event)
        }
        return all
    }

    /// The server sends Socket.IO packets.
    mutating func serve(_ packets: String...) {
        for packet in packets { session.receive(.webSocketMessage(.text, Array("4\(packet)".utf8)), now: now) }
    }

    mutating func serve(bytes: [UInt8]) { session.receive(.webSocketMessage(.binary, bytes), now: now) }

    /// Connects every namespace that asks for it.
    mutating func connect() throws {
        for name in session.joined { try session.authenticate(name, auth: nil, now: now) }
        _ = sent()
        for name in session.joined {
            if name == "/" { serve(#"0{"sid":"n"}"#) } else { serve("0\(name),{\"sid\":\"n\"}") }
        }
        _ = events()
    }

    mutating func emit(
        _ name: String, _ arguments: [SocketIOValue] = [], to namespace: String = "/", ack: Duration? = nil
    ) throws -> UInt64 {
        try session.emit(name, arguments, namespace: namespace, ackTimeout: ack, now: now)
    }
}

@Suite struct SocketIOSessionTests {
    private func event(_ name: String, _ arguments: [SocketIOValue] = [], in namespace: String = "/")
        -> SocketIOSessionEvent
    {
        .event(SocketIOEvent(namespace: namespace, name: name, arguments: arguments))
    }

    // MARK: Namespaces

    @Test("asks for what to authenticate with at every connection, and connects")
    func connects() throws {
        var peer = try SocketIOPeer(join: ["/", "/admin"])
        for round in 1...2 {
            #expect(peer.events() == [.authWanted(namespace: "/"), .authWanted(namespace: "/admin")])
            #expect(peer.sent().isEmpty)
            try peer.session.authenticate("/", auth: ["token": .integer(Int64(round))], now: peer.now)
            try peer.session.authenticate("/admin", auth: nil, now: peer.now)
            #expect(peer.sent() == ["40{\"token\":\(round)}", "40/admin,"])
            peer.serve(#"0{"sid":"a"}"#, #"0/admin,{"sid":"b"}"#)
            #expect(
                peer.events() == [.connected(namespace: "/", sid: "a"), .connected(namespace: "/admin", sid: "b")])
            peer.session.receive(.webSocketClosed("reset"), now: peer.now)
            #expect(peer.events() == [.closed(.transport("reset"))])
            #expect(peer.session.status == .closed && !peer.session.isConnected("/"))
            peer.open()
        }
    }

    @Test("protocol 4: the server connects / by itself, and the query says who we are")
    func protocol4() throws {
        var peer = try SocketIOPeer(.eio3, join: ["/", "/admin"])
        #expect(peer.events() == [.authWanted(namespace: "/admin")])
        let auth: SocketIOValue = ["token": "a b&c", "n": 1, "flag": true, "list": []]
        try peer.session.authenticate("/admin", auth: auth, now: peer.now)
        #expect(peer.sent() == ["40/admin?token=a%20b%26c&n=1&flag=true,"])
        // Twice, without a comma, and with the query (traps 2 and 4).
        peer.serve("0", "0", "0/admin")
        #expect(peer.events() == [.connected(namespace: "/", sid: nil), .connected(namespace: "/admin", sid: nil)])
        peer.serve("0/admin?token=x,", #"4{"code":"E"}"#)
        #expect(peer.events() == [.ended(namespace: "/", .namespaceRefused(["code": "E"]))])
    }

    @Test("a CONNECT of / that nobody wants is nothing in protocol 4")
    func unwanted() throws {
        var peer = try SocketIOPeer(.eio3, join: ["/admin"])
        _ = peer.events()
        peer.serve("0")
        #expect(peer.events().isEmpty)
    }

    @Test(
        "a namespace that is refused leaves the others alive",
        arguments: [
            (#"4/admin,"no""#, SocketIOValue.string("no")), (#"4/admin,["no",1]"#, .array(["no", 1])),
            (#"4/admin,{"message":"no"}"#, .object([.init(name: "message", value: "no")])), ("4/admin,", .null),
        ])
    func refused(packet: String, reason: SocketIOValue) throws {
        var peer = try SocketIOPeer(join: ["/", "/admin"])
        let lost = try peer.emit("x", to: "/admin")
        _ = peer.events()
        for name in ["/", "/admin"] { try peer.session.authenticate(name, auth: nil, now: peer.now) }
        peer.serve(#"0{"sid":"a"}"#, packet)
        let error = SocketIOError.namespaceRefused(reason)
        #expect(
            peer.events() == [
                .connected(namespace: "/", sid: "a"), .failed(lost, error), .ended(namespace: "/admin", error),
            ])
        peer.serve(#"2["still"]"#)
        #expect(peer.events() == [event("still")])
        #expect(throws: SocketIOError.notConnected) { try peer.emit("x", to: "/admin") }
    }

    @Test("holds back events that come before CONNECT, within limits")
    func held() throws {
        var limits = SocketIOLimits()
        limits.maxHeldEvents = 2
        var peer = try SocketIOPeer(limits: limits)
        _ = peer.events()
        try peer.session.authenticate("/", auth: nil, now: peer.now)
        peer.serve(#"2["early",1]"#, #"2["early",2]"#)
        #expect(peer.events().isEmpty)
        var flooded = peer
        peer.serve(#"0{"sid":"a"}"#, #"2["late"]"#)
        #expect(
            peer.events() == [
                .connected(namespace: "/", sid: "a"), event("early", [1]), event("early", [2]), event("late"),
            ])
        flooded.serve(#"2["early",3]"#)
        let fault = SocketIOFault(.socketIO, .limit("events before their namespace", 2))
        #expect(flooded.events() == [.closed(.malformed(fault))])
    }

    @Test("a namespace that does not answer ends alone, and the server is told")
    func connectTimeout() throws {
        var peer = try SocketIOPeer(join: ["/", "/slow"])
        _ = peer.events()
        for name in ["/", "/slow"] { try peer.session.authenticate(name, auth: nil, now: peer.now) }
        _ = peer.sent()
        peer.serve(#"0{"sid":"a"}"#)
        #expect(peer.session.deadline == .seconds(20))
        peer.now = .seconds(20)
        peer.session.handleTimeout(now: peer.now)
        #expect(peer.sent() == ["41/slow,"])
        #expect(peer.events().last == .ended(namespace: "/slow", .timedOut("connect")))
        #expect(peer.session.joined == ["/"])
    }

    @Test("leaves, is thrown out, and joins again")
    func leaving() throws {
        var peer = try SocketIOPeer(join: ["/", "/a"])
        try peer.connect()
        peer.session.leave("/a")
        #expect(peer.sent() == ["41/a,"])
        peer.serve("1")
        #expect(
            peer.events() == [.ended(namespace: "/a", .closedLocally), .ended(namespace: "/", .closedByServer)])
        peer.serve(#"2["x"]"#)
        #expect(peer.events() == [.ignored(SocketIOFault(.socketIO, .unexpectedPacket("event")))])
        try peer.session.join("/a", now: peer.now)
        #expect(peer.events() == [.authWanted(namespace: "/a")])
    }

    @Test("refuses names that no namespace has", arguments: ["", "a", "/a,b", "/a?b", "/\n"])
    func names(name: String) throws {
        var peer = try SocketIOPeer()
        #expect(throws: SocketIOError.invalid("namespace")) { try peer.session.join(name, now: peer.now) }
    }

    // MARK: Emits

    @Test("emits of before the connection wait in order, within limits")
    func queue() throws {
        var limits = SocketIOLimits()
        limits.maxQueuedEmits = 3
        var peer = try SocketIOPeer(limits: limits)
        let tickets = try (0..<3).map { try peer.emit("e", [.integer($0)]) }
        #expect(throws: SocketIOError.limitExceeded("emits that wait", 3)) { try peer.emit("e") }
        #expect(peer.sent().isEmpty)
        try peer.session.authenticate("/", auth: nil, now: peer.now)
        #expect(peer.sent() == ["40"])
        peer.serve(#"0{"sid":"a"}"#)
        #expect(peer.sent() == [#"42["e",0]"#, #"42["e",1]"#, #"42["e",2]"#])
        #expect(peer.events().suffix(3) == tickets.map { .emitted($0) })
        _ = try peer.emit("e")
    }

    @Test("emits that no transport took go out on the next connection; the others fail, and are not sent twice")
    func reconnects() throws {
        var peer = try SocketIOPeer()
        try peer.connect()
        let (first, second, third) = (
            try peer.emit("a", ack: .seconds(60)), try peer.emit("b"), try peer.emit("c", ack: .seconds(60))
        )
        #expect(peer.session.nextAction(now: peer.now) == .sendWebSocket(.text, Array("42\(first)[\"a\"]".utf8)))
        peer.session.receive(.webSocketClosed("reset"), now: peer.now)
        #expect(
            peer.events() == [
                .emitted(first), .failed(first, .connectionLost(mayHaveArrived: true)), .closed(.transport("reset")),
            ])
        let fourth = try peer.emit("d")
        peer.open()
        try peer.connect()
        #expect(peer.sent() == [#"42["b"]"#, "42\(third)[\"c\"]", #"42["d"]"#])
        #expect(peer.events() == [.emitted(second), .emitted(third), .emitted(fourth)])
    }

    @Test("an emit is acknowledged, with its values")
    func acknowledged() throws {
        var peer = try SocketIOPeer(join: ["/", "/a"])
        try peer.connect()
        let ticket = try peer.emit("ask", ["?"], to: "/a", ack: .seconds(5))
        #expect(peer.sent() == ["42/a,\(ticket)[\"ask\",\"?\"]"])
        // Another namespace, an unknown id, none at all: nobody waits for them.
        peer.serve("3\(ticket)[]", "3/a,999[]", "3[]")
        let ignored = SocketIOSessionEvent.ignored(SocketIOFault(.socketIO, .unexpectedPacket("acknowledgement")))
        #expect(peer.events() == [.emitted(ticket), ignored, ignored, ignored])
        peer.serve("3/a,\(ticket)[1,\"x\"]", "3/a,\(ticket)[2]")
        #expect(peer.events() == [.acknowledged(ticket, [1, "x"]), ignored])
        #expect(peer.session.ackDeadlines.isEmpty && peer.session.handed.isEmpty)
    }

    @Test("gives up an acknowledgement in time, and does not send what has not gone out")
    func ackTimeout() throws {
        var peer = try SocketIOPeer()
        let waiting = try peer.emit("queued", ack: .seconds(1))
        #expect(peer.session.deadline == .seconds(1))
        peer.now = .seconds(1)
        peer.session.handleTimeout(now: peer.now)
        #expect(peer.events().last == .failed(waiting, .timedOut("ack")))
        try peer.connect()
        #expect(peer.sent().isEmpty)
        let late = try peer.emit("sent", ack: .seconds(2))
        #expect(peer.sent().count == 1)
        peer.now = .seconds(3)
        peer.session.handleTimeout(now: peer.now)
        #expect(peer.events() == [.emitted(late), .failed(late, .timedOut("ack"))])
        peer.serve("3\(late)[]")
        #expect(peer.events().count == 1)
    }

    @Test("pending acknowledgements fail when we close, and so does what waits")
    func closing() throws {
        var peer = try SocketIOPeer(join: ["/", "/b"])
        try peer.session.authenticate("/", auth: nil, now: peer.now)
        peer.serve("0{}")
        _ = (peer.sent(), peer.events())
        let (pending, queued) = (try peer.emit("a", ack: .seconds(9)), try peer.emit("b", to: "/b"))
        _ = (peer.sent(), peer.events())
        peer.session.close(now: peer.now)
        #expect(peer.sent() == ["1"])
        #expect(
            peer.events() == [
                .failed(queued, .closedLocally), .failed(pending, .connectionLost(mayHaveArrived: true)),
                .closed(.closedLocally),
            ])
    }

    @Test("events with bytes go out with placeholders, and come in whole; an object that only looks like one stays")
    func binary() throws {
        var peer = try SocketIOPeer()
        try peer.connect()
        _ = try peer.emit("binaryEvent", [["binaryData": .bytes([0, 255]), "text": "t"]])
        #expect(
            peer.sent() == [#"451-["binaryEvent",{"binaryData":{"_placeholder":true,"num":0},"text":"t"}]"#, "00ff"])
        _ = peer.events()
        peer.serve(#"52-["e",{"_placeholder":true,"num":1},{"_placeholder":true,"num":0}]"#)
        peer.serve(bytes: [1])
        // Pings may come between.
        peer.session.receive(.webSocketMessage(.text, [UInt8(ascii: "2")]), now: peer.now)
        peer.serve(bytes: [2])
        peer.serve(#"2["e",{"_placeholder":true,"num":0}]"#)
        let lookalike: SocketIOValue = ["_placeholder": true, "num": 0]
        #expect(peer.events() == [.heartbeat, event("e", [.bytes([2]), .bytes([1])]), event("e", [lookalike])])
    }

    @Test("an event is acknowledged once, with bytes if need be, and only on its connection")
    func answering() throws {
        var peer = try SocketIOPeer()
        try peer.connect()
        peer.serve(#"212["ask"]"#)
        guard case .event(let asked)? = peer.events().first, let request = asked.ackRequest else {
            throw SocketIOError.notConnected
        }
        try peer.session.acknowledge(request, ["yes", .bytes([7])])
        #expect(peer.sent() == [#"461-12["yes",{"_placeholder":true,"num":0}]"#, "07"])
        #expect(throws: SocketIOError.notConnected) { try peer.session.acknowledge(request, []) }
        peer.serve(#"213["ask"]"#)
        guard case .event(let again)? = peer.events().first, let stale = again.ackRequest else {
            throw SocketIOError.notConnected
        }
        peer.session.receive(.webSocketClosed("reset"), now: peer.now)
        peer.open()
        try peer.connect()
        #expect(throws: SocketIOError.notConnected) { try peer.session.acknowledge(stale, []) }
    }

    @Test("forgets the oldest of too many questions")
    func unanswered() throws {
        var limits = SocketIOLimits()
        limits.maxUnansweredEvents = 10
        var peer = try SocketIOPeer(limits: limits)
        try peer.connect()
        for id in 0..<30 { peer.serve("2\(id)[\"ask\"]") }
        let requests = peer.events().compactMap { event -> SocketIOAckRequest? in
            if case .event(let event) = event { event.ackRequest } else { nil }
        }
        #expect(requests.count == 30)
        #expect(requests.filter { (try? peer.session.acknowledge($0, [])) != nil }.map(\.id) == Array(20..<30))
    }

    @Test("the name of an event may be a number; one without a name is nothing")
    func eventNames() throws {
        var peer = try SocketIOPeer()
        try peer.connect()
        peer.serve("2[1,2]", "2")
        #expect(
            peer.events() == [
                event("1", [2]), .ignored(SocketIOFault(.socketIO, .unexpectedPacket("event without a name"))),
            ])
        #expect(throws: SocketIOError.invalid("name")) { try peer.emit("connect") }
    }

    @Test("refuses an emit that the server would close for, and values without end")
    func tooLarge() throws {
        var peer = try SocketIOPeer()
        try peer.connect()
        #expect(throws: SocketIOError.limitExceeded("bytes in one packet", 1_000)) {
            try peer.emit("e", [.bytes([UInt8](repeating: 0, count: 1_000))])
        }
        var value: SocketIOValue = []
        for _ in 0..<100 { value = [value] }
        #expect(throws: SocketIOError.limitExceeded("levels of values", 64)) { try peer.emit("e", [value]) }
        #expect(peer.sent().isEmpty && peer.session.queuedCount == 0)
    }
}
