// Asks a router for one port, until there is an answer or none is to be expected: PCP first, then NAT-PMP. Pure: datagrams
// and time in, datagrams and an outcome out (REACH 5).

/// How a port was got.
package enum MappingWay: String, Sendable, Codable {
    case pcp = "PCP"
    case natPMP = "NAT-PMP"
    case upnp = "UPnP"
}

/// A port of the router that leads to one of ours.
package struct MappedPort: Sendable, Equatable {
    package var way: MappingWay
    /// The router's address outside: a numeric IPv4 address.
    package var host: String
    package var port: UInt16
    /// Our own port.
    package var inside: UInt16
    /// The numeric address of the router that gave the port.
    package var router = ""
    /// The router keeps the port for this long unless we renew it.
    package var lifetime: Duration
    /// Proves to the router that the port is ours (`PCPMapping.nonce`). Empty for NAT-PMP and UPnP.
    package var nonce: [UInt8]

    package init(
        way: MappingWay, host: String, port: UInt16, inside: UInt16, lifetime: Duration, nonce: [UInt8] = []
    ) {
        self.way = way
        self.host = host
        self.port = port
        self.inside = inside
        self.lifetime = lifetime
        self.nonce = nonce
    }
}

/// Why there is no port.
package enum MappingFailure: Error, Sendable, Hashable, Codable {
    /// No way out of this network, or none by IPv4.
    case noGateway
    /// The router answers in no protocol that we speak.
    case silent
    /// It has said no; the number is of RFC 6886 or RFC 6887.
    case refused(code: UInt16)
    /// The router reaches the network through another one: its outside address, which is this, is not public.
    case noPublicAddress(String)
    /// UPnP is wanted, and its program is not there.
    case noProgram
    /// It is there, and this process may not run it.
    case programKept
    /// This machine has an address of the public network itself.
    case notNeeded
}

