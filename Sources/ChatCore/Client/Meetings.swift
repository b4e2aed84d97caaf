// Where the host of spoken words waits for whoever says them: at relays, with the mailbox that follows from the words
// (REACH 5, "Meeting").

import BLIPNet

/// Belongs to one actor.
final class Meetings {
    /// One invitation that is waited for.
    private struct Open {
        let secret: MeetSecret
        let mailbox: RelayID?
        let places: [MeetPlace]
        /// Somebody has come with the words, by a session that lasts as long as we stay at the relay.
        var isUsed = false
        var states: [MeetPlace: RelayState] = [:]
        var tasks: [Task<Void, Never>] = []
    }

    private let core: ClientCore
    private let connecting: any PeerConnecting
    private let memory: WaitingMemory
    private let relays: Relays
    private var open: [Int: Open] = [:]
    private var random = SystemRandomNumberGenerator()
    /// Those who want to hear when words open or close, and when the state of a relay changes.
    let watchers = Watchers()

    init(core: ClientCore, connecting: any PeerConnecting, memory: WaitingMemory, relays: Relays) {
        self.core = core
        self.connecting = connecting
        self.memory = memory
        self.relays = relays
    }

    /// What neighbours are shown of the words that are open.
    var marks: [LANTag] {
        open.filter { !$0.value.isUsed }.sorted { $0.key < $1.key }
            .compactMap { $0.value.mailbox.map(LANTag.init(mailbox:)) }
    }

    /// How the relays are at which an invitation is waited for; empty when it is not any more.
    func states(of invitation: Int) -> [(place: MeetPlace, state: RelayState)] {
        guard let open = open[invitation] else { return [] }
        return open.places.map { ($0, open.states[$0] ?? .joining) }
    }

    /// Waits for whoever says the words, for so long.
    func open(_ invitation: Int, _ secret: MeetSecret, at places: [MeetPlace], for lifetime: Duration) {
        open[invitation] = Open(secret: secret, mailbox: secret.mailbox, places: places)
        begin(invitation)
        core.tasks.spawn(after: lifetime) { client in
            let meetings = client.reach.meetings
            if meetings.open[invitation]?.isUsed == false { meetings.close(invitation) }
        }
        watchers.tell()
    }

    /// Somebody has come with the words by the mailbox itself. A relay ends its sessions with the one who leaves it, so we stay until
    /// theirs is over.
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

    /// Returns when a relay of the invitation is joined, none of them answers, or `patience` is over.
    func settle(_ invitation: Int, within patience: Duration) async {
        let (signs, teller) = AsyncStream.makeStream(of: Void.self)
        let watcher = watchers.add { teller.yield() }
        let timer = core.tasks.spawn { client in
            do { try await client.core.clock.wait(patience) } catch { return }
            teller.finish()
        }
        defer {
            watchers.remove(watcher)
            timer.cancel()
        }
        var iterator = signs.makeAsyncIterator()
        while true {
            let states = states(of: invitation).map(\.state)
            guard states.contains(.joining), !states.contains(where: \.isJoined) else { return }
            guard await iterator.next(isolation: #isolation) != nil else { return }
        }
    }
}
