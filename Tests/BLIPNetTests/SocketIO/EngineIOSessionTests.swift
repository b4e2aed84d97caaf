// One session of Engine.IO: opening, both heartbeats, requests, and its end, in simulated time (SOCKETIO B3, B4, B11).

import Testing

@testable import BLIPNet

/// Open packets and a session at the point after its first answer.
enum EngineIOFixture {
    static func open(
        upgrades: [String] = [], interval: Int = 3_000, timeout: Int = 2_000, maxPayload: Int? = 1_000
    ) -> String {
        let names = upgrades.map { "\"\($0)\"" }.joined(separator: ",")
        let payload = maxPayload.map { ",\"maxPayload\":\($0)" } ?? ""
        return
            "0{\"sid\":\"s1\",\"upgrades\":[\(names)],\"pingInterval\":\(interval),\"pingTimeout\":\(timeout)\(payload)}"
    }

    static func body(_ packets: [String], _ revision: EngineIORevision = .eio4) -> [UInt8] {
        switch revision {
        case .eio4: Array(packets.joined(separator: "\u{1E}").utf8)
        case .eio3: packets.flatMap { Array("\($0.utf16.count):\($0)".utf8) }
        }
    }

    static func session(
        _ transports: EngineIOTransports = .pollingOnly, _ revision: EngineIORevision = .eio4,
        interval: Int = 3_000, timeout: Int = 2_000, maxPayload: Int? = 1_000, limits: SocketIOLimits = SocketIOLimits()
    ) -> EngineIOSession {
        var session = EngineIOSession(transports: transports, limits: limits, now: .seconds(0))
        _ = session.allActions()
        let packet = open(
            upgrades: transports == .upgrade ? ["websocket"] : [], interval: interval, timeout: timeout,
            maxPayload: maxPayload)
        session.receive(.got(status: 200, body: body([packet], revision)), now: .seconds(0))
        _ = session.allEvents()
        return session
    }
}

extension EngineIOSession {
    mutating func allActions() -> [EngineIOAction] {
        var all: [EngineIOAction] = []
        while let action = nextAction() { all.append(action) }
        return all
    }

    mutating func allEvents() -> [EngineIOEvent] {
        var all: [EngineIOEvent] = []
        while let event = nextEvent() { all.append(event) }
        return all
    }
}

extension EngineIOAction {
    var query: String? {
        switch self {
        case .get(let query), .post(let query, _), .openWebSocket(let query):
            query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        default: nil
        }
    }

    var postBody: String? {
        if case .post(_, let encoded) = self { return String(decoding: encoded.body, as: UTF8.self) }
        return nil
    }

    var text: String? {
        if case .sendWebSocket(.text, let bytes) = self { return String(decoding: bytes, as: UTF8.self) }
        return nil
    }

    var isGet: Bool { if case .get = self { true } else { false } }
}

@Suite struct EngineIOSessionTests {
    private func message(_ text: String) -> EngineIOPacket { EngineIOPacket(.message, text) }

    // MARK: Opening

    @Test("opens by polling, tells its terms, and asks on with the sid")
    func opens() throws {
        var session = EngineIOSession(transports: .pollingOnly, now: .seconds(0))
        #expect(session.allActions().map(\.query) == ["EIO=4&transport=polling"])
        let body = EngineIOFixture.body([EngineIOFixture.open(), "4hello"])
        session.receive(.got(status: 200, body: body), now: .seconds(0))
        let events = session.allEvents()
        guard case .opened(let handshake, .eio4) = events.first else { throw SocketIOError.notConnected }
        #expect(handshake.sid == "s1" && handshake.maxPayload == 1_000)
        #expect(events.dropFirst() == [.message(.text("hello"))])
        #expect(session.allActions().map(\.query) == ["EIO=4&transport=polling&sid=s1"])
        #expect(session.nextAction() == nil)
    }

