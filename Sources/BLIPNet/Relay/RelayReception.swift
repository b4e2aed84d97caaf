// Being reached at a relay: the control connection, and the sessions that it announces (REACH 3).

internal import Synchronization

/// How a relay was joined.
package struct RelayJoined: Sendable {
    /// How long the relay took to answer.
    package var roundTrip: Duration
    /// Our end of the connection: a numeric address.
    package var localHost: String?
}

/// Takes callers at one relay.
package struct RelayReception: Sendable {
    let relay: RelayServer
    let token: String
    let options: LinkOptions
    let accept: LinkListener.Acceptance

    /// `options` are those of links; `accept` decides about each caller, as with `LinkListener`.
    package init(
        at relay: RelayServer, token: String, options: LinkOptions, accept: @escaping LinkListener.Acceptance
    ) {
        self.relay = relay
        self.token = token
        self.options = options.throughRelay
        self.accept = accept
    }

    /// The id of whatever answers as the relay. Throws `.relayFailed`.
    package static func lookUp(_ relay: RelayServer, options: LinkOptions) async throws(LinkError) -> RelayID {
        let stranger: TLSIdentity
        do throws(TLSError) { stranger = try TLSIdentity.generate(commonName: "blip") } catch {
            throw .notBLIP(reason: "TLS cannot start here: \(error.reason)")
        }
        let line = try await RelayDialler(relay: relay, options: options).open(as: stranger)
        line.connection.close()
        return line.id
    }

    /// Joins as `mailbox` and takes callers until the relay, the network or the task ends it. Calls `joined` once it
    /// has joined. Returns why it is over.
    package func serve(as mailbox: TLSIdentity, joined: @escaping @Sendable (RelayJoined) -> Void) async -> LinkError {
        let dialler = RelayDialler(relay: relay, options: options)
        let line: RelayDialler.Line
        do throws(LinkError) { line = try await dialler.open(as: mailbox) } catch { return error }
        let desk = RelayDesk(reception: self, dialler: dialler, address: line.address)
        let asked = MonotonicTime.now()
        let localHost = await line.connection.info?.localAddress?.hostText
        do throws(LinkError) {
            try await RelayLine(line: line, dialler: dialler).run(.beReached(token: token)) { event in
                switch event {
                case .joined: joined(RelayJoined(roundTrip: .now() - asked, localHost: localHost))
                case .invited(let invitation): await desk.invited(invitation)
                case .ended: break
                }
                return true
            }
            return .closedLocally
        } catch {
            return error
        }
    }
}

/// Begins the sessions of one control connection, within their limits.
private actor RelayDesk {
    private let reception: RelayReception
    private let dialler: RelayDialler
    private let address: SocketAddress?
    private var sessions = RelaySessions()
    private var wakes = false

    init(reception: RelayReception, dialler: RelayDialler, address: SocketAddress?) {
        self.reception = reception
        self.dialler = dialler
        self.address = address
    }

    func invited(_ invitation: RelayInvitation) {
        sessions.invite(invitation, now: .now())
        pump()
    }

    private func ended() {
        sessions.ended()
        pump()
    }

    private func pump() {
        while let invitation = sessions.next(now: .now()) {
            Task { await take(invitation) }
        }
        guard !wakes, let time = sessions.nextTry else { return }
        wakes = true
        Task {
            // Nothing cancels this task.
            try? await Task.sleep(for: max(.zero, time - .now()))
            wakes = false
            pump()
        }
    }

    /// Joins one session, in which we are the server.
    private func take(_ invitation: RelayInvitation) async {
        do throws(LinkError) {
            let stream = try await dialler.join(invitation, at: address)
            var stack = try ProtocolStack.server(options: reception.options, now: .now())
            stack.receive(stream.unread, now: .now())
            let link = PeerLink(
                loop: stream.loop, socket: stream.socket, stack: stack, options: reception.options, isOutgoing: false,
                remote: dialler.relay.endpoint, relay: dialler.relay.endpoint)
            let place = RelayPlace { [weak self] in Task { await self?.ended() } }
            link.serve(
                acceptance: reception.accept,
                observer: PeerLink.Observer(opened: { place.giveBack() }, gone: { place.giveBack() }))
        } catch {
            // The caller asks again; that a session came to nothing is no news for our user.
            ended()
        }
    }
}

/// The place of one session in its handshake: given back once.
private final class RelayPlace: Sendable {
    private let isGivenBack = Atomic(false)
    private let ended: @Sendable () -> Void

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

    func giveBack() {
        guard !isGivenBack.exchange(true, ordering: .relaxed) else { return }
        ended()
    }
}
