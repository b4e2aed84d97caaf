// One namespace of a connection: requested, connected, or over (SOCKETIO B6, traps 2 and 6).

/// A session's knowledge of a namespace.
struct SocketIONamespace: Sendable {
    enum State: Sendable, Equatable {
        /// It is wanted, and there is no connection.
        case waiting
        /// We have asked the caller for the data to authenticate with.
        case authenticating
        /// CONNECT is sent, or the server will send it unasked.
        case connecting(deadline: MonotonicTime)
        case connected
    }

    /// An emit of ours.
    struct Emit: Sendable {
        /// Also the id of its acknowledgement.
        let ticket: UInt64
        let group: [EngineIOPacket]
        let wantsAck: Bool
        var byteCount: Int { group.reduce(0) { $0 + $1.payload.byteCount } }
    }

    var state = State.waiting
    /// Emits that no transport has taken, in order.
    var queue = FIFO<Emit>()
    /// Events from before CONNECT.
    private(set) var held: [SocketIOEvent] = []
    private var heldBytes = 0
    /// Ids that the server waits for, the oldest first; answered ones may still be in the list.
    private var askedIDs = FIFO<UInt64>()
    private var unanswered: Set<UInt64> = []

    var isConnected: Bool { state == .connected }

    /// Keeps an event until CONNECT; `false` when there are too many.
    mutating func hold(_ event: SocketIOEvent, byteCount: Int, limits: SocketIOLimits) -> Bool {
        guard held.count < limits.maxHeldEvents, heldBytes + byteCount <= limits.maxHeldBytes else { return false }
        held.append(event)
        heldBytes += byteCount
        return true
    }

    mutating func takeHeld() -> [SocketIOEvent] {
        defer {
            held = []
            heldBytes = 0
        }
        return held
    }

    mutating func asked(for id: UInt64, limits: SocketIOLimits) {
        while let oldest = askedIDs.first,
            !unanswered.contains(oldest) || unanswered.count >= limits.maxUnansweredEvents
        {
            _ = askedIDs.popFirst()
            unanswered.remove(oldest)
        }
        if unanswered.insert(id).inserted { askedIDs.append(id) }
    }

    /// `false` when nobody waits for it.
    mutating func answered(_ id: UInt64) -> Bool { unanswered.remove(id) != nil }

    /// The connection is over: what belonged to it is gone.
    mutating func disconnected() {
        state = .waiting
        _ = takeHeld()
        askedIDs.removeAll()
        unanswered = []
    }
}
