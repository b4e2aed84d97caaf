// Spreads bytes over time so that they stay below a rate. Pure: time is passed in.

import BLIPNet

/// Counts the bytes that may have gone by now. Whoever wants to send some draws a ticket, and goes when its turn has
/// come; so the rate holds over any time, and a change of the rate counts at once.
struct RatePacer: Sendable {
    /// What may go at once after a pause, as time at the full rate.
    private static let burst = 0.25

    /// A place in the line, as the count of bytes up to the end of what was asked for.
    struct Ticket: Sendable, Equatable {
        fileprivate var end: Double
    }

    /// Bytes per second, more than 0.
    private(set) var rate: Double
    private var allowed = 0.0
    private var drawn = 0.0
    private var time: MonotonicTime

    init(bytesPerSecond: UInt64, now: MonotonicTime) {
        rate = Double(max(1, bytesPerSecond))
        time = now
    }

    mutating func setRate(_ bytesPerSecond: UInt64, now: MonotonicTime) {
        advance(to: now)
        rate = Double(max(1, bytesPerSecond))
    }

    mutating func draw(_ bytes: UInt64, now: MonotonicTime) -> Ticket {
        advance(to: now)
        drawn += Double(bytes)
        return Ticket(end: drawn)
    }

    /// The bytes of a ticket will not go.
    mutating func giveBack(_ bytes: UInt64) { drawn -= Double(bytes) }

    /// How long until the ticket's turn; zero when it has come.
    mutating func wait(for ticket: Ticket, now: MonotonicTime) -> Duration {
        advance(to: now)
        return ticket.end <= allowed ? .zero : .seconds((ticket.end - allowed) / rate)
    }

    private mutating func advance(to now: MonotonicTime) {
        guard now > time else { return }
        allowed = min(allowed + rate * ((now - time) / .seconds(1)), max(allowed, drawn + rate * Self.burst))
        time = now
    }
}
