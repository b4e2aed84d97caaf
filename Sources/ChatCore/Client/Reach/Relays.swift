// The relays at which others reach us: joined while the chat runs, and told to contacts (REACH 2, 3).

import BLIPNet

/// Belongs to one actor.
final class Relays {
    /// A relay of our user's as this run has it.
    private struct Line {
        /// `nil` until somebody has answered there.
        var id: RelayID?
        var state = RelayState.joining
        /// Our end of the connection to it.
        var localHost: String?
        var task: Task<Void, Never>?
    }

    private let core: ClientCore
    private let connecting: any PeerConnecting
    /// The memory that the waiting lines of all links share.
    private let memory: WaitingMemory
    private let listening: Listening
    private let mapping: Mapping
    private let onion: Onion
    private var lines: [RelaySetting: Line] = [:]
    private var random = SystemRandomNumberGenerator()
    /// Which of our mailboxes are in use: whoever knows only older ones does not reach us any more.
    private var generation: UInt32 = 0
    private static let generationSetting = "reach.generation"

    /// How long we leave a relay alone that has no place for us, or is not one of ours.
    static let rest = Duration.seconds(600)
    /// We tell contacts both: where the relay takes an old connection of ours for alive, we join the spare one.
    private static let slots: [UInt8] = [0, 1]

    init(
        core: ClientCore, connecting: any PeerConnecting, memory: WaitingMemory, listening: Listening,
        mapping: Mapping, onion: Onion
    ) {
        self.core = core
        self.connecting = connecting
        self.memory = memory
        self.listening = listening
        self.mapping = mapping
        self.onion = onion
    }

    // MARK: Reading the state

    /// Our user's relays in their order, and how they are.
    var reports: [RelayReport] {
        core.configuration.relays.map { relay in
            RelayReport(host: relay.host, port: relay.port, state: lines[relay]?.state ?? .off)
        }
    }

    /// How we are reached at relays.
    var routes: [Route] {
        guard joins else { return [] }
        return core.configuration.relays.flatMap { relay -> [Route] in
            guard let id = lines[relay]?.id ?? relay.id else { return [] }
            return Self.slots.compactMap { slot in
                connecting.mailbox(at: place(id, slot)).map { mailbox in
                    .relay(RelayRoute(host: relay.host, port: relay.port, relay: id, mailbox: mailbox))
                }
            }
        }
    }

    /// A user who takes no calls is reached nowhere.
    private var joins: Bool { core.configuration.listen != nil && core.configuration.reach.tor.allows(.relays) }

    /// The relays at which we wait for spoken words: the one that somebody has named, else our user's.
    func places(named place: MeetPlace?) -> [MeetPlace] {
        if let place { return core.configuration.reach.tor.allows(.relays) ? [place] : [] }
        return (joins ? core.configuration.relays : []).map { MeetPlace(host: $0.host, port: $0.port) }
    }

    /// The relay that somebody has named, with what is known of it. Nothing is known of one that is not our user's:
    /// there the proofs reveal anybody in between.
    func server(at place: MeetPlace) -> (RelayServer, token: String) {
        let own = core.configuration.relays.first { $0.host == place.host && $0.port == place.port }
        let id = own.flatMap { lines[$0]?.id ?? $0.id }
        return (RelayServer(host: place.host, port: place.port, id: id), own?.token ?? "")
    }

    /// How we are reached apart from where we listen: by our router, at relays and by Tor.
    var via: [Route] { (mapping.route.map { [$0] } ?? []) + routes + (onion.route.map { [$0] } ?? []) }

    private func place(_ relay: RelayID, _ slot: UInt8) -> MailboxPlace {
        .own(relay: relay, generation: generation, slot: slot)
    }

    // MARK: Mailboxes

    /// Reads what an earlier run has left. To be called before `begin`.
    func read() async {
        let stored = await core.records.quietly { () async throws(StoreError) in
            try await core.store.setting(Self.generationSetting)
        }
        generation = stored.flatMap { $0 }.flatMap { UInt32($0) } ?? 0
    }

    /// Takes new mailboxes with all relays; contacts hear of them, now or with their next link.
    func renewMailboxes() async throws(ChatError) {
        let (next, isLast) = generation.addingReportingOverflow(1)
        guard !isLast else { return }
        try await core.records.stored { () async throws(StoreError) in
            try await core.store.setSetting(Self.generationSetting, to: "\(next)")
        }
        generation = next
        for relay in lines.keys { leave(relay) }
        begin()
        tell()
        publishAddress()
    }

    // MARK: Joining

    /// Joins those that are not joined, and goes to our onion service.
    func begin() {
        onion.begin(generation: generation)
        guard core.isRunning, joins else { return }
        for relay in core.configuration.relays where lines[relay] == nil {
            lines[relay] = Line(id: relay.id)
            lines[relay]?.task = core.tasks.spawn { await $0.relays.keep(relay) }
        }
    }

    /// The settings are others. `isNewWay`: relays are called through another proxy.
    func reconfigured(isNewWay: Bool) {
        for relay in lines.keys where isNewWay || !core.configuration.relays.contains(relay) { leave(relay) }
        begin()
        tell()
    }

