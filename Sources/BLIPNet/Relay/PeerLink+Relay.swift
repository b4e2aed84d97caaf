// Links through a relay: to a peer that has joined there, and from peers that call us there (REACH 3).

extension PeerLink {
    /// How often we ask a relay for a session at most: strelaysrv mixes up one of a hundred, and the other side may be
    /// gone without the relay having noticed.
    private static let mostTries = 3

    /// Calls the peer that has joined at `relay` as `mailbox`. `caller` is our identity to the relay: a new one in each
    /// run. Returns and throws as `connect` does; a fault of the relay is `.relayFailed`.
    package static func connect(
        to mailbox: RelayID, at relay: RelayServer, as caller: TLSIdentity, options: LinkOptions,
        handler: any BLIPRequestHandler
    ) async throws(LinkError) -> PeerLink {
        let dialler = RelayDialler(relay: relay, options: options)
        var options = options.throughRelay
        options.handshakeTimeout = min(options.handshakeTimeout, RelayDialler.step)
        var tries = 1
        while true {
            do throws(LinkError) {
                let link = try await session(with: mailbox, dialler, as: caller, options)
                guard let failure = await link.handshake(handler: handler) else { return link }
                switch failure {
                case .timedOut, .disconnected: throw dialler.failed(.peerSilent)
                default: throw failure
                }
            } catch {
                guard case .relayFailed(let failure) = error, [.idTaken, .peerSilent].contains(failure.problem),
                    tries < mostTries, !Task.isCancelled
                else { throw error }
                tries += 1
            }
        }
    }

    /// Asks the relay to be put through, and joins the session.
    private static func session(
        with mailbox: RelayID, _ dialler: RelayDialler, as caller: TLSIdentity, _ options: LinkOptions
    ) async throws(LinkError) -> PeerLink {
        let line = try await dialler.open(as: caller)
        var invitation: RelayInvitation?
        try await RelayLine(line: line, dialler: dialler).run(.call(mailbox)) { event in
            if case .invited(let received) = event { invitation = received }
            return invitation == nil
        }
        line.connection.close()
        guard let invitation else { throw dialler.failed(.gone) }
        let stream = try await dialler.join(invitation, at: line.address)
        var stack = try ProtocolStack.client(host: "localhost", options: options, now: .now())
        stack.receive(stream.unread, now: .now())
        return PeerLink(
            loop: stream.loop, socket: stream.socket, stack: stack, options: options, isOutgoing: true,
            remote: dialler.relay.endpoint, relay: dialler.relay.endpoint)
    }
}

/// A control connection and the conversation on it.
struct RelayLine {
    let line: RelayDialler.Line
    let dialler: RelayDialler

    /// Asks the relay for `purpose` and hands on what happens until `take` has enough. Throws why it is over. The whole
    /// conversation runs where its socket is watched, so that a ping wakes one thread.
    func run(
        _ purpose: RelayControl.Purpose, take: (RelayControl.Event) async -> Bool
    ) async throws(LinkError) {
        try await withTaskExecutorPreference(line.connection.loop) { () async throws(LinkError) in
            try await converse(purpose, take)
        }
    }

    private func converse(
        _ purpose: RelayControl.Purpose, _ take: (RelayControl.Event) async -> Bool
    ) async throws(LinkError) {
        var control = RelayControl(purpose, address: line.address?.hostBytes, now: .now())
        while true {
            let outgoing = control.takeOutgoing()
            do throws(NetError) {
                if !outgoing.isEmpty {
                    try await line.connection.write(outgoing, deadline: .now() + RelayDialler.step)
                }
            } catch {
                control.receiveEnd()
            }
            while let event = control.nextEvent() {
                if case .ended(let problem) = event {
                    line.connection.close()
                    throw dialler.failed(problem)
                }
                guard await take(event) else { return }
            }
            do throws(NetError) {
                let bytes = try await line.connection.readSome(max: 4096, deadline: control.deadline)
                if bytes.isEmpty { control.receiveEnd() } else { control.receive(bytes, now: .now()) }
            } catch .readTimedOut {
                control.handleTimeout(now: .now())
            } catch .cancelled {
                line.connection.close()
                throw .closedLocally
            } catch {
                control.receiveEnd()
            }
        }
    }
}
