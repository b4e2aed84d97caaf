// Whoever types goes first: files give way while keys wait for a processor.

import BLIPNet
import Synchronization

/// Known to all of the process: the front end says how its keys fare, transfers look before they move more bytes.
package enum TypingPriority {
    /// Bytes per second that all uploads, and all downloads, may take while somebody types on a machine that is busy.
    static let rate: UInt64 = 24_000_000
    /// So long behind the last key.
    private static let lasts = Duration.seconds(2)

    /// Until when files give way, in nanoseconds of MonotonicTime.
    private static let end = Atomic<Int64>(.min)

    private static let isUsed = Atomic(false)

    /// The screen of the program says so; until then no key counts.
    package static func use() { isUsed.store(true, ordering: .relaxed) }

    /// A key was handled; `hasWaited`: it had to wait for a processor. Once one has, those that follow keep their place.
    package static func noteKey(hasWaited: Bool) {
        guard isUsed.load(ordering: .relaxed), hasWaited || isActive else { return }
        end.store((MonotonicTime.now() + lasts).nanoseconds, ordering: .relaxed)
    }

    static var isActive: Bool { MonotonicTime.now().nanoseconds < end.load(ordering: .relaxed) }
}