    @Test("takes an answer of revision 3 to a question for 4, and goes on with 3")
    func ignoredNumber() {
        var session = EngineIOSession(transports: .pollingOnly, base64: true, now: .seconds(0))
        _ = session.allActions()
        session.receive(
            .got(status: 200, body: EngineIOFixture.body([EngineIOFixture.open(maxPayload: nil), "40"], .eio3)),
            now: .seconds(0))
        #expect(session.allEvents().last == .message(.text("0")))
        #expect(session.allActions().map(\.query) == ["EIO=3&transport=polling&b64=1&sid=s1"])
    }

    @Test("asks for revision 3 after status 400, and fails with the first refusal when that does not help")
    func askAgain() {
        var session = EngineIOSession(now: .seconds(0))
        _ = session.allActions()
        session.receive(.got(status: 400, body: Array(#"{"code":5,"message":"x"}"#.utf8)), now: .seconds(0))
        #expect(session.allActions().map(\.query) == ["EIO=3&transport=polling"])
        session.receive(.got(status: 400, body: []), now: .seconds(0))
        #expect(session.allEvents() == [.closed(.refused(status: 400, code: 5))])
        #expect(session.allActions() == [.end] && session.deadline == nil)
    }

    @Test(
        "says what answers instead of a server",
        arguments: [
            (200, "<html>", SocketIOError.notSocketIO), (200, "", .notSocketIO), (200, "0", .notSocketIO),
            (200, "77", .notSocketIO), (401, "no", .refused(status: 401, code: nil)),
            (302, "", .refused(status: 302, code: nil)), (200, "4hello", .notSocketIO),
            (200, "1:4", .malformed(SocketIOFault(.engineIO, .unexpectedPacket("message")))),
            (200, "9:0{}", .malformed(SocketIOFault(.engineIO, .lengthBeyondEnd(9)))),
            (200, "0{}", .malformed(SocketIOFault(.engineIO, .badField("sid")))),
            (200, "0{\"sid\":1", .malformed(SocketIOFault(.engineIO, .badJSON("a comma is missing"), offset: 9))),
        ])
    func strangers(status: Int, body: String, error: SocketIOError) {
        var session = EngineIOSession(now: .seconds(0))
        _ = session.allActions()
        session.receive(.got(status: status, body: Array(body.utf8)), now: .seconds(0))
        #expect(session.allEvents() == [.closed(error)])
        session.receive(.got(status: 200, body: Array(EngineIOFixture.open().utf8)), now: .seconds(1))
        #expect(session.allEvents().isEmpty && session.allActions() == [.end])
    }

    @Test("refuses the other revision where one is wanted")
    func wanted() {
        var session = EngineIOSession(revision: .eio3, now: .seconds(0))
        #expect(session.allActions().map(\.query) == ["EIO=3&transport=polling"])
        session.receive(.got(status: 200, body: Array(EngineIOFixture.open().utf8)), now: .seconds(0))
        #expect(session.allEvents() == [.closed(.wrongRevision(.eio4))])
    }

    @Test("gives up when nothing answers")
    func openTimeout() {
        var session = EngineIOSession(now: .seconds(0))
        #expect(session.deadline == .seconds(20))
        session.handleTimeout(now: .seconds(20))
        #expect(session.allEvents() == [.closed(.timedOut("open"))])
    }

    @Test(
        "refuses terms that are out of range",
        arguments: [
            (#"{"sid":"","pingInterval":1,"pingTimeout":1}"#, "sid"),
            (#"{"sid":"a b","pingInterval":1,"pingTimeout":1}"#, "sid"),
            (#"{"sid":"a\r\nb","pingInterval":1,"pingTimeout":1}"#, "sid"),
            (#"{"sid":"a","pingTimeout":1}"#, "pingInterval"),
            (#"{"sid":"a","pingInterval":-1,"pingTimeout":1}"#, "pingInterval"),
            (#"{"sid":"a","pingInterval":1e300,"pingTimeout":1}"#, "pingInterval"),
            (#"{"sid":"a","pingInterval":1,"pingTimeout":"1"}"#, "pingTimeout"),
            (#"{"sid":"a","pingInterval":1,"pingTimeout":1,"maxPayload":0}"#, "maxPayload"),
            (#"{"sid":"a","upgrades":"websocket","pingInterval":1,"pingTimeout":1}"#, "upgrades"),
        ])
    func terms(json: String, field: String) {
        #expect(throws: SocketIOFault(.engineIO, .badField(field))) {
            try EngineIOHandshake(EngineIOPacket(.open, json))
        }
    }

    @Test("what goes into a log does not have the sid")
    func redaction() throws {
        var session = EngineIOSession(transports: .pollingOnly, now: .seconds(0))
        _ = session.allActions()
        session.receive(.got(status: 200, body: EngineIOFixture.body([EngineIOFixture.open()])), now: .seconds(0))
        #expect(!"\(session.allEvents())\(session.allActions())".contains("s1"))
    }

    // MARK: Heartbeat

    @Test("answers the server's ping, once for a flood of them, and notices when they stop (revision 4)")
    func pinged() {
        var session = EngineIOFixture.session()
        _ = session.allActions()
        let flood = EngineIOFixture.body(Array(repeating: "2", count: 1_000) + ["2x"])
        session.receive(.got(status: 200, body: flood), now: .seconds(3))
        #expect(session.allActions().compactMap(\.postBody) == ["3x"])
        #expect(session.deadline == .seconds(8))
        session.handleTimeout(now: .seconds(7.9))
        #expect(session.isOpen)
        session.handleTimeout(now: .seconds(8))
        #expect(session.allEvents().last == .closed(.timedOut("heartbeat")))
    }

    @Test("pings the server, and notices when it does not answer (revision 3)")
    func pings() {
        var session = EngineIOFixture.session(.pollingOnly, .eio3)
        #expect(session.allActions().count == 1)
        #expect(session.deadline == .seconds(3))
        session.handleTimeout(now: .seconds(3))
        #expect(session.allActions().compactMap(\.postBody) == ["1:2"])
        session.receive(.posted(status: 200, body: []), now: .seconds(3))
        session.receive(.got(status: 200, body: Array("1:3".utf8)), now: .seconds(4))
        #expect(session.allEvents() == [.heartbeat])
        #expect(session.deadline == .seconds(6))
        session.handleTimeout(now: .seconds(6))
        session.handleTimeout(now: .seconds(8))
        #expect(session.allEvents() == [.closed(.timedOut("heartbeat"))])
    }

    @Test("an interval of 0 does not become a busy loop", arguments: EngineIORevision.allCases)
    func zero(revision: EngineIORevision) {
        var session = EngineIOFixture.session(.pollingOnly, revision, interval: 0, timeout: 0)
        var wakeups = 0
        var now = MonotonicTime.seconds(0)
        while let deadline = session.deadline, deadline < .seconds(60) {
            wakeups += 1
            #expect(deadline > now)
            now = deadline
            session.handleTimeout(now: now)
            // The server answers everything at once.
            for action in session.allActions() {
                switch action {
                case .post: session.receive(.posted(status: 200, body: []), now: now)
                case .get:
                    if wakeups < 100 {
                        session.receive(.got(status: 200, body: EngineIOFixture.body(["3"], revision)), now: now)
                    }
                default: break
                }
            }
        }
        #expect(wakeups <= 110)
        #expect(session.isClosed)
    }

    // MARK: Sending

    @Test("sends at most 16 packets in a POST, one POST at a time, in order")
    func batches() throws {
        var session = EngineIOFixture.session()
        for number in 0..<40 { try session.send([message("\(number)")], token: UInt64(number)) }
        var posts: [String] = []
        var sent: [UInt64] = []
        while true {
            let bodies = session.allActions().compactMap(\.postBody)
            guard !bodies.isEmpty else { break }
            #expect(bodies.count == 1)
            posts += bodies
            session.receive(.posted(status: 200, body: Array("ok".utf8)), now: .seconds(0))
            for case .sent(let token) in session.allEvents() { sent.append(token) }
        }
        #expect(posts.map { $0.split(separator: "\u{1E}").count } == [16, 16, 8])
        #expect(posts.joined(separator: "\u{1E}") == (0..<40).map { "4\($0)" }.joined(separator: "\u{1E}"))
        #expect(sent == Array(0..<40))
    }

    @Test("keeps a POST within the server's bytes, and refuses a packet that no POST could carry")
    func maxPayload() throws {
        var session = EngineIOFixture.session(maxPayload: 100)
        #expect(throws: SocketIOError.limitExceeded("bytes in one packet", 100)) {
            try session.send([message(String(repeating: "x", count: 100))])
        }
        // 75 bytes are 100 digits of Base64.
        #expect(throws: SocketIOError.self) {
            try session.send([message("a"), EngineIOPacket(message: .bytes([UInt8](repeating: 1, count: 75)))])
        }
        for _ in 0..<5 { try session.send([message(String(repeating: "y", count: 40))]) }
        var sizes: [Int] = []
        while let body = session.allActions().compactMap(\.postBody).first {
            sizes.append(body.utf8.count)
            session.receive(.posted(status: 200, body: []), now: .seconds(0))
        }
        #expect(sizes == [83, 83, 41])
    }

    @Test("a text beyond the Basic Multilingual Plane is the last of its payload in revision 3")
    func astral() throws {
        var session = EngineIOFixture.session(.pollingOnly, .eio3)
        for text in ["a", "😀", "b"] { try session.send([message(text)]) }
        #expect(session.allActions().compactMap(\.postBody) == ["2:4a3:4😀"])
        session.receive(.posted(status: 200, body: []), now: .seconds(0))
        #expect(session.allActions().compactMap(\.postBody) == ["2:4b"])
    }

    @Test("a POST that fails ends the session; what was not in it is unsent, the rest may have arrived")
    func postFails() throws {
        var session = EngineIOFixture.session()
        for number in 0..<20 { try session.send([message("m")], token: UInt64(number)) }
        _ = session.allActions()
        session.receive(.postFailed("reset"), now: .seconds(0))
        #expect(session.allEvents() == [.closed(.transport("reset"))])
        #expect(session.unsent == [16, 17, 18, 19])
        #expect(session.allActions() == [.end])
        #expect(throws: SocketIOError.notConnected) { try session.send([message("m")]) }
    }

    @Test("packets in front of a fault are delivered, and the fault names its place")
    func fault() {
        var session = EngineIOFixture.session()
        _ = session.allActions()
        session.receive(.got(status: 200, body: EngineIOFixture.body(["4a", "9b", "4c"])), now: .seconds(1))
        let fault = SocketIOFault(.engineIO, .unknownType(UInt8(ascii: "9")), packet: 1, offset: 3)
        #expect(session.allEvents() == [.message(.text("a")), .closed(.malformed(fault))])
        #expect(fault.description == "Engine.IO: unknown packet type 0x39, at byte 3 of packet 1")
    }

    // MARK: The end

    @Test("closes in order: what waits is sent first")
    func closes() throws {
        var session = EngineIOFixture.session()
        _ = session.allActions()
        try session.send([message("last")], token: 1)
        session.close(now: .seconds(1))
        #expect(session.allActions().map(\.postBody) == ["4last\u{1E}1"])
        session.receive(.posted(status: 200, body: []), now: .seconds(1))
        #expect(session.allEvents() == [.sent(1), .closed(.closedLocally)])
        #expect(session.allActions() == [.end])
    }

    @Test("does not wait for ever for its close")
    func closeTimeout() {
        var session = EngineIOFixture.session()
        _ = session.allActions()
        session.close(now: .seconds(1))
        #expect(session.deadline == .seconds(3))
        session.handleTimeout(now: .seconds(3))
        #expect(session.allEvents() == [.closed(.closedLocally)])
    }

    @Test("says that the server has closed")
    func serverCloses() {
        var session = EngineIOFixture.session()
        _ = session.allActions()
        session.receive(.got(status: 200, body: EngineIOFixture.body(["4a", "1", "4b"])), now: .seconds(1))
        #expect(session.allEvents() == [.message(.text("a")), .closed(.closedByServer)])
    }

    // MARK: WebSocket alone

    private func webSocketSession(_ revision: EngineIORevision? = nil, maxPayload: Int?) -> EngineIOSession {
        var session = EngineIOSession(transports: .webSocketOnly, revision: revision, now: .seconds(0))
        #expect(session.allActions().map(\.query) == ["EIO=\(revision?.rawValue ?? 4)&transport=websocket"])
        session.receive(.webSocketOpened, now: .seconds(0))
        let open = EngineIOFixture.open(maxPayload: maxPayload)
        session.receive(.webSocketMessage(.text, Array(open.utf8)), now: .seconds(0))
        return session
    }

    private func revision(of session: inout EngineIOSession) -> EngineIORevision? {
        for case .opened(_, let revision) in session.allEvents() { return revision }
        return nil
    }

    @Test("a WebSocket alone tells the revisions apart by who speaks first")
    func webSocketRevision() {
        var certain = webSocketSession(maxPayload: 1_000)
        #expect(revision(of: &certain) == .eio4)
        var silent = webSocketSession(maxPayload: nil)
        #expect(revision(of: &silent) == nil && silent.deadline == .seconds(1))
        silent.handleTimeout(now: .seconds(1))
        #expect(revision(of: &silent) == .eio4)
        var talking = webSocketSession(maxPayload: nil)
        talking.receive(.webSocketMessage(.text, Array("40".utf8)), now: .seconds(0.1))
        let events = talking.allEvents()
        #expect(events.count == 2 && events.last == .message(.text("0")))
        #expect(talking.terms?.revision == .eio3)
        var wanted = webSocketSession(.eio3, maxPayload: nil)
        #expect(revision(of: &wanted) == .eio3)
    }

    @Test("a refused WebSocket is tried again with revision 3")
    func webSocketRefused() {
        var session = EngineIOSession(transports: .webSocketOnly, now: .seconds(0))
        _ = session.allActions()
        session.receive(.webSocketRefused(status: 400, body: []), now: .seconds(0))
        #expect(session.allActions().map(\.query) == ["EIO=3&transport=websocket"])
        session.receive(.webSocketOpened, now: .seconds(0))
        let open = EngineIOFixture.open(maxPayload: nil)
        session.receive(.webSocketMessage(.text, Array(open.utf8)), now: .seconds(0))
        #expect(revision(of: &session) == .eio3)
    }

    @Test("a WebSocket carries bytes with their type in revision 3, closes in order, and ends with its end")
    func webSocket() throws {
        var session = webSocketSession(.eio3, maxPayload: nil)
        try session.send([message("a"), EngineIOPacket(message: .bytes([1, 2]))], token: 7)
        #expect(
            session.allActions() == [.sendWebSocket(.text, Array("4a".utf8)), .sendWebSocket(.binary, [4, 1, 2])])
        #expect(session.allEvents().last == .sent(7))
        session.receive(.webSocketMessage(.binary, [4, 9]), now: .seconds(1))
        #expect(session.allEvents() == [.message(.bytes([9]))])
        var other = session
        session.close(now: .seconds(1))
        #expect(session.allActions() == [.sendWebSocket(.text, Array("1".utf8)), .end])
        #expect(session.allEvents() == [.closed(.closedLocally)])
        other.receive(.webSocketClosed("reset"), now: .seconds(1))
        #expect(other.allEvents() == [.closed(.transport("reset"))])
    }
}
