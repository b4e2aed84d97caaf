// Connections for files alone, beside a link (Docs/decisions/0034): who opens them, who takes them, and when they end.
// LanePlan says whether they pay; running transfers use whatever is open.

import BLIPNet

/// The lanes of all contacts. Belongs to the client.
final class FileLanes {
    private struct Lane {
        let link: ActiveLink
        /// The bytes that had moved over it at the last look, and since when that number has not changed.
        var moved: UInt64 = 0
        var movedAt: MonotonicTime
    }

    /// Those beside one link with a contact.
    private struct Group {
        let link: LinkNumber
        let open = OpenLanes()
        var plan: LanePlan
        var lanes: [Int: Lane] = [:]
        var lastNumber = 0
        /// Lanes that we are calling for.
        var calling = 0
        /// When our side has last called because they asked us to.
        var askedAt: MonotonicTime?
        var lookedAt: MonotonicTime?
        var isWatched = false
    }

    /// Between two looks at what the kernel counts.
    private static let lookInterval = Duration.milliseconds(200)
    /// Between two looks for lanes that rest, and how long one may rest: who has called ends it before the other one.
    private static let watchInterval = Duration.seconds(2)
    private static let ownPatience = Duration.seconds(4)
    private static let theirPatience = Duration.seconds(12)
    /// A contact can have us call once in so long.
    private static let askInterval = Duration.seconds(5)

    private let core: ClientCore
    private let connecting: any PeerConnecting
    private let memory: WaitingMemory
    private let book: TransferBook
    private let pacing: TransferPacing
    private var groups: [ContactID: Group] = [:]

    init(
        core: ClientCore, connecting: any PeerConnecting, memory: WaitingMemory, book: TransferBook,
        pacing: TransferPacing
    ) {
        self.core = core
        self.connecting = connecting
        self.memory = memory
        self.book = book
        self.pacing = pacing
    }

    private var most: Int { core.configuration.limits.network.fileLanes }

    /// The lanes that are open beside the present link with a contact, for a file that comes over it.
    func open(with contact: ContactID, beside link: ActiveLink) -> OpenLanes {
        guard link.features.contains(.lanes) else { return OpenLanes() }
        prepare(contact, link.number)
        return groups[contact]?.open ?? OpenLanes()
    }

    /// How many there are with a contact.
    func count(with contact: ContactID) -> Int { groups[contact]?.lanes.count ?? 0 }

    private func prepare(_ contact: ContactID, _ number: LinkNumber) {
        guard groups[contact]?.link != number else { return }
        end(contact)
        groups[contact] = Group(link: number, plan: LanePlan(most: most))
    }

    // MARK: Sending files

    /// While a file goes out over the link `number`: looks at the path, and has lanes opened or closed.
    func look(at contact: ContactID, on number: LinkNumber) async {
        guard let link = core.links[contact]?.sendingLink, link.number == number, link.mayHaveLanes, most > 0 else {
            return
        }
        prepare(contact, number)
        let now = core.clock.now()
        if let looked = groups[contact]?.lookedAt, now - looked < Self.lookInterval { return }
        groups[contact]?.lookedAt = now
        var counters: [Int: LossCounters] = [:]
        counters[0] = await link.connection.lossCounters
        for (number, lane) in groups[contact]?.lanes ?? [:] {
            counters[number] = await lane.link.connection.lossCounters
        }
        guard core.isRunning, counters[0] != nil, groups[contact]?.link == number else { return }
        // A limit that our user has set is no fault of the path.
        let isLimited = pacing.limit(of: .all(.outgoing)) != nil
        let remaining = isLimited ? 0 : book.transfers.remainingUploads(to: contact)
        switch groups[contact]?.plan.note(counters, remaining: remaining, now: core.clock.now()) {
        case .opens(let count):
            if link.isOutgoing {
                call(contact, beside: link, upTo: count)
            } else {
                link.connection.submitNoReply(FileLanesRequest(count: count).encoded())
            }
        case .closes(let count): close(count, of: contact)
        case .stays, nil: break
        }
    }

    /// How many of the `bytes` that a contact asks for go at once, where less may go.
    func piece(of bytes: UInt64, to contact: ContactID, over link: ActiveLink) -> UInt64 {
        guard !link.isLane, let group = groups[contact], group.link == link.number else { return bytes }
        return min(bytes, group.plan.piece ?? .max)
    }

    private func close(_ count: Int, of contact: ContactID) {
        let lanes = groups[contact]?.lanes ?? [:]
        for number in lanes.keys.sorted().suffix(count) {
            groups[contact]?.open.remove(number)
            lanes[number]?.link.close(reason: "not needed any more")
        }
    }

    // MARK: Calling

    /// A contact whose files come asks us, who have called them, for lanes.
    func asked(_ request: FileLanesRequest, by contact: ContactID, on number: LinkNumber) {
        guard let link = core.links[contact]?.sendingLink, link.number == number, link.isOutgoing, link.mayHaveLanes,
            book.transfers.hasDownload(from: contact)
        else { return }
        prepare(contact, link.number)
        let now = core.clock.now()
        if let asked = groups[contact]?.askedAt, now - asked < Self.askInterval { return }
        groups[contact]?.askedAt = now
        call(contact, beside: link, upTo: request.count)
    }

    /// Calls until there are `count` lanes beside the link, or as many as the limits allow.
    func call(_ contact: ContactID, beside link: ActiveLink, upTo count: Int) {
        guard let endpoint = Endpoint(link.connection.info.remoteAddress) else { return }
        while let group = groups[contact], group.link == link.number,
            group.lanes.count + group.calling < min(count, most), hasRoom
        {
            groups[contact]?.calling += 1
            core.tasks.spawn { await $0.uploads.lanes.callOne(contact, beside: link, at: endpoint) }
        }
    }

