// One limit for what the requests of all peers hold in memory while they wait for their turn (RELIABILITY 3).

import Synchronization

/// Memory that the lines of all links share. Each has a share of its own, so that no peer can keep the others out.
final class WaitingMemory: Sendable {
    /// What one line may hold in any case: the short requests of a whole window.
    static let share = 128 << 10

    private let bytes: Int
    private let used = Mutex(0)

    /// `bytes`: what all lines together may hold beyond their shares.
    init(bytes: Int) { self.bytes = bytes }

    /// Takes `size` bytes for a line that holds `held`; `false` when there is no room for them.
    func take(_ size: Int, beside held: Int) -> Bool {
        let beyond = Self.beyondShare(held + size) - Self.beyondShare(held)
        return used.withLock { used in
            guard beyond == 0 || used + beyond <= bytes else { return false }
            used += beyond
            return true
        }
    }

    /// Gives back `size` of the `held` bytes of a line.
    func giveBack(_ size: Int, of held: Int) {
        let beyond = Self.beyondShare(held) - Self.beyondShare(held - size)
        used.withLock { $0 -= beyond }
    }

    private static func beyondShare(_ held: Int) -> Int { max(held - share, 0) }
}
