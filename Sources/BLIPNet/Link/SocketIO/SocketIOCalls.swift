// Those who wait for something of a Socket.IO client: for a namespace, for what becomes of an emit, for the end.

/// The waiting callers of one client. Each is answered once.
struct SocketIOCalls {
    typealias JoinWaiter = CheckedContinuation<Result<Void, SocketIOError>, Never>
    typealias EmitWaiter = CheckedContinuation<Result<[SocketIOValue], SocketIOError>, Never>

    private struct Join {
        let namespace: String
        let waiter: JoinWaiter
        let timer: LoopTimer
    }

    private struct Emit {
        let number: UInt64
        let waiter: EmitWaiter
        let wantsAck: Bool
    }

    private var joins: [UInt64: Join] = [:]
    private var emits: [UInt64: Emit] = [:]
    private var ends: [CheckedContinuation<Void, Never>] = []
    private var lastNumber: UInt64 = 0

    /// Nobody waits for a namespace.
    var hasNoJoins: Bool { joins.isEmpty }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Namespaces

    mutating func waitToJoin(_ namespace: String, _ number: UInt64, _ waiter: JoinWaiter, timer: LoopTimer) {
        joins[number] = Join(namespace: namespace, waiter: waiter, timer: timer)
    }

    /// Answers those who wait for `namespace`; for any if it is `nil`.
    mutating func endJoins(_ namespace: String?, _ result: Result<Void, SocketIOError>) {
        for number in joins.keys.sorted() where namespace == nil || joins[number]?.namespace == namespace {
            endJoin(number, result)
        }
    }

    /// `false` when it is answered already.
    @discardableResult
    mutating func endJoin(_ number: UInt64, _ result: Result<Void, SocketIOError>) -> Bool {
        guard let join = joins.removeValue(forKey: number) else { return false }
        join.timer.cancel()
        join.waiter.resume(returning: result)
        return true
    }

    // MARK: Emits

    mutating func waitForEmit(_ ticket: UInt64, _ number: UInt64, _ waiter: EmitWaiter, wantsAck: Bool) {
        emits[ticket] = Emit(number: number, waiter: waiter, wantsAck: wantsAck)
    }

    /// The caller does not want to know any more.
    mutating func cancelEmit(_ number: UInt64) {
        guard let ticket = emits.first(where: { $0.value.number == number })?.key else { return }
        endEmit(ticket, .failure(.cancelled))
    }

    /// It has gone out, which is all that most wait for.
    mutating func emitted(_ ticket: UInt64) {
        guard emits[ticket]?.wantsAck == false else { return }
        endEmit(ticket, .success([]))
    }

    mutating func endEmit(_ ticket: UInt64, _ result: Result<[SocketIOValue], SocketIOError>) {
        emits.removeValue(forKey: ticket)?.waiter.resume(returning: result)
    }

    mutating func endEmits(_ error: SocketIOError) {
        for ticket in emits.keys.sorted() { endEmit(ticket, .failure(error)) }
    }

    // MARK: The end

    mutating func waitForEnd(_ waiter: CheckedContinuation<Void, Never>) { ends.append(waiter) }

    mutating func ended() {
        for waiter in ends { waiter.resume() }
        ends = []
    }
}
