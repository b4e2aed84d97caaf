// How long one operation of a connection may take.

/// The limits of a read, a write or a handshake, and when it last got on.
struct OperationClock: Sendable {
    let startedAt: MonotonicTime
    let deadline: MonotonicTime?
    let idle: Duration?
    /// When its turn came, or the last byte moved; `nil` while others are before it.
    private var movedAt: MonotonicTime?

    init(deadline: MonotonicTime?, idle: Duration?, now: MonotonicTime = .now()) {
        startedAt = now
        self.deadline = deadline
        self.idle = idle
    }

    /// Its turn has come: from here the idle limit counts.
    mutating func begin(now: @autoclosure () -> MonotonicTime) {
        if movedAt == nil, idle != nil { movedAt = now() }
    }

    /// A byte has moved.
    mutating func moved(now: @autoclosure () -> MonotonicTime) {
        if idle != nil { movedAt = now() }
    }

    /// When it is over.
    var due: MonotonicTime? {
        guard let idle, let movedAt else { return deadline }
        let end = movedAt + idle
        return deadline.map { min($0, end) } ?? end
    }
}

extension MonotonicTime {
    /// The moment `duration` from now, for deadlines.
    public static func after(_ duration: Duration) -> MonotonicTime { .now() + duration }
}
