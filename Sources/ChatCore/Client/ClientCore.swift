// The state that the parts of a ChatClient share.

/// The store, the clocks, the contacts and the settings. Belongs to the client, and so does each part that holds it: they
/// run on the client and nowhere else.
final class ClientCore {
    enum Phase { case new, running, stopped }

    let ownID: PeerID
    let records: Records
    let now: @Sendable () -> Timestamp
    let clock: ChatClock
    let tasks: ClientTasks
    var phase = Phase.new
    /// Some of it can change: see ChatClient+Configuring.
    var configuration: ChatConfiguration
    var links: Links
    /// We have told our contacts that we are away, and why.
    var away: String?

    init(
        ownID: PeerID, records: Records, configuration: ChatConfiguration, now: @escaping @Sendable () -> Timestamp,
        clock: ChatClock
    ) {
        self.ownID = ownID
        self.records = records
        self.configuration = configuration
        self.now = now
        self.clock = clock
        tasks = ClientTasks(clock: clock)
        links = Links(
            ownID: ownID, limits: configuration.limits.network, policy: configuration.reconnect,
            tor: configuration.reach.tor)
    }

    var store: any HistoryStore { records.store }
    var hub: EventHub { records.hub }
    var isRunning: Bool { phase == .running }

    /// For a listener: gives each caller a line for its requests, and has the client take the call. `takesLanes`: a caller may ask
    /// for files alone; `invitation`: the one whose words led there.
    func acceptance(
        _ memory: WaitingMemory, takesLanes: Bool = false, invitation: Int? = nil
    ) -> @Sendable (any PeerConnection) -> (any PeerRequestHandler)? {
        let limits = configuration.limits
        return { [weak client = tasks.client] connection in
            guard let client else { return nil }
            let router = RequestRouter(
                limits: limits, memory: memory, isForFiles: takesLanes && connection.info.isFileLane)
            Task { await client.takeCall(connection, router, invitation: invitation) }
            return router
        }
    }

    /// Throws `.noSuchContact`.
    func session(with contact: ContactID) throws(ChatError) -> PeerSession {
        guard let session = links[contact] else { throw .noSuchContact }
        return session
    }

    /// The same for what a room has not; throws `.isRoom` for one.
    func person(_ contact: ContactID, needing lack: RoomLack) throws(ChatError) -> PeerSession {
        let session = try session(with: contact)
        guard session.peer.room == nil else { throw .isRoom(name: session.peer.name, lack) }
        return session
    }

    func isRoom(_ contact: ContactID) -> Bool { links[contact]?.peer.room != nil }

    /// Tells the link state of `contact` if it has changed.
    func publishLinkState(of contact: ContactID) {
        guard let state = links[contact]?.takeStateChange() else { return }
        hub.publish(.linkChanged(contact, state))
    }

    /// Whether what our user writes may go to a contact: where only verified ones are written to, it waits.
    /// Nobody can verify a room; a user who joins one means to write there.
    func maySend(to contact: ContactID) -> Bool {
        !configuration.requiresVerified || links[contact]?.peer.trust == .verified || isRoom(contact)
    }
}