    private func leave(_ relay: RelaySetting) { lines.removeValue(forKey: relay)?.task?.cancel() }

    /// Our networks have changed. `gone`: this address of ours is no more, and connections from it are dead without a word.
    func renew(gone host: String?) {
        for (relay, line) in lines {
            guard host == nil ? !line.state.isJoined : line.localHost == host else { continue }
            leave(relay)
        }
        begin()
    }

    /// Stays at a relay as long as our user wants that.
    fileprivate func keep(_ relay: RelaySetting) async {
        var policy = core.configuration.reconnect
        var slot: UInt8 = 0
        while core.isRunning, !Task.isCancelled {
            let began = core.clock.now()
            let end = await join(relay, slot)
            guard core.isRunning, !Task.isCancelled else { return }
            policy.linkEnded(after: core.clock.now() - began)
            note(.failed(LinkReason(end)), of: relay)
            var wait = Duration.zero
            let problem: RelayProblem? = if case .relayFailed(let failure) = end { failure.problem } else { nil }
            switch problem {
            case .idTaken where slot == 0: slot = 1
            case .full, .wantsToken, .otherKey:
                slot = 0
                wait = Self.rest
            default:
                slot = 0
                wait = policy.nextDelay(using: &random)
            }
            do { try await core.clock.wait(wait) } catch { return }
        }
    }

    private func join(_ relay: RelaySetting, _ slot: UInt8) async -> LinkError {
        let proxy = core.configuration.proxy
        let id: RelayID
        do throws(LinkError) { id = try await identity(of: relay, proxy) } catch { return error }
        let server = RelayServer(host: relay.host, port: relay.port, id: id)
        return await connecting.beReached(
            at: server, in: place(id, slot), token: relay.token, through: proxy,
            joined: { [weak client = core.tasks.client] joined in
                guard let client else { return }
                Task { await client.run { $0.relays.note(joined, at: relay) } }
            },
            accept: core.acceptance(memory))
    }

    /// The identity that the relay must have: as our user has said, else that of the first one that answered there.
    private func identity(of relay: RelaySetting, _ proxy: ProxyChoice) async throws(LinkError) -> RelayID {
        if let id = lines[relay]?.id ?? relay.id { return id }
        let key = "reach.relay \(relay.endpoint)"
        let stored = await core.records.quietly { () async throws(StoreError) in try await core.store.setting(key) }
        var id = stored.flatMap { $0 }.flatMap { RelayID(text: $0) }
        if id == nil {
            let found = try await connecting.identity(
                of: RelayServer(host: relay.host, port: relay.port, id: nil), through: proxy)
            _ = await core.records.quietly { () async throws(StoreError) in
                try await core.store.setSetting(key, to: found.text)
            }
            id = found
        }
        guard let id else { throw .relayFailed(RelayFailure(relay: relay.endpoint, problem: .silent)) }
        lines[relay]?.id = id
        return id
    }

    private func note(_ joined: RelayJoined, at relay: RelaySetting) {
        lines[relay]?.localHost = joined.localHost
        note(.joined(roundTrip: joined.roundTrip), of: relay)
    }

    private func note(_ state: RelayState, of relay: RelaySetting) {
        guard let old = lines[relay]?.state else { return }
        lines[relay]?.state = state
        guard old.isJoined != state.isJoined else { return }
        publishAddress()
        if state.isJoined { tell() }
    }

    /// The address shown last.
    private var lastAddress: PeerAddress?

    /// Our own address may be another one now.
    private func publishAddress() {
        guard let client = core.tasks.client else { return }
        let identity = client.assumeIsolated { $0.identity }
        guard identity.address != lastAddress else { return }
        lastAddress = identity.address
        core.hub.publish(.identityChanged(identity))
    }

    // MARK: Telling

    /// The ways to reach us that we tell contacts: no address that leads them nowhere, and none that our user hides.
    var told: [Route] {
        var told: [Route] = []
        if !core.configuration.hidesAddress, let endpoint = listening.endpoint,
            case .host(let bound, let port) = endpoint
        {
            let host = core.configuration.advertisedHost ?? bound
            let route = Route.direct(host: host, port: port)
            if !LocalHost.isWildcard(host), !route.leadsInside { told.append(route) }
        }
        return told + via
    }

    /// The routes that we told them last.
    private var lastTold: [Route] = []

    /// How we are reached is, or may be, another way now: everybody hears it who should.
    func changed() {
        publishAddress()
        tell()
    }

    /// Tells those who are linked, if it has changed.
    private func tell() {
        let routes = told
        guard routes != lastTold else { return }
        lastTold = routes
        for contact in core.links.contacts {
            guard let link = core.links[contact]?.link, link.isOnline else { continue }
            core.tasks.spawn { _ in
                let pending = link.connection.submit(RoutesRequest(routes: routes).encoded(), bodySink: nil)
                // An old version does not know it, and hears it with its next hello for nothing.
                do throws(LinkError) { _ = try await pending.value() } catch {}
            }
        }
    }
}
