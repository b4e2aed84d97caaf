// Links through Tor: to an onion service, by SOCKS (REACH 4, 5).

extension PeerLink {
    /// How long tor may look for a service, and how long the handshake through it may take.
    private static let answerTime = Duration.seconds(60)
    private static let onionHandshakeTime = Duration.seconds(40)

    /// Calls an onion service by the SOCKS port of a tor. `name`: whoever has another one goes another way through Tor.
    /// Returns and throws as `connect` does; what is wrong with Tor or the service is `.onionFailed`.
    package static func connect(
        toOnion host: String, port: UInt16, through socks: Endpoint, as name: SOCKSHandshake.Name, options: LinkOptions,
        handler: any BLIPRequestHandler
    ) async throws(LinkError) -> PeerLink {
        guard let talk = SOCKSHandshake(host: host, port: port, name: name) else { throw .onionFailed(.badName) }
        var options = options.throughOthers
        // Our tor may have a private address, whoever has named the service.
        options.connect.addressPolicy.allowsInside = true
        let stream = try await onionStream(talk, socks, options.connect)
        options.handshakeTimeout = max(options.handshakeTimeout, onionHandshakeTime)
        var stack = try ProtocolStack.client(host: "localhost", options: options, now: .now())
        stack.receive(stream.unread, now: .now())
        let link = PeerLink(
            loop: stream.loop, socket: stream.socket, stack: stack, options: options, isOutgoing: true,
            remote: .host(host, port: port), isOnion: true)
        if let failure = await link.handshake(handler: handler) { throw failure }
        return link
    }

    /// The stream to the service, which begins with its first byte.
    private static func onionStream(
        _ handshake: SOCKSHandshake, _ socks: Endpoint, _ options: ConnectOptions
    ) async throws(LinkError) -> DetachedStream {
        var talk = handshake
        let connection = TCPConnection.connect(to: socks, options: options)
        do throws(NetError) {
            try await connection.waitUntilConnected()
        } catch {
            throw error == .cancelled ? .closedLocally : .onionFailed(.silent)
        }
        let deadline = MonotonicTime.now() + answerTime
        while talk.need > 0 {
            let answer: [UInt8]
            do throws(NetError) {
                let outgoing = talk.takeOutgoing()
                if !outgoing.isEmpty { try await connection.write(outgoing, deadline: deadline) }
                answer = try await connection.read(exactly: talk.need, deadline: deadline)
            } catch {
                connection.close()
                throw failure(error)
            }
            do throws(OnionProblem) { try talk.receive(answer) } catch {
                connection.close()
                throw .onionFailed(error)
            }
        }
        do throws(NetError) { return try await connection.detach() } catch { throw failure(error) }
    }

    private static func failure(_ error: NetError) -> LinkError {
        switch error {
        case .cancelled, .closedLocally, .closing: .closedLocally
        case .readTimedOut, .writeTimedOut: .onionFailed(.unreachable)
        default: .onionFailed(.silent)
        }
    }
}