/// One question to one router.
package struct PortQuestion: Sendable {
    /// The caller's request to the router.
    package enum Purpose: Sendable, Equatable {
        /// A port, or `earlier` for longer.
        case map(earlier: MappedPort?)
        /// Nobody needs it any more.
        case giveBack(MappedPort)
    }

    private enum Step {
        case pcp
        case natPMPAddress
        case natPMP(host: String)
        case over
    }

    /// We ask for a port for this many seconds.
    package static let lifetime: UInt32 = 3600
    /// Between a datagram and the next one, and after the last.
    static let pauses: [Duration] = [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)]
    /// We believe a router's lifetime within these limits, in seconds.
    private static let lifetimes: ClosedRange<UInt32> = 60...86_400

    private let port: UInt16
    private let client: [UInt8]
    private let nonce: [UInt8]
    private let purpose: Purpose
    private var step: Step
    private var sent = 0
    private var outgoing: [[UInt8]] = []
    /// When the present datagram has waited for long enough.
    package private(set) var deadline: MonotonicTime?
    /// The result; `nil` while the router may still answer. Giving a port back succeeds when the router confirms it.
    package private(set) var outcome: Result<MappedPort, MappingFailure>?

    /// `client`: our own address, 4 bytes. `nonce`: 12 random bytes.
    package init(_ purpose: Purpose, port: UInt16, client: [UInt8], nonce: [UInt8], now: MonotonicTime) {
        self.purpose = purpose
        self.port = port
        self.client = client
        let known: MappedPort? =
            switch purpose {
            case .map(let earlier): earlier
            case .giveBack(let mapped): mapped
            }
        self.nonce = known?.way == .pcp ? known?.nonce ?? nonce : nonce
        step = .pcp
        if known?.way == .natPMP { step = isGivingBack ? .natPMP(host: "") : .natPMPAddress }
        send(now: now)
    }

    private var isGivingBack: Bool { if case .giveBack = purpose { true } else { false } }

    private var lifetime: UInt32 { isGivingBack ? 0 : Self.lifetime }

    /// The port outside that we would like to have: the one that contacts know.
    private var wish: UInt16 {
        switch purpose {
        case .map(let earlier): earlier?.port ?? port
        case .giveBack: 0
        }
    }

    private var request: RouterRequest? {
        switch step {
        case .pcp:
            .map(PCPMapping(nonce: nonce, inside: port, outside: wish), client: client, lifetime: lifetime)
        case .natPMPAddress: .outsideAddress
        case .natPMP: .mapByNATPMP(inside: port, outside: wish, lifetime: lifetime)
        case .over: nil
        }
    }

    private mutating func send(now: MonotonicTime) {
        guard let request else { return }
        outgoing.append(request.bytes)
        deadline = now + Self.pauses[min(sent, Self.pauses.count - 1)]
        sent += 1
    }

    private mutating func go(to next: Step, now: MonotonicTime) {
        step = next
        sent = 0
        send(now: now)
    }

    private mutating func end(_ outcome: Result<MappedPort, MappingFailure>) {
        step = .over
        deadline = nil
        self.outcome = outcome
    }

    /// The next datagram for the router; `nil` when there is none.
    package mutating func nextDatagram() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }

    /// Takes a datagram of the router. An answer to another question is ignored.
    package mutating func receive(_ bytes: [UInt8], now: MonotonicTime) {
        guard let reply = RouterReply(bytes) else { return }
        switch (step, reply) {
        case (.pcp, .mapped(let mapping, let lifetime)) where mapping.nonce == nonce && mapping.inside == port:
            take(.pcp, mapping.address, mapping.outside, lifetime)
        case (.pcp, .otherVersion) where !isGivingBack: go(to: .natPMPAddress, now: now)
        // An elder router that does not know the question at all.
        case (.pcp, .refused(_, speaksPCP: false)) where !isGivingBack: go(to: .natPMPAddress, now: now)
        case (.pcp, .refused(let code, speaksPCP: true)), (.natPMP, .refused(let code, speaksPCP: false)),
            (.natPMPAddress, .refused(let code, speaksPCP: false)):
            end(.failure(.refused(code: code)))
        case (.natPMPAddress, .outsideAddress(let address)):
            if let host = hostOutside(address) { go(to: .natPMP(host: host), now: now) }
        case (.natPMP(let host), .mappedByNATPMP(let inside, let outside, let lifetime)) where inside == port:
            end(mapped(.natPMP, host, outside, lifetime))
        default: break
        }
    }

    private mutating func take(_ way: MappingWay, _ address: [UInt8], _ outside: UInt16, _ lifetime: UInt32) {
        guard !isGivingBack else { return end(mapped(way, "", outside, lifetime)) }
        if let host = hostOutside(address) { end(mapped(way, host, outside, lifetime)) }
    }

    /// The router's own address as a text; ends the question, and is `nil`, when nobody outside can call that address.
    private mutating func hostOutside(_ address: [UInt8]) -> String? {
        guard let host = Self.publicHost(address) else {
            end(.failure(.noPublicAddress(Self.text(address))))
            return nil
        }
        return host
    }

    private func mapped(
        _ way: MappingWay, _ host: String, _ outside: UInt16, _ lifetime: UInt32
    ) -> Result<MappedPort, MappingFailure> {
        guard isGivingBack || outside > 0 && lifetime > 0 else { return .failure(.refused(code: 0)) }
        let seconds = min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        return .success(
            MappedPort(
                way: way, host: host, port: outside, inside: port, lifetime: .seconds(Int64(seconds)),
                nonce: way == .pcp ? nonce : []))
    }

    /// The text of an IPv4 address of 4 bytes.
    static func text(_ address: [UInt8]) -> String { address.map { "\($0)" }.joined(separator: ".") }

    /// The text of an address that leads here from outside; `nil` for one that is another router's inside.
    package static func publicHost(_ address: [UInt8]) -> String? {
        let host = text(address)
        guard let place = SocketAddress(host: host, port: 0), !place.isInside else { return nil }
        return host
    }

    /// Nobody listens at that port of the router.
    package mutating func refusedByHost() {
        if outcome == nil { end(.failure(.silent)) }
    }

    /// Does what is due at `now`; harmless when nothing is.
    package mutating func handleTimeout(now: MonotonicTime) {
        guard let deadline, now >= deadline else { return }
        // A caller that gives a port back is about to exit.
        guard sent >= (isGivingBack ? 2 : Self.pauses.count) else { return send(now: now) }
        if case .pcp = step, !isGivingBack { return go(to: .natPMPAddress, now: now) }
        end(.failure(.silent))
    }
}
