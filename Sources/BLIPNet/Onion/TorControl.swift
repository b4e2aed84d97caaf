// The conversation with a tor on its control port: who it is, how far it has come, and our onion service. Pure: bytes and time
// in, events and bytes out (REACH 5).

/// One control connection.
package struct TorControl: Sendable {
    /// The request that we make to tor.
    package struct Wish: Sendable, Equatable {
        /// `nil`: we only call others.
        package var service: OnionService?
        /// The place to which tor brings callers of our service.
        package var target: String
        /// It is a child of ours, which ends when this connection does.
        package var isOurs: Bool

        package init(service: OnionService?, target: String, isOurs: Bool) {
            self.service = service
            self.target = target
            self.isOurs = isOurs
        }
    }

    package enum Event: Sendable, Equatable {
        /// The 32 bytes in this file are needed: `provide`.
        case wantsCookie(path: String)
        /// So many of 100 steps are done; with 100 others can be called.
        case started(percent: Int)
        /// Where it takes SOCKS, as its configuration writes it; comes where it is not ours.
        case socks([String])
        /// Our service is there; it can be called once it is announced.
        case added
        case announced
        /// The connection is of no use any more. Comes once, and last.
        case ended(OnionProblem)
    }

    /// The question that the next reply answers.
    private enum Step: Equatable {
        case information
        case cookie
        case challenge
        case authentication
        case ownership
        case events
        case phase
        case listeners
        case service
        case done
        case ended
    }

    /// How long tor may take to answer.
    package static let patience = Duration.seconds(20)

    private let wish: Wish
    private let nonce: [UInt8]
    private var cookie: [UInt8] = []
    private var reader = TorReplyReader()
    private var step = Step.information
    private var events: [Event] = []
    private var outgoing = TorCommand.protocolInfo.bytes
    private var asked: MonotonicTime
    private var percent = -1
    private var isAnnounced = false

    /// `nonce`: 32 bytes by chance.
    package init(_ wish: Wish, nonce: [UInt8], now: MonotonicTime) {
        self.wish = wish
        self.nonce = nonce
        asked = now
    }

    // MARK: Receiving

    /// Takes bytes from tor, in any cut.
    package mutating func receive(_ bytes: [UInt8], now: MonotonicTime) {
        guard step != .ended else { return }
        reader.append(bytes)
        do throws(TorViolation) {
            while step != .ended, let reply = try reader.next() {
                if reply.isEvent { hear(reply) } else { take(reply, now) }
            }
        } catch {
            end(.violated(reason: error.reason))
        }
    }

    /// The connection is over.
    package mutating func receiveEnd() { end(.silent) }

    /// Takes the content of the file that `wantsCookie` has named; `nil`: the caller cannot read it.
    package mutating func provide(cookie found: [UInt8]?, now: MonotonicTime) {
        guard case .cookie = step else { return }
        // Tor writes 32 bytes. We prove to nobody that we know another file.
        guard let found, found.count == TorProof.cookieBytes else { return end(.noCookie) }
        cookie = found
        ask(.challenge(nonce), .challenge, now)
    }

    private mutating func take(_ reply: TorReply, _ now: MonotonicTime) {
        if !reply.isGood { return refuse(reply) }
        switch step {
        case .information: takeInformation(reply, now)
        case .challenge: takeChallenge(reply, now)
        case .authentication:
            if wish.isOurs { ask(.takeOwnership, .ownership, now) } else { askForEvents(now) }
        case .ownership: askForEvents(now)
        case .events: ask(.getInfo(Self.phase), .phase, now)
        case .phase:
            hear(phaseOf: reply)
            if wish.isOurs { addService(now) } else { ask(.getInfo(Self.listeners), .listeners, now) }
        case .listeners:
            events.append(.socks(Self.listeners(in: reply)))
            addService(now)
        case .service:
            guard reply.value(of: "ServiceID") == wish.service?.id else {
                return end(.violated(reason: "another service than ours"))
            }
            step = .done
            events.append(.added)
        case .cookie, .done, .ended: end(.violated(reason: "a reply that nobody asked for"))
        }
    }

    private mutating func refuse(_ reply: TorReply) {
        let words = "\(reply.status) \(reply.lines.last ?? "")"
        switch step {
        // The cookie that we have read is not its own.
        case .authentication: end(.otherTor)
        default: end(.refused(reason: words))
        }
    }

    private mutating func takeInformation(_ reply: TorReply, _ now: MonotonicTime) {
        let methods = (reply.value(of: "METHODS") ?? "").split(separator: ",")
        if methods.contains("SAFECOOKIE"), let path = reply.value(of: "COOKIEFILE") {
            step = .cookie
            events.append(.wantsCookie(path: path))
        } else if methods.contains("NULL") {
            ask(.authenticate([]), .authentication, now)
        } else {
            end(.noCookie)
        }
    }

    private mutating func takeChallenge(_ reply: TorReply, _ now: MonotonicTime) {
        guard let hash = reply.value(of: "SERVERHASH").flatMap({ [UInt8](hex: $0) }), hash.count == TorProof.hashBytes,
            let theirs = reply.value(of: "SERVERNONCE").flatMap({ [UInt8](hex: $0) }),
            theirs.count == TorProof.nonceBytes
        else { return end(.violated(reason: "a challenge without its parts")) }
        let proof = TorProof(cookie: cookie, ours: nonce, theirs: theirs)
        guard KeyedDigest.areEqual(proof.server, hash) else { return end(.otherTor) }
        SecretMemory.wipe(&cookie)
        ask(.authenticate(proof.client), .authentication, now)
    }

    private mutating func askForEvents(_ now: MonotonicTime) {
        ask(.setEvents(["HS_DESC", "STATUS_CLIENT"]), .events, now)
    }

    private mutating func addService(_ now: MonotonicTime) {
        guard let service = wish.service else { return step = .done }
        ask(.addOnion(service, target: wish.target), .service, now)
    }

    private mutating func hear(_ event: TorReply) {
        let words = event.lines.first?.split(separator: " ").map(String.init) ?? []
        switch words.first {
        case "STATUS_CLIENT" where words.dropFirst().contains("BOOTSTRAP"): hear(phaseOf: event)
        case "HS_DESC":
            guard words.count > 2, words[1] == "UPLOADED", words[2] == wish.service?.id, !isAnnounced else { return }
            isAnnounced = true
            events.append(.announced)
        default: break
        }
    }

    private mutating func hear(phaseOf reply: TorReply) {
        guard let now = reply.value(of: "PROGRESS").flatMap({ Int($0) }), (0...100).contains(now), now > percent else {
            return
        }
        percent = now
        events.append(.started(percent: now))
    }

    private static let phase = "status/bootstrap-phase"
    private static let listeners = "net/listeners/socks"

    /// `net/listeners/socks="127.0.0.1:9050" "unix:/run/tor/socks"`
    private static func listeners(in reply: TorReply) -> [String] {
        guard let line = reply.lines.first(where: { $0.hasPrefix("\(listeners)=") }) else { return [] }
        return line.dropFirst(listeners.utf8.count + 1).split(separator: "\"").map(String.init).filter { $0 != " " }
    }

    // MARK: Sending

    private mutating func ask(_ command: TorCommand, _ next: Step, _ now: MonotonicTime) {
        outgoing += command.bytes
        step = next
        asked = now
    }

    /// Our service is to be gone: the last thing that is said.
    package mutating func leave() {
        guard step == .done, let service = wish.service else { return }
        outgoing += TorCommand.deleteOnion(service.id).bytes
        step = .ended
    }

    private mutating func end(_ problem: OnionProblem) {
        guard step != .ended else { return }
        step = .ended
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
        switch step {
        case .done, .ended: nil
        default: asked + Self.patience
        }
    }

    /// Does what is due at `now`; harmless when nothing is.
    package mutating func handleTimeout(now: MonotonicTime) {
        guard let deadline, now >= deadline else { return }
        end(.silent)
    }
}

/// Both sides know the cookie, and say it to nobody (control-spec 3.24, SAFECOOKIE).
struct TorProof {
    static let cookieBytes = 32
    static let hashBytes = 32
    static let nonceBytes = 32

    /// The proof that tor gives.
    let server: [UInt8]
    /// The proof that we give.
    let client: [UInt8]

    init(cookie: [UInt8], ours: [UInt8], theirs: [UInt8]) {
        func proof(_ direction: String) -> [UInt8] {
            KeyedDigest.hmac(
                cookie + ours + theirs, key: Array("Tor safe cookie authentication \(direction) hash".utf8))
        }
        server = proof("server-to-controller")
        client = proof("controller-to-server")
    }
}
