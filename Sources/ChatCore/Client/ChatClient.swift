// The chat itself: contacts, links, messages and transfers of one installation. Its errands are straight-line code by
// topic: +Listening, +Links, +Hello, +People, +Sending, +Operations, +Receiving, +Offering, +Files, +Folders,
// +TransferRows, +Serving, +Digests, +Downloads, +Partials, +Reading, +Keeping, +Quota, +Configuring,
// +Presence.

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
    let hub = EventHub()
    var sessions: [ContactID: PeerSession] = [:]
    /// Callers whose key belongs to no contact (or to a blocked one), until they have said hello.
    var strangers: [LinkNumber: ActiveLink] = [:]
    var listener: (any PeerListening)?
    /// What is wrong with the listener: told to everybody who watches, also to those who come after `start`.
    var listenNotice: ChatNotice?
    var callerQuota: CallerQuota
    /// Where contacts call from, and are called.
    var knownNetworks = KnownNetworks()
    /// Whose contact requests were refused, and when.
    var refusedRequests: [PeerID: Timestamp] = [:]
    /// Contacts from whom something is held back until a wait is over (D5).
    var holdingContacts: Set<ContactID> = []
    var irregularities = Irregularities()
    var random = SystemRandomNumberGenerator()

    /// Those contacts that are being written, and who waits to do so next.
    var contactWriters: [ContactID: [CheckedContinuation<Void, Never>]] = [:]
    /// Offered files that peers are pulling.
    var uploads: [MessageID: Upload] = [:]
    /// How many ranges of a file wait until a limit of the rate lets them go.
    var heldRanges: [MessageID: Int] = [:]
    /// Files of ours that their receivers have paused, until they ask for more.
    var receiverPauses: [MessageID: ReceiverPause] = [:]
    /// Requests for files that wait for a disk.
    var fileAnswers = FileAnswers()
    /// The digests of offered files that contacts wait for.
    var digestLines: [ContactID: DigestLine] = [:]
    /// Accepted files that we are pulling, and the tasks that do it.
    var downloads: [MessageID: Download] = [:]
    /// Those whose file is there, and whose rows do not say so yet: nothing begins them again meanwhile.
    var arrivedDownloads: Set<MessageID> = []
    /// Incoming transfers that the sender does not give now, until they are tried again, with whose they are.
    var restingDownloads: [MessageID: ContactID] = [:]
    /// Incoming transfers whose partial file is being prepared.
    var accepting: Set<MessageID> = []
    /// Where the folders that contacts send are put, as far as this run has asked (see +Folders).
    var folderSets: [String: FolderSet] = [:]
    /// Folders of ours whose files are just being offered; one that is cancelled meanwhile is taken out.
    var foldersBeingOffered: Set<MessageID> = []
    /// The files that were counted against what the offers of such folders said, in this run.
    var takenFromFolders: Set<MessageID> = []
    /// Where accepted files go, without links; `nil` until its disk has said so (see +Folders).
    var downloadsFolder: String?
    let pacing: TransferPacing
    /// What running downloads still need of each disk.
    let diskRooms = DiskRooms()
    /// What contacts have had stored today, and the disk where it goes.
    var storageQuota = StorageQuota()
    var diskWatch = DiskWatch()
    /// What waits in the lines of all links.
    let waitingMemory: WaitingMemory
    /// Unfinished transfers that this run has touched, as they are now (see +TransferRows).
    var transferRows: [MessageID: FileTransfer] = [:]

    /// What the user has set for contacts by their names.
    let namedSettings: (any NamedSettings)?

    private var tasks: [Int: Task<Void, Never>] = [:]
    /// Those that end with their links and are not cancelled before: what they have submitted would be withdrawn.
    private var tasksOfLinks: Set<Int> = []
    private var nextTask = 0
    private var nextLink: UInt64 = 0

    /// `identity` is the key that `connecting` presents; `namedSettings` go along when contacts are renamed. Nothing happens before `start`.
    package init(
        store: any HistoryStore, connecting: any PeerConnecting, identity: PeerID, configuration: ChatConfiguration,
        namedSettings: (any NamedSettings)? = nil, now: @escaping @Sendable () -> Timestamp, clock: ChatClock = .system
    ) {
        self.store = store
        self.namedSettings = namedSettings
        self.connecting = connecting
        ownID = identity
        self.configuration = configuration
        self.now = now
        pacing = TransferPacing(upload: configuration.uploadLimit, download: configuration.downloadLimit)
        waitingMemory = WaitingMemory(bytes: configuration.limits.waitingBytes)
        self.clock = clock
        callerQuota = CallerQuota(perDay: configuration.limits.contactRequestsPerDay)
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
        let conversations = try await stored { () async throws(StoreError) in try await store.conversations() }
        let lastPort = try await lastPort()
        guard phase == .new else { return }
        for conversation in conversations {
            sessions[conversation.peer.id] = PeerSession(
                peer: conversation.peer, policy: configuration.reconnect, queuedCount: conversation.queuedCount)
        }
        endOldAlarms()
        do throws(LinkError) {
            try listen(lastPort: lastPort)
        } catch {
            phase = .stopped
            hub.finish()
            let endpoint = configuration.listen?.description ?? ""
            throw .cannotListen(endpoint: endpoint, reason: LinkReason.text(error))
        }
        phase = .running
        hub.publish(.identityChanged(identity))
        favourNetworks()
        await rememberPort(lastPort: lastPort)
        await releaseAll()
        resolveDownloadsFolder()
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
        for (index, contact) in sessions.keys.sorted().enumerated() {
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
        for look in sessions.values.compactMap(\.look) { await look.value }
        for link in sessions.values.compactMap(\.link) + strangers.values {
            link.close(code: 1001, reason: "going away")
        }
        for (number, task) in tasks where !tasksOfLinks.contains(number) { task.cancel() }
        while let task = tasks.values.first { await task.value }
        await rememberTransfers()
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
            self.tasksOfLinks.remove(number)
        }
        tasks[number] = task
        if endsWithLink {
            tasksOfLinks.insert(number)
        } else if phase == .stopped {
            task.cancel()
        }
        return task
    }

    /// Runs `operation` after `delay`, unless the client stops before.
    func spawn(after delay: Duration, _ operation: @escaping @Sendable (isolated ChatClient) async -> Void) {
        spawn { client in
            do { try await client.clock.wait(delay) } catch { return }
            await operation(client)
        }
    }

    func takeLinkNumber() -> LinkNumber {
        nextLink += 1
        return LinkNumber(rawValue: nextLink)
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
        guard let state = sessions[contact]?.takeStateChange() else { return }
        hub.publish(.linkChanged(contact, state))
    }

    // MARK: Errors

    /// Runs a store operation on behalf of a user.
    func stored<Value: Sendable>(
        _ operation: () async throws(StoreError) -> Value
    ) async throws(ChatError) -> Value {
        do throws(StoreError) { return try await operation() } catch { throw .store(error) }
    }

    /// Runs a store operation that nobody waits for; a failure becomes a notice and `nil`.
    func quietly<Value: Sendable>(_ operation: () async throws(StoreError) -> Value) async -> Value? {
        do throws(StoreError) {
            return try await operation()
        } catch {
            hub.publish(.notice(.storeFailed(error)))
            return nil
        }
    }
}