    private func callOne(_ contact: ContactID, beside link: ActiveLink, at endpoint: Endpoint) async {
        let router = RequestRouter(limits: core.configuration.limits, memory: memory, isForFiles: true)
        // A failure of this call is no news: the link is there, and the file continues over it.
        let connection = try? await connecting.openLane(to: endpoint, expecting: link.peerID, handler: router)
        if groups[contact]?.link == link.number { groups[contact]?.calling -= 1 }
        guard let connection else { return router.close() }
        guard core.isRunning, groups[contact]?.link == link.number, isSending(contact, link.number) else {
            connection.close(code: 1001, reason: "not needed any more")
            return router.close()
        }
        begin(connection, router, beside: link, of: contact)
    }

    private func isSending(_ contact: ContactID, _ number: LinkNumber) -> Bool {
        core.links[contact]?.sendingLink?.number == number
    }

    // MARK: Being called

    /// Somebody has called with a lane. It is theirs who have a link with us now, or nobody's.
    func take(_ connection: any PeerConnection, _ router: RequestRouter) {
        guard core.isRunning, let fingerprint = connection.info.remoteFingerprint,
            let session = core.links.session(of: PeerID(fingerprint)), let link = session.sendingLink,
            link.mayHaveLanes
        else {
            connection.close(code: 1008, reason: "no link")
            return router.close()
        }
        prepare(session.peer.id, link.number)
        guard count(with: session.peer.id) < most, hasRoom else {
            connection.close(code: 1008, reason: "too many connections")
            return router.close()
        }
        begin(connection, router, beside: link, of: session.peer.id)
    }

    /// Lanes take a quarter of the places for links at most.
    private var hasRoom: Bool {
        let taken = groups.values.reduce(0) { $0 + $1.lanes.count + $1.calling }
        return taken < max(core.configuration.limits.network.knownConnections / 4, 1)
    }

    // MARK: A lane's life

    private func begin(
        _ connection: any PeerConnection, _ router: RequestRouter, beside link: ActiveLink, of contact: ContactID
    ) {
        guard var group = groups[contact] else { return }
        connection.admit()
        group.lastNumber += 1
        let number = group.lastNumber
        let lane = link.lane(connection, router)
        group.lanes[number] = Lane(link: lane, movedAt: core.clock.now())
        group.open.add(connection, as: number)
        groups[contact] = group
        core.tasks.spawn { await $0.uploads.consumeFiles(of: contact, on: lane) }
        core.tasks.spawn { client in
            _ = await connection.waitUntilClosed()
            router.close()
            client.uploads.lanes.ended(number, of: contact, beside: link.number)
        }
        watch(contact, link.number)
    }

    private func ended(_ number: Int, of contact: ContactID, beside link: LinkNumber) {
        guard groups[contact]?.link == link else { return }
        groups[contact]?.open.remove(number)
        groups[contact]?.lanes[number] = nil
    }

    /// The link is over, and so are its lanes.
    func end(beside number: LinkNumber) {
        for contact in groups.keys where groups[contact]?.link == number { end(contact) }
    }

    private func end(_ contact: ContactID) {
        guard let group = groups.removeValue(forKey: contact) else { return }
        for (number, lane) in group.lanes {
            group.open.remove(number)
            lane.link.close(code: 1001, reason: "the link is over")
        }
    }

    /// Ends lanes over which nothing moves.
    private func watch(_ contact: ContactID, _ number: LinkNumber) {
        guard groups[contact]?.isWatched == false else { return }
        groups[contact]?.isWatched = true
        core.tasks.spawn { client in
            let lanes = client.uploads.lanes
            while let group = lanes.groups[contact], group.link == number, !group.lanes.isEmpty {
                do { try await client.core.clock.wait(Self.watchInterval) } catch { return }
                await lanes.closeResting(contact, number)
            }
            if lanes.groups[contact]?.link == number { lanes.groups[contact]?.isWatched = false }
        }
    }

    private func closeResting(_ contact: ContactID, _ number: LinkNumber) async {
        for (lane, before) in groups[contact]?.lanes ?? [:] {
            let counters = await before.link.connection.counters
            guard groups[contact]?.link == number, var present = groups[contact]?.lanes[lane] else { continue }
            let (moved, now) = (counters.bytesSent &+ counters.bytesReceived, core.clock.now())
            if moved != present.moved {
                present.moved = moved
                present.movedAt = now
                groups[contact]?.lanes[lane] = present
                continue
            }
            let patience = present.link.isOutgoing ? Self.ownPatience : Self.theirPatience
            guard now - present.movedAt >= patience else { continue }
            groups[contact]?.open.remove(lane)
            present.link.close(reason: "nothing moves")
        }
    }
}

extension ActiveLink {
    /// Straight to a peer that knows lanes: another way may be slow for other reasons, and is somebody else's.
    fileprivate var mayHaveLanes: Bool {
        features.contains(.lanes) && routeClass == .direct && connection.info.proxy == nil
    }

    /// A further connection of the same contact: what is decided of the link holds for it.
    fileprivate func lane(_ connection: any PeerConnection, _ router: RequestRouter) -> ActiveLink {
        var lane = ActiveLink(
            number: number, connection: connection, router: router, peerID: peerID, opened: opened, isLane: true)
        lane.features = features
        return lane
    }
}
