// Finds out whether a silent peer is still there (PROTOCOL 2): a ping after a while without a byte, then the end.

/// The clockwork of keepalive. A mapping in a router that has died swallows our bytes in silence, so only received
/// bytes count as a sign of life.
///
/// A connection over which nothing but pings passes is at rest: each ping that is answered doubles the time until the next
/// one, up to `WebSocketLimits.keepaliveAtRest`. The next message ends that.
struct WebSocketKeepalive: Sendable {
    private let shortest: Duration?
    private let longest: Duration?
    private let timeout: Duration
    private var interval: Duration?
    private var lastReceived: MonotonicTime
    /// We have sent the first message after a rest: from now on the peer's silence counts.
    private var hasWoken = false
    /// Set while a ping waits for any byte.
    private var pingedAt: MonotonicTime?
    /// The last ping, until its pong comes.
    private var lastPing: (number: UInt64, sent: MonotonicTime)?
    private var pings: UInt64 = 0
    private(set) var roundTrip: Duration?
    /// At rest, pings of all connections are due at multiples of this, so that one waking up serves many of them.
    private static let tick = Duration.seconds(15)

    /// `isServer`: it leaves the pings to the client while the connection is at rest, so that not both wake up for them.
    init(limits: WebSocketLimits, isServer: Bool, now: MonotonicTime) {
        shortest = limits.keepaliveInterval
        interval = shortest
        longest = limits.keepaliveAtRest.map { isServer ? $0 + $0 / 4 : $0 }
        timeout = limits.keepaliveTimeout
        lastReceived = now
    }

    /// When to ping, or to declare the peer dead.
    var deadline: MonotonicTime? {
        guard let shortest, let interval else { return nil }
        if let pingedAt { return pingedAt + timeout }
        let due = lastReceived + interval
        return interval > shortest ? due.roundedUp(to: Self.tick) : due
    }

    /// We send a message.
    mutating func sentMessage() {
        guard interval != shortest else { return }
        interval = shortest
        hasWoken = true
    }

    /// A message of the peer is there.
    mutating func receivedMessage() { interval = shortest }

    /// A ping, of either side, is answered.
    mutating func answeredPing() {
        guard let interval, let longest, interval < longest else { return }
        self.interval = min(interval * 2, longest)
    }

    /// The action that is due.
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
        if hasWoken {
            hasWoken = false
            if pingedAt == nil { lastReceived = max(lastReceived, now) }
        }
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
        answeredPing()
        return true
    }

    /// Names a ping, so that we can distinguish its pong from those of the driver's pings.
    private static func payload(_ number: UInt64) -> [UInt8] { Array("keepalive \(number)".utf8) }
}
