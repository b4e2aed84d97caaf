// Where the host of spoken words waits for whoever says them: at relays, with the mailbox that follows from the words,
// and by Tor, with the onion service that follows from them (REACH 5, "Meeting").

import BLIPNet

/// Belongs to one actor.
final class Meetings {
    /// One invitation whose guest we wait for.
    private struct Open {
        let secret: MeetSecret
        let mailbox: RelayID?
        let places: [MeetPlace]
        /// Somebody has come with the words, by a session that lasts as long as we stay at the relay.
        var isUsed = false
        var states: [MeetPlace: RelayState] = [:]
        var tasks: [Task<Void, Never>] = []
        /// The task that has the onion service; `nil`: we do not wait for them by Tor.
        var service: Task<Void, Never>?
        /// How the service is in a tor that runs.
        var serviceState = OnionState.ready
    }

    /// How far it is that whoever says the words finds us.
    private enum Standing {
        /// They do at one place at least.
        case works
        /// Tor tells others of the service.
        case announcing
        /// Nothing is known yet.
        case joining
        case fails
    }

    private let core: ClientCore
    private let connecting: any PeerConnecting
    private let memory: WaitingMemory
    private let relays: Relays
    private let onion: Onion
    private var open: [Int: Open] = [:]
    private var random = SystemRandomNumberGenerator()
    /// Those who want to hear when words open or close, and when the state of a relay changes.
    let watchers = Watchers()

    init(core: ClientCore, connecting: any PeerConnecting, memory: WaitingMemory, relays: Relays, onion: Onion) {
        self.core = core
        self.connecting = connecting
        self.memory = memory
        self.relays = relays
        self.onion = onion
    }

    /// The tags that neighbours see of the open words.
    var marks: [LANTag] {
        open.filter { !$0.value.isUsed }.sorted { $0.key < $1.key }
            .compactMap { $0.value.mailbox.map(LANTag.init(mailbox:)) }
    }

    /// The relays at which we wait for the guest of an invitation, and their states; empty when we do not wait any
    /// more.
    func states(of invitation: Int) -> [(place: MeetPlace, state: RelayState)] {
        guard let open = open[invitation] else { return [] }
        return open.places.map { ($0, open.states[$0] ?? .joining) }
    }

    /// How the wait for them by Tor goes; `nil`: we do not wait there.
    func onionState(of invitation: Int) -> OnionState? {
        guard let open = open[invitation], open.service != nil else { return nil }
        return onion.state.isReady ? open.serviceState : onion.state
    }

    /// Waits for whoever says the words, for so long.
    func open(
        _ invitation: Int, _ secret: MeetSecret, at places: [MeetPlace], byTor: Bool, for lifetime: Duration
    ) {
        open[invitation] = Open(secret: secret, mailbox: secret.mailbox, places: places)
        begin(invitation)
        if byTor {
            open[invitation]?.service = core.tasks.spawn { await $0.reach.meetings.keepService(invitation, secret) }
        }
        core.tasks.spawn(after: lifetime) { $0.reach.meetings.timeIsOver(invitation) }
        watchers.tell()
    }

    private func timeIsOver(_ invitation: Int) {
        guard open[invitation]?.isUsed == true else { return close(invitation) }
        // A session by Tor outlasts the service to which it came.
        open[invitation]?.service?.cancel()
        open[invitation]?.service = nil
    }

    /// Somebody has come with the words by the mailbox or the service itself. A relay ends its sessions with the one
    /// who leaves it, so we stay until theirs is over; until then others hear there that they are late.
    func use(_ invitation: Int, by connection: any PeerConnection) {
        guard open[invitation]?.isUsed == false else { return }
        open[invitation]?.isUsed = true
        watchers.tell()
        core.tasks.spawn { client in
            _ = await connection.waitUntilClosed()
            client.reach.meetings.close(invitation)
        }
    }

    /// The words are over, or were used on another way.
    func close(_ invitation: Int) {
        guard let closed = open.removeValue(forKey: invitation) else { return }
        for task in closed.tasks { task.cancel() }
        closed.service?.cancel()
        watchers.tell()
    }

    /// Our networks have changed: what was joined may be dead without a word.
    func renew() {
        for (invitation, waiting) in open {
            for task in waiting.tasks { task.cancel() }
            begin(invitation)
        }
    }

    private func begin(_ invitation: Int) {
        guard let waiting = open[invitation] else { return }
        open[invitation]?.tasks = waiting.places.map { place in
            core.tasks.spawn { await $0.reach.meetings.keep(invitation, waiting.secret, at: place) }
        }
    }

