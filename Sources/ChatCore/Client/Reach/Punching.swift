// Calling each other at the same moment, where the routers of both of us take no calls (REACH 4). The peer with the
// smaller id asks, over the link by a relay; both call; the direct link that comes of it takes the relay's place.

import BLIPNet

/// Belongs to one actor.
final class Punching {
    /// Direct ways have been tried for so long by then.
    static let afterDirectWays = Duration.seconds(3)

    private let core: ClientCore
    private let connecting: any PeerConnecting
    /// The memory that the waiting lines of all links share.
    private let memory: WaitingMemory
    private var book = PunchBook()

    init(core: ClientCore, connecting: any PeerConnecting, memory: WaitingMemory) {
        self.core = core
        self.connecting = connecting
        self.memory = memory
    }

    private var allowsInside: Bool { core.configuration.limits.network.privateRoutes != 0 }

    /// Whether we can say where our calls come out.
    private var knowsOutside: Bool {
        core.configuration.reach.observer != nil || book.seenHost(now: core.clock.now()) != nil
    }

    // MARK: Our addresses as others see them

    /// A contact whom we have called says from where that came.
    func noteSeen(_ place: Endpoint) {
        guard case .host(let host, let port) = place, let address = SocketAddress(host: host, port: port),
            allowsInside || !address.isInside
        else { return }
        book.noteSeen(host, now: core.clock.now())
    }

    func newNetwork() { book.forgetSeen() }

    // MARK: Asking

    /// Whether we are the one to ask a contact, and may.
    func mayBegin(_ contact: ContactID) -> Bool {
        guard core.isRunning, core.configuration.punches, core.configuration.callsContacts, knowsOutside,
            let session = core.links[contact], session.wantsLink, let link = session.sendingLink
        else { return false }
        return link.routeClass > .direct && link.features.contains(.punch) && core.ownID < link.peerID
    }

    /// Tries it, some rounds long.
    func begin(_ contact: ContactID, after delay: Duration) {
        core.tasks.spawn(after: delay) { await $0.reach.punching.run(contact) }
    }

    private func run(_ contact: ContactID) async {
        guard mayBegin(contact), book.begin(contact) else { return }
        defer { book.end(contact) }
        for round in PunchRequest.rounds {
            guard mayBegin(contact), let link = core.links[contact]?.sendingLink,
                await punch(contact, over: link, round: round) == .missed
            else { return }
        }
    }

    private enum Outcome {
        case linked
        /// They cannot or do not want to.
        case declined
        case missed
    }

    private func punch(_ contact: ContactID, over link: ActiveLink, round: Int) async -> Outcome {
        guard let own = await openHole() else { return .declined }
        let request = PunchRequest(round: round, candidates: own.candidates)
        let pending = link.connection.submit(request.encoded(), bodySink: nil)
        let theirs: [Endpoint]
        do {
            let response = try await pending.value()
            guard response.error == nil else { return .declined }
            theirs = try PunchReply(decoding: response).candidates
        } catch {
            return .declined
        }
        guard !theirs.isEmpty else { return .declined }
        link.connection.submitNoReply(PunchGoRequest(round: round).encoded())
        let way = await (link.connection.roundTrip ?? .zero) / 2
        do { try await core.clock.wait(way) } catch { return .declined }
        let router = RequestRouter(limits: core.configuration.limits, memory: memory)
        do throws(LinkError) {
            let connection = try await connecting.punch(
                from: own.port, to: theirs, allowsInside: allowsInside, expecting: link.peerID, handler: router)
            guard let client = core.tasks.client,
                case .host(let host, let port)? = Endpoint(connection.info.remoteAddress)
            else { return .declined }
            _ = await client.answered(contact, connection, router, along: .direct(host: host, port: port))
            return .linked
        } catch {
            return .missed
        }
    }

    /// A port for one round, and where calls from it come out.
    private func openHole() async -> (port: UInt16, candidates: [Endpoint])? {
        guard let hole = await connecting.openHole(seenBy: core.configuration.reach.observer) else { return nil }
        if let outside = hole.outside {
            noteSeen(outside)
            return (hole.port, [outside])
        }
        // Most routers keep the port.
        guard let host = book.seenHost(now: core.clock.now()) else { return nil }
        return (hole.port, [.host(host, port: hole.port)])
    }

    // MARK: Being asked

    func asked(_ punch: PunchRequest, _ request: ReceivedRequest, by contact: ContactID, on link: ActiveLink) {
        guard core.configuration.punches, knowsOutside, link.routeClass > .direct, link.peerID < core.ownID,
            !punch.candidates.isEmpty, core.links.isPresent(link.number, of: contact),
            book.takes(punch.round, from: contact, now: core.clock.now())
        else { return decline(request, on: link) }
        // Messages that they write meanwhile do not wait for a server.
        core.tasks.spawn { await $0.reach.punching.agree(to: punch, request, by: contact, on: link) }
    }

    private func agree(
        to punch: PunchRequest, _ request: ReceivedRequest, by contact: ContactID, on link: ActiveLink
    ) async {
        guard let own = await openHole() else { return decline(request, on: link) }
        book.agree(
            PunchBook.Agreement(
                link: link.number, round: punch.round, port: own.port, candidates: punch.candidates,
                until: core.clock.now() + PunchBook.patience), with: contact)
        link.answer(request, PunchReply(candidates: own.candidates).encoded())
    }

    /// We cannot or do not want to: a reply without a place to call tells them not to try.
    private func decline(_ request: ReceivedRequest, on link: ActiveLink) {
        link.answer(request, PunchReply(candidates: []).encoded())
    }

    func go(_ word: PunchGoRequest, from contact: ContactID, on link: ActiveLink) {
        guard core.links.isPresent(link.number, of: contact),
            let agreed = book.go(word.round, from: contact, on: link.number, now: core.clock.now())
        else { return }
        let expected = link.peerID
        let acceptance = core.acceptance(memory)
        core.tasks.spawn { [connecting, allowsInside] _ in
            await connecting.takePunch(from: agreed.port, to: agreed.candidates, allowsInside: allowsInside) {
                connection in
                guard let key = connection.info.remoteFingerprint, PeerID(key) == expected else { return nil }
                return acceptance(connection)
            }
        }
    }
}

extension ChatConfiguration {
    /// Whether contacts and we may call each other at the same moment: both learn where the other one is.
    var punches: Bool {
        reach.punches && reach.tor.allows(.calls) && !hidesAddress && proxy == .direct
    }
}
