// The upgrade from polling to a WebSocket: each point at which it can fail, and a server that fails at random (SOCKETIO B5).

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct EngineIOUpgradeTests {
    private func upgrading(_ revision: EngineIORevision = .eio4) -> EngineIOSession {
        EngineIOFixture.session(.upgrade, revision)
    }

    private func webSocket(_ text: String) -> EngineIOInput { .webSocketMessage(.text, Array(text.utf8)) }

    private func send(_ text: String, _ session: inout EngineIOSession) throws {
        try session.send([EngineIOPacket(.message, text)], token: UInt64(text))
    }

    @Test("probes, waits for the requests on their way, and moves", arguments: EngineIORevision.allCases)
    func moves(revision: EngineIORevision) throws {
        var session = upgrading(revision)
        #expect(
            session.allActions().map(\.query) == [
                "EIO=\(revision.rawValue)&transport=websocket&sid=s1",
                "EIO=\(revision.rawValue)&transport=polling&sid=s1",
            ])
        session.receive(.webSocketOpened, now: .seconds(0))
        #expect(session.allActions().map(\.text) == ["2probe"])
        try send("1", &session)
        #expect(session.allActions().count == 1)
        session.receive(webSocket("3probe"), now: .seconds(0))
        try send("2", &session)
        #expect(session.allActions().isEmpty)
        session.receive(.got(status: 200, body: EngineIOFixture.body(["4late", "6"], revision)), now: .seconds(0))
        #expect(session.allActions().isEmpty)
        session.receive(.posted(status: 200, body: []), now: .seconds(0))
        #expect(session.allActions().map(\.text) == ["5", "42"])
        #expect(session.allEvents() == [.message(.text("late")), .sent(1), .upgraded, .sent(2)])
        session.receive(webSocket("4hi"), now: .seconds(0))
        #expect(session.allEvents() == [.message(.text("hi"))])
        #expect(session.deadline != nil && session.upgrade == .none)
    }

    /// How an upgrade fails before its last packet.
    enum Failure: CaseIterable {
        case refused, notOpened, closedBeforeAnswer, wrongAnswer, noAnswer, closedWhilePausing, stuckWhilePausing
    }

    @Test("stays with polling when it fails, with nothing lost or doubled", arguments: Failure.allCases)
    func fails(failure: Failure) throws {
        var session = upgrading()
        _ = session.allActions()
        try send("1", &session)
        #expect(session.allActions().compactMap(\.postBody) == ["41"])
        if failure != .refused, failure != .notOpened {
            session.receive(.webSocketOpened, now: .seconds(0))
            #expect(session.allActions().map(\.text) == ["2probe"])
        }
        if failure == .closedWhilePausing || failure == .stuckWhilePausing {
            session.receive(webSocket("3probe"), now: .seconds(0))
        }
        try send("2", &session)
        // Something comes in time, so that the session itself is alive.
        switch failure {
        case .refused: session.receive(.webSocketRefused(status: 403, body: []), now: .seconds(0))
        case .notOpened, .closedBeforeAnswer, .closedWhilePausing:
            session.receive(.webSocketClosed("reset"), now: .seconds(0))
        case .wrongAnswer: session.receive(webSocket("4probe"), now: .seconds(0))
        case .noAnswer, .stuckWhilePausing:
            session = keptAlive(session)
            session.handleTimeout(now: .seconds(10))
        }
        session.receive(.posted(status: 200, body: []), now: .seconds(10))
        let events = session.allEvents()
        #expect(events.contains { if case .upgradeFailed = $0 { true } else { false } })
        #expect(events.last == .sent(1) && session.isOpen)
        let actions = session.allActions()
        #expect(actions.first == .closeWebSocket)
        #expect(actions.compactMap(\.postBody) == ["42"] && actions.allSatisfy { $0.text == nil })
        // What the abandoned WebSocket still says is of no interest.
        session.receive(webSocket("3probe"), now: .seconds(10))
        session.receive(.webSocketClosed("bye"), now: .seconds(10))
        session.receive(.posted(status: 200, body: []), now: .seconds(10))
        #expect(session.allEvents() == [.sent(2)])
        #expect(session.isOpen)
    }

    /// Ten seconds later, with a sign of life just before.
    private func keptAlive(_ session: EngineIOSession) -> EngineIOSession {
        var session = session
        guard case .open(var terms) = session.state else { return session }
        terms.heartbeat.received(now: .seconds(9))
        session.state = .open(terms)
        return session
    }

    @Test("a WebSocket that ends after the upgrade ends the session; what it took may have arrived")
    func endsAfterwards() throws {
        var session = upgrading()
        _ = session.allActions()
        session.receive(.webSocketOpened, now: .seconds(0))
        session.receive(webSocket("3probe"), now: .seconds(0))
        session.receive(.got(status: 200, body: Array("6".utf8)), now: .seconds(0))
        _ = session.allActions()
        for text in ["1", "2"] { try send(text, &session) }
        #expect(session.nextAction()?.text == "41")
        session.receive(.webSocketClosed("reset"), now: .seconds(0))
        #expect(session.allEvents() == [.upgraded, .sent(1), .closed(.transport("reset"))])
        #expect(session.unsent == [2])
    }

    @Test("closing in the middle of it closes by polling")
    func closing() {
        var session = upgrading()
        _ = session.allActions()
        session.receive(.webSocketOpened, now: .seconds(0))
        session.close(now: .seconds(0))
        #expect(session.allActions().map { $0.postBody ?? "\($0)" } == ["closeWebSocket", "1"])
        session.receive(.posted(status: 200, body: []), now: .seconds(0))
        #expect(session.allEvents() == [.closed(.closedLocally)])
    }

    @Test("against a server that answers and fails at random, nothing is lost or doubled", arguments: 0..<300)
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var session = upgrading(seed % 2 == 0 ? .eio4 : .eio3)
        var server = RandomServer(revision: seed % 2 == 0 ? .eio4 : .eio3)
        var (sent, next): (Set<UInt64>, UInt64) = ([], 1)
        var received: [String] = []
        var now = MonotonicTime.seconds(0)
        for _ in 0..<200 {
            if Bool.random(using: &generator), session.isOpen {
                let binary = EngineIOPacket(message: .bytes(Array("\(next)".utf8)))
                try session.send([EngineIOPacket(.message, "\(next)"), binary], token: next)
                next += 1
            }
            while Int.random(in: 0..<3, using: &generator) > 0, let action = session.nextAction() {
                server.take(action)
            }
            if let input = server.next(&generator) { session.receive(input, now: now) }
            now = now + .milliseconds(Int.random(in: 0..<100, using: &generator))
            session.handleTimeout(now: now)
            for event in session.allEvents() {
                switch event {
                case .sent(let token): #expect(sent.insert(token).inserted)
                case .message(.text(let text)): received.append(text)
                default: break
                }
            }
        }
        // In order, each once, text and attachment together: a prefix of what was sent.
        let arrived = server.arrived
        #expect(arrived == (0..<arrived.count).map { "\($0 / 2 + 1)\($0 % 2 == 0 ? "" : "b")" })
        #expect(received == (0..<received.count).map { "s\($0)" })
        #expect(sent.count * 2 <= arrived.count + server.onTheWay)
        if session.isClosed {
            // What is called unsent never arrives.
            #expect(session.unsent.allSatisfy { !arrived.contains("\($0)") && !sent.contains($0) })
        }
    }
}

