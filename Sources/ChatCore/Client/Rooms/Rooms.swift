// The connections to Socket.IO rooms (Docs/decisions/0029). RoomSender emits over them, RoomReceiver stores what comes.

import BLIPNet

/// Opens and closes connections, which reconnect by themselves and report how it goes. Belongs to one actor.
final class Rooms {
    private let core: ClientCore
    private let connecting: any RoomConnecting
    private let live: LiveRooms
    let sender: RoomSender
    private let files: RoomFiles
    /// The remains of earlier connections of this run: their log, and lines whose echo is still missing.
    private var former: [ContactID: LiveRoom] = [:]
    private let begun: Timestamp

    init(
        core: ClientCore, connecting: any RoomConnecting, live: LiveRooms, sender: RoomSender, files: RoomFiles
    ) {
        self.core = core
        self.connecting = connecting
        self.live = live
        self.sender = sender
        self.files = files
        begun = core.now()
    }

    /// Begins to connect, unless that is under way, or our user wants none.
    func open(_ contact: ContactID) {
        guard core.isRunning, live[contact] == nil, let session = core.links[contact], let room = session.peer.room,
            !room.isLeft, !session.isPutOff
        else { return }
        let connection = connecting.connect(to: room.url, through: core.configuration.proxy)
        live[contact] = LiveRoom(connection: connection, former: former.removeValue(forKey: contact))
        show(contact)
        let following = core.tasks.spawn { client in
            await client.rooms.follow(contact, connection)
            await connection.close()
        }
        let receiving = core.tasks.spawn { client in
            while let event = await connection.nextEvent() {
                guard client.core.isRunning, client.rooms.live.isPresent(connection, of: contact) else { return }
                await client.roomReceiver.receive(event, from: contact)
            }
        }
        live[contact]?.tasks = [following, receiving]
    }

    /// Our user wants it now.
    func wake(_ contact: ContactID) {
        guard let room = live[contact] else { return open(contact) }
        if room.facts == nil { room.connection.reconnect() }
    }

    func close(_ contact: ContactID) {
        guard var room = live[contact] else { return }
        live[contact] = nil
        room.left(.closedByUs, retry: nil, at: core.now())
        core.links[contact]?.outbox.linkEnded()
        // One of them closes the connection.
        for task in room.tasks { task.cancel() }
        room.tasks = []
        former[contact] = core.links[contact] == nil ? nil : room
        show(contact)
    }

    func details(of contact: ContactID, _ room: JoinedRoom) -> RoomDetails {
        let known = live[contact] ?? former[contact]
        return RoomDetails(
            room: room, people: known?.people ?? [], transport: live[contact]?.facts?.transport,
            maxPayload: live[contact]?.facts?.maxPayload, log: known?.log.entries ?? [])
    }

    private func show(_ contact: ContactID) {
        core.links[contact]?.roomLink = live[contact]?.linkState
        core.publishLinkState(of: contact)
    }

    /// Until the connection is closed, or this client stops.
    private func follow(_ contact: ContactID, _ connection: any RoomConnection) async {
        for await change in connection.changes {
            guard core.isRunning, live.isPresent(connection, of: contact) else { return }
            switch change {
            case .connecting(let attempt): live[contact]?.connecting(attempt: attempt, at: core.now())
            case .joined(let facts):
                live[contact]?.joined(facts, at: core.now())
                core.links[contact]?.peer.lastSeen = core.now()
                sender.pump(contact)
            case .left(let reason, let retry):
                live[contact]?.left(reason, retry: retry, at: core.now())
            case .ping:
                live[contact]?.note(.pings(1), at: core.now())
                continue
            }
            show(contact)
        }
    }

    /// Removes what an interrupted run left of files that nobody can accept any more.
    func cleanFiles() {
        core.tasks.spawn { [begun] client in await client.rooms.files.clean(before: begun) }
    }
}
