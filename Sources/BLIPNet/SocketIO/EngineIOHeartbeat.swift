// The heartbeat: who pings whom, and when the other side is dead (SOCKETIO B11, trap 8).

/// The clockwork of both roles: in revision 3 we ping and the server answers, in revision 4 the other way round. A packet of
/// any kind is a sign of life.
struct EngineIOHeartbeat: Sendable, Equatable {
    /// Servers of Python announce 0 for every time below a second: we ping at most four times a second.
    static let shortestInterval = Duration.milliseconds(250)
    static let shortestTimeout = Duration.seconds(1)

    private let revision: EngineIORevision
    private let interval: Duration
    private let timeout: Duration
    private var lastReceived: MonotonicTime
    /// Revision 3: the next ping is sent then.
    private var nextPing: MonotonicTime
    /// Revision 3: the last ping, until anything comes.
    private var pinged: MonotonicTime?

    init(_ handshake: EngineIOHandshake, revision: EngineIORevision, now: MonotonicTime) {
        self.revision = revision
        interval = max(handshake.pingInterval, Self.shortestInterval)
        timeout = max(handshake.pingTimeout, Self.shortestTimeout)
        lastReceived = now
        nextPing = now + interval
    }

    /// When something is due.
    var deadline: MonotonicTime {
        switch revision {
        case .eio3: pinged.map { min($0 + timeout, nextPing) } ?? nextPing
        case .eio4: lastReceived + interval + timeout
        }
    }

    enum Action: Equatable {
        case ping
        case dead
    }

    mutating func received(now: MonotonicTime) {
        lastReceived = now
        pinged = nil
    }

    mutating func handleTimeout(now: MonotonicTime) -> Action? {
        guard now >= deadline else { return nil }
        guard revision == .eio3 else { return .dead }
        if let pinged, now >= pinged + timeout { return .dead }
        nextPing = now + interval
        if pinged == nil { pinged = now }
        return .ping
    }
}
