// A server of a room and a chat that sits in it, for tests: what the server does with events is what the test wants.

import BLIPNet
import Glibc
import Synchronization
import Testing

@testable import ChatCore
@testable import Storage

/// All connections to one room. Events reach everybody in the order in which the server took them.
final class SimulatedRoom: RoomConnecting {
    /// What the server does with an event.
    struct Manners: Sendable {
        var acknowledges = true
        /// To the sender as well.
        var echoes = true
        /// What it passes on has the ids that came with it.
        var passesIDs = true
        /// Loses the connection after so many more events, before it has said anything to the last one.
        var dropsAfter: Int?
        var maxPayload: Int? = 1_000_000
    }

    private struct State {
        var manners: Manners
        var isUp: Bool
        var connections: [SimulatedRoomConnection] = []
        var taken: [RoomEvent] = []
    }
    private let state: Mutex<State>

    init(_ manners: Manners = Manners(), isUp: Bool = true) {
        state = Mutex(State(manners: manners, isUp: isUp))
    }

    /// The events that the server has, in its order.
    var taken: [RoomEvent] { state.withLock { $0.taken } }
    var connectionCount: Int { state.withLock { $0.connections.count } }
    var manners: Manners {
        get { state.withLock { $0.manners } }
        set { state.withLock { $0.manners = newValue } }
    }

    /// The texts of the lines that the server has.
    var lines: [String] { taken.compactMap { $0.field("message") } }

    func connect(to room: RoomURL, through proxy: ProxyChoice) -> any RoomConnection {
        let connection = SimulatedRoomConnection(self)
        let facts = state.withLock { state in
            state.connections.append(connection)
            return state.isUp ? Self.facts(state) : nil
        }
        connection.tell(.connecting(attempt: 1))
        connection.tell(facts.map(RoomChange.joined) ?? .left(.disconnected, retry: .seconds(1)))
        return connection
    }

    private static func facts(_ state: State) -> RoomFacts {
        RoomFacts(
            remoteAddress: "192.0.2.1:443", isEncrypted: true, transport: "websocket",
            maxPayload: state.manners.maxPayload)
    }

    /// Everybody loses the connection.
    func stop() {
        let connections = state.withLock { state in
            state.isUp = false
            return state.connections
        }
        for connection in connections { connection.lose() }
    }

    func start() {
        let (connections, facts) = state.withLock { state in
            state.isUp = true
            return (state.connections, Self.facts(state))
        }
        for connection in connections {
            connection.tell(.connecting(attempt: 1))
            connection.tell(.joined(facts))
        }
    }

    /// Somebody else's event comes to all.
    func say(_ event: RoomEvent) {
        for connection in state.withLock({ $0.connections }) { connection.tell(event) }
    }

    func say(_ text: String, from sender: String, id: MessageID? = nil) {
        var fields: [String: RoomValue] = ["message": .text(text), "sender": .text(sender), "timestamp": .number(1e12)]
        if let id { fields["id"] = .text(id.text) }
        say(RoomEvent("chatMessage", [.object(fields)]))
    }

    func forget(_ connection: SimulatedRoomConnection) {
        state.withLock { $0.connections.removeAll { $0 === connection } }
    }

    /// An event of ours comes. Returns whether it is acknowledged; `nil`: there is no connection.
    fileprivate func take(_ event: RoomEvent, from sender: SimulatedRoomConnection) -> Bool? {
        enum Outcome { case refused, dropped, taken(Manners, [SimulatedRoomConnection]) }
        let outcome = state.withLock { state -> Outcome in
            guard state.isUp else { return .refused }
            state.taken.append(event)
            if let left = state.manners.dropsAfter {
                state.manners.dropsAfter = left > 1 ? left - 1 : nil
                if left <= 1 {
                    state.isUp = false
                    return .dropped
                }
            }
            return .taken(state.manners, state.connections)
        }
        switch outcome {
        case .refused: return nil
        case .dropped:
            stop()
            return false
        case .taken(let manners, let connections):
            var passed = event
            if !manners.passesIDs, case .object(var fields)? = passed.values.first {
                fields["id"] = .number(17)
                passed.values[0] = .object(fields)
            }
            for connection in connections where manners.echoes || connection !== sender {
                connection.tell(passed)
            }
            return manners.acknowledges
        }
    }
}

extension RoomEvent {
    func field(_ name: String) -> String? {
        guard case .object(let fields)? = values.first, case .text(let text)? = fields[name] else { return nil }
        return text
    }
}

final class SimulatedRoomConnection: RoomConnection {
    let changes: AsyncStream<RoomChange>
    private let events: AsyncStream<RoomEvent>
    private let changesOut: AsyncStream<RoomChange>.Continuation
    private let eventsOut: AsyncStream<RoomEvent>.Continuation
    private let room: SimulatedRoom
    /// How often the connection was lost.
    private let losses = Mutex(0)

    init(_ room: SimulatedRoom) {
        self.room = room
        (changes, changesOut) = AsyncStream.makeStream()
        (events, eventsOut) = AsyncStream.makeStream()
    }

