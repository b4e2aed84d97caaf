// The wall around a chat that uses nothing but Tor: whatever part of it asks, no other way out or in is opened (REACH 5).

import BLIPNet
import Glibc

/// The network of a chat, as far as the setting allows it.
struct AllowedConnecting: PeerConnecting {
    let base: any PeerConnecting
    let setting: TorSetting

    private func require(_ means: TorSetting.Means) throws(LinkError) {
        guard setting.allows(means) else { throw .onionFailed(means == .onion ? .off : .onlyTor) }
    }

    func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        try require(.calls)
        return try await base.connect(to: endpoint, expecting: expected, through: proxy, handler: handler)
    }

    func listen(
        on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening {
        try require(.door)
        return try base.listen(on: endpoint, accept: accept)
    }

    func connect(
        along route: Route, isPublic: Bool, expecting expected: PeerID?, through proxy: ProxyChoice,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        switch route.routeClass {
        case .direct: try require(.calls)
        case .relay: try require(.relays)
        case .onion: try require(.onion)
        }
        return try await base.connect(
            along: route, isPublic: isPublic, expecting: expected, through: proxy, handler: handler)
    }

    func openLane(
        to endpoint: Endpoint, expecting expected: PeerID, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        try require(.calls)
        return try await base.openLane(to: endpoint, expecting: expected, handler: handler)
    }

    func identity(of relay: RelayServer, through proxy: ProxyChoice) async throws(LinkError) -> RelayID {
        try require(.relays)
        return try await base.identity(of: relay, through: proxy)
    }

    func mailbox(at place: MailboxPlace) -> RelayID? { base.mailbox(at: place) }

    func beReached(
        at relay: RelayServer, in place: MailboxPlace, token: String, through proxy: ProxyChoice,
        joined: @escaping @Sendable (RelayJoined) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        do throws(LinkError) { try require(.relays) } catch { return error }
        return await base.beReached(
            at: relay, in: place, token: token, through: proxy, joined: joined, accept: accept)
    }

    func mapPort(
        _ port: UInt16, earlier: MappedPort?, usesUPnP: Bool
    ) async throws(MappingFailure) -> MappedPort {
        guard setting.allows(.mapping) else { throw .notNeeded }
        return try await base.mapPort(port, earlier: earlier, usesUPnP: usesUPnP)
    }

    func giveBack(_ mapped: MappedPort) async {
        if setting.allows(.mapping) { await base.giveBack(mapped) }
    }

    func openHole(seenBy observer: OutsideObserver?) async -> PunchHole? {
        setting.allows(.calls) ? await base.openHole(seenBy: observer) : nil
    }

    func punch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool, expecting expected: PeerID,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        try require(.calls)
        return try await base.punch(
            from: port, to: candidates, allowsInside: allowsInside, expecting: expected, handler: handler)
    }

    func takePunch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async {
        guard setting.allows(.calls) else { return }
        await base.takePunch(from: port, to: candidates, allowsInside: allowsInside, accept: accept)
    }

    func onionRoute(generation: UInt32) -> Route? {
        setting.allows(.onion) ? base.onionRoute(generation: generation) : nil
    }

    func serveOnion(
        generation: UInt32?, control: Endpoint?, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        do throws(LinkError) { try require(.onion) } catch { return error }
        return await base.serveOnion(generation: generation, control: control, news: news, accept: accept)
    }

    func serveOnion(
        ofWords seed: [UInt8], number: Int, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        do throws(LinkError) { try require(.onion) } catch { return error }
        return await base.serveOnion(ofWords: seed, number: number, news: news, accept: accept)
    }

    /// It listens to this machine alone.
    func networkChanges() -> AsyncStream<NetworkChange> { base.networkChanges() }
}

/// The servers of rooms, as far as the setting allows them.
struct AllowedRooms: RoomConnecting {
    let base: any RoomConnecting
    let setting: TorSetting

    func connect(to room: RoomURL, through proxy: ProxyChoice) -> any RoomConnection {
        setting.allows(.rooms) ? base.connect(to: room, through: proxy) : ForbiddenRoom()
    }

    /// A room that is not called.
    private final class ForbiddenRoom: RoomConnection {
        let changes: AsyncStream<RoomChange>
        private let teller: AsyncStream<RoomChange>.Continuation

        init() {
            (changes, teller) = AsyncStream.makeStream(of: RoomChange.self)
            teller.yield(.left(.onion(.onlyTor), retry: nil))
        }

        func nextEvent() async -> RoomEvent? { nil }
        func emit(_ event: RoomEvent, patience: Duration) async throws(RoomEmitError) -> RoomReceipt {
            throw .notConnected
        }
        func reconnect() { teller.yield(.left(.onion(.onlyTor), retry: nil)) }
        func close() async { teller.finish() }
    }
}

/// The local network, as far as the setting allows it.
struct AllowedNeighbours: NeighbourFinding {
    let base: any NeighbourFinding
    let setting: TorSetting

    func look() -> AsyncStream<NeighbourNews> {
        setting.allows(.neighbours) ? base.look() : NoNeighbours().look()
    }

    func show(_ service: NeighbourService?) {
        if setting.allows(.neighbours) { base.show(service) }
    }
}
