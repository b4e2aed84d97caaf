// One limit for what the unfinished messages of many connections hold in memory together (RELIABILITY 3): strangers on
// many connections must not hold more than a stranger on one.

internal import Synchronization

/// Memory that connections share. Each has a share of its own, so that none can keep the others from receiving.
package final class MemoryBudget: Sendable {
    /// Bytes that all connections together may hold beyond their own shares; each connection may exceed it by a frame.
    package let bytes: Int
    /// How many bytes each connection may hold in any case.
    package let share: Int
    private let used = Atomic(0)

    package init(bytes: Int, share: Int) {
        self.bytes = bytes
        self.share = share
    }

    fileprivate var free: Int { max(bytes - used.load(ordering: .relaxed), 0) }

    fileprivate func add(_ change: Int) { used.wrappingAdd(change, ordering: .relaxed) }
}

/// The part of a budget that one connection holds. Gives it back when it goes away.
final class MemoryHolding {
    private let budget: MemoryBudget
    private var beyondShare = 0

    init(_ budget: MemoryBudget) { self.budget = budget }

    deinit { budget.add(-beyondShare) }

    /// How much more the connection may hold that holds `bytes` now.
    func room(beyond bytes: Int) -> Int { max(budget.share - bytes, 0) + budget.free }

    /// The connection holds so much now.
    func update(to bytes: Int) {
        let beyond = max(bytes - budget.share, 0)
        if beyond != beyondShare { budget.add(beyond - beyondShare) }
        beyondShare = beyond
    }
}
