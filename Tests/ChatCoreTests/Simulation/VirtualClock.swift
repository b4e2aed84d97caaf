// Time that passes only when a test says so: minutes of waiting cost nothing, and nothing depends on speed.

import BLIPNet
import Synchronization

@testable import ChatCore

/// The clock of a simulation: clients wait on it, and the network delivers by it.
final class VirtualClock: Sendable {
    private struct Event {
        var due: MonotonicTime
        var number: UInt64
        var action: @Sendable () -> Void
    }

    private struct State {
        var now = MonotonicTime(nanoseconds: 0)
        var nextNumber: UInt64 = 0
        var events: [Event] = []
        var settling: @Sendable () async -> Void = {}
    }

    private let state = Mutex(State())

    var now: MonotonicTime { state.withLock { $0.now } }

    /// Milliseconds since the beginning.
    var milliseconds: Int64 { now.nanoseconds / 1_000_000 }

    /// Waits for what is under way besides the waiting itself.
    var settling: @Sendable () async -> Void {
        get { state.withLock { $0.settling } }
        set { state.withLock { $0.settling = newValue } }
    }

    var chatClock: ChatClock {
        ChatClock(now: { self.now }, wait: { try await self.wait($0) })
    }

    /// Runs `action` when the time has come.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.nextNumber += 1
            state.events.append(Event(due: state.now + delay, number: state.nextNumber, action: action))
        }
    }

    func wait(_ delay: Duration) async throws {
        let box = Mutex<(continuation: CheckedContinuation<Void, Never>?, isOver: Bool)>((nil, false))
        let finish: @Sendable () -> Void = {
            let continuation = box.withLock { box in
                box.isOver = true
                defer { box.continuation = nil }
                return box.continuation
            }
            continuation?.resume()
        }
        await withTaskCancellationHandler {
            schedule(after: max(.zero, delay), finish)
            await withCheckedContinuation { continuation in
                let isOver = box.withLock { box in
                    if !box.isOver { box.continuation = continuation }
                    return box.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            finish()
        }
        try Task.checkCancellation()
    }

    /// Lets time pass, event by event. What an event sets going is awaited as far as it can be, so that waits which it
    /// begins end in their order; what takes longer is as if a disk or processor were slow.
    func advance(by duration: Duration) async {
        let end = now + duration
        await settle()
        while let event = await nextForSure(until: end) {
            event.action()
            await settle()
        }
        state.withLock { $0.now = max($0.now, end) }
        await settle()
    }

    /// The next event, not one behind it: before a jump the machine gets time for what has not reached this clock yet. On
    /// a busy one the thread that has it may stand still for a while; an hour must not pass meanwhile.
    private func nextForSure(until end: MonotonicTime) async -> Event? {
        var quietRounds = 0
        while quietRounds < 4 {
            let (due, count) = state.withLock { ($0.events.map(\.due).min() ?? end, $0.nextNumber) }
            guard min(due, end) - now > .milliseconds(100) else { break }
            do { try await Task.sleep(for: .milliseconds(3)) } catch { break }
            await settle()
            quietRounds = state.withLock { $0.nextNumber } == count ? quietRounds + 1 : 0
        }
        return next(until: end)
    }

    private func next(until end: MonotonicTime) -> Event? {
        state.withLock { state in
            let due = state.events.indices.filter { state.events[$0].due <= end }
            let first = due.min {
                (state.events[$0].due, state.events[$0].number) < (state.events[$1].due, state.events[$1].number)
            }
            guard let first else { return nil }
            let event = state.events.remove(at: first)
            state.now = max(state.now, event.due)
            return event
        }
    }

    private func settle() async {
        await settling()
    }
}