    /// Stays at a relay as long as the words are open.
    private func keep(_ invitation: Int, _ secret: MeetSecret, at place: MeetPlace) async {
        var policy = core.configuration.reconnect
        while core.isRunning, !Task.isCancelled {
            let began = core.clock.now()
            let end = await join(invitation, secret, at: place)
            guard core.isRunning, !Task.isCancelled else { return }
            policy.linkEnded(after: core.clock.now() - began)
            note(.failed(LinkReason(end)), of: place, invitation)
            do { try await core.clock.wait(policy.nextDelay(using: &random)) } catch { return }
        }
    }

    private func join(_ invitation: Int, _ secret: MeetSecret, at place: MeetPlace) async -> LinkError {
        let (server, token) = relays.server(at: place)
        return await connecting.beReached(
            at: server, in: .spoken(seed: secret.mailboxSeed), token: token, through: core.configuration.proxy,
            joined: { [weak client = core.tasks.client] joined in
                guard let client else { return }
                Task {
                    await client.run {
                        $0.reach.meetings.note(.joined(roundTrip: joined.roundTrip), of: place, invitation)
                    }
                }
            },
            accept: core.acceptance(memory, invitation: invitation))
    }

    private func note(_ state: RelayState, of place: MeetPlace, _ invitation: Int) {
        open[invitation]?.states[place] = state
        watchers.tell()
    }

    // MARK: By Tor

    /// Has the onion service of the words in our tor as long as they are open, whenever that runs.
    private func keepService(_ invitation: Int, _ secret: MeetSecret) async {
        var policy = core.configuration.reconnect
        while core.isRunning, !Task.isCancelled {
            await onion.watchers.wait { onion.state.isReady }
            guard core.isRunning, !Task.isCancelled else { return }
            note(.ready, ofServiceOf: invitation)
            let began = core.clock.now()
            let end = await serve(invitation, secret)
            guard core.isRunning, !Task.isCancelled else { return }
            policy.linkEnded(after: core.clock.now() - began)
            note(.failed(LinkReason(end)), ofServiceOf: invitation)
            // Tor takes the same service again when it has dropped the one before.
            let wait = max(.seconds(1), policy.nextDelay(using: &random))
            do { try await core.clock.wait(wait) } catch { return }
        }
    }

    private func serve(_ invitation: Int, _ secret: MeetSecret) async -> LinkError {
        await connecting.serveOnion(
            ofWords: secret.onionSeed, number: invitation,
            news: { [weak client = core.tasks.client] news in
                guard let client, news == .announced else { return }
                Task { await client.run { $0.reach.meetings.note(.announced, ofServiceOf: invitation) } }
            },
            accept: core.acceptance(memory, invitation: invitation))
    }

    private func note(_ state: OnionState, ofServiceOf invitation: Int) {
        open[invitation]?.serviceState = state
        watchers.tell()
    }

    // MARK: Until it works

    private func standing(of invitation: Int) -> Standing {
        let relays = states(of: invitation).map(\.state)
        let service = onionState(of: invitation)
        if service == .announced || relays.contains(where: \.isJoined) { return .works }
        if service == .ready { return .announcing }
        if case .starting? = service { return .joining }
        return relays.contains(.joining) ? .joining : .fails
    }

    /// Returns when whoever says the words finds us, when no place is left where they could, or when `patience` is
    /// over. As long as Tor tells others of the service it takes until `announcing` is over: a tor that has asked for
    /// it too early does not ask again for a quarter of an hour.
    func settle(_ invitation: Int, within patience: Duration, announcing: Duration) async {
        await settle(invitation, within: patience) { $0 == .announcing || $0 == .joining }
        await settle(invitation, within: announcing - patience) { $0 == .announcing }
    }

    private func settle(_ invitation: Int, within patience: Duration, while waits: (Standing) -> Bool) async {
        let began = core.clock.now()
        let timer = core.tasks.spawn { client in
            do { try await client.core.clock.wait(patience) } catch { return }
            client.reach.meetings.watchers.tell()
        }
        let onionWatcher = onion.watchers.add { [weak self] in self?.watchers.tell() }
        defer {
            onion.watchers.remove(onionWatcher)
            timer.cancel()
        }
        await watchers.wait {
            core.clock.now() - began >= patience || !waits(standing(of: invitation))
        }
    }
}
