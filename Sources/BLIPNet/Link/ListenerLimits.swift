// How many callers a listener takes, decided before anything is spent on them (RELIABILITY 3).

/// The limits of one listener.
public struct ListenerLimits: Sendable, Equatable {
    /// Connections that are open or in their handshake, in all.
    public var maxConnections = 128
    /// Handshakes that may be running at the same time, from all addresses together.
    public var maxHandshakes = 128
    /// Handshakes that one address may have running at the same time, an IPv6 network of 64 bits counting as one
    /// (`SocketAddress.network`); does not count for UNIX-domain sockets.
    public var maxHandshakesPerAddress = 8
    /// Handshakes that may begin per second, from all addresses together; up to this many may begin at once.
    public var handshakesPerSecond = 50

    public init() {}
}

/// The bookkeeping behind `ListenerLimits`; pure, the time is passed in.
struct AdmissionControl {
    enum Refusal: Equatable {
        case tooManyConnections
        case tooManyHandshakes
        case tooManyFromAddress
        case tooFast
    }

    private let limits: ListenerLimits
    private var connections = 0
    private var handshakeCount = 0
    private var handshakes: [String: Int] = [:]
    /// Handshakes that may still begin, in billionths of one, refilled as time passes.
    private var credit: Int64
    private var refilledAt: MonotonicTime?

    private static let one: Int64 = 1_000_000_000

    init(limits: ListenerLimits) {
        self.limits = limits
        credit = Int64(clamping: limits.handshakesPerSecond) * Self.one
    }

    /// Admits a caller and counts it, or says why not. `host` is `nil` for a UNIX-domain socket.
    mutating func admit(host: String?, now: MonotonicTime) -> Refusal? {
        guard connections < limits.maxConnections else { return .tooManyConnections }
        guard handshakeCount < limits.maxHandshakes else { return .tooManyHandshakes }
        if let host, handshakes[host, default: 0] >= limits.maxHandshakesPerAddress { return .tooManyFromAddress }
        refill(now: now)
        guard credit >= Self.one else { return .tooFast }
        credit -= Self.one
        connections += 1
        handshakeCount += 1
        if let host { handshakes[host, default: 0] += 1 }
        return nil
    }

    /// An admitted caller has passed its handshake, or has failed in it. Called once for each.
    mutating func handshakeEnded(host: String?) {
        handshakeCount -= 1
        guard let host, let count = handshakes[host] else { return }
        handshakes[host] = count > 1 ? count - 1 : nil
    }

    /// An admitted caller is gone. Called once for each.
    mutating func connectionEnded() { connections -= 1 }

    private mutating func refill(now: MonotonicTime) {
        let full = Int64(clamping: limits.handshakesPerSecond) * Self.one
        if let refilledAt {
            let (gain, overflow) = (now - refilledAt).inNanoseconds
                .multipliedReportingOverflow(by: Int64(clamping: limits.handshakesPerSecond))
            let (sum, overflowed) = credit.addingReportingOverflow(gain)
            credit = overflow || overflowed ? full : min(full, max(sum, 0))
        }
        refilledAt = now
    }
}
