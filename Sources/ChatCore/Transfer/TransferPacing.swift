// The limits that the user has set for the rate of transfers, and the waiting that keeps them.

import BLIPNet
import Synchronization

/// Limits of all uploads together, of all downloads together, of what goes through relays, and of single transfers; shared
/// by everything that moves bytes of files. Pieces of ranges wait for their turn: bytes on their way are not held up.
final class TransferPacing: Sendable {
    enum Scope: Hashable, Sendable {
        case all(MessageDirection)
        /// All that goes through relays, in both directions: a relay carries both.
        case relayed
        case transfer(MessageID)
    }

    private struct Pacer {
        var pacer: RatePacer
        /// Tells a new limit from one that was taken away: tickets of the old one count no more.
        let generation: Int
    }

    private struct State {
        var pacers: [Scope: Pacer] = [:]
        /// Transfers that go through a relay now.
        var relayed: Set<MessageID> = []
        var generation = 0
    }

    /// A limit that was changed meanwhile is noticed after so long.
    private static let longestSleep = Duration.milliseconds(250)

    private let state = Mutex(State())

    init(upload: UInt64?, download: UInt64?, relayed: UInt64? = nil) {
        setLimit(upload, of: .all(.outgoing))
        setLimit(download, of: .all(.incoming))
        setLimit(relayed, of: .relayed)
    }

    /// Says by which way a transfer goes.
    func goes(_ id: MessageID, throughRelay isRelayed: Bool) {
        state.withLock { state in
            if isRelayed { state.relayed.insert(id) } else { state.relayed.remove(id) }
        }
    }

    /// A transfer is over: nothing is kept of it.
    func forget(_ id: MessageID) {
        setLimit(nil, of: .transfer(id))
        goes(id, throughRelay: false)
    }

    /// Bytes per second; `nil` and 0: none.
    func setLimit(_ limit: UInt64?, of scope: Scope) {
        // Far beyond every disk, and a number that others can read back.
        let limit = limit.map { min($0, UInt64(Int64.max)) }
        let now = MonotonicTime.now()
        state.withLock { state in
            guard let limit, limit > 0 else {
                state.pacers[scope] = nil
                return
            }
            guard state.pacers[scope] == nil else {
                state.pacers[scope]?.pacer.setRate(limit, now: now)
                return
            }
            state.generation += 1
            state.pacers[scope] = Pacer(
                pacer: RatePacer(bytesPerSecond: limit, now: now), generation: state.generation)
        }
    }

    func limit(of scope: Scope) -> UInt64? { state.withLock { $0.pacers[scope].map { UInt64($0.pacer.rate) } } }

    /// The smallest limit that holds for a transfer, when so many of them share that of all.
    func limit(of id: MessageID, _ direction: MessageDirection, sharedBy count: UInt64 = 1) -> UInt64? {
        scopes(of: id, direction).compactMap { scope in
            guard let limit = limit(of: scope) else { return nil }
            return scope == .transfer(id) ? limit : limit / max(1, count)
        }.min()
    }

    /// How many of the next `bytes` of a transfer go at once under the limits of now.
    func piece(of bytes: UInt64, of id: MessageID, _ direction: MessageDirection) -> UInt64 {
        min(bytes, limit(of: id, direction).map(RangePlanner.piece) ?? .max)
    }

    /// Whether so many bytes may continue to wait as one piece: the limits of now are not much lower than when it was
    /// cut.
    func mayWait(_ bytes: UInt64, of id: MessageID, _ direction: MessageDirection) -> Bool {
        bytes / 2 <= piece(of: bytes, of: id, direction)
    }

