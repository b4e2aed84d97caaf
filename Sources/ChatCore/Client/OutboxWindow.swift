// Which entries of a contact's outbox are on the wire. Pure; ChatClient+Sending does the errands.

import BLIPNet

/// Entries go out strictly in order, several at a time. After an answer like "disk full" nothing new goes out for a
/// while, so that later entries do not overtake the refused one for long.
struct OutboxWindow {
    private var inFlight: [Int64: MonotonicTime] = [:]
    /// A task is reading the outbox; `isAsked` makes it read once more.
    private(set) var isBusy = false
    private var isAsked = false
    /// Waiting after a refusal that may pass.
    private(set) var isHeld = false

    /// Asks for a look at the outbox; `true` when the caller must start one.
    mutating func ask() -> Bool {
        if isBusy {
            isAsked = true
            return false
        }
        guard !isHeld else { return false }
        isBusy = true
        isAsked = false
        return true
    }

    /// The look is over; `true` when another was asked for meanwhile and the caller must go on.
    mutating func finishLook() -> Bool {
        if isAsked, !isHeld {
            isAsked = false
            return true
        }
        isBusy = false
        return false
    }

    /// Of the oldest `entries`, those that are not on the wire; from now on they are.
    mutating func admit(_ entries: [OutboxEntry], now: MonotonicTime) -> [OutboxEntry] {
        guard !isHeld else { return [] }
        let fresh = entries.filter { inFlight[$0.id] == nil }
        for entry in fresh { inFlight[entry.id] = now }
        return fresh
    }

    mutating func answered(_ id: Int64) { inFlight[id] = nil }
    mutating func hold() { isHeld = true }
    mutating func release() { isHeld = false }

    /// The link is over: everything goes out again on the next one.
    mutating func linkEnded() {
        inFlight = [:]
        isHeld = false
    }

    /// When the longest waiting entry was sent.
    var oldest: MonotonicTime? { inFlight.values.min() }
}
