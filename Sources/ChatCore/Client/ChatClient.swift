// The chat itself: contacts, links, messages and transfers of one installation. What is decided of them, values decide:
// Links, Transfers, Mail. What is written down together with a decision, small books keep: FolderBook, RequestBook. The
// errands are straight-line code by topic, here and in +Listening, +Links, +Hello, +People, +Naming, +Sending,
// +Operations, +Receiving, +Offering, +Files, +Folders, +TransferRows, +Serving, +Digests, +Downloads, +Pauses,
// +Partials, +Reading, +Keeping, +Configuring, +Marking, +Presence.

import BLIPNet

/// One installation's chat. Everything durable is in the store; what is here is gone after a restart and made anew.
///
/// Order matters on three ways, each with one task at a time: a contact's outbox (rows go out in order), a link's chat
/// requests (handled in order of arrival), and a contact's read receipts.
package actor ChatClient: LocalChat {
    /// Name and version, as `hello` tells it.
    package static let clientName = "blipchat/0.1"

    let store: any HistoryStore
    let connecting: any PeerConnecting
    let ownID: PeerID
    /// Some of it can change: see +Configuring.
    var configuration: ChatConfiguration
    /// We have told our contacts that we are away, and why.
    var away: String?
    let now: @Sendable () -> Timestamp
    let clock: ChatClock

    enum Phase { case new, running, stopped }
    var phase = Phase.new
    let hub: EventHub
    let records: Records
    var links: Links
    var transfers: Transfers
    let folders: FolderBook
    var mail = Mail()
    let requests: RequestBook
    let turns = ContactTurns()
    var listener: (any PeerListening)?
    /// What is wrong with the listener: told to everybody who watches, also to those who come after `start`.
    var listenNotice: ChatNotice?
    let places: DownloadPlaces
    let pacing: TransferPacing
    /// What running downloads still need of each disk.
    let diskRooms = DiskRooms()
    /// What waits in the lines of all links.
    let waitingMemory: WaitingMemory
    /// What the user has set for contacts by their names.
    let namedSettings: (any NamedSettings)?

    private struct RunningTask {
        let task: Task<Void, Never>
        /// Not cancelled before its link has ended: what it has submitted would be withdrawn.
        let endsWithLink: Bool
    }
    private var tasks: [Int: RunningTask] = [:]
    private var nextTask = 0

    /// `identity` is the key that `connecting` presents; `namedSettings` go along when contacts are renamed. Nothing happens before `start`.
    package init(
        store: any HistoryStore, connecting: any PeerConnecting, identity: PeerID, configuration: ChatConfiguration,
        namedSettings: (any NamedSettings)? = nil, now: @escaping @Sendable () -> Timestamp, clock: ChatClock = .system
    ) {
        self.store = store
        hub = EventHub()
        let records = Records(store: store, hub: hub)
        self.records = records
        self.namedSettings = namedSettings
        self.connecting = connecting
        ownID = identity
        self.configuration = configuration
        self.now = now
        pacing = TransferPacing(upload: configuration.uploadLimit, download: configuration.downloadLimit)
        transfers = Transfers(limits: configuration.limits)
        waitingMemory = WaitingMemory(bytes: configuration.limits.waitingBytes)
        self.clock = clock
        links = Links(ownID: identity, limits: configuration.limits.network, policy: configuration.reconnect)
        requests = RequestBook(records: records, limits: configuration.limits, now: now)
        let folders = FolderBook(records: records)
        self.folders = folders
        places = DownloadPlaces(
            downloads: configuration.downloadsFolder, folders: folders, limits: configuration.limits)
    }

    // MARK: Life

    /// Reads the contacts, takes calls and dials everybody. Throws `.store`, or `.cannotListen` when the wanted port
    /// cannot be had and `fallbackToAnyPort` is off; the client is stopped then.
    package func start() async throws(ChatError) {
        guard phase == .new else { return }
        store.watchChanges { [hub] change in
            switch change {
            case .added(let message): hub.publish(.messageAdded(message))
            case .changed(let message): hub.publish(.messageChanged(message))
            }
        }
        store.watchTrouble { [hub] trouble in
            switch trouble {
            case .putBack(let path): hub.publish(.notice(.historyPutBack(path: path)))
            }
        }
        let conversations = try await records.stored { () async throws(StoreError) in try await store.conversations() }
        let lastPort = try await lastPort()
        guard phase == .new else { return }
        for conversation in conversations {
            links.know(conversation.peer, queuedCount: conversation.queuedCount)
        }
        // Alarms of earlier versions about contacts whose key came with their addresses: who answered was somebody else.
        for peer in links.peers where !peer.mayChangeKey { endAlarm(about: peer.id) }
        do throws(LinkError) {
            try listen(lastPort: lastPort)
        } catch {
            phase = .stopped
            hub.finish()
            let endpoint = configuration.listen?.description ?? ""
            throw .cannotListen(endpoint: endpoint, reason: LinkReason(error))
        }
        phase = .running
        hub.publish(.identityChanged(identity))
        favourNetworks()
        await rememberPort(lastPort: lastPort)
        await releaseAll()
        // A path that cannot be resolved is told when the first file is to go there.
        spawn { _ = try? await $0.places.downloads(within: nil) }
        await restTransfers()
        dialEverybody()
        spawn(after: Self.openingTime) { client in
            client.keepPartialsClean()
            client.keepHouse()
        }
    }

    /// The screen that is being opened has the processors first.
    private static let openingTime = Duration.milliseconds(20)

    /// Begins to call contacts, where the configuration called nobody: there is something for them now.
    package func callContacts() {
        guard !configuration.callsContacts else { return }
        configuration.callsContacts = true
        dialEverybody()
    }

    /// The first few together, the others a hundred a second: a long list must not hold up the screen either.
    private func dialEverybody() {
        for (index, contact) in links.contacts.enumerated() {
            spawn(after: Self.openingTime + .milliseconds(10 * max(0, index - 7))) { $0.dial(contact) }
        }
    }

    /// Stops taking and making calls, closes the links in order, saves where transfers are, and ends all streams.
    /// Nothing of this client runs when it returns.
    package func stop() async {
        guard phase != .stopped else { return }
        phase = .stopped
        listener?.close()
        listener = nil
        // What has been stored for a peer who is there goes out before the goodbye.
        for look in links.sessions.values.compactMap(\.look) { await look.value }
        for link in links.all { link.close(code: 1001, reason: "going away") }
        for running in tasks.values where !running.endsWithLink { running.task.cancel() }
        while let running = tasks.values.first { await running.task.value }
        // How far the uploads are. Downloads have written that down themselves.
        for id in transfers.uploads { await forgetUpload(id) }
        hub.finish()
    }

    /// Runs `operation` on this actor until it ends; `stop` cancels it, unless it `endsWithLink`, and waits for it.
    @discardableResult func spawn(
        endsWithLink: Bool = false, _ operation: @escaping @Sendable (isolated ChatClient) async -> Void
    ) -> Task<Void, Never> {
        let number = nextTask
        nextTask += 1
        let task = Task {
            await operation(self)
            self.tasks[number] = nil
        }
        tasks[number] = RunningTask(task: task, endsWithLink: endsWithLink)
        if !endsWithLink, phase == .stopped { task.cancel() }
        return task
    }

    /// Runs `operation` after `delay`, unless the client stops before.
    func spawn(after delay: Duration, _ operation: @escaping @Sendable (isolated ChatClient) async -> Void) {
        spawn { client in
            do { try await client.clock.wait(delay) } catch { return }
            await operation(client)
        }
    }

    // MARK: Who we are

    package var identity: LocalIdentity {
        var identity = LocalIdentity(peerID: ownID, name: configuration.name, address: nil, listening: nil)
        identity.away = away
        guard let listener, case .host(let bound, let port) = listener.localEndpoint else { return identity }
        let host = configuration.advertisedHost ?? (LocalHost.isWildcard(bound) ? LocalHost.firstAddress() : bound)
        identity.address = PeerAddress(host: host, port: port, peerID: ownID, name: configuration.name)
        identity.listening = listener.localEndpoint.description
        return identity
    }

    /// The port at which we take calls.
    var listenPort: UInt16? {
        guard case .host(_, let port)? = listener?.localEndpoint else { return nil }
        return port
    }

    // MARK: News

    package func events() -> AsyncStream<ChatEvent> {
        let first = listenNotice.map { [ChatEvent.notice($0)] } ?? []
        let stream = hub.subscribe(beginningWith: first)
        if phase == .stopped { hub.finish() }
        return stream
    }

    /// Tells the link state of `contact` if it has changed.
    func publishLinkState(of contact: ContactID) {
        guard let state = links[contact]?.takeStateChange() else { return }
        hub.publish(.linkChanged(contact, state))
    }
}
