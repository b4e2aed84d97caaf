// Tor as long as the chat runs: our service there, and calls through it (REACH 5).

import BLIPNet

/// Belongs to one actor.
final class Onion {
    private let core: ClientCore
    private let connecting: any PeerConnecting
    /// The memory that the waiting lines of all links share.
    private let memory: WaitingMemory
    private let dialling: Dialling
    private(set) var state = OnionState.off
    /// Our service has been there in this run: contacts may know it.
    private var hasBeenAdded = false
    private var task: Task<Void, Never>?
    private var random = SystemRandomNumberGenerator()
    /// Which of our services is in use: whoever knows only older ones does not reach us any more.
    private var generation: UInt32 = 0
    /// Those who want to hear when the state changes.
    let watchers = Watchers()

    /// How long we wait before we look again for a program that is not there.
    static let rest = Duration.seconds(600)

    init(core: ClientCore, connecting: any PeerConnecting, memory: WaitingMemory, dialling: Dialling) {
        self.core = core
        self.connecting = connecting
        self.memory = memory
        self.dialling = dialling
    }

    /// How we are reached by it.
    var route: Route? { hasBeenAdded ? connecting.onionRoute(generation: generation) : nil }

    /// The state of Tor for front ends to show; `nil` if our user does not use it.
    var report: OnionReport? {
        let setting = core.configuration.reach.tor
        guard setting.allows(.onion) else { return nil }
        return OnionReport(
            host: takesCalls ? connecting.onionRoute(generation: generation)?.host : nil, state: state,
            isOnly: setting == .only)
    }

    /// Whether we can wait for spoken words there, now or soon: not where there is no tor to run.
    var takesWords: Bool {
        switch state {
        case .off: false
        case .failed(let reason): takesCalls && ![.onion(.notInstalled), .onion(.programKept)].contains(reason)
        case .starting, .ready, .announced: takesCalls
        }
    }

    private var takesCalls: Bool { core.configuration.listen != nil }

    /// Whether this run has a use for Tor: a command that is over in a moment has none.
    private var isWanted: Bool {
        core.isRunning && core.configuration.reach.tor.allows(.onion)
            && (takesCalls || core.configuration.callsContacts)
    }

    /// Begins, once. `generation`: as the mailboxes have it; another one is another service.
    func begin(generation wanted: UInt32) {
        let isNew = wanted != generation
        generation = wanted
        guard isWanted else { return }
        let old = task
        guard old == nil || isNew else { return }
        old?.cancel()
        hasBeenAdded = false
        if old == nil { note(.starting(percent: 0)) }
        task = core.tasks.spawn { client in
            // The one before gives its place free first.
            await old?.value
            await client.reach.onion.keep()
        }
    }

    /// Stays with a tor as long as the chat runs.
    private func keep() async {
        var policy = core.configuration.reconnect
        while core.isRunning, !Task.isCancelled {
            let began = core.clock.now()
            note(.starting(percent: 0))
            let end = await serve()
            guard core.isRunning, !Task.isCancelled else { return }
            policy.linkEnded(after: core.clock.now() - began)
            note(.failed(LinkReason(end)))
            let isMissing = [.onionFailed(.notInstalled), .onionFailed(.programKept)].contains(end)
            let wait = isMissing ? Self.rest : max(.seconds(1), policy.nextDelay(using: &random))
            do { try await core.clock.wait(wait) } catch { return }
        }
    }

    private func serve() async -> LinkError {
        let control = core.configuration.reach.torControl
        return await connecting.serveOnion(
            generation: takesCalls ? generation : nil, control: control,
            news: { [weak client = core.tasks.client] news in
                guard let client else { return }
                Task { await client.run { $0.reach.onion.hear(news) } }
            },
            accept: core.acceptance(memory))
    }

    private func hear(_ news: OnionNews) {
        guard task != nil, core.isRunning else { return }
        switch news {
        case .started(let percent):
            // News may overtake each other.
            guard case .starting(let before) = state, percent > before else { return }
            guard percent == 100 else { return note(.starting(percent: percent)) }
            note(.ready)
            // Whom nothing else leads to can be called now.
            dialling.wakeEverybody()
        case .added:
            hasBeenAdded = true
            changed()
        case .announced:
            switch state {
            case .ready: note(.announced)
            case .starting:
                note(.announced)
                dialling.wakeEverybody()
            // Old news of a tor that is gone.
            case .off, .announced, .failed: break
            }
        }
    }

    private func note(_ new: OnionState) {
        guard new != state else { return }
        let wasAnnounced = state == .announced
        state = new
        if wasAnnounced != (new == .announced) { changed() }
        watchers.tell()
    }

    private func changed() { core.tasks.client?.assumeIsolated { $0.reach.relays.changed() } }
}
