// People in this network: contacts are recognised and called, and we are shown to them (REACH 5).

import BLIPNet

/// Belongs to one actor.
final class Neighbours {
    private let core: ClientCore
    private let finding: any NeighbourFinding
    private let listening: Listening
    private let dialling: Dialling
    private let meetings: Meetings
    private var sightings: Sightings
    private(set) var state = NeighbourState.off
    /// The tasks that look around and change our tag: `nil` while we do neither.
    private var task: Task<Void, Never>?
    private var clockTask: Task<Void, Never>?
    private var watcher: Int?
    /// Our name in the network: another one each hour, so that nobody can follow us.
    private var instance = ""
    private var hour: Int64?
    private var shown: NeighbourService?
    /// We are seen by name until then.
    private var shownUntil: Timestamp?
    /// When a contact was last called because of what is shown: nobody makes us call again and again.
    private var called: [ContactID: MonotonicTime] = [:]
    /// Those who are called when that is long enough ago.
    private var waiting: Set<ContactID> = []
    /// Those who want to hear when somebody comes, goes or shows something else.
    let watchers = Watchers()

    /// Between two calls of a contact for what neighbours show.
    private static let callInterval = Duration.seconds(5)
    /// How long our user may be seen by name.
    static let longestShow = Duration.seconds(3600)
    static let show = Duration.seconds(600)

    init(
        core: ClientCore, finding: any NeighbourFinding, listening: Listening, dialling: Dialling, meetings: Meetings
    ) {
        self.core = core
        self.finding = finding
        self.listening = listening
        self.dialling = dialling
        self.meetings = meetings
        sightings = Sightings(allowsThisMachine: core.configuration.limits.network.privateRoutes > 0)
    }

    /// Whether our user wants it, and no proxy is between us and all others.
    private var isWanted: Bool {
        core.isRunning && core.configuration.reach.findsNeighbours && core.configuration.proxy == .direct
            && core.configuration.reach.tor.allows(.neighbours)
    }

    /// Whether people nearby can be found now.
    var isLooking: Bool { state == .looking }

    /// Whether people nearby can be found now, or in a moment.
    var mayLook: Bool { isLooking || state == .waiting }

    /// Looks around from now on, or ends that, as the settings say.
    func begin() {
        guard isWanted else { return end() }
        guard task == nil else { return }
        state = .waiting
        let news = finding.look()
        task = core.tasks.spawn { client in
            for await one in news { client.reach.neighbours.hear(one) }
        }
        watcher = meetings.watchers.add { [weak self] in self?.present() }
        clockTask = core.tasks.spawn { await $0.reach.neighbours.followHours() }
        present()
    }

    private func end() {
        task?.cancel()
        clockTask?.cancel()
        task = nil
        clockTask = nil
        if let watcher { meetings.watchers.remove(watcher) }
        watcher = nil
        state = .off
        sightings = Sightings()
        recognise()
        present()
    }

    // MARK: Looking

    private func hear(_ news: NeighbourNews) {
        guard task != nil else { return }
        switch news {
        case .state(let state):
            self.state = state
            if state != .looking { sightings.forgetAll() }
        case .found(let key, let host, let port, let texts):
            guard key.instance != instance,
                sightings.found(key, host: host, port: port, texts: texts, now: core.now())
            else { return }
        case .gone(let key): guard sightings.gone(key) else { return }
        }
        recognise()
        watchers.tell()
    }

    /// Contacts are called where they are seen. Code that makes a new contact of somebody nearby calls this, too.
    func recognise() {
        var contacts: [PeerID: ContactID] = [:]
        for contact in core.links.contacts {
            if let peer = core.links[contact]?.peer, !peer.isBlocked, let id = peer.peerID { contacts[id] = contact }
        }
        let found = sightings.sightings(
            of: sightings.neighbours.isEmpty
                ? [:] : Sightings.tags(of: Array(contacts.keys), at: LANTag.hour(of: core.now())))
        for (peer, contact) in contacts {
            let places = (found[peer] ?? []).map { neighbour in
                var place = PeerAddress(neighbour.route, peerID: peer)
                place.origin = .seen
                return place
            }
            guard core.links[contact]?.calls.sightings != places else { continue }
            core.links[contact]?.calls.sightings = places
            if !places.isEmpty { call(contact) }
        }
    }

    private func call(_ contact: ContactID) {
        let now = core.clock.now()
        if let last = called[contact], now - last < Self.callInterval {
            guard waiting.insert(contact).inserted else { return }
            return core.tasks.spawn(after: Self.callInterval) { client in
                client.reach.neighbours.waiting.remove(contact)
                client.reach.neighbours.call(contact)
            }
        }
        called[contact] = now
        guard core.configuration.callsContacts else { return }
        if core.links[contact]?.link == nil { dialling.wake(contact) } else { dialling.upgrade(contact) }
    }

    /// Where those are who wait for certain words.
    func routes(showing mark: LANTag) -> [Route] { sightings.routes(showing: mark) }

    // MARK: Being seen

    /// Shows us to neighbours: what contacts recognise, and what else our user wants to be seen.
    private func present() {
        let now = core.now()
        let hour = LANTag.hour(of: now)
        if hour != self.hour {
            self.hour = hour
            instance = NeighbourService.randomInstance()
        }
        if let until = shownUntil, until <= now { shownUntil = nil }
        var service: NeighbourService?
        if task != nil, let port = listening.port, isHeard {
            var texts = NeighbourTexts()
            texts.tag = LANTag(of: core.ownID, hour: hour)
            texts.marks = meetings.marks
            if shownUntil != nil {
                texts.id = core.ownID
                texts.name = ContactNames.cleaned(core.configuration.name, fallback: "somebody")
            }
            service = NeighbourService(instance: instance, port: port, texts: texts.texts)
        }
        guard service != shown else { return }
        shown = service
        finding.show(service)
    }

    /// Whether the listener hears this network, and not only this machine.
    private var isHeard: Bool {
        guard case .host(let host, _)? = listening.endpoint else { return false }
        return !LocalHost.isLoopback(host) || core.configuration.limits.network.privateRoutes > 0
    }

    /// Tag and name are others in each hour.
    private func followHours() async {
        while core.isRunning, !Task.isCancelled {
            let (hour, now) = (LANTag.hour(of: core.now()), core.now())
            let next = Duration.milliseconds((hour + 1) * 3_600_000 - now.milliseconds)
            do { try await core.clock.wait(max(next, .seconds(1))) } catch { return }
            guard !Task.isCancelled else { return }
            present()
            recognise()
        }
    }

    /// Shows our name and key for so long; `nil`: as before.
    func report(showing lifetime: Duration?) -> NearbyReport {
        if let lifetime {
            let bounded = min(max(lifetime, .zero), Self.longestShow)
            shownUntil = core.now().advanced(by: bounded)
            core.tasks.spawn(after: bounded) { $0.reach.neighbours.present() }
            present()
        }
        recognise()
        let tags = Sightings.tags(
            of: core.links.peers.compactMap(\.peerID), at: LANTag.hour(of: core.now()))
        return sightings.report(
            state: state, tags: tags, contacts: Array(core.links.peers), shownUntil: shown == nil ? nil : shownUntil)
    }
}
