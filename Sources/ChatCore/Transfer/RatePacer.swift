// Spreads bytes over time so that they stay below a rate. Pure: time is passed in.

import BLIPNet

/// Counts the bytes that may have gone by now. A sender draws a ticket for some, and sends them when its turn has come;
/// so the rate holds over any time, and a change of the rate counts at once.
struct RatePacer: Sendable {
    /// The bytes that may go at once after a pause, as time at the full rate.
    private static let burst = 0.25

    /// A place in the line.
    struct Ticket: Sendable, Equatable {
        fileprivate let number: UInt64
    }

    /// A ticket's bytes in the line; `end`: the count of bytes up to their end.
    private struct Waiting {
        let number: UInt64
        let bytes: Double
        var end: Double
    }

    /// Bytes per second, more than 0.
    private(set) var rate: Double
    private var allowed = 0.0
    /// Bytes that have gone, or wait in the line.
    private(set) var drawn = 0.0
    /// In the order of drawing.
    private var line: [Waiting] = []
    private var nextNumber: UInt64 = 0
    private var time: MonotonicTime

    init(bytesPerSecond: UInt64, now: MonotonicTime) {
        rate = Double(max(1, bytesPerSecond))
        time = now
    }

    mutating func setRate(_ bytesPerSecond: UInt64, now: MonotonicTime) {
        advance(to: now)
        rate = Double(max(1, bytesPerSecond))
        // Bytes that were saved up were saved up under the old rate.
        allowed = min(allowed, drawn + rate * Self.burst)
    }

    mutating func draw(_ bytes: UInt64, now: MonotonicTime) -> Ticket {
        advance(to: now)
        drawn += Double(bytes)
        nextNumber += 1
        line.append(Waiting(number: nextNumber, bytes: Double(bytes), end: drawn))
        return Ticket(number: nextNumber)
    }

    /// The bytes of a ticket go now.
    mutating func use(_ ticket: Ticket) { line.removeAll { $0.number == ticket.number } }

    /// The bytes of a ticket will not go: those after it move up.
    mutating func giveBack(_ ticket: Ticket) {
        guard let place = line.firstIndex(where: { $0.number == ticket.number }) else { return }
        moveUp(by: line.remove(at: place).bytes, from: place)
    }

    /// `bytes` of a ticket that was used did not go after all: those that wait move up.
    mutating func refund(_ bytes: UInt64) { moveUp(by: Double(bytes), from: line.startIndex) }

    /// So many bytes do not go after all: those from `place` on come earlier, and nothing is saved up by that.
    private mutating func moveUp(by bytes: Double, from place: Int) {
        drawn -= bytes
        for index in line.indices[place...] { line[index].end -= bytes }
        allowed = min(allowed, drawn + rate * Self.burst)
    }

    /// How long until the ticket's turn; zero when it has come, and for one that was used or given back.
    mutating func wait(for ticket: Ticket, now: MonotonicTime) -> Duration {
        advance(to: now)
        guard let end = line.first(where: { $0.number == ticket.number })?.end, end > allowed else { return .zero }
        return .seconds((end - allowed) / rate)
    }

    private mutating func advance(to now: MonotonicTime) {
        guard now > time else { return }
        allowed = min(allowed + rate * ((now - time) / .seconds(1)), max(allowed, drawn + rate * Self.burst))
        time = now
    }
}
