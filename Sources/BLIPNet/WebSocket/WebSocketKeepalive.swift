// Finds out whether a silent peer is still there (PROTOCOL 2): a ping after a while without a byte, then the end.

/// The clockwork of keepalive. A mapping in a router that has died swallows our bytes in silence, so only received
/// bytes count as a sign of life.
struct WebSocketKeepalive: Sendable {
    private let interval: Duration?
    private let timeout: Duration
    private var lastReceived: MonotonicTime
    /// Set while a ping waits for any byte.
    private var pingedAt: MonotonicTime?
    /// The last ping, until its pong comes.
    private var lastPing: (number: UInt64, sent: MonotonicTime)?
    private var pings: UInt64 = 0
    private(set) var roundTrip: Duration?

    init(limits: WebSocketLimits, now: MonotonicTime) {
        interval = limits.keepaliveInterval
        timeout = limits.keepaliveTimeout
        lastReceived = now
    }

    /// When to ping, or to give up.
    var deadline: MonotonicTime? {
        guard let interval else { return nil }
        return pingedAt.map { $0 + timeout } ?? lastReceived + interval
    }

    /// What is due.
    enum Action: Equatable {
        case ping([UInt8])
        case dead
    }

    /// The peer has sent something.
    mutating func received(now: MonotonicTime) {
        lastReceived = now
        pingedAt = nil
    }

    mutating func handleTimeout(now: MonotonicTime) -> Action? {
        guard let deadline, now >= deadline else { return nil }
        guard pingedAt == nil else { return .dead }
        pings += 1
        pingedAt = now
        lastPing = (pings, now)
        return .ping(Self.payload(pings))
    }

    /// Whether this pong answers the last keepalive ping; then it is measured.
    mutating func receivedPong(_ payload: [UInt8]) -> Bool {
        guard let ping = lastPing, payload == Self.payload(ping.number) else { return false }
        roundTrip = lastReceived - ping.sent
        lastPing = nil
        return true
    }

    /// Names a ping, so that its pong can be told from those of the driver's pings.
    private static func payload(_ number: UInt64) -> [UInt8] { Array("keepalive \(number)".utf8) }
}
