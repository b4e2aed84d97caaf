// The live network of rooms: implements the port RoomConnecting with BLIPNet's Socket.IO client.

package import BLIPNet
import Synchronization

/// Connects to rooms over Socket.IO.
package struct RoomLinking: RoomConnecting {
    package init() {}

    package func connect(to room: RoomURL, through proxy: ProxyChoice) -> any RoomConnection { RoomLink(room, proxy) }
}

/// One client with one namespace.
private final class RoomLink: RoomConnection {
    /// The parts that exist once the settings have been read.
    private struct Made: Sendable {
        let client: SocketIOClient
        let events: SocketIOEvents
        let changes: AsyncStream<SocketIOChange>
    }

    let changes: AsyncStream<RoomChange>
    private let room: RoomURL
    private let progress: RoomProgress
    private let making: Task<Made?, Never>
    private let following: Task<Void, Never>

    init(_ room: RoomURL, _ proxy: ProxyChoice) {
        let (changes, continuation) = AsyncStream.makeStream(of: RoomChange.self)
        let progress = RoomProgress(room, continuation)
        let making = Task { await Self.make(room, proxy, progress) }
        self.room = room
        self.changes = changes
        self.progress = progress
        self.making = making
        following = Task {
            guard let made = await making.value else { return }
            for await change in made.changes { progress.note(change) }
        }
    }

    /// Begins to connect; `nil` when that cannot be tried at all, which `progress` has reported then.
    private static func make(_ room: RoomURL, _ proxy: ProxyChoice, _ progress: RoomProgress) async -> Made? {
        do throws(RoomProblem) {
            let client = SocketIOClient(try await options(room, proxy))
            let made = Made(client: client, events: client.events(in: room.namespace), changes: client.changes)
            do throws(SocketIOError) { try await client.start() } catch { throw RoomProblem(reason: LinkReason(error)) }
            return made
        } catch {
            progress.tell(.left(error.reason, retry: nil))
            return nil
        }
    }

    private static func options(_ room: RoomURL, _ proxy: ProxyChoice) async throws(RoomProblem) -> SocketIOOptions {
        let place = "\(room.usesTLS ? "https" : "http")://\(room.endpoint)/"
        let url: WebSocketURL
        do throws(WebSocketURLError) { url = try WebSocketURL(place) } catch {
            throw RoomProblem(reason: .unresolvable(host: room.host, reason: "\(error)"))
        }
        var options = SocketIOOptions(url: url)
        options.path = room.path
        options.namespace = room.namespace
        options.proxy = proxy
        switch room.trust {
        case .plaintext, .system: break
        case .pinned(let key): options.tls.trust = .pinned(key)
        case .authority(let file): options.tls.trust = .roots([try await certificates(in: file)])
        }
        return options
    }

    private static let longestCertificates = 1 << 20

    private static func certificates(in path: String) async throws(RoomProblem) -> String {
        do throws(FileError) {
            return try await DiskLane.run(at: path, within: DiskLane.usersPatience) { () throws(FileError) in
                let file = try OpenFile.forReading(try DownloadFolder.resolved(path))
                return String(decoding: try file.contents(upTo: longestCertificates), as: UTF8.self)
            }
        } catch {
            throw RoomProblem(reason: .system(call: "open \(path)", errno: error.errno))
        }
    }

    func nextEvent() async -> RoomEvent? {
        guard let made = await making.value else { return nil }
        if let handled = progress.take(nil) { await Self.acknowledge(handled, to: made.client) }
        var iterator = made.events.makeAsyncIterator()
        guard let event = await iterator.next() else { return nil }
        if event.wantsAcknowledgement { _ = progress.take(event) }
        return RoomEvent(event.name, event.arguments.map(RoomValue.init))
    }

    private static func acknowledge(_ event: SocketIOEvent, to client: SocketIOClient) async {
        do throws(SocketIOError) { try await client.acknowledge(event) } catch {
            // The connection that it came over has ended: the server waits no longer.
        }
    }

    func emit(_ event: RoomEvent, patience: Duration) async throws(RoomEmitError) -> RoomReceipt {
        guard let losses = progress.lossesIfJoined, let made = await making.value else { throw .notConnected }
        let task = await made.client.submit(
            event.name, event.values.map(SocketIOValue.init), in: room.namespace, ackTimeout: patience)
        let byteCount = event.values.reduce(0) { $0 + $1.byteCount }
        return RoomReceipt { [progress] in
            switch await task.value {
            case .success: .acknowledged
            // An event that waited for another connection may not have been sent at all.
            case .failure(.timedOut) where progress.lossesIfJoined == losses: .none
            // In Base64 and JSON it takes more.
            case .failure(.limitExceeded(_, let limit)) where byteCount > limit / 2: .tooLarge(limit: limit)
            case .failure: .lost
            }
        }
    }

    func reconnect() {
        progress.run { [making, progress] in
            guard let made = await making.value, progress.lossesIfJoined == nil else { return }
            do throws(SocketIOError) { try await made.client.start() } catch {
                progress.tell(.left(LinkReason(error), retry: nil))
            }
        }
    }

    func close() async {
        // A client that is started after its end would be there for good.
        await progress.end()
        await making.value?.client.disconnect()
        following.cancel()
        progress.finish()
    }
}

/// Why a room cannot even be tried.
private struct RoomProblem: Error {
    var reason: LinkReason
}

