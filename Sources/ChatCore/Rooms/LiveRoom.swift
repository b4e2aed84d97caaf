// The state of rooms in this run. Pure decisions; Rooms, RoomSender and RoomReceiver carry them out.

import BLIPNet

/// The rooms with a connection, whether it is up or not. Belongs to one actor.
final class LiveRooms {
    private var rooms: [ContactID: LiveRoom] = [:]

    subscript(contact: ContactID) -> LiveRoom? {
        get { rooms[contact] }
        _modify { yield &rooms[contact] }
    }

    /// Whether `connection` is still that of the room: what an earlier one says counts no more.
    func isPresent(_ connection: any RoomConnection, of contact: ContactID) -> Bool {
        rooms[contact]?.connection === connection
    }
}

/// The state of a room, apart from what is stored.
struct LiveRoom {
    /// Whether the server acknowledges what it gets.
    private enum Manner: Equatable {
        case unknown
        /// We emitted something that it might acknowledge, after so many lost connections.
        case asked(losses: Int)
        case silent
        case acknowledges
    }

    private enum Phase {
        case idle(LinkReason?)
        case connecting
        case joined(RoomFacts)
    }

    let connection: any RoomConnection
    /// They read what the connection says.
    var tasks: [Task<Void, Never>] = []
    private var phase = Phase.connecting
    private var lastFailure: LinkReason?
    private(set) var people: [String] = []
    private(set) var log: RoomLog
    var echoes: RoomEchoes
    /// Messages handed to the connection and neither confirmed nor abandoned, with how many connections had been lost
    /// by then.
    private var unconfirmed: [MessageID: Int] = [:]
    private var losses = 0
    private var manner: Manner
    private var hasNotedSilence = false

    /// `former`: the same room on an earlier connection of this run.
    init(connection: any RoomConnection, former: LiveRoom?) {
        self.connection = connection
        log = former?.log ?? RoomLog()
        echoes = former?.echoes ?? RoomEchoes()
        manner = former?.manner ?? .unknown
        if case .asked = manner { manner = .unknown }
    }

    var facts: RoomFacts? { if case .joined(let facts) = phase { facts } else { nil } }

    /// Rows that may be on their way at once. A server that acknowledges, or may, gets one after the other: a lost connection
    /// leaves one of which nobody knows whether it has arrived.
    var window: Int { manner == .silent ? 16 : 1 }

    /// Whether something may be emitted: there is a connection, and of everything that was on its way over an earlier one it
    /// is known whether it was lost. Else what comes later would overtake it.
    var mayEmit: Bool { facts != nil && unconfirmed.values.allSatisfy { $0 == losses } }

    var linkState: LinkState {
        switch phase {
        case .joined(let facts):
            .online(LinkDetails(remoteAddress: facts.remoteAddress, isEncrypted: facts.isEncrypted))
        // Another try is no news while the last one failed.
        case .connecting: lastFailure.map { .offline(reason: $0) } ?? .connecting
        case .idle(let reason): .offline(reason: reason)
        }
    }

    mutating func connecting(attempt: Int, at time: Timestamp) {
        phase = .connecting
        log.note(.connecting(attempt: attempt), at: time)
    }

    mutating func joined(_ facts: RoomFacts, at time: Timestamp) {
        phase = .joined(facts)
        lastFailure = nil
        log.note(.joined(transport: facts.transport, address: facts.remoteAddress), at: time)
    }

    mutating func left(_ reason: LinkReason, retry: Duration?, at time: Timestamp) {
        phase = .idle(reason)
        lastFailure = reason
        people = []
        losses += 1
        log.note(.left(reason, retryMilliseconds: retry.map { $0.inNanoseconds / 1_000_000 }), at: time)
    }

    mutating func note(_ what: RoomLog.What, at time: Timestamp) { log.note(what, at: time) }

    /// The names of the people there, cleaned as labels.
    mutating func knows(_ names: [String]) { people = names.map { ContactNames.cleaned($0, fallback: "somebody") } }

    /// It is being handed to the present connection, or has been.
    mutating func emitted(_ message: ChatMessage) {
        unconfirmed[message.id] = losses
        echoes.emitted(message.id, RoomEchoes.Content(message), sent: message.sent)
    }

    /// It is confirmed, lost or abandoned. Returns whether we were waiting for that.
    mutating func settled(_ id: MessageID) -> Bool { unconfirmed.removeValue(forKey: id) != nil }

    mutating func hasAcknowledged() { manner = .acknowledges }

    /// Whether what was just emitted is the first that the server might acknowledge: `waitedForAcknowledgement` follows.
    mutating func asksForAcknowledgement() -> Bool {
        guard manner == .unknown else { return false }
        manner = .asked(losses: losses)
        return true
    }

    /// The server had time enough for its first acknowledgement. Returns whether it sent none, so that more may go out at once;
    /// a connection that was lost meanwhile shows nothing.
    mutating func waitedForAcknowledgement() -> Bool {
        guard case .asked(let before) = manner else { return false }
        manner = before == losses ? .silent : .unknown
        return manner == .silent
    }

    /// Nothing was said to something emitted; told once.
    mutating func noteSilence(at time: Timestamp) {
        guard !hasNotedSilence else { return }
        hasNotedSilence = true
        log.note(.unconfirmed, at: time)
    }
}
