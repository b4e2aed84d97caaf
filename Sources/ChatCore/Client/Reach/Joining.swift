// Meeting the host who has said four words: the guest looks for the host at relays, in this network and by Tor, and
// both sides prove that they know the words (REACH 5, "Meeting").

import BLIPNet

/// Carries out what a guest does. Belongs to the client.
struct Joining {
    let core: ClientCore
    let connecting: any PeerConnecting
    let memory: WaitingMemory
    let reach: Reach
    let presence: Presence
    let people: People

    /// How long neighbours may take to be found.
    static let nearPatience = Duration.seconds(3)
    /// How long all of it may take.
    static let patience = Duration.seconds(20)
    /// The same with Tor: until our tor has started, and their service is found and has answered.
    static let onionPatience = Duration.seconds(120)

    private enum News: Sendable {
        case connected(Route, any PeerConnection, RequestRouter)
        case failed(LinkError)
        /// There may be somebody else in the network, or our tor has come further.
        case look
        /// Neighbours have had their time.
        case lookedAround
        case over
    }

    /// Meets whoever waits with these words, and makes them a contact.
    func join(_ typed: String, at place: MeetPlace?, name: String?) async throws(ChatError) -> Peer {
        let wanted = try name.map { name throws(ChatError) in try ContactNames.checked(name) }
        if let wanted { try core.links.checkFree(wanted) { _ in false } }
        // The program that asks has read the words already; one of another version may read others.
        guard let words = MeetWords(typed) else { throw .notMet(.nobody) }
        guard !reach.invitations.waits(for: words) else { throw .ownAddress }
        guard let secret = await MeetSecret.made(of: words), let mailbox = secret.mailbox else {
            throw .notMet(.noMemory)
        }
        let places = reach.relays.places(named: place)
        // A command is here before its chat has looked around.
        reach.neighbours.begin()
        let isNear = reach.neighbours.mayLook
        // `nil`: our user does not use Tor, or they are called there.
        var onion = reach.onion.state == .off ? nil : secret.onion
        guard !places.isEmpty || isNear || onion != nil else { throw .notMet(.nowhere) }
        let isOnlyNear = places.isEmpty && onion == nil

        let (news, teller) = AsyncStream.makeStream(of: News.self)
        var tasks = places.map { call(mailbox, at: $0, teller) }
        var running = tasks.count
        var called: Set<Route> = []
        var looksAround = isNear
        let mark = LANTag(mailbox: mailbox)
        let watcher = reach.neighbours.watchers.add { teller.yield(.look) }
        let onionWatcher = reach.onion.watchers.add { teller.yield(.look) }
        if isNear { tasks.append(alarm(Self.nearPatience, .lookedAround, teller)) }
        tasks.append(alarm(onion == nil ? Self.patience : Self.onionPatience, .over, teller))
        defer {
            reach.neighbours.watchers.remove(watcher)
            reach.onion.watchers.remove(onionWatcher)
            for task in tasks { task.cancel() }
        }
        var failure = MeetFailure.nobody
        var met: Peer?
        teller.yield(.look)
        var iterator = news.makeAsyncIterator()
        while met == nil, running > 0 || looksAround || onion != nil,
            let event = await iterator.next(isolation: #isolation)
        {
            switch event {
            case .look:
                for route in reach.neighbours.routes(showing: mark) where called.insert(route).inserted {
                    tasks.append(call(route, teller))
                    running += 1
                }
                if !reach.neighbours.mayLook { looksAround = false }
                if let route = onion, reach.onion.state.isReady {
                    onion = nil
                    tasks.append(call(route, teller))
                    running += 1
                } else if onion != nil, let trouble = reach.onion.state.trouble {
                    onion = nil
                    failure = failure.or(.failed(trouble))
                }
            case .lookedAround: looksAround = false
            case .over:
                if onion != nil, case .starting(let percent) = reach.onion.state {
                    failure = failure.or(.failed(.onion(.starting(percent: percent))))
                }
                (looksAround, running, onion) = (false, 0, nil)
            case .failed(let error):
                running -= 1
                failure = failure.or(MeetFailure(error))
            case .connected(let route, let connection, let router):
                running -= 1
                switch await introduce(connection, router, secret, along: route, named: wanted) {
                case .success(let peer): met = peer
                case .failure(.met(let why)): failure = failure.or(why)
                case .failure(.chat(let error)): throw error
                }
            }
        }
        teller.finish()
        while let event = await iterator.next(isolation: #isolation) {
            if case .connected(_, let connection, _) = event { connection.close(code: 1001, reason: "not needed") }
        }
        if failure == .nobody, isOnlyNear, !reach.neighbours.mayLook { failure = .nowhere }
        guard let met else { throw .notMet(failure) }
        return met
    }

    private func alarm(_ time: Duration, _ event: News, _ teller: AsyncStream<News>.Continuation) -> Task<Void, Never> {
        core.tasks.spawn { client in
            do { try await client.core.clock.wait(time) } catch { return }
            teller.yield(event)
        }
    }

    // MARK: Calling

    private func call(
        _ mailbox: RelayID, at place: MeetPlace, _ teller: AsyncStream<News>.Continuation
    ) -> Task<Void, Never> {
        let (connecting, proxy) = (connecting, core.configuration.proxy)
        let (server, _) = reach.relays.server(at: place)
        return attempt(teller) { handler throws(LinkError) in
            var relay = server.id
            // We know only its name. The proofs reveal anybody in between.
            if relay == nil { relay = try await connecting.identity(of: server, through: proxy) }
            guard let relay else { throw .relayFailed(RelayFailure(relay: server.endpoint, problem: .silent)) }
            let route = Route.relay(
                RelayRoute(host: place.host, port: place.port, relay: relay, mailbox: mailbox))
            let connection = try await connecting.connect(
                along: route, isPublic: false, expecting: nil, through: proxy, handler: handler)
            return (route, connection)
        }
    }

    private func call(_ route: Route, _ teller: AsyncStream<News>.Continuation) -> Task<Void, Never> {
        let (connecting, proxy) = (connecting, core.configuration.proxy)
        return attempt(teller) { handler throws(LinkError) in
            let connection = try await connecting.connect(
                along: route, isPublic: false, expecting: nil, through: proxy, handler: handler)
            return (route, connection)
        }
    }

    private func attempt(
        _ teller: AsyncStream<News>.Continuation,
        _ connect: @escaping @Sendable (RequestRouter) async throws(LinkError) -> (Route, any PeerConnection)
    ) -> Task<Void, Never> {
        core.tasks.spawn { client in
            let router = RequestRouter(limits: client.core.configuration.limits, memory: client.waitingMemory)
            do throws(LinkError) {
                let (route, connection) = try await connect(router)
                if case .terminated = teller.yield(.connected(route, connection, router)) {
                    connection.close(code: 1001, reason: "not needed")
                }
            } catch {
                teller.yield(.failed(error))
            }
        }
    }

    // MARK: Introducing

    private enum Refusal: Error {
        case met(MeetFailure)
        case chat(ChatError)
    }

    /// Says who we are and what we know; the one who answers must know it, too, on this very session: anybody between
    /// two sessions has other exporters on each.
    private func introduce(
        _ connection: any PeerConnection, _ router: RequestRouter, _ secret: MeetSecret, along route: Route,
        named wanted: String?
    ) async -> Result<Peer, Refusal> {
        var link = core.links.make(
            connection, router, PeerID(connection.info.remoteFingerprint ?? core.ownID.fingerprint), along: route,
            now: core.clock.now())
        guard let exporter = connection.info.exporter, link.peerID != core.ownID else {
            link.close(reason: "own address")
            return .failure(.met(.nobody))
        }
        let opened = link
        let timer = core.tasks.spawn { client in
            do { try await client.core.clock.wait(client.core.configuration.limits.network.handshakeTime) } catch {
                return
            }
            opened.close(code: 1008, reason: "did not introduce itself")
        }
        defer { timer.cancel() }
        switch await greet(link, secret, exporter) {
        case .failure(let why):
            link.close(code: 1008, reason: "not met")
            return .failure(.met(why))
        case .success: break
        }
        // They are who was meant; their own hello follows at once.
        guard let request = await router.chat.next(), case .hello(let theirs) = request.content else {
            link.close(code: 1008, reason: "did not introduce itself")
            return .failure(.met(.unproved))
        }
        do throws(ChatError) {
            let peer = try await store(link.peerID, theirs, wanted)
            guard !peer.isBlocked else {
                link.close(code: 1008, reason: "")
                throw .blocked
            }
            if let routes = theirs.routes { people.hear(routes, from: peer.id) }
            if let address = link.place(of: theirs) { people.hear(of: address, from: peer.id) }
            connection.admit()
            router.admit()
            link.answer(request, HelloReply(.accepted).encoded())
            link.isAdmittedByPeer = true
            link.features = theirs.features(sharedWith: core.configuration)
            adopt(link, for: peer.id)
            reach.neighbours.recognise()
            return .success(core.links[peer.id]?.peer ?? peer)
        } catch {
            return .failure(.chat(error))
        }
    }

    private func adopt(_ link: ActiveLink, for contact: ContactID) {
        core.tasks.client?.assumeIsolated { client in
            client.adopt(link, for: contact)
            client.updateLink(contact, link.number) { $0.admitsPeer = true }
        }
    }

    private func greet(_ link: ActiveLink, _ secret: MeetSecret, _ exporter: [UInt8]) async -> Result<Void, MeetFailure>
    {
        let hello = presence.hello(proving: secret.proof.proof(of: .guest, exporter: exporter))
        let response: BLIPResponse
        do throws(LinkError) {
            response = try await link.connection.submit(hello.encoded(), bodySink: nil).value()
        } catch {
            return .failure(.unproved)
        }
        guard response.error == nil, let reply = try? HelloReply(decoding: response) else { return .failure(.unproved) }
        switch reply.meeting {
        case .used: return .failure(.used)
        case .proof(let proof)
        where reply.answer == .accepted && secret.proof.accepts(proof, of: .host, exporter: exporter):
            return .success(())
        case .proof, nil: return .failure(.unproved)
        }
    }

    private func store(_ id: PeerID, _ hello: HelloRequest, _ wanted: String?) async throws(ChatError) -> Peer {
        if let wanted { try core.links.checkFree(wanted) { $0.hasKey(id) } }
        let name = wanted ?? ContactNames.cleaned(hello.name, fallback: "somebody")
        let peer = try await core.records.stored { () async throws(StoreError) in
            try await people.storeContact(peerID: id, name: name, addresses: [])
        }
        await people.dropRequests(of: id)
        await people.met(peer.id)
        if let wanted, peer.name != wanted { try await people.renameContact(peer.id, to: wanted) }
        return core.links[peer.id]?.peer ?? peer
    }
}

extension MeetFailure {
    /// The failure of a call that led to nobody.
    init(_ error: LinkError) {
        switch error {
        case .relayFailed(let failure) where [.notThere, .gone].contains(failure.problem): self = .nobody
        case .onionFailed(.notThere): self = .nobody
        default: self = .failed(LinkReason(error))
        }
    }

    /// The more telling one of two.
    func or(_ other: MeetFailure) -> MeetFailure { other.rank > rank ? other : self }

    private var rank: Int {
        switch self {
        case .nobody, .nowhere, .noMemory: 0
        case .failed: 1
        case .unproved: 2
        case .used: 3
        }
    }
}