/// How the connection to a room goes, as the client tells it.
private final class RoomProgress: Sendable {
    private struct State {
        var isJoined = false
        /// How often the connection or the namespace was lost.
        var losses = 0
        var transport = SocketIOTransport.polling
        /// How many bytes the server takes at once, as it told the open connection.
        var maxPayload: Int?
        /// Why it ended, until we have reported it.
        var end: LinkReason?
        /// The server removed us and we have reported that; the end of the connection is then no news.
        var isShownOut = false
        /// Its server waits for an acknowledgement.
        var taken: SocketIOEvent?
        /// Somebody wants the connection at once.
        var starting: Task<Void, Never>?
        var isEnded = false

        mutating func lose(_ reason: LinkReason) {
            if isJoined { losses += 1 }
            isJoined = false
            if !isShownOut { end = end ?? reason }
        }

        mutating func takeEnd() -> LinkReason {
            defer { end = nil }
            return end ?? .disconnected
        }
    }

    private let room: RoomURL
    private let continuation: AsyncStream<RoomChange>.Continuation
    private let state = Mutex(State())

    init(_ room: RoomURL, _ continuation: AsyncStream<RoomChange>.Continuation) {
        self.room = room
        self.continuation = continuation
    }

    func tell(_ change: RoomChange) { continuation.yield(change) }
    func finish() { continuation.finish() }

    /// Runs what starts the client, unless it is at its end.
    func run(_ start: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.starting = Task { [former = state.starting] in
                await former?.value
                await start()
            }
        }
    }

    /// Nothing starts the client any more once this returns.
    func end() async {
        let starting = state.withLock { state in
            state.isEnded = true
            return state.starting
        }
        await starting?.value
    }

    /// `nil`: there is no connection, or not the namespace.
    var lossesIfJoined: Int? { state.withLock { $0.isJoined ? $0.losses : nil } }

    /// Keeps an event that is to be acknowledged, and returns the one before.
    func take(_ event: SocketIOEvent?) -> SocketIOEvent? {
        state.withLock { state in
            defer { state.taken = event }
            return state.taken
        }
    }

    func note(_ change: SocketIOChange) {
        let told = state.withLock { state -> RoomChange? in
            switch change {
            case .connecting(let attempt):
                state.isShownOut = false
                return .connecting(attempt: attempt)
            case .opened(let transport, _, let maxPayload):
                state.transport = transport
                state.maxPayload = maxPayload
                return nil
            case .upgraded:
                state.transport = .webSocket
                return state.isJoined ? .joined(facts(state)) : nil
            case .upgradeFailed: return nil
            case .joined(let namespace):
                guard namespace == room.namespace else { return nil }
                state.isJoined = true
                state.end = nil
                return .joined(facts(state))
            case .left(let namespace, let error):
                guard namespace == room.namespace else { return nil }
                state.lose(LinkReason(error))
                state.isShownOut = true
                return .left(state.takeEnd(), retry: nil)
            case .heartbeat: return .ping
            case .closed(let error):
                state.lose(LinkReason(error))
                return nil
            case .waiting(let delay): return .left(state.takeEnd(), retry: delay)
            case .stopped: return state.end == nil ? nil : .left(state.takeEnd(), retry: nil)
            }
        }
        if let told { tell(told) }
    }

    private func facts(_ state: State) -> RoomFacts {
        RoomFacts(
            remoteAddress: "\(room.endpoint)", isEncrypted: room.usesTLS,
            transport: state.transport == .webSocket ? "websocket" : "polling", maxPayload: state.maxPayload)
    }
}

extension LinkReason {
    fileprivate init(_ error: SocketIOError) {
        self =
            switch error {
            case .closedLocally, .cancelled: .closedByUs
            case .closedByServer: .closedByPeer(code: 1000, reason: "")
            case .malformed(let fault): .peerViolated(layer: "Socket.IO", reason: "\(fault)")
            case .refused(401, _), .refused(403, _): .refusedByRoom(reason: "")
            case .refused(let status, _): .notSocketIO(reason: "HTTP \(status)")
            case .namespaceRefused(let value):
                .refusedByRoom(
                    reason: value.stringValue ?? value["message"]?.stringValue ?? value[0]?.stringValue ?? "")
            case .notSocketIO, .wrongRevision: .notSocketIO(reason: "")
            case .timedOut(let what): .timedOut(what: what)
            case .tls(.wrongKey(_, let presented)): .otherKeyOfServer(presented.bytes.hex)
            case .tls(let error): .untrusted(reason: "\(error)")
            case .link(let error): LinkReason(error)
            case .transport(let reason): .bodyFailed(reason: reason)
            case .connectionLost, .notConnected: .disconnected
            case .invalid(let what): .limitExceeded(what: what)
            case .limitExceeded(let what, _): .limitExceeded(what: what)
            }
    }
}

extension RoomValue {
    fileprivate init(_ value: SocketIOValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer, .number: self = .number(value.doubleValue ?? 0)
        case .digits(let digits): self = .text(digits)
        case .string(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .array(let values): self = .array(values.map(RoomValue.init))
        case .object(let members):
            self = .object(Dictionary(members.map { ($0.name, RoomValue($0.value)) }) { first, _ in first })
        }
    }

    /// About what it takes on the wire.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .bool, .number: 8
        case .text(let text): text.utf8.count + 2
        case .bytes(let bytes): bytes.count
        case .array(let values): values.reduce(2) { $0 + $1.byteCount }
        case .object(let fields): fields.reduce(2) { $0 + $1.key.utf8.count + $1.value.byteCount + 3 }
        }
    }
}

extension SocketIOValue {
    fileprivate init(_ value: RoomValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = Int64(exactly: number).map(SocketIOValue.integer) ?? .number(number)
        case .text(let text): self = .string(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .array(let values): self = .array(values.map(SocketIOValue.init))
        case .object(let fields):
            self = .object(
                fields.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: SocketIOValue($0.value)) })
        }
    }
}