/// A server that takes requests and messages when it likes, and sometimes breaks one of its transports.
private struct RandomServer {
    let revision: EngineIORevision
    /// Messages in the order in which they came; `b` marks an attachment.
    private(set) var arrived: [String] = []
    private var hasGet = false
    private var post: [UInt8]?
    private var postIsBinary = false
    private enum WebSocket { case none, asked, open, upgraded, broken }
    private var webSocket = WebSocket.none
    private var incoming: [(WebSocketMessageKind, [UInt8])] = []
    private var outgoing: [String] = []
    private var counter = 0
    private var isDead = false

    init(revision: EngineIORevision) { self.revision = revision }

    /// Messages that the session has given to the WebSocket and that are not here, or never will be.
    var onTheWay: Int { incoming.count + lost }
    private var lost = 0

    mutating func take(_ action: EngineIOAction) {
        switch action {
        case .get:
            #expect(!hasGet && webSocket != .upgraded)
            hasGet = true
        case .post(_, let encoded):
            #expect(post == nil && webSocket != .upgraded)
            post = encoded.body
        case .openWebSocket: webSocket = .asked
        case .sendWebSocket(let kind, let bytes): incoming.append((kind, bytes))
        case .closeWebSocket:
            webSocket = .broken
            incoming = []
        case .end: isDead = true
        }
    }

    private mutating func take(_ packet: EngineIOPacket) {
        guard packet.kind == .message else { return }
        switch packet.payload {
        case .text(let text): arrived.append(text)
        case .bytes(let bytes): arrived.append(String(decoding: bytes, as: UTF8.self) + "b")
        }
    }

    mutating func next(_ generator: inout SeededGenerator) -> EngineIOInput? {
        guard !isDead else { return nil }
        let breaks = Int.random(in: 0..<60, using: &generator) == 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            guard hasGet else { return nil }
            hasGet = false
            if breaks, webSocket == .broken { return .getFailed("reset") }
            counter += 1
            return .got(
                status: 200, body: EngineIOFixture.body(["4s\(counter - 1)", revision == .eio4 ? "2" : "6"], revision))
        case 1:
            guard let body = post.take() else { return nil }
            if breaks, webSocket == .broken { return .postFailed("reset") }
            for packet in EngineIOPayload.decode(body, revision: revision).packets { take(packet) }
            return .posted(status: 200, body: [])
        case 2:
            guard webSocket == .asked else { return nil }
            webSocket = breaks ? .broken : .open
            return breaks ? .webSocketRefused(status: 400, body: []) : .webSocketOpened
        default:
            guard webSocket == .open || webSocket == .upgraded else { return nil }
            if breaks {
                webSocket = .broken
                lost = incoming.count
                incoming = []
                return .webSocketClosed("reset")
            }
            guard !incoming.isEmpty else { return nil }
            let (kind, bytes) = incoming.removeFirst()
            guard let packet = try? EngineIOPacket(webSocket: kind, bytes, revision: revision) else { return nil }
            switch packet.kind {
            case .ping: return packet.text == "probe" ? .webSocketMessage(.text, Array("3probe".utf8)) : nil
            case .upgrade:
                #expect(webSocket == .open && !hasGet && post == nil)
                webSocket = .upgraded
            default: take(packet)
            }
            return nil
        }
    }
}