    func tell(_ change: RoomChange) { changesOut.yield(change) }
    func tell(_ event: RoomEvent) { eventsOut.yield(event) }

    func nextEvent() async -> RoomEvent? { await events.first { _ in true } }

    func lose() {
        losses.withLock { $0 += 1 }
        tell(.left(.disconnected, retry: .milliseconds(1500)))
    }

    func emit(_ event: RoomEvent, patience: Duration) async throws(RoomEmitError) -> RoomReceipt {
        if let limit = room.manners.maxPayload, event.size > limit { return RoomReceipt { .tooLarge(limit: limit) } }
        let before = losses.withLock { $0 }
        guard let isAcknowledged = room.take(event, from: self) else { throw .notConnected }
        return RoomReceipt { [self] in
            let deadline = ContinuousClock.now + patience
            while ContinuousClock.now < deadline {
                if losses.withLock({ $0 }) > before { return .lost }
                if isAcknowledged { return .acknowledged }
                do { try await Task.sleep(for: .milliseconds(5)) } catch { return .lost }
            }
            return .none
        }
    }

    func reconnect() {}

    func close() async {
        room.forget(self)
        losses.withLock { $0 += 1 }
        changesOut.finish()
        eventsOut.finish()
    }
}

extension RoomEvent {
    fileprivate var size: Int {
        guard case .object(let fields)? = values.first else { return 0 }
        return fields.values.reduce(0) { sum, value in
            if case .bytes(let bytes) = value { sum + bytes.count } else { sum }
        }
    }
}

/// A chat on a real history that is in one room.
final class RoomGuest {
    let room: SimulatedRoom
    let home: String
    private(set) var client: ChatClient
    private(set) var database: HistoryDatabase
    private(set) var log: EventLog
    private(set) var contact = ContactID(0)
    private let identity: TLSIdentity
    private let configuration: ChatConfiguration
    private var runs = 1

    static let url = "sio+tls://chat.example/garden"

    init(_ room: SimulatedRoom, configure: (inout ChatConfiguration) -> Void = { _ in }) async throws {
        self.room = room
        var template = Array("/tmp/blipchat-room-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        identity = try TLSIdentity.generate()
        var configuration = ChatConfiguration(name: "alice", listen: nil, downloadsFolder: home + "/downloads")
        configuration.roomFilesFolder = home + "/rooms"
        configuration.limits.retryDelay = .milliseconds(50)
        configuration.limits.rooms.patience = .milliseconds(300)
        configure(&configuration)
        self.configuration = configuration
        database = try await HistoryDatabase.open(at: home + "/1.sqlite")
        client = Self.makeClient(database, room, identity, configuration)
        log = await EventLog(of: client)
        try await client.start()
        contact = try await client.ask(.joinRoom(try RoomURL(parsing: Self.url), name: nil)).id
    }

    deinit { removeFolder(home) }

    private static func makeClient(
        _ store: HistoryDatabase, _ room: SimulatedRoom, _ identity: TLSIdentity, _ configuration: ChatConfiguration
    ) -> ChatClient {
        let clock = WallClock()
        return ChatClient(
            store: store, connecting: LinkConnecting(identity: identity), rooms: room,
            identity: PeerID(identity.fingerprint), configuration: configuration, now: { clock.now })
    }

    func stop() async {
        await client.stop()
        await database.close()
    }

    /// The next run begins with the files as they are now, whatever the present one still writes: as after kill -9.
    func crash() async throws {
        let source = "\(home)/\(runs).sqlite"
        runs += 1
        let copy = "\(home)/\(runs).sqlite"
        _ = try await database.writer.perform { _ throws(StoreError) -> Bool in
            for suffix in ["", "-wal"] {
                guard let bytes = try? readFile(source + suffix) else { continue }
                do { try writeFile(copy + suffix, bytes) } catch { throw .cannotOpen(path: copy, reason: "\(error)") }
            }
            return true
        }
        await stop()
        database = try await HistoryDatabase.open(at: copy)
        client = Self.makeClient(database, room, identity, configuration)
        log = await EventLog(of: client)
        try await client.start()
    }

    // MARK: Shorthand

    @discardableResult func say(_ text: String) async throws -> ChatMessage {
        try await client.ask(.send(text, to: contact))
    }

    var history: [ChatMessage] {
        get async throws { try await client.ask(.page(of: contact, .newest, limit: 10_000)) }
    }

    var texts: [String] { get async throws { try await history.map(\.plainText) } }

    func state(of message: ChatMessage) async throws -> DeliveryState? {
        try await history.first { $0.id == message.id }?.state
    }

    var waiting: Int { get async throws { try await database.outbox(for: contact, limit: 1000).count } }

    var details: RoomDetails { get async throws { try #require(try await client.ask(.room(contact))) } }

    func waitJoined() async throws {
        try await eventually("the room is joined") { await client.linkState(of: contact).isOnline }
    }
}