    /// Waits until some of the next `bytes` of a transfer may go, and returns how many: all of them, or the piece that
    /// the limits of now let go at once. `nil` when the task is cancelled or they are not wanted any more.
    func grant(
        upTo bytes: UInt64, of id: MessageID, _ direction: MessageDirection, while isWanted: () -> Bool = { true }
    ) async -> UInt64? {
        while isWanted(), !Task.isCancelled {
            let asked = piece(of: bytes, of: id, direction)
            // Under a limit that has become much lower a smaller piece takes its place in the line.
            let hasTurn = await wait(for: asked, of: id, direction) { isWanted() && mayWait(asked, of: id, direction) }
            if hasTurn { return asked }
        }
        return nil
    }

    /// Returns `true` when `bytes` more of a transfer may go; `false` when the task is cancelled or they are not
    /// wanted any more: what does not go costs the others nothing.
    @discardableResult
    func wait(
        for bytes: UInt64, of id: MessageID, _ direction: MessageDirection, while isWanted: () -> Bool = { true }
    ) async -> Bool {
        let scopes = scopes(of: id, direction)
        var tickets: [(Scope, Int, RatePacer.Ticket)] = []
        while true {
            // A limit that is set meanwhile holds for what waits already.
            draw(&tickets, bytes, of: scopes)
            guard let left = wait(for: tickets), left > .zero else { break }
            let mayWait = isWanted()
            // A task that was cancelled does not sleep.
            if mayWait { try? await Task.sleep(for: min(left, Self.longestSleep)) }
            guard mayWait, !Task.isCancelled else {
                forEach(tickets) { $0.giveBack($1) }
                return false
            }
        }
        forEach(tickets) { $0.use($1) }
        return true
    }

    /// `bytes` of a transfer that had their turn did not go: the other side has none to give. They cost the others nothing.
    func refund(_ bytes: UInt64, of id: MessageID, _ direction: MessageDirection) {
        let scopes = scopes(of: id, direction)
        state.withLock { state in
            for scope in scopes { state.pacers[scope]?.pacer.refund(bytes) }
        }
    }

    /// Whose limits hold for a transfer.
    private func scopes(of id: MessageID, _ direction: MessageDirection) -> [Scope] {
        let isRelayed = state.withLock { $0.relayed.contains(id) }
        return [.all(direction), .transfer(id)] + (isRelayed ? [.relayed] : [])
    }

    /// Bytes that have gone under a limit, or wait in its line.
    func drawn(under scope: Scope) -> Double? { state.withLock { $0.pacers[scope]?.pacer.drawn } }

    /// Draws a ticket of each limit that has none among `tickets`, and drops those of limits that are gone.
    private func draw(_ tickets: inout [(Scope, Int, RatePacer.Ticket)], _ bytes: UInt64, of scopes: [Scope]) {
        let now = MonotonicTime.now()
        tickets = state.withLock { state in
            scopes.compactMap { scope in
                guard let generation = state.pacers[scope]?.generation else { return nil }
                if let drawn = tickets.first(where: { $0.0 == scope && $0.1 == generation }) { return drawn }
                return (state.pacers[scope]?.pacer.draw(bytes, now: now)).map { (scope, generation, $0) }
            }
        }
    }

    /// The longest wait of several tickets, `nil` when no ticket counts any more.
    private func wait(for tickets: [(Scope, Int, RatePacer.Ticket)]) -> Duration? {
        let now = MonotonicTime.now()
        return state.withLock { state in
            tickets.compactMap { scope, generation, ticket in
                guard state.pacers[scope]?.generation == generation else { return nil }
                return state.pacers[scope]?.pacer.wait(for: ticket, now: now)
            }.max()
        }
    }

    /// With each ticket that still counts and its pacer.
    private func forEach(
        _ tickets: [(Scope, Int, RatePacer.Ticket)], _ body: (inout RatePacer, RatePacer.Ticket) -> Void
    ) {
        state.withLock { state in
            for (scope, generation, ticket) in tickets where state.pacers[scope]?.generation == generation {
                guard var pacer = state.pacers[scope]?.pacer else { continue }
                body(&pacer, ticket)
                state.pacers[scope]?.pacer = pacer
            }
        }
    }
}
