// The chat itself: contacts, links, messages and transfers of one installation. The values Links, Transfers and Mail make the
// decisions. The parts beneath carry out what is of one topic; the client has what concerns several: a link's life (+Links,
// +Hello), what comes in over it (+Receiving), contacts and their trust (+People), settings (+Configuring), and who does
// what of a call (+Calls).

import BLIPNet

/// One installation's chat. Everything durable is in the store; the state here is gone after a restart and made again.
///
/// All parts run on this actor, so that nothing changes between two of their lines but at an `await`. Order matters on three
/// ways, each with one task at a time: a contact's outbox (rows go out in order), a link's chat requests (handled in order of
/// arrival), and a contact's read receipts.
package actor ChatClient: LocalChat {
    /// Name and version, as `hello` tells it.
    package static let clientName = "blipchat/0.1"
    /// The setting that holds the port of the last run, if any free one was taken then.
    package static let lastPortSetting = "listen.last_port"

    let core: ClientCore
    let connecting: any PeerConnecting
    /// The memory of the requests that wait in the lines of all links.
    let waitingMemory: WaitingMemory
    let listening: Listening
    let reach: Reach
    let dialling: Dialling
    let requests: RequestBook
    let people: People
    let presence: Presence
    let marks: ReadMarks
    let outbox: OutboxSender
    let writing: Writing
    let mailRoom: MailRoom
    let pacing: TransferPacing
    let book: TransferBook
    let folders: FolderBook
    let places: DownloadPlaces
    let downloads: Downloads
    let uploads: Uploads
    let decisions: TransferDecisions
    let offering: Offering
    let keeping: Keeping
    let cleaning: PartialsCleaning
    let rooms: Rooms
    let roomReceiver: RoomReceiver

    /// `identity` is the key that `connecting` presents; `namedSettings` go along when contacts are renamed. Nothing happens
    /// before `start`.
    package init(
        store: any HistoryStore, connecting base: any PeerConnecting, rooms baseRooms: any RoomConnecting = NoRooms(),
        neighbours baseFinding: any NeighbourFinding = NoNeighbours(), identity: PeerID,
        configuration: ChatConfiguration, namedSettings: (any NamedSettings)? = nil,
        now: @escaping @Sendable () -> Timestamp, clock: ChatClock = .system
    ) {
        let limits = configuration.limits
        // Nothing of the chat goes round what `reach.tor` allows.
        let tor = configuration.reach.tor
        let connecting = AllowedConnecting(base: base, setting: tor)
        let roomConnecting = AllowedRooms(base: baseRooms, setting: tor)
        let finding = AllowedNeighbours(base: baseFinding, setting: tor)
        let records = Records(store: store, hub: EventHub())
        let core = ClientCore(ownID: identity, records: records, configuration: configuration, now: now, clock: clock)
        let waitingMemory = WaitingMemory(bytes: limits.waitingBytes)
        let listening = Listening(core: core, connecting: connecting, memory: waitingMemory)
        let mapping = Mapping(core: core, connecting: connecting, listening: listening)
        let requests = RequestBook(records: records, limits: limits, now: now)
        let pacing = TransferPacing(
            upload: configuration.uploadLimit, download: configuration.downloadLimit,
            relayed: configuration.reach.relayLimit)
        let book = TransferBook(core: core, pacing: pacing)
        let folders = FolderBook(records: records)
        let places = DownloadPlaces(downloads: configuration.downloadsFolder, folders: folders, limits: limits)
        let roomFiles = RoomFiles(core: core, book: book, places: places)
        let liveRooms = LiveRooms()
        let roomSender = RoomSender(core: core, live: liveRooms, book: book, files: roomFiles)
        let rooms = Rooms(
            core: core, connecting: roomConnecting, live: liveRooms, sender: roomSender, files: roomFiles)
        let dialling = Dialling(core: core, rooms: rooms)
        let onion = Onion(core: core, connecting: connecting, memory: waitingMemory, dialling: dialling)
        let relays = Relays(
            core: core, connecting: connecting, memory: waitingMemory, listening: listening, mapping: mapping,
            onion: onion)
        let outbox = OutboxSender(core: core, dialling: dialling, roomSender: roomSender)
        let bundles = Bundles(core: core, book: book, outbox: outbox, pacing: pacing)
        let lanes = FileLanes(
            core: core, connecting: connecting, memory: waitingMemory, book: book, pacing: pacing)
        let downloads = Downloads(
            core: core, book: book, outbox: outbox, pacing: pacing, bundles: bundles, lanes: lanes)
        let uploads = Uploads(core: core, book: book, pacing: pacing, lanes: lanes)
        let decisions = TransferDecisions(
            core: core, book: book, downloads: downloads, bundles: bundles, uploads: uploads, outbox: outbox,
            folders: folders, places: places, roomFiles: roomFiles)
        let offering = Offering(core: core, outbox: outbox, folders: folders, decisions: decisions)
        self.core = core
        self.connecting = connecting
        self.waitingMemory = waitingMemory
        self.listening = listening
        let meetings = Meetings(core: core, connecting: connecting, memory: waitingMemory, relays: relays, onion: onion)
        let neighbours = Neighbours(
            core: core, finding: finding, listening: listening, dialling: dialling, meetings: meetings)
        let punching = Punching(core: core, connecting: connecting, memory: waitingMemory)
        let upgrades = Upgrades(core: core, dialling: dialling, punching: punching)
        reach = Reach(
            relays: relays, mapping: mapping, onion: onion, invitations: InvitationBook(core: core, meetings: meetings),
            meetings: meetings, neighbours: neighbours,
            networks: Networks(
                core: core, connecting: connecting, relays: relays, mapping: mapping, meetings: meetings,
                dialling: dialling, upgrades: upgrades),
            upgrades: upgrades, punching: punching)
        self.dialling = dialling
        self.requests = requests
        people = People(core: core, requests: requests, listening: listening, namedSettings: namedSettings)
        presence = Presence(core: core, listening: listening, dialling: dialling, relays: relays)
        marks = ReadMarks(core: core)
        self.outbox = outbox
        writing = Writing(core: core, outbox: outbox, offering: offering, decisions: decisions)
        mailRoom = MailRoom(core: core, decisions: decisions)
        self.pacing = pacing
        self.book = book
        self.folders = folders
        self.places = places
        self.downloads = downloads
        self.uploads = uploads
        self.decisions = decisions
        self.offering = offering
        keeping = Keeping(core: core, book: book, decisions: decisions)
        cleaning = PartialsCleaning(core: core, book: book, places: places)
        self.rooms = rooms
        roomReceiver = RoomReceiver(
            core: core, live: liveRooms, files: roomFiles, sender: roomSender, mailRoom: mailRoom)
        core.tasks.belong(to: self)
    }

    // MARK: Life

    /// Reads the contacts, takes calls and dials everybody. Throws `.store`, or `.cannotListen` when the wanted port
    /// cannot be had and `fallbackToAnyPort` is off; the client is stopped then.
    package func start() async throws(ChatError) {
        guard core.phase == .new else { return }
        let hub = core.hub
        core.store.watchChanges { change in
            switch change {
            case .added(let message): hub.publish(.messageAdded(message))
            case .changed(let message): hub.publish(.messageChanged(message))
            }
        }
        core.store.watchTrouble { trouble in
            switch trouble {
            case .putBack(let path): hub.publish(.notice(.historyPutBack(path: path)))
            }
        }
        let conversations = try await core.records.stored { () async throws(StoreError) in
            try await core.store.conversations()
        }
        let lastPort = try await listening.lastPort()
        guard core.phase == .new else { return }
        for conversation in conversations {
            core.links.know(conversation.peer, queuedCount: conversation.queuedCount)
        }
        // Alarms of earlier versions about contacts whose key came with their addresses: who answered was somebody else.
        for peer in core.links.peers where !peer.mayChangeKey { people.endAlarm(about: peer.id) }
        do throws(LinkError) {
            try listening.listen(lastPort: lastPort)
        } catch {
            core.phase = .stopped
            hub.finish()
            let endpoint = core.configuration.listen?.description ?? ""
            throw .cannotListen(endpoint: endpoint, reason: LinkReason(error))
        }
        core.phase = .running
        hub.publish(.identityChanged(identity))
        listening.favourNetworks()
        await listening.rememberPort(lastPort: lastPort)
        await reach.invitations.read()
        await relays.read()
        relays.begin()
        core.tasks.spawn(after: Mapping.openingTime) { $0.reach.mapping.begin() }
        await mailRoom.releaseAll()
        // If the path cannot be resolved, the first file that is to go there says so.
        core.tasks.spawn { _ = try? await $0.places.downloads(within: nil) }
        await downloads.restTransfers()
        dialling.dialEverybody()
        core.tasks.spawn(after: Dialling.openingTime) { await $0.reach.networks.follow() }
        core.tasks.spawn(after: Dialling.openingTime) { $0.reach.neighbours.begin() }
        core.tasks.spawn(after: Dialling.openingTime) { client in
            client.cleaning.keepPartialsClean()
            client.keeping.keepHouse()
            client.rooms.cleanFiles()
        }
    }

    /// Begins to call contacts, where the configuration called nobody: there is something for them now.
    package func callContacts() {
        guard !core.configuration.callsContacts else { return }
        core.configuration.callsContacts = true
        relays.begin()
        dialling.dialEverybody()
    }

    /// Somebody else has added to the store (an import): new contacts begin their sessions, and front ends read
    /// everything again.
    package func readStoreAnew() async throws(ChatError) {
        let conversations = try await core.records.stored { () async throws(StoreError) in
            try await core.store.conversations()
        }
        for conversation in conversations {
            let contact = conversation.peer.id
            if core.links[contact] == nil {
                core.links.know(conversation.peer, queuedCount: conversation.queuedCount)
                dialling.dial(contact)
            }
            core.hub.publish(.historyReplaced(contact))
        }
        core.hub.publish(.conversationsChanged)
    }

    /// Stops taking and making calls, closes the links in order, saves where transfers are, and ends all streams.
    /// Nothing of this client runs when it returns.
    package func stop() async {
        guard core.phase != .stopped else { return }
        core.phase = .stopped
        listening.close()
        // Operations stored for a peer who is there go out before the goodbye.
        for look in core.links.sessions.values.compactMap(\.look) { await look.value }
        for link in core.links.all { link.leave() }
        await reach.mapping.end()
        await core.tasks.stop()
        // How far the uploads are. Downloads have written that down themselves.
        for id in book.transfers.uploads { await uploads.forgetUpload(id) }
        core.hub.finish()
    }

    /// For what runs elsewhere and has something to tell.
    func run<Value: Sendable>(_ operation: @Sendable (isolated ChatClient) async -> Value) async -> Value {
        await operation(self)
    }

    // MARK: Events

    package var identity: LocalIdentity { presence.identity }

    package func events() -> AsyncStream<ChatEvent> {
        let first = listening.notice.map { [ChatEvent.notice($0)] } ?? []
        return core.hub.subscribe(beginningWith: first)
    }

    /// Whether what our user writes may go to a contact: where only verified ones are written to, it waits.
    package func maySend(to contact: ContactID) -> Bool { core.maySend(to: contact) }

    package func irregularities() -> Irregularities { mailRoom.irregularities }
}
