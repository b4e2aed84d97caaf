// A connection to a relay on which we ask it for something: to be reached there, or to be put through. Pure: bytes and
// time in, events and bytes out (REACH 3).

/// The conversation on one control connection, once TLS is up.
package struct RelayControl: Sendable {
    /// The request that we make to the relay.
    package enum Purpose: Sendable, Equatable {
        /// Callers are to be sent to us.
        case beReached(token: String)
        /// We call the peer that has joined under this id.
        case call(RelayID)
    }

    package enum Event: Sendable, Equatable {
        /// The relay sends callers to us from now on.
        case joined
        /// A session waits; to a call this is the answer.
        case invited(RelayInvitation)
        /// The connection is of no use any more. Comes once, and last.
        case ended(RelayProblem)
    }

    private enum State: Equatable {
        case asking
        case joined
        case ended
    }

    /// How long a relay may be silent before we ask for a sign of life, until we know how often it asks us. It then has as
    /// long to answer.
    package static let patience = Duration.seconds(20)
    /// A relay asks us in turn, strelaysrv once a minute. Once we know how often, we ask only when that is late by this:
    /// at rest one packet a minute wakes us, not four.
    package static let grace = Duration.seconds(10)
    /// We never wait longer than this, however rarely the relay asks.
    package static let mostPatience = Duration.seconds(75)
    /// How long it may take to answer what we ask for.
    package static let answerTime = Duration.seconds(5)

    private let purpose: Purpose
    /// The address of the relay; `nil` with a proxy, where only the proxy knows it.
    private let address: [UInt8]?
    private var reader = RelayReader()
    private var state = State.asking
    private var events: [Event] = []
    private var outgoing: [UInt8]
    private let began: MonotonicTime
    private var heard: MonotonicTime
    private var hasPinged = false
    /// When the relay asked last, and the longest time between two of its questions.
    private var asked: MonotonicTime?
    private var interval: Duration?

    /// `address`: where the connection leads, 4 or 16 bytes.
    package init(_ purpose: Purpose, address: [UInt8]?, now: MonotonicTime) {
        self.purpose = purpose
        self.address = address
        began = now
        heard = now
        outgoing =
            switch purpose {
            case .beReached(let token): RelayMessage.joinRelay(token: token).encoded()
            case .call(let id): RelayMessage.connect(id).encoded()
            }
    }

    /// Takes bytes from the relay, in any cut.
    package mutating func receive(_ bytes: [UInt8], now: MonotonicTime) {
        guard state != .ended else { return }
        heard = now
        hasPinged = false
        reader.append(bytes)
        do throws(RelayViolation) {
            while state != .ended, let message = try reader.next() { take(message) }
        } catch {
            end(.violated(reason: error.reason))
        }
    }

    /// The connection is over.
    package mutating func receiveEnd() { end(.gone) }

    private mutating func take(_ message: RelayMessage) {
        switch (message, state) {
        case (.ping, _): answerPing()
        case (.pong, _): break
        case (.full, _): end(.full)
        case (.response(let response), .asking): take(response)
        case (.invitation(let invitation), _) where isExpected: take(invitation)
        default: end(.violated(reason: "a message that nobody asked for"))
        }
    }

    private mutating func answerPing() {
        outgoing += RelayMessage.pong.encoded()
        if let asked { interval = max(interval ?? .zero, heard - asked) }
        asked = heard
    }

    /// Whether an invitation makes sense now.
    private var isExpected: Bool {
        switch purpose {
        case .beReached: state == .joined
        case .call: state == .asking
        }
    }

    private mutating func take(_ response: RelayResponse) {
        switch (response.code, purpose) {
        case (.success, .beReached):
            state = .joined
            events.append(.joined)
        case (.alreadyConnected, .beReached): end(.idTaken)
        case (.wrongToken, _): end(.wantsToken)
        case (.notFound, .call): end(.notThere)
        default: end(.violated(reason: response.words))
        }
    }

    private mutating func take(_ invitation: RelayInvitation) {
        // Which side has which part of the session follows from who called.
        let isForUs =
            switch purpose {
            case .beReached: invitation.isServer
            case .call(let id): !invitation.isServer && invitation.from == id
            }
        guard isForUs else { return end(.violated(reason: "an invitation to somebody else")) }
        if let address, !invitation.isAt(address) { return end(.elsewhere) }
        events.append(.invited(invitation))
        if case .call = purpose { state = .ended }
    }

    private mutating func end(_ problem: RelayProblem) {
        guard state != .ended else { return }
        state = .ended
        events.append(.ended(problem))
    }

    /// The next event; `nil` when the caller has seen all of them.
    package mutating func nextEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

    /// The bytes that the caller sends now; none when we have nothing to say.
    package mutating func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    // MARK: Time

    /// When `handleTimeout` wants to be called.
    package var deadline: MonotonicTime? {
        switch state {
        case .asking: began + Self.answerTime
        case .joined: heard + silence + (hasPinged ? Self.patience : .zero)
        case .ended: nil
        }
    }

    /// How long the relay may say nothing before we ask.
    private var silence: Duration {
        guard let interval else { return Self.patience }
        return min(max(interval + Self.grace, Self.patience), Self.mostPatience)
    }

    /// Does what is due at `now`; harmless when nothing is.
    package mutating func handleTimeout(now: MonotonicTime) {
        guard let deadline, now >= deadline else { return }
        if state == .asking || hasPinged { return end(.silent) }
        hasPinged = true
        outgoing += RelayMessage.ping.encoded()
    }
}
